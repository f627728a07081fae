"""A page whose process ends in the middle of a run is opened again; the run goes on from what was filled in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from operative_app.core.events import Notice
from operative_app.core.plan import Task
from operative_app.core.run import RunState
from operative_app.core.screen import ScreenState
from operative_app.planning.port import Decision, RunContext
from tests.engine.loop import Loop
from tests.engine.world import ScriptedPlanner, click, fill
from tests.surfaces.pages import Pages

FORM = """<label>Name <input id=who></label> <button onclick="out.textContent = 'Saved ' + who.value">Save</button>
<p id=out></p>"""


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


def end_pages() -> None:
    """End the processes of the pages, as a crash does."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # also without a request they come and go
            if "--type=renderer" in process.cmdline():
                process.kill()
                process.wait(60)


@pytest.mark.parametrize("crashes", [1, 9])
def test_a_crashed_page_is_opened_again_but_not_for_ever(tmp_path: Path, pages: Pages, crashes: int) -> None:
    left = [crashes]
    open_tabs: list[int] = []

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if task.goal == "Fill in the name":
            return fill(state, "Name", "Ada Lovelace")
        open_tabs.append(len(state.tabs))
        if left[0]:
            left[0] -= 1
            end_pages()
        return click(state, "Save")

    loop = Loop(tmp_path, pages.make(FORM), ScriptedPlanner("Fill in the name", "Save", choose=choose))
    end = loop.run()
    notices = [event.text for event in loop.listener.events if isinstance(event, Notice)]
    if crashes == 1:
        assert end.state is RunState.DONE
        changes = [event.difference for event in loop.listener.events if event.kind == "observed"]
        assert "Saved Ada Lovelace" in changes[-1]
        assert open_tabs[-1] == 1  # the crashed one does not stay in the list
    else:
        assert end.state is RunState.FAILED
        assert "crashed again and again" in end.reason
    assert any("crashed" in notice for notice in notices)
