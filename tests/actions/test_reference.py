"""The table of the actions: the page in the folder is current, and the command line prints the same."""

from __future__ import annotations

import io
import json
import runpy
import sys
from pathlib import Path

import pytest

import operative_app.actions.registry
from operative_app.actions.reference import ActionRow, reference, reference_page
from operative_app.actions.registry import ALL_ACTIONS
from operative_app.cli.actions import list_actions
from operative_app.cli.options import ActionsOptions

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_page_is_current() -> None:
    page = (ROOT / "operative_app" / "actions" / "REFERENCE.md").read_text(encoding="utf-8")
    assert page == reference_page(reference(ALL_ACTIONS)), "packaging/write-reference renews it"


def test_the_script_tells_a_page_that_is_not_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = str(ROOT / "packaging" / "write_reference.py")
    monkeypatch.setattr(sys, "argv", [script, "--check"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit) as current:
        runpy.run_path(script, run_name="__main__")
    monkeypatch.setattr(operative_app.actions.registry, "ALL_ACTIONS", ALL_ACTIONS[:46])
    with pytest.raises(SystemExit) as outdated:
        runpy.run_path(script, run_name="__main__")
    assert (current.value.code, outdated.value.code) == (0, 1)
    assert "is not current" in capsys.readouterr().out


def test_every_row_is_whole() -> None:
    rows = reference(ALL_ACTIONS)
    assert len(rows) == 47
    for row in rows:
        assert all(one.description and one.type for one in row.parameters), row.name
        assert all(sentence.endswith(".") for sentence in (row.summary, *row.before, *row.after)), row.name
    type_text = next(row for row in rows if row.name == "type_text")
    [text, delay] = type_text.parameters
    assert (text.type, text.default, delay.type, delay.unit, delay.default) == ("text", "", "number", "ms", "0")
    scroll = next(row for row in rows if row.name == "fill_form")
    assert scroll.parameters[0].type == "list of entries with target and value"


def test_the_command_prints_each_action_as_words_and_as_json() -> None:
    words, lines = io.StringIO(), io.StringIO()
    assert list_actions(ActionsOptions(), out=words) == 0
    assert list_actions(ActionsOptions(json=True), out=lines) == 0
    rows = [ActionRow.model_validate(row) for row in json.loads(lines.getvalue())]
    assert rows == reference(ALL_ACTIONS)
    told = words.getvalue()
    assert "click_element  (mouse; browser, desktop; reversible; effect: point)" in told
    assert "    timeout_s  (number, s; by default 30)" in told
    assert "    before  target: The element is on the screen's list." in told
    assert "    after   Something visible changed." in told
