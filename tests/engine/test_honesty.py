"""A step counts as done only when its own effect was seen, not when the page happened to move by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from operative_app.actions.keyboard import TypeText
from operative_app.core.errors import ActionError
from operative_app.core.events import RequestRaised, StepStarted
from operative_app.core.plan import Task
from operative_app.core.requests import QuestionRequest
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import ElementState, ScreenState
from operative_app.core.secrets import FieldPlace
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import Act, Decision, NotThereYet, RunContext, TaskDone, Variant
from tests.engine.loop import LIMITS, Loop
from tests.engine.world import QUICK, FakePage, ScriptedPlanner, World, click
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
    assert loop.run().state is RunState.FAILED
    assert set(loop.outcomes()[1:]) == {OutcomeStatus.UNVERIFIED}


@pytest.mark.parametrize(("kind", "body"), [("clock", CLOCK), ("carousel", CAROUSEL)])
def test_a_press_with_an_effect_is_done_on_a_page_that_moves_by_itself(
    tmp_path: Path, pages: Pages, kind: str, body: str
) -> None:
    loop = Loop(tmp_path, pages.make(BUTTONS + body), press("Live", is_moving=kind))
    assert loop.run().state is RunState.DONE
    assert loop.outcomes() == [OutcomeStatus.DONE, OutcomeStatus.DONE]


def test_a_press_the_page_never_answers_is_not_done_again_unasked(tmp_path: Path, pages: Pages) -> None:
    """Its script was busy for ever; whether the press counted before cannot be known."""
    page = pages.make("<button onclick='for (;;);'>Save</button>")
    again = ScriptedPlanner("Save", replan=lambda state, *_: click(state, "Save"))
    loop = Loop(tmp_path, page, again)
    assert loop.run().state is RunState.FAILED
    assert loop.outcomes() == [OutcomeStatus.DONE, OutcomeStatus.UNVERIFIED]
    asked = next(event.request for event in loop.listener.events if isinstance(event, RequestRaised))
    assert isinstance(asked, QuestionRequest)
    assert "got no answer from the page" in asked.text
    assert "Do it now" in asked.choices


def test_a_press_that_led_elsewhere_is_done_though_the_page_was_too_busy_to_answer(
    tmp_path: Path, pages: Pages
) -> None:
    second = pages.make("<h1>Second page</h1><button>Finish</button>")
    busy = "<script>onbeforeunload = () => { for (;;); }</script>"
    page = pages.make(f"<button onclick=\"location.href = '{second}'\">Next</button>{busy}")
    loop = Loop(tmp_path, page, ScriptedPlanner("Next"))
    assert loop.run().state is RunState.DONE
    assert loop.outcomes() == [OutcomeStatus.DONE, OutcomeStatus.DONE]


def test_what_took_too_long_and_may_have_been_done_is_done_no_other_way_unasked() -> None:
    page = FakePage(buttons=["Save", "Save as"], click_takes_s=30)

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        ways = [click(state, name).variants[0].actions for name in page.buttons]
        return Act((Variant(ways[0]), Variant(ways[1], name="B")))

    asked = ScriptedPlanner("Save", choose=choose, replan=lambda *_: TaskDone(is_verified=False))
    with World(page, asked, limits=replace(QUICK, action_timeout_s=0.05)) as world:
        assert world.run().state is RunState.NOT_VERIFIED
    assert [event.label for event in world.listener.events if isinstance(event, StepStarted)] == ["Click button “Save”"]
    [trouble] = asked.troubles
    assert (trouble.kind, trouble.reason) == ("unexpected", "it took longer than 0.05 s")


ASKING = """<button onclick="{way}" disabled>Add to cart</button> <button>Add it by another way</button><script>
  const socket = new WebSocket(`ws://${{location.host}}/socket`);
  socket.onopen = () => {{ document.querySelector("button").disabled = false; }};
