"""What counts as the text that was asked for."""

from __future__ import annotations

import pytest

from operative_app.actions.effects import same_entry


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("abc", "abc"),
        ("ABC DEF", "abc def"),
        ("(555) 123-4567", "5551234567"),
        ("(555) 123-4567", "555-123-4567".replace("-", " ")),
        ("4111 1111 1111 1111", "4111111111111111"),
        ("1,250", "1250"),
        ("1.250.000", "1250000"),
        ("12.50", "12.50"),
        ("2027-03-09", "20270309"),
    ],
)
def test_a_field_may_write_it_in_its_own_way(shown: str, wanted: str) -> None:
    assert same_entry(shown, wanted)


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("", "abc"),
        ("abc", "abcdef"),
        ("12.50", "1250"),
        ("12,50", "1250"),
        ("1250", "12.50"),
        ("+1 555 123 4567", "5551234567"),
        ("ada@example.org", "ada@example.com"),
        ("adaexample.org", "ada@example.org"),
        ("50", "-50"),
        ("***", "!!!"),
    ],
)
def test_another_value_is_told(shown: str, wanted: str) -> None:
    assert not same_entry(shown, wanted)
