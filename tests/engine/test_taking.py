"""A person takes control, by a button or by just using the mouse, and gives it back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from operative_app.actions.browser import Fill
from operative_app.actions.registry import Registry
from operative_app.core.events import PlanChanged, Said, StateChanged, StepFinished
from operative_app.core.plan import Plan, TaskStatus
from operative_app.core.requests import Approve, QuestionRequest, Reply
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import ElementRef
from operative_app.core.taking import Deed, DeedKind, Hand, TakeOverKind
from operative_app.engine import hands
from operative_app.engine.doubts import DO_IT, IT_WAS_DONE
from operative_app.engine.hub import EventHub
from operative_app.engine.teaching import taught
from operative_app.planning.port import Act, Decision
from tests.engine.shared_page import SharedPage
from tests.engine.world import FakePage, ListRecorder, ScriptedPlanner, World


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "REST_S", 0.0)


def soon(world: World, call: Callable[[], object]) -> None:
    """Have it done on the agent thread."""
    loop = world.agent._loop
    assert loop is not None
    loop.call_soon_threadsafe(call)


def began(world: World) -> None:
    world.listener.wait(lambda event: event.kind == "step_started")


def said(world: World) -> list[str]:
    return [event.text for event in world.listener.events if isinstance(event, Said) and event.role == "agent"]


def plans(world: World) -> list[Plan]:
    return [event.plan for event in world.listener.events if isinstance(event, PlanChanged)]


def taken(world: World) -> StateChanged:
    return next(
        event for event in world.listener.events if isinstance(event, StateChanged) and event.take_over is not None
    )


@pytest.mark.parametrize("hand", Hand)
def test_a_hand_on_the_mouse_ends_what_is_under_way_and_is_told(hand: Hand) -> None:
    page = SharedPage(buttons=["One"], click_takes_s=30)
    with World(page, ScriptedPlanner("One")) as world:
        world.start()
        began(world)
        soon(world, lambda: page.use(hand))
        world.listener.wait_state(RunState.TAKEN_OVER)
        assert taken(world).take_over is TakeOverKind.YIELDED
        assert taken(world).detail.startswith("You ")
        world.listener.wait(lambda event: isinstance(event, StepFinished))
        ended = [event.status for event in world.listener.events if isinstance(event, StepFinished)]
        assert ended == [OutcomeStatus.FAILED]
        assert page.is_released
        assert page.was_shown == 0  # they are at it: nothing gets the focus
        page.texts.append("Changed by hand")
        page.click_takes_s = 0
        world.control.resume()
        world.control.answer(world.listener.wait_request().id, Reply(text=DO_IT))
        assert world.listener.wait_end().state is RunState.DONE
    assert page.clicks == ["One"]
    assert any("While you had control" in text and "Changed by hand" in text for text in said(world))


def test_what_was_cut_off_is_not_done_again_when_the_person_says_it_was_done() -> None:
    page = SharedPage(buttons=["One"], click_takes_s=30)
    with World(page, ScriptedPlanner("One")) as world:
        world.start()
        began(world)
        soon(world, page.use)
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        world.control.answer(request.id, Reply(text=IT_WAS_DONE))
        assert world.listener.wait_end().state is RunState.DONE
    assert page.clicks == []


def test_what_was_cut_off_is_not_done_again_beforehand_either() -> None:
    """Approving everything beforehand says nothing about what may have been done already."""
    page = SharedPage(buttons=["One"], click_takes_s=30)
    with World(page, ScriptedPlanner("One")) as world:
        world.start(approve_all=True, oversight="none")
        began(world)
        soon(world, page.use)
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        world.control.answer(world.listener.wait_request().id, Reply(text="no, leave it"))
        world.control.answer(world.listener.wait_request(2).id, Reply(text="Stop here"))
        world.listener.wait_end()
    assert page.clicks == []


def test_a_stop_after_a_hand_tells_what_the_hand_has_cut_off() -> None:
    """The person's hand on the stop key is a hand, too, and may be seen first."""
    page = SharedPage(buttons=["One"], click_takes_s=30)
    with World(page, ScriptedPlanner("One")) as world:
        world.start()
        began(world)
        soon(world, lambda: page.use(Hand.TYPED))
        world.listener.wait(lambda event: isinstance(event, StepFinished))
        world.control.stop()
        end = world.listener.wait_end()
    assert end.stopped is not None
    assert end.stopped.interrupted == "Click button “One”"


