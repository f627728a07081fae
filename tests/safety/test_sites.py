"""Allow and deny lists, judged on addresses as a browser reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.core.errors import SettingsError
from operative_app.safety.sites import SitePattern, SiteRules

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "cases" / "url_allowlist_cases.json").read_text("utf-8")
)["cases"]


def rules_of(case: dict[str, Any]) -> SiteRules:
    """The case's list; an empty one stands for "no list was given". A pattern that is refused allows nothing."""
    try:
        return SiteRules.read(case["allowed"] or None)
    except SettingsError:
        return SiteRules(allow=())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["url"])
def test_the_list_decides_as_the_browser_would_read_the_address(case: dict[str, Any]) -> None:
    verdict = rules_of(case).judge(case["url"])
    if case["allow"] is None:  # a homograph as a pattern: it is shown as what it is
        assert "xn--exmple-4nf.com" in verdict.reason
    else:
        assert verdict.is_allowed is case["allow"], verdict


@pytest.mark.parametrize(
    ("pattern", "url", "is_allowed"),
    [
        ("example.com", "http://EXAMPLE.com./", True),
        ("example.com", "https://sub.example.com/", False),
        ("*.example.com", "https://a.b.example.com/", True),
        ("*.example.com", "https://notexample.com/", False),
        ("example.com:8443", "https://example.com:8443/x", True),
        ("example.com:443", "https://example.com/", True),
        ("example.com:80", "https://example.com/", False),
        ("https://example.com", "http://example.com/", False),
        ("https://example.com/", "https://example.com/", True),
        ("[::1]", "http://[0:0:0:0:0:0:0:1]:3000/", True),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/", True),
        ("127.0.0.1", "http://0x7f.1/", True),
        ("localhost", "http://127.0.0.1/", False),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("example.com", "about:blank", True),
        ("example.com", "https://example.com:70000/", False),
    ],
)
def test_a_pattern_means_what_it_says(pattern: str, url: str, is_allowed: bool) -> None:
    assert SiteRules.read([pattern]).judge(url).is_allowed is is_allowed


@pytest.mark.parametrize(
    "pattern",
    ["", " ", "*", "*.com", "www*.com", "example.*", "a.*.com", "http://", "ftp://example.com", "exam ple.com",
     "user@example.com", "example.com/path", "example.com?x", "*.127.0.0.1", "example.com:port", "a\\b.com"],
)  # fmt: skip
def test_what_is_no_pattern_is_refused_with_a_sentence(pattern: str) -> None:
    with pytest.raises(SettingsError, match="no site pattern"):
        SitePattern.read(pattern)


def test_the_deny_list_beats_the_allow_list() -> None:
    rules = SiteRules.read(["*.example.com"], ["admin.example.com"])
    assert rules.judge("https://www.example.com/").is_allowed
    verdict = rules.judge("https://admin.example.com/")
    assert (verdict.is_allowed, verdict.rule) == (False, "deny list")


def test_an_empty_list_allows_nothing_and_no_list_allows_all_but_metadata_addresses() -> None:
    assert not SiteRules.read([]).judge("https://example.com/").is_allowed
    assert SiteRules.read().judge("https://example.com/").is_allowed
    for url in ("http://169.254.169.254/latest/", "http://0xa9fea9fe/", "http://[fe80::1]/", "http://2852039166/"):
        assert SiteRules.read().judge(url).rule == "metadata address"
        assert SiteRules.read(["example.com"]).judge(url).rule == "not on the allow list"
    assert SiteRules.read(["169.254.169.254"]).judge("http://169.254.169.254/").is_allowed


HOSTS = st.sampled_from(["example.com", "a.example.com", "b.a.example.com", "example.org", "127.0.0.1"])
PATTERNS = st.builds(
    lambda scheme, wild, host, port: f"{scheme}{wild if host != '127.0.0.1' else ''}{host}{port}",
    st.sampled_from(["", "https://"]), st.sampled_from(["", "*."]), HOSTS, st.sampled_from(["", ":8443"]),
)  # fmt: skip
LISTS = st.none() | st.lists(PATTERNS, max_size=3)
URLS = st.builds(
    lambda scheme, host, port: f"{scheme}://{host}{port}/",
    st.sampled_from(["http", "https"]), HOSTS, st.sampled_from(["", ":8443", ":80"]),
)  # fmt: skip


@given(LISTS, LISTS, st.lists(PATTERNS, max_size=2), URLS)
def test_layers_only_narrow_each_other(
    one: list[str] | None, other: list[str] | None, deny: list[str], url: str
) -> None:
    first, second = SiteRules.read(one, deny), SiteRules.read(other)
    both = first.judge(url).is_allowed and second.judge(url).is_allowed
    assert first.narrowed(second).judge(url).is_allowed is both


@given(st.text(max_size=60))
def test_anything_is_judged_without_an_error(text: str) -> None:
    verdict = SiteRules.read(["example.com"]).judge(text)
    assert verdict.reason
    assert not verdict.is_allowed or "example.com" in verdict.site or text.strip().lower().startswith("about:blank")
