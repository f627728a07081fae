"""`operative policy explain` answers in words and by its exit code."""

from __future__ import annotations

import json

import pytest

from operative_app.__main__ import main


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["https://example.com/"], 0, "allow  no list"),
        (["--allow", "example.com", "https://example.com@evil.example/"], 1, "evil.example: No pattern"),
        (["--allow", "*.example.com", "https://sub.example.com/"], 0, "names it: *.example.com"),
        (["--allow", "*.example.com", "--deny", "sub.example.com", "https://sub.example.com/"], 1, "deny  deny list"),
        (["javascript:alert(1)"], 1, "not javascript"),
        (["example.com"], 0, "example.com: There is no allow list"),
        (["--allow", "127.0.0.1", "practice:shop"], 0, "names it: 127.0.0.1"),
        (["//evil.example/"], 1, "no complete web address"),
    ],
)
def test_it_prints_verdict_rule_and_reason(
    line: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "explain", *line]) == code
    assert said in capsys.readouterr().out


def test_json_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "explain", "--json", "--allow", "example.com", "https://ex\u0430mple.com/"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["is_allowed"], verdict["site"]) == (False, "xn--exmple-4nf.com")


@pytest.mark.parametrize(
    "line",
    [
        ["policy"],
        ["policy", "explain"],
        ["policy", "explain", "practice:nothing"],
        ["policy", "explain", "--allow", "www*.com", "https://www.com/"],
    ],
)
def test_wrong_usage_is_told_in_a_sentence(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    assert capsys.readouterr().err.startswith("operative: ")
