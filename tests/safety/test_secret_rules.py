"""Where a saved secret may go: one row for each way in which a page or a program may pretend to be another."""

from __future__ import annotations

import pytest

from operative_app.core.errors import SettingsError
from operative_app.core.screen import SurfaceKind
from operative_app.core.secrets import FieldPlace, SavedSecret
from operative_app.safety.secret_rules import (
    checked_apps,
    checked_name,
    checked_sites,
    checked_value,
    refusal,
    words_of_places,
)

SHOP = SavedSecret(name="shop", sites=("shop.example",))
WIDE = SavedSecret(name="wide", sites=("*.shop.example",))
PORT = SavedSecret(name="port", sites=("shop.example:8443",))
HTTPS = SavedSecret(name="https", sites=("https://shop.example",))
LOCAL = SavedSecret(name="local", sites=("127.0.0.1", "[::1]", "localhost"))
IDN = SavedSecret(name="idn", sites=("bücher.example",))


@pytest.mark.parametrize(
    ("secret", "origin"),
    [
        (SHOP, "https://shop.example"),
        (SHOP, "https://shop.example:8443"),
        (SHOP, "https://SHOP.example"),
        (WIDE, "https://shop.example"),
        (WIDE, "https://login.shop.example"),
        (PORT, "https://shop.example:8443"),
        (HTTPS, "https://shop.example"),
        (LOCAL, "http://127.0.0.1:8000"),
        (LOCAL, "http://[::1]:8000"),
        (LOCAL, "http://localhost:3000"),
        (IDN, "https://xn--bcher-kva.example"),
    ],
)
def test_a_secret_goes_to_its_own_site(secret: SavedSecret, origin: str) -> None:
    assert refusal(secret, FieldPlace(key="k", origin=origin, is_password=True), SurfaceKind.BROWSER) == ""


@pytest.mark.parametrize(
    ("secret", "origin", "why"),
    [
        (SHOP, "http://shop.example", "not reached over https"),
        (SHOP, "http://shop.example:443", "not reached over https"),
        (SHOP, "https://evil.example", "was saved for shop.example and the field belongs to evil.example"),
        (SHOP, "https://shop.example.evil.example", "belongs to shop.example.evil.example"),
        (SHOP, "https://evil-shop.example", "belongs to evil-shop.example"),
        (SHOP, "https://login.shop.example", "belongs to login.shop.example"),
        (SHOP, "https://shop.example@evil.example", "without a site"),
        (SHOP, "https://shop.example:pw@evil.example", "without a site"),
        (SHOP, "https://evil.example/shop.example", "without a site"),
        (SHOP, "https://evil.example?shop.example", "without a site"),
        (SHOP, "https://evil.example#shop.example", "without a site"),
        (SHOP, "https://shop.ex\u0430mple", "belongs to shop.xn--exmple-4nf"),
        (SHOP, "null", "without a site"),
        (SHOP, "", "without a site"),
        (SHOP, "file://", "without a site"),
        (SHOP, "data:text/html,shop.example", "without a site"),
        (SHOP, "blob:https://shop.example/1", "without a site"),
        (SHOP, "about:blank", "without a site"),
        (SHOP, "chrome-extension://shop.example", "without a site"),
        (SHOP, "javascript:shop.example", "without a site"),
        (WIDE, "https://evilshop.example", "belongs to evilshop.example"),
        (WIDE, "https://shop.example.org", "belongs to shop.example.org"),
        (PORT, "https://shop.example", "belongs to shop.example"),
        (HTTPS, "http://shop.example", "not reached over https"),
        (LOCAL, "http://127.0.0.1.evil.example", "not reached over https"),
        (LOCAL, "http://localhost.evil.example", "not reached over https"),
        (LOCAL, "http://169.254.169.254", "not reached over https"),
        (LOCAL, "http://10.0.0.1", "not reached over https"),
        (LOCAL, "http://[fe80::1]", "not reached over https"),
        (IDN, "https://bucher.example", "belongs to bucher.example"),
        (SavedSecret(name="app", apps=("notes",)), "https://shop.example", "was saved for no site"),
    ],
)
def test_a_secret_goes_nowhere_else(secret: SavedSecret, origin: str, why: str) -> None:
    place = FieldPlace(key="k", origin=origin, is_password=True)
    assert why in refusal(secret, place, SurfaceKind.BROWSER)


@pytest.mark.parametrize(
    ("apps", "app", "why"),
    [
        (("keepassxc",), "keepassxc", ""),
        (("KeePassXC.exe",), "keepassxc", ""),
        (("keepassxc",), "zenity", "belongs to zenity"),
        (("keepassxc",), "keepassxc-evil", "belongs to keepassxc-evil"),
        (("keepassxc",), "", "is not known"),
        ((), "keepassxc", "was saved for no program"),
    ],
)
def test_on_the_desktop_the_program_counts(apps: tuple[str, ...], app: str, why: str) -> None:
    place = FieldPlace(key="k", label="the field", app=app, is_password=True)
    found = refusal(SavedSecret(name="pw", sites=("shop.example",), apps=apps), place, SurfaceKind.DESKTOP)
    assert (why in found) if why else found == ""


@pytest.mark.parametrize("surface", SurfaceKind)
def test_what_takes_no_text_gets_none(surface: SurfaceKind) -> None:
    place = FieldPlace(key="k", label="button “Go”", origin="https://shop.example", app="shop", takes_text=False)
    assert "button “Go” takes no text" in refusal(SHOP, place, surface)


@pytest.mark.parametrize("name", ["", "  ", "a{b", "}}", "x" * 61, "a\x00b"])
def test_names_that_cannot_be_written_in_a_goal_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="1 to 60"):
        checked_name(name)


def test_a_name_is_folded_to_one_line() -> None:
    assert checked_name("  shop \n password ") == "shop password"


@pytest.mark.parametrize(
    "site", ["http://shop.example", "ftp://shop.example", "*.com.*", "shop.example/login", "a@b", "*", "*.com", ""]
)
def test_sites_that_would_not_hold_are_refused(site: str) -> None:
    if site:
        with pytest.raises(SettingsError):
            checked_sites([site])
    else:
        assert checked_sites([site]) == ()


def test_sites_and_programs_are_kept_in_one_spelling() -> None:
    assert checked_sites(["SHOP.example", "shop.example", "http://127.0.0.1:8000"]) == (
        "shop.example",
        "http://127.0.0.1:8000",
    )
    assert checked_apps(["/usr/bin/KeePassXC", "C:\\x\\keepassxc.exe", " "]) == ("keepassxc",)
    assert words_of_places(SavedSecret(name="x", sites=("a.example",), apps=("b",))) == "a.example, the program b"
    assert words_of_places(SavedSecret(name="x")) == "nowhere yet"


@pytest.mark.parametrize("value", ["", " ", "\n", "a\nb", "a\tb", "a\rb", "a\x1bb", "a\x7fb"])
def test_values_that_would_press_keys_or_are_none_are_refused(value: str) -> None:
    with pytest.raises(SettingsError):
        checked_value(value)


def test_a_line_end_of_the_input_is_no_part_of_a_value() -> None:
    assert checked_value("pass word\r\n") == "pass word"