</script>"""


@pytest.mark.parametrize(
    "way",
    ["fetch('/cart')", "navigator.sendBeacon('/cart', '1')", "socket.send('cart')"],
    ids=["fetch", "beacon", "socket"],
)
def test_a_press_that_made_the_page_ask_its_server_is_not_repeated_though_nothing_shows(
    tmp_path: Path, pages: Pages, way: str
) -> None:
    """Neither itself nor what is to come to the same: it may have counted."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if any(one.has(ElementState.DISABLED) for one in state.elements):
            return NotThereYet("the connection")
        ways = [click(state, name).variants[0].actions for name in ("Add to cart", "Add it by another way")]
        return Act((Variant(ways[0]), Variant(ways[1], name="B")))

    asked = ScriptedPlanner("Add", choose=choose, replan=lambda *_: TaskDone(is_verified=False))
    loop = Loop(tmp_path, pages.make(ASKING.format(way=way)), asked)
    assert loop.run().state is RunState.NOT_VERIFIED
    assert [label for label in loop.labels() if label.startswith("Click")] == ["Click button “Add to cart”"]
    [trouble] = asked.troubles
    assert trouble.kind == "unexpected"
    assert "nothing on the screen changed; the page asked its server for something" in trouble.reason


class Typewriter(FakePage):
    """Takes what is typed, and stops half-way when told to."""

    fault = ""

    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        self.typed.append(text)
        if self.fault:
            raise ActionError(self.fault)


@pytest.mark.parametrize("fault", ["", "Typing stopped because a dialog opened: 4 of 9 characters arrived."])
def test_text_is_never_typed_twice(fault: str) -> None:
    """Neither when it stopped half-way nor when the field shows something else than what was typed."""
    page = Typewriter(fields={"Number": ""})
    page.fault = fault

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return Act.one(TypeText(text="123456789"), completes_task=True)

    asked = ScriptedPlanner("Number", choose=choose, replan=lambda *_: TaskDone(is_verified=False))
    with World(page, asked) as world:
        assert world.run().state is RunState.NOT_VERIFIED
    assert page.typed == ["123456789"]
    [trouble] = asked.troubles
    assert trouble.kind == "unexpected"
    assert fault in trouble.reason


def test_a_page_that_never_finishes_loading_is_sent_once(tmp_path: Path, pages: Pages) -> None:
    page = pages.make("<p>Loading…</p><button onclick='this.nextSibling.data += 1'>Save</button>0")
    loop = Loop(tmp_path, page, BuiltinPlanner())
    loop.limits = replace(LIMITS, appear_ceiling_s=3.0)
    loop.goal = "press Save"
    end = loop.run()
    assert end.state is RunState.NOT_VERIFIED
    assert "Done, but not confirmed by the page: Press “Save”" in end.reason
    assert "Nothing was done" not in end.reason
    assert [label for label in loop.labels() if label.startswith("Click")] == ["Click button “Save”"]


GOES_ONCE = """<label>From <input id=f role=combobox aria-controls=l aria-expanded=false></label>
<ul id=l role=listbox></ul><p id=p>Nothing chosen</p><script>let gone = 0;
const close = () => { l.replaceChildren(); f.setAttribute('aria-expanded', 'false') };
f.oninput = () => setTimeout(() => { l.innerHTML = '<li role=option>San Francisco (SFO)</li>';
f.setAttribute('aria-expanded', 'true') }, 100);
l.onmouseover = () => gone++ || close();
l.onclick = e => { p.textContent = f.value = e.target.textContent; close() }</script>"""


def test_a_suggestion_that_goes_before_it_is_pressed_is_asked_for_again(tmp_path: Path, pages: Pages) -> None:
    loop = Loop(tmp_path, pages.make(GOES_ONCE), BuiltinPlanner())
    loop.goal = "enter SFO as From"
    end = loop.run()
    assert end.state is RunState.DONE, end.reason
    labels = [label for label in loop.labels() if label.startswith("Fill")]
    assert len(labels) == 2, loop.labels()
