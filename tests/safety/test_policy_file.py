"""Policy files narrow and never widen; a broken one is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.core.errors import SettingsError
from operative_app.core.run import Oversight
from operative_app.safety.policy_file import (
    DENIABLE,
    PolicyLayer,
    PolicyRules,
    combined,
    judge_site,
    read_policy,
    stricter,
)
from operative_app.safety.risk_words import Kind
from operative_app.safety.sites import SiteRules

PATH = Path("/somewhere/policy.toml")
WHOLE = """
[sites]
allow = ["*.example.com"]
deny = ["ads.example.com"]

[actions]
deny = ["payment", "command"]

[files]
allow = ["/data/work", "~/papers"]

[approval]
oversight = "risky"
beforehand = false
"""


def layer(name: str, text: str) -> PolicyLayer:
    return PolicyLayer(name=name, rules=read_policy(text, PATH))


def test_a_whole_file_is_read() -> None:
    rules = read_policy(WHOLE, PATH)
    assert rules.sites == SiteRules.read(["*.example.com"], ["ads.example.com"])
    assert rules.denied == {Kind.PAYMENT, Kind.COMMAND}
    assert rules.folders == ("/data/work", str(Path.home() / "papers"))
    assert (rules.oversight, rules.may_approve_beforehand) == (Oversight.RISKY, False)


def test_an_empty_file_sets_no_limit() -> None:
    assert read_policy("# nothing\n", PATH) == PolicyRules()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('[sites]\nallow = ["*.com"]', 2, "far too many sites"),
        ('[sites]\ndeny = ["www*.com"]', 2, "no site pattern"),
        ("[sites]\nallow = [\n", 2, "Invalid value"),
        ('\n\n[sites\nallow = ["a.example"]', 3, "Expected"),
        ("x = 1", 1, "there is no rule “x”"),
        ("[sites]\n\nalow = []", 3, "there is no rule “sites.alow”"),
        ("sites = 3", 1, "to be a table"),
        ('\n\nsites.allow = "a.example"', 3, "list"),
        ('[actions]\ndeny = ["paymet"]', 2, "“paymet” is no kind of action; there are payment"),
        ('[actions]\ndeny = ["none"]', 2, "no kind of action"),
        ('[files]\nallow = ["work"]', 2, "no absolute folder"),
        ('[approval]\noversight = "sometimes"', 2, "approval.oversight"),
        ('# first\n[approval]\nbeforehand = "no"', 3, "boolean"),
        ("[approval]\nbeforehand = 1", 2, "boolean"),
        ("[sites.allow]\nx = 1", 1, "list"),
    ],
)
def test_a_broken_file_is_told_with_path_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_policy(text, PATH)
    said = str(caught.value)
    assert f"{PATH} cannot be used: line {line}: " in said
    assert reason in said
    assert said.endswith("No run starts until it is set right.")


def test_layers_narrow_each_other_whatever_their_order() -> None:
    wide = layer("wide", '[sites]\nallow = ["*.example.com", "b.example"]\n[files]\nallow = ["/data"]')
    narrow = layer("narrow", WHOLE)
    for layers in ([wide, narrow], [narrow, wide]):
        rules = combined(layers)
        assert [one.text for one in rules.sites.allow or ()] == ["*.example.com"]
        assert [one.text for one in rules.sites.deny] == ["ads.example.com"]
        assert rules.folders == ("/data/work",)
        assert rules.denied == {Kind.PAYMENT, Kind.COMMAND}
        assert (rules.oversight, rules.may_approve_beforehand) == (Oversight.RISKY, False)


def test_a_later_layer_cannot_take_a_limit_away() -> None:
    strict = layer(
        "strict", '[sites]\nallow = []\n[files]\nallow = []\n[approval]\noversight = "every"\nbeforehand = false'
    )
    loose = layer(
        "loose",
        '[sites]\nallow = ["a.example"]\n[files]\nallow = ["/"]\n[approval]\noversight = "none"\nbeforehand = true',
    )
    rules = combined([strict, loose])
    assert (rules.sites.allow, rules.folders) == ((), ())
    assert (rules.oversight, rules.may_approve_beforehand) == (Oversight.EVERY, False)
    assert combined([]) == PolicyRules()


def test_the_stricter_oversight_asks_more() -> None:
    assert stricter(Oversight.NONE, Oversight.RISKY) is Oversight.RISKY
    assert stricter(Oversight.EVERY, Oversight.NONE) is Oversight.EVERY


@pytest.mark.parametrize(
    ("url", "is_allowed", "decided_by"),
    [
        ("https://www.example.com/", True, "person"),
        ("https://ads.example.com/", False, "system"),
        ("https://other.example/", False, "person"),
        ("javascript:x", False, "the built-in rules"),
        ("nonsense", False, "the built-in rules"),
    ],
)
def test_the_layer_that_decided_is_named(url: str, is_allowed: bool, decided_by: str) -> None:
    layers = [
        layer("system", '[sites]\ndeny = ["ads.example.com"]'),
        layer("person", '[sites]\nallow = ["*.example.com"]'),
        layer("run", ""),
    ]
    verdict, name = judge_site(url, layers)
    assert (verdict.is_allowed, name) == (is_allowed, decided_by)


def test_without_lists_the_built_in_rules_decide() -> None:
    assert judge_site("https://example.com/", [layer("run", "")])[1] == "the built-in rules"
    assert judge_site("https://example.com/", [])[1] == "the built-in rules"
    assert judge_site("http://169.254.169.254/", [layer("run", "")])[1] == "the built-in rules"
    named = [layer("person", ""), layer("run", '[sites]\nallow = ["169.254.169.254"]')]
    verdict, name = judge_site("http://169.254.169.254/", named)
    assert (verdict.is_allowed, name) == (True, "run")


def test_every_kind_that_can_be_asked_about_can_be_forbidden() -> None:
    for kind in DENIABLE:
        assert read_policy(f'[actions]\ndeny = ["{kind}"]', PATH).denied == {kind}