def test_a_field_that_was_being_filled_is_simply_filled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    page = SharedPage(fields={"Town": ""})
    world = World(page, ScriptedPlanner("Town", choose=lambda *_: _fill_town(page)))
    filled: list[str] = []

    async def fill(ref: ElementRef, text: str, **_: object) -> str:
        filled.append(text)
        if len(filled) == 1:
            await asyncio.sleep(30)
        page.fields["Town"] = text
        return text

    monkeypatch.setattr(page, "fill", fill)
    with world:
        world.start()
        began(world)
        soon(world, page.use)
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert filled == ["Paris", "Paris"]


def _fill_town(page: SharedPage) -> Decision:
    return Act.one(Fill(target=page.ref("Town"), text="Paris"), completes_task=True)


def test_a_hand_while_the_planner_thinks_takes_its_decision_away(monkeypatch: pytest.MonkeyPatch) -> None:
    page = SharedPage(buttons=["One"])
    planner = ScriptedPlanner("One")
    asked = threading.Event()
    real = planner.select_action
    calls: list[int] = []

    async def slow(*given: object) -> Decision:
        calls.append(1)
        if len(calls) == 1:
            asked.set()
            await asyncio.sleep(30)
        return await real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(planner, "select_action", slow)
    with World(page, planner) as world:
        world.start()
        assert asked.wait(60)
        soon(world, page.use)
        world.listener.wait_state(RunState.TAKEN_OVER)
        assert not world.listener.of("step_started")
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert len(calls) == 2
    assert page.clicks == ["One"]
    assert any("Meanwhile:" in note for note in planner.contexts[-1].notes)


def test_hands_are_free_while_the_person_is_asked() -> None:
    page = SharedPage(buttons=["Pay now"])
    with World(page, ScriptedPlanner("Pay now")) as world:
        world.start()
        request = world.listener.wait_request()
        page.is_watched = True
        soon(world, page.use)
        world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert not [event for event in world.listener.events if getattr(event, "take_over", None)]
    assert page.is_watched  # before it was done, hands were looked out for anew


def test_nothing_is_done_until_hands_rest_and_hands_that_do_not_rest_have_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hands, "REST_S", 0.05)
    monkeypatch.setattr(hands, "BUSY_S", 0.2)
    page = SharedPage(buttons=["One"], rested_s=0.0)
    with World(page, ScriptedPlanner("One")) as world:
        world.start()
        world.listener.wait_state(RunState.TAKEN_OVER)
        assert taken(world).take_over is TakeOverKind.YIELDED
        assert not page.watched.is_set()
        assert not world.listener.of("step_started")
        page.rested_s = 60.0
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE


def test_a_private_take_over_leaves_nothing_of_what_was_done_in_the_record() -> None:
    page = SharedPage(buttons=["One"], click_takes_s=30)
    planner = ScriptedPlanner("One")
    with World(page, planner) as world:
        world.start()
        began(world)
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        assert taken(world).take_over is TakeOverKind.PRIVATE
        world.listener.wait(lambda event: isinstance(event, StepFinished))
        page.texts.append("My own business")
        page.deeds = (Deed(kind=DeedKind.GO, text="https://private.example"),)
        world.control.resume()
        world.control.answer(world.listener.wait_request().id, Reply(text=IT_WAS_DONE))
        assert world.listener.wait_end().state is RunState.DONE
    assert page.was_shown == 1
    told = "\n".join([*said(world), *planner.contexts[-1].notes])
    assert "Nothing of what you did was recorded" in told
    assert "My own business" not in told
    assert not any("My own business" in getattr(event, "difference", "") for event in world.listener.events)
    assert not any(task.taught for plan in plans(world) for task in plan.walk())


