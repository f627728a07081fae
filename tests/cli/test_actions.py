"""`operative actions` prints the whole table, for people and as one JSON array."""

from __future__ import annotations

import json

import pytest

from operative_app.__main__ import main
from operative_app.actions.registry import ALL_ACTIONS


def test_json_is_one_array_with_every_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["actions", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [cls.spec.name for cls in ALL_ACTIONS]
    assert all(row["summary"] and row["surfaces"] and row["reversibility"] for row in rows)


def test_the_table_names_every_action_with_its_parameters_and_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["actions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line and not line.startswith(" ")]) == 47
    assert any(line.strip().startswith("delay_ms") and "ms" in line for line in lines)
    assert any(line.strip().startswith("before") for line in lines)
