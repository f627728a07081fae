"""What a person's own words name."""

from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.core.errors import SettingsError
from operative_app.safety.naming import named_in
from operative_app.safety.site_names import has_known_suffix, site_name


@pytest.mark.parametrize(
    ("words", "sites"),
    [
        ("Open https://www.shop.example/x?y=1, then stop.", ("shop.example",)),
        ("search amazon.com for a kettle", ("amazon.com",)),
        ("compare www.bbc.co.uk and news.example.org.", ("bbc.co.uk", "example.org")),
        ("go to localhost:3000/admin", ("localhost:3000",)),
        ("open 192.168.0.1:8080", ("192.168.0.1:8080",)),
        ("open “https://a.example/” and (https://b.example)", ("a.example", "b.example")),
        ("write to ada@mail.example", ()),
        ("open notes.txt and v1.2.3", ()),
        ("search for a Mac mini on Wikipedia", ()),
        ("javascript:alert(1) file:///etc/passwd", ()),
        ("https://", ()),
        ("https://a.example https://a.example/2", ("a.example",)),
    ],
)
def test_sites_in_words(words: str, sites: tuple[str, ...]) -> None:
    assert named_in(words).sites == sites


def test_names_of_the_practice_site_are_completed() -> None:
    def resolve(url: str) -> str:
        if url == "practice:shop":
            return "http://127.0.0.1:4000/shop"
        raise SettingsError("no such page")

    assert named_in("in practice:shop and practice:nothing", resolve).sites == ("127.0.0.1:4000",)


@pytest.mark.parametrize(
    ("words", "folders"),
    [
        ("sort the files in /data/papers.", ("/data/papers",)),
        ('upload "/data/my papers/cv.pdf" there', ("/data/my papers/cv.pdf",)),
        ("open C:\\papers\\a.txt", ("C:\\papers\\a.txt",)),
        ("delete everything in / and ~/ and ..", ()),
        ("either/or and 3/4", ()),
        ('look into "/" and "~/."', ()),
        ("https://shop.example/data/papers", ()),
    ],
)
def test_folders_and_files_in_words(words: str, folders: tuple[str, ...]) -> None:
    assert named_in(words).folders == folders


def test_an_address_without_a_site_grants_nothing() -> None:
    assert named_in("open localhost", lambda _: "about:blank").sites == ()


def test_the_home_folder_is_written_out() -> None:
    assert named_in("look into ~/papers").folders == (str(Path.home() / "papers"),)


@pytest.mark.parametrize(
    ("words", "is_asked_for"),
    [
        ("accept the cookies and search for tea", True),
        ("agree to the terms", True),
        ("alle Cookies akzeptieren", True),
        ("do not buy anything", False),
        ("search for cookies", False),
    ],
)
def test_consent_in_words(words: str, is_asked_for: bool) -> None:
    assert named_in(words).kinds == (("consent",) if is_asked_for else ())


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.shop.example.co.uk/x", "example.co.uk"),
        ("https://EXAMPLE.com./", "example.com"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://co.uk/", "co.uk:443"),
        ("http://printer/", "printer:80"),
        ("http://0x7f.1/", "127.0.0.1:80"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("nonsense", ""),
    ],
)
def test_what_counts_as_one_site(url: str, site: str) -> None:
    assert site_name(url) == site


def test_hosts_with_a_public_suffix_are_told_from_names_of_files() -> None:
    assert [has_known_suffix(host) for host in ("amazon.com", "com", "notes.txt")] == [True, False, False]
