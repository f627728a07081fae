"""`operative policy explain` answers in words and by its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operative_app.__main__ import main
from operative_app.store.folders import app_folders


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


def test_policy_files_are_taken_into_account_and_the_layer_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path))
    system, own = tmp_path / "operative" / "policy.toml", app_folders().create().config / "policy.toml"
    system.parent.mkdir()
    system.write_text('[sites]\ndeny = ["ads.example.com"]\n', "utf-8")
    own.write_text('[sites]\nallow = ["*.example.com"]\n', "utf-8")
    for url, code, layer in (
        ("https://ads.example.com/", 1, f"the policy file {system}"),
        ("https://www.example.com/", 0, f"the policy file {own}"),
        ("https://other.example/", 1, f"the policy file {own}"),
    ):
        assert main(["policy", "explain", url]) == code
        assert f"Decided by {layer}." in capsys.readouterr().out
    assert main(["policy", "explain", "--allow", "a.example", "https://www.example.com/"]) == 1
    assert "the options of this command" in capsys.readouterr().out


@pytest.mark.parametrize("line", [["policy", "explain", "https://example.com/"], ["run", "open https://example.com"]])
def test_a_broken_policy_file_stops_with_file_line_and_reason(
    line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    own = app_folders().create().config / "policy.toml"
    own.write_text('[sites]\nallow = ["www*.com"]\n', "utf-8")
    assert main(line) == 2
    said = capsys.readouterr().err
    assert f"{own} cannot be used: line 2: " in said
    own.write_bytes(b"\xff\xfe")
    assert main(line) == 2
    assert "no UTF-8 text" in capsys.readouterr().err
    own.unlink()
    own.mkdir()
    assert main(line) == 2
    assert "line 1" in capsys.readouterr().err
