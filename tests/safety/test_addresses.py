"""Typed addresses: completed, or refused with a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.core.errors import SettingsError
from operative_app.safety.addresses import completed_url, is_script, link_fault, site_of


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" example.org ", "https://example.org"),
        ("example.org:8443/x", "https://example.org:8443/x"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000/x", "http://127.0.0.1:8000/x"),
        ("localhost", "http://localhost"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("HTTP://EXAMPLE.org", "HTTP://EXAMPLE.org"),
        ("münchen.de", "https://münchen.de"),
        ("about:blank", "about:blank"),
        ("http://user:pass@example.org/", "http://user:pass@example.org/"),
    ],
)
def test_what_people_type_is_completed(typed: str, url: str) -> None:
    assert completed_url(typed) == url


@pytest.mark.parametrize(
    "typed",
    [
        "", " ", "two words", "file:///etc/passwd", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x",
        "chrome://settings", "about:config", "view-source:http://a.test", "blob:http://a.test/1", "ftp://a.test/",
        "http://", "https:///x", "http:a.test", "http://[::1", "http://a.test:99999/", "http://a..test/",
        "http://a b.test/", "http://<script>/", "https://exa\nmple.org", "mailto:a@b.test", "//", "http://a.test:0/",
        "http://[1.2.3.4]/", "http://[v1.x]/", "http://[::zz]/",
    ],
)  # fmt: skip
def test_what_is_no_web_address_is_refused_in_words(typed: str) -> None:
    with pytest.raises(SettingsError, match=r"\.$"):
        completed_url(typed)


@given(st.text(max_size=60))
def test_nothing_but_web_addresses_ever_comes_out(typed: str) -> None:
    try:
        url = completed_url(typed)
    except SettingsError:
        return
    assert url == "about:blank" or url.lower().startswith(("http://", "https://"))
    assert completed_url(url) == url


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://A.test:8080/x", "a.test:8080"),
        ("https://u:p@a.test/", "a.test"),
        ("about:blank", ""),
        ("http://[", ""),
    ],
)
def test_the_site_of_an_address(url: str, site: str) -> None:
    assert site_of(url) == site


@pytest.mark.parametrize(
    "href",
    [
        "file:///etc/passwd", "FILE:///c:/a", "chrome://settings", "chrome-extension://a/b", "view-source:http://a.test",
        "about:config", "devtools://x", "data:text/html,<h1>x</h1>", " data:image/svg+xml;base64,AA", "edge://flags",
    ],
)  # fmt: skip
def test_links_to_files_and_to_the_browsers_own_pages_are_not_followed(href: str) -> None:
    assert "is not opened" in link_fault(href)


@pytest.mark.parametrize(
    "href",
    [
        "", "https://a.test/", "/relative", "#part", "mailto:ada@a.test", "tel:1", "blob:https://a.test/1",
        "data:text/csv,a", "about:blank", "javascript:void(0)", "javascript:pay()",
    ],
)  # fmt: skip
def test_other_links_are_judged_where_they_lead(href: str) -> None:
    assert link_fault(href) == ""


def test_a_link_that_is_a_script_is_told_from_one_that_does_nothing() -> None:
    assert all(is_script(one) for one in ("javascript:pay()", " JavaScript:a.b=1", "javascript:void(pay())"))
    assert not any(
        is_script(one)
        for one in ("javascript:", "javascript:;", "javascript:void(0)", "javascript:void 0;", "https://a.test", "")
    )
