from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.cli.options import RunsOptions
from operative_app.cli.runs import list_runs
from operative_app.core.run import RunState
from operative_app.store.runs import RunStore
from tests.store.run_events import STARTED_AT_S, Story


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "data")
    yield store
    store.close()


def listed(store: RunStore, *, json: bool = False) -> tuple[int, list[str], str]:
    out, err = io.StringIO(), io.StringIO()
    code = list_runs(RunsOptions(json=json), store, out=out, err=err)
    return code, out.getvalue().splitlines(), err.getvalue()


def record_two(store: RunStore) -> None:
    first, second = Story("r1"), Story("r2", STARTED_AT_S + 100)
    for event in (first.started("Buy \x1b[31mred"), first.finished(RunState.FAILED, steps=12)):
        store.record(event)
    store.record(second.started("Order lunch"))
    store.record(Story("r3", STARTED_AT_S - 100).started("Older"))


def test_runs_are_one_line_each_newest_first(store: RunStore) -> None:
    record_two(store)

    code, lines, err = listed(store)

    assert (code, err) == (0, "")
    assert [line.split()[0] for line in lines] == ["r2", "r1", "r3"]
    assert " ".join(lines[1].split()[3:]) == "Failed 12 steps 7.5 s Buy [31mred"
    assert "Interrupted" in lines[0]


def test_json_gives_values(store: RunStore) -> None:
    record_two(store)

    _, lines, _ = listed(store, json=True)

    assert [json.loads(line)["state"] for line in lines] == ["interrupted", "failed", "ready"]
    assert json.loads(lines[1]) == {
        "run_id": "r1", "goal": "Buy  [31mred", "state": "failed", "is_live": False, "started_at_s": STARTED_AT_S,
        "steps": 12, "duration_s": 7.5, "reason": "All seen.",
    }  # fmt: skip


def test_no_run_is_said(store: RunStore) -> None:
    assert listed(store) == (0, ["No run is recorded yet."], "")
    assert listed(store, json=True) == (0, [], "")


def test_what_the_store_has_to_say_is_told(store: RunStore) -> None:
    store.notices.append("The record was damaged.")

    assert listed(store)[2] == "operative: The record was damaged.\n"


def test_a_record_that_cannot_be_read_is_a_failure(store: RunStore) -> None:
    store.close()

    assert listed(store) == (1, [], "operative: The record of runs is closed.\n")
