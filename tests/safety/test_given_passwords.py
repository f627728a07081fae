"""Passwords in a person's own words."""

from __future__ import annotations

import pytest

from operative_app.safety.given_passwords import passwords_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sign in as ada with password hunter2-x, then open the inbox", ("hunter2-x",)),
        ("the password is “correct horse”; PIN: 4711.", ("correct horse", "4711")),
        ('Password: letmein and Passwort "geheim"', ("geheim", "letmein")),
        ("fill the password field, then press Sign in", ()),
        ("reset the password for Ada", ()),
        ("open the password page https://site.test/password?x=1", ()),
        ("set the password https://site.test/1", ()),
        ("spin 4711 times; the pin is 12", ()),
        ("", ()),
    ],
)
def test_what_is_named_as_a_password_is_found_and_nothing_else(text: str, expected: tuple[str, ...]) -> None:
    assert passwords_in(text) == expected
