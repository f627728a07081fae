"""A step counts as done only when its own effect was seen, not when the page happened to move by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from operative_app.core.plan import Task
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import ScreenState
from operative_app.planning.port import Decision, NotThereYet, RunContext
from tests.engine.loop import LIMITS, Loop
from tests.engine.world import ScriptedPlanner, click
from tests.surfaces.pages import Pages

BUTTONS = """<button>Dead</button>
<button onclick="document.getElementById('count').textContent++">Live</button> <p>Basket: <b id=count>0</b></p>"""
CLOCK = """<p id=clock>00:00:00</p><script>
  setInterval(() => { clock.textContent = new Date().toTimeString().slice(0, 8); }, 50);
</script>"""
CAROUSEL = """<div id=slides><h2>Summer sale</h2></div><script>
  const words = ['Winter sale', 'New boots', 'Last pieces', 'Summer sale']; let turn = 0;
  setInterval(() => { slides.innerHTML = '<h2>' + words[turn++ % 4] + '</h2>'; }, 300);
</script>"""


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


def press(name: str, *, is_moving: str) -> ScriptedPlanner:
    """Presses the button; on a page where something moves only after that was noticed."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if is_moving == "carousel" and not any(text.is_restless for text in state.texts):
            return NotThereYet("the carousel has not moved yet")
        return click(state, name)

    return ScriptedPlanner(name, choose=choose)


@pytest.mark.parametrize(("kind", "body"), [("clock", CLOCK), ("carousel", CAROUSEL)])
def test_a_press_without_effect_is_not_done_because_the_page_moves_by_itself(
    tmp_path: Path, pages: Pages, kind: str, body: str
) -> None:
    loop = Loop(tmp_path, pages.make(BUTTONS + body), press("Dead", is_moving=kind))
    loop.limits = replace(LIMITS, appear_ceiling_s=10.0)
    assert loop.run().state is RunState.FAILED
    assert set(loop.outcomes()[1:]) == {OutcomeStatus.UNVERIFIED}


@pytest.mark.parametrize(("kind", "body"), [("clock", CLOCK), ("carousel", CAROUSEL)])
def test_a_press_with_an_effect_is_done_on_a_page_that_moves_by_itself(
    tmp_path: Path, pages: Pages, kind: str, body: str
) -> None:
    loop = Loop(tmp_path, pages.make(BUTTONS + body), press("Live", is_moving=kind))
    loop.limits = replace(LIMITS, appear_ceiling_s=10.0)
    assert loop.run().state is RunState.DONE
    assert loop.outcomes() == [OutcomeStatus.DONE, OutcomeStatus.DONE]
