"""Allow and deny lists, judged on addresses as a browser reads them."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operative_app.actions.browser import Navigate, NewTab
from operative_app.actions.mouse import ClickElement
from operative_app.core.errors import SettingsError
from operative_app.core.run import Oversight
from operative_app.safety.host_rules import host_rules
from operative_app.safety.policy import Decision, Policy, decide
from operative_app.safety.sites import SitePattern, SiteRules
from tests.safety.screens import element, screen

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


@example(["example.com"], ["https://*.example.com"], [], "https://example.com/")
@example(["https://*.example.com"], ["a.example.com:8443"], [], "https://a.example.com:8443/")
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


@given(LISTS, st.lists(PATTERNS, max_size=2), URLS)
def test_what_may_be_denied_is_watched(allow: list[str] | None, deny: list[str], url: str) -> None:
    rules = SiteRules.read(allow, deny)
    is_watched = any(fnmatchcase(url, pattern.replace("[", "[[]")) for pattern in rules.watched)
    assert is_watched or not rules.refusal(url)


@pytest.mark.parametrize(
    ("deny", "url"),
    [
        (["evil.example"], "https://evil.example./x"),
        (["*.evil.example"], "http://a.b.evil.example:8080/"),
        (["127.0.0.2"], "http://[::ffff:7f00:2]/"),
        ([], "http://169.254.169.254/"),
        ([], "http://[fe80::1]/"),
        ([], "http://[::ffff:a9fe:a9fe]/"),
        ([], "http://metadata.google.internal/computeMetadata/v1/"),
    ],
)
def test_without_an_allow_list_only_what_may_be_denied_is_watched(deny: list[str], url: str) -> None:
    rules = SiteRules.read(None, deny)
    assert rules.refusal(url)
    assert any(fnmatchcase(url, pattern.replace("[", "[[]")) for pattern in rules.watched)
    assert SiteRules().refusal("https://example.com/") == ""
    assert not any(fnmatchcase("https://example.com/a", one.replace("[", "[[]")) for one in SiteRules().watched)


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("ws://example.com/x", True),
        ("wss://example.com/x", True),
        ("ws://evil.example/x", False),
        ("data:text/html,x", False),
        ("blob:https://example.com/1", False),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("view-source:https://example.com/", False),
        ("chrome://settings", False),
        ("about:blank", True),
    ],
)
def test_a_refusal_says_what_which_rule_and_what_can_be_done(url: str, is_allowed: bool) -> None:
    refusal = SiteRules.read(["example.com"]).refusal(url)
    assert (refusal == "") is is_allowed
    if refusal:
        assert "outside the sites of this run" in refusal
        assert refusal.endswith(".")


@pytest.mark.parametrize(
    ("allow", "url", "address", "is_read"),
    [
        (["shop.example"], "https://shop.example/", "203.0.113.7", True),
        (["shop.example"], "https://shop.example/", "127.0.0.1", False),
        (["shop.example"], "https://shop.example/", "::1", False),
        (["shop.example"], "https://shop.example/", "[::1]", False),
        (["shop.example"], "https://shop.example/", "0.0.0.0", False),  # noqa: S104
        (["shop.example"], "https://shop.example/", "169.254.169.254", False),
        (["shop.example", "127.0.0.1"], "http://shop.example/", "127.0.0.1", True),
        (["wiki.corp.example"], "https://wiki.corp.example/", "10.1.2.3", True),
        (["localhost"], "http://localhost:8000/", "127.0.0.1", True),
        (["app.localhost"], "http://app.localhost/", "127.0.0.1", True),
        (["127.0.0.1"], "http://127.0.0.1/", "127.0.0.1", True),
        (None, "http://public.example/", "169.254.169.254", False),
        (None, "http://public.example/", "127.0.0.1", True),
        (["shop.example"], "https://shop.example/", "no address", True),
    ],
)
def test_a_name_is_judged_by_where_it_leads(allow: list[str] | None, url: str, address: str, is_read: bool) -> None:
    refusal = SiteRules.read(allow).connection_refusal(url, address)
    assert (refusal == "") is is_read
    assert is_read or "allow list if the page is yours" in refusal


def test_a_denied_address_is_denied_behind_any_name() -> None:
    rules = SiteRules.read(None, ["192.168.1.1"])
    assert "192.168.1.1" in rules.connection_refusal("http://router.example/", "192.168.1.1")
    assert rules.connection_refusal("http://router.example/", "192.168.1.2") == ""


@pytest.mark.parametrize(
    ("allow", "deny", "expected"),
    [
        (None, [], ""),
        ([], [], "MAP * ~NOTFOUND"),
        (["example.com"], [], "MAP * ~NOTFOUND, EXCLUDE example.com, EXCLUDE example.com."),
        (
            ["*.example.com"],
            ["admin.example.com"],
            "MAP * ~NOTFOUND, EXCLUDE example.com, EXCLUDE example.com., EXCLUDE *.example.com, EXCLUDE *.example.com.",
        ),
        (["a.example", "b.example"], ["*.b.example"], "MAP * ~NOTFOUND, EXCLUDE a.example, EXCLUDE a.example."),
        (["https://example.com:8443"], [], "MAP * ~NOTFOUND, EXCLUDE example.com, EXCLUDE example.com."),
        (["[::1]"], [], "MAP * ~NOTFOUND, EXCLUDE ::1"),
        (None, ["evil.example"], "MAP evil.example ~NOTFOUND, MAP evil.example. ~NOTFOUND"),
        (None, ["evil.example:8443", "http://evil.example"], ""),
    ],
)
def test_the_resolver_finds_only_the_hosts_of_the_lists(
    allow: list[str] | None, deny: list[str], expected: str
) -> None:
    assert host_rules(SiteRules.read(allow, deny)) == expected


def test_the_resolver_finds_the_proxies_of_the_person() -> None:
    assert host_rules(SiteRules.read([]), ["proxy.example"]).endswith("EXCLUDE proxy.example, EXCLUDE proxy.example.")
    assert host_rules(SiteRules(), ["proxy.example"]) == ""


LIMITED = Policy(oversight=Oversight.NONE, sites=SiteRules.read(["*.example.com"], ["admin.example.com"]))


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://shop.example.com/", "routine"),
        ("https://admin.example.com/", "deny list"),
        ("https://evil.example/", "not on the allow list"),
        ("https://shop.example.com@evil.example/", "not on the allow list"),
        ("http://169.254.169.254/", "not on the allow list"),
        ("shop.example.com.evil.example", "not on the allow list"),
        ("https://shop.ex\u00e4mple.com/", "not on the allow list"),
        ("file:///etc/passwd", "address"),
    ],
)
def test_the_policy_denies_what_would_be_opened_outside(url: str, rule: str) -> None:
    page = screen(url="https://shop.example.com/")
    verdicts = [decide(Navigate(url=url), page, LIMITED), decide(NewTab(url=url), page, LIMITED)]
    if "://" in url:
        linked = screen(element("More", "link", href=url), url="https://shop.example.com/")
        verdicts.append(decide(ClickElement(target=linked.ref(linked.elements[0])), linked, LIMITED))
    assert {verdict.rule for verdict in verdicts} == {rule}
    assert {verdict.decision for verdict in verdicts} == {Decision.ALLOW if rule == "routine" else Decision.DENY}