def test_what_a_person_shows_becomes_typed_steps_of_the_plan() -> None:
    page = SharedPage(
        buttons=["One", "Save"], fields={"Town": "", "Password": ""}, passwords={"Password"}, click_takes_s=30
    )
    planner = ScriptedPlanner("One")
    with World(page, planner) as world:
        world.start(goal="use the password “Tr0ub4dor&3x”")
        began(world)
        world.control.take_over(is_teaching=True)
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.listener.wait(lambda event: getattr(event, "take_over", None) is TakeOverKind.TEACHING)
        world.listener.wait(lambda event: isinstance(event, StepFinished))
        page.click_takes_s = 0
        page.deeds = (
            Deed(kind=DeedKind.FILL, ref=page.ref("Town"), text="Paris"),
            Deed(kind=DeedKind.FILL, ref=page.ref("Password"), is_hidden=True),
            Deed(kind=DeedKind.FILL, ref=page.ref("Town"), text="Tr0ub4dor&3x"),
            Deed(kind=DeedKind.PRESS, ref=page.ref("Town"), text="Enter"),
            Deed(kind=DeedKind.CLICK, ref=page.ref("Save")),
            Deed(kind=DeedKind.GO, text="https://page.test/next"),
        )
        world.control.resume()
        world.control.answer(world.listener.wait_request().id, Reply(text=DO_IT))
        assert world.listener.wait_end().state is RunState.DONE
    assert not page.is_taught
    shown, one = plans(world)[-1].tasks
    assert shown.status is TaskStatus.DONE
    assert one.goal == "One"
    assert [step.action for step in shown.taught] == ["fill", "fill", "fill", "press_key", "click_element", "navigate"]
    actions = [Registry().read(step.action, step.arguments) for step in shown.taught]
    assert [getattr(action, "text", None) for action in actions[:3]] == ["Paris", "(hidden)", "(hidden)"]
    assert shown.actions == tuple(step.label for step in shown.taught)
    assert any("The person did" in note and "Save" in note for note in planner.contexts[-1].notes)
    words = [record.words for record in planner.contexts[-1].history]
    assert any("The person did" in text and "Save" in text for text in words)
    everything = repr(world.listener.events) + repr(planner.contexts[-1].history)
    assert "Tr0ub4dor" not in everything.replace("use the password “Tr0ub4dor&3x”", "")


def test_another_action_than_the_one_in_doubt_is_simply_done() -> None:
    page = SharedPage(buttons=["One", "Two"], click_takes_s=30)
    with World(page, ScriptedPlanner("One", "Two")) as world:
        world.start()
        began(world)
        soon(world, page.use)
        world.listener.wait_state(RunState.TAKEN_OVER)
        page.click_takes_s = 0
        world.control.resume()
        world.control.answer(world.listener.wait_request().id, Reply(text=IT_WAS_DONE))
        assert world.listener.wait_end().state is RunState.DONE
    assert page.clicks == ["Two"]


def test_every_kind_of_deed_becomes_an_action() -> None:
    page = FakePage(buttons=["Save"], fields={"Town": ""})
    state = page.state()
    save = state.ref(state.elements[0])
    deeds = (
        Deed(kind=DeedKind.DOUBLE_CLICK, ref=save),
        Deed(kind=DeedKind.RIGHT_CLICK, ref=save),
        Deed(kind=DeedKind.SCROLL, ref=save, text="-120"),
        Deed(kind=DeedKind.PRESS, text="Control+s"),
        Deed(kind=DeedKind.SWITCH, text="Mousepad"),
        Deed(kind=DeedKind.DOUBLE_CLICK),
        Deed(kind=DeedKind.RIGHT_CLICK),
        Deed(kind=DeedKind.SWITCH),
    )
    steps = [one.step for one in taught(deeds, EventHub(ListRecorder()))]
    assert [step.action for step in steps] == ["double_click", "right_click", "scroll", "press_key", "switch_app"]
    assert steps[2].arguments["dy_css_px"] == -120
    assert [step.label for step in steps[3:]] == ["Press Control+s", "Switch to Mousepad"]
