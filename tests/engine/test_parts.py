"""Composite actions in the loop: their parts are steps of their own, and nothing of them is done behind one's back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from operative_app.actions.composite import DownloadFile, FieldEntry, FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.core.events import RecoveryTried, Rung, StepFinished, StepStarted, event_json
from operative_app.core.plan import Task
from operative_app.core.requests import ApprovalRequest, Approve, Reject
from operative_app.core.run import EndCause, OutcomeStatus, RunState
from operative_app.core.screen import ScreenState
from operative_app.engine.limits import Limits
from operative_app.planning.port import Act, Decision, RunContext, TaskDone, Trouble, Variant
from tests.engine.world import QUICK, FakePage, ScriptedPlanner, World, click

Maker = Callable[[ScreenState], Action]


def planner(make: Maker, *, then: Callable[[Trouble], Decision] | None = None) -> ScriptedPlanner:
    """Does the one action; what went wrong goes to `then`, by default the task ends there."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return Act.one(make(state), completes_task=True)

    after = then or (lambda trouble: TaskDone(trouble.reason, is_verified=False))
    return ScriptedPlanner("Do it", choose=choose, replan=lambda state, task, trouble, context: after(trouble))


def form(*names: str, value: str = "x") -> Maker:
    def make(state: ScreenState) -> Action:
        by_name = {one.name: state.ref(one) for one in state.elements}
        return FillForm(fields=tuple(FieldEntry(target=by_name[name], value=value) for name in names))

    return make


def download(state: ScreenState) -> Action:
    return DownloadFile(target=state.ref(next(one for one in state.elements if one.role == "button")), timeout_s=0.1)


def search(state: ScreenState) -> Action:
    field = next(one for one in state.elements if one.role == "textbox")
    return SearchAndClick(field=state.ref(field), query="lamp", match="Pay lamp", timeout_s=0.1)


def steps(world: World) -> list[StepStarted]:
    return [event for event in world.listener.events if isinstance(event, StepStarted)]


def statuses(world: World) -> dict[int, str]:
    return {event.step: event.status.value for event in world.listener.events if isinstance(event, StepFinished)}


def test_parts_are_recorded_as_steps_of_the_whole_and_quick_ones_take_no_picture() -> None:
    page = FakePage(fields={"First": "", "Last": "", "Town": ""})
    with World(page, planner(form("First", "Last", "Town"))) as world:
        assert world.run().state is RunState.DONE
    assert [(one.step, one.action, one.part_of) for one in steps(world)] == [
        (1, "fill_form", 0),
        (2, "fill", 1),
        (3, "fill", 1),
        (4, "fill", 1),
    ]
    assert set(statuses(world).values()) == {"done"}
    assert page.fields == {"First": "x", "Last": "x", "Town": "x"}
    looks = page.pictures_taken
    assert looks.count(False) == 3  # one for each field
    assert looks[-1] is True


def test_a_risky_part_is_asked_about_and_a_refusal_ends_the_whole() -> None:
    page = FakePage(fields={"Search": ""})
    page.on_fill["Search"] = lambda one: one.buttons.append("Pay lamp")
    asked = planner(search)
    with World(page, asked) as world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, ApprovalRequest)
        assert request.action == "click_element"
        assert request.screenshot == "hash"  # what is asked about is shown, though the look before had no picture
        world.control.answer(request.id, Reject(word="too dear"))
        world.listener.wait_end()
    assert page.clicks == []
    assert asked.troubles[0].kind == "refused"
    assert "you said no" in asked.troubles[0].reason
    assert "too dear" not in asked.troubles[0].reason
    assert list(asked.contexts[-1].words) == ["too dear"]
    assert "(1 of its parts was done before)" in asked.troubles[0].reason
    assert statuses(world) == {1: "refused", 2: "done", 3: "refused"}


def test_what_has_come_when_the_time_for_it_is_over_is_found() -> None:
    """Looking can take longer than what is waited for."""
    page = FakePage(fields={"Search": ""})
    filled: list[int] = []
    page.on_fill["Search"] = lambda one: filled.append(one._observations)

    def late(one: FakePage) -> None:
        if filled and one._observations > filled[0] + 1 and not one.buttons:
            one.buttons.append("Blue lamp")

    page.on_look = late
    page.on_click["Blue lamp"] = lambda one: one.texts.append("pressed")

    def blue(state: ScreenState) -> Action:
        return SearchAndClick(field=state.ref(state.elements[0]), query="lamp", match="Blue lamp", timeout_s=0.01)

    with World(page, planner(blue)) as world:
        assert world.run().state is RunState.DONE
    assert [one.action for one in steps(world)] == ["search_and_click", "fill", "click_element"]


def test_what_was_risky_or_half_done_is_neither_repeated_nor_tried_another_way_blindly() -> None:
    page = FakePage(buttons=["Pay now", "Other"])  # pressing it brings no download
    asked = planner(download)

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        other = click(state, "Other").variants[0].actions
        return Act((Variant((download(state),)), Variant(other, name="B")))

    asked._choose = choose
    page.on_click["Pay now"] = lambda one: one.texts.append("paid")
    with World(page, asked) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Approve())
        world.listener.wait_end()
    assert page.clicks == ["Pay now"]
    assert [trouble.kind for trouble in asked.troubles] == ["unexpected"]
    assert "no download began" in asked.troubles[0].reason
    assert not [
        event for event in world.listener.events if isinstance(event, RecoveryTried) and event.rung == Rung.RETRY
    ]


def test_a_part_that_does_not_work_at_once_is_tried_again_by_itself() -> None:
    page = FakePage(fields={"First": "", "Last": ""})
    missing = {"Last": 2}

    def forget(one: FakePage) -> None:
        if missing["Last"]:
            missing["Last"] -= 1
            one.fields["Last"] = ""

    page.on_fill["Last"] = forget
    with World(page, planner(form("First", "Last")), limits=replace(QUICK, effect_waits_s=())) as world:
        assert world.run().state is RunState.DONE
    assert [(one.action, one.attempt) for one in steps(world)] == [
        ("fill_form", 1), ("fill", 1), ("fill", 1), ("fill", 2), ("fill", 3),
    ]  # fmt: skip
    assert page.fields["Last"] == "x"


def test_parts_count_against_the_step_limit() -> None:
    page = FakePage(fields={"First": "", "Last": "", "Town": ""})
    with World(page, planner(form("First", "Last", "Town"))) as world:
        end = world.run(max_steps=3)
    assert end.cause is EndCause.STEP_LIMIT
    assert end.steps == 3
    assert page.fields == {"First": "x", "Last": "x", "Town": ""}


def test_a_stop_in_the_middle_leaves_the_rest_undone_and_the_record_whole() -> None:
    page = FakePage(fields={"First": "", "Last": "", "Town": ""})
    with World(page, planner(form("First", "Last", "Town"))) as world:
        page.on_fill["Last"] = lambda one: world.control.stop()
        assert world.run().state is RunState.STOPPED
    assert page.fields["Town"] == ""
    assert sorted(statuses(world)) == [one.step for one in steps(world)]
    assert OutcomeStatus.DONE not in {statuses(world)[1]}


def test_a_pause_holds_before_the_next_part_and_going_on_ends_the_whole() -> None:
    page = FakePage(fields={"First": "", "Last": "", "Town": ""})
    with World(page, planner(form("First", "Last", "Town"))) as world:
        page.on_fill["First"] = lambda one: world.control.pause()
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        assert page.fields == {"First": "x", "Last": "", "Town": ""}
        world.control.step()
        world.listener.wait(lambda event: isinstance(event, StepFinished) and event.step == 3)
        world.listener.wait(
            lambda event: (
                event.kind == "state_changed"
                and event.state is RunState.PAUSED
                and event.sequence > next(one.sequence for one in steps(world) if one.step == 3)
            )
        )
        assert page.fields == {"First": "x", "Last": "x", "Town": ""}
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert page.fields["Town"] == "x"


def test_a_take_over_in_the_middle_of_a_part_ends_the_whole_and_the_page_is_looked_at_anew() -> None:
    page = FakePage(buttons=["Fetch"], click_takes_s=30)
    decided: list[int] = []

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        decided.append(state.observation)
        return Act.one(download(state)) if len(decided) == 1 else TaskDone()

    asked = ScriptedPlanner("Do it", choose=choose)
    with World(page, asked) as world:
        world.start()
        world.listener.wait(lambda event: isinstance(event, StepStarted) and event.step == 2)
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.listener.wait(lambda event: isinstance(event, StepFinished) and event.step == 1)
        assert {step: status for step, status in statuses(world).items() if step} == {1: "failed", 2: "failed"}
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert page.clicks == []
    assert asked.troubles == []
    assert decided[1] > decided[0]


def test_parts_are_asked_about_one_by_one_when_every_step_is_and_the_whole_is_not() -> None:
    page = FakePage(fields={"First": "", "Last": ""})
    with World(page, planner(form("First", "Last"))) as world:
        world.start(oversight="every")
        actions = []
        for number in range(1, 4):
            request = world.listener.wait_request(number)
            actions.append(getattr(request, "action", request.kind))
            world.control.answer(request.id, Approve())
        world.listener.wait_end()
    assert actions == ["plan_review", "fill", "fill"]


def test_a_part_has_a_time_limit_of_its_own() -> None:
    page = FakePage(buttons=["Fetch"], click_takes_s=5)
    limits = Limits(backoff_s=(0.01,), effect_waits_s=(), action_timeout_s=0.05, action_attempts=1)
    asked = planner(download)
    with World(page, asked, limits=limits) as world:
        world.run()
    assert "it took longer than 0.05 s" in asked.troubles[0].reason


SECRET = "correct horse battery"


@pytest.mark.parametrize("way", ["form", "fill", "fault", "login"])
def test_a_password_stands_in_no_event(way: str) -> None:
    from operative_app.actions.browser import Fill

    page = FakePage(buttons=["Sign in"], fields={"Name": "", "Password": ""}, passwords={"Password"})
    page.on_click["Sign in"] = lambda one: one.fields.clear()

    def make(state: ScreenState) -> Action:
        by_name = {one.name: state.ref(one) for one in state.elements}
        match way:
            case "form":
                return FillForm(fields=(FieldEntry(target=by_name["Password"], value=SECRET),))
            case "login":
                return Login(username="Ada", password=SECRET)
            case _:
                return Fill(target=by_name["Password"], text=SECRET)

    if way == "fault":
        page.on_fill["Password"] = fail  # also when it goes wrong, in the words of the fault
    with World(page, planner(make)) as world:
        world.run(oversight="risky")
    told = "\n".join(event_json(event) for event in world.listener.events)
    assert SECRET not in told
    assert "•••" in told
    assert "Password" in told


def fail(page: FakePage) -> Any:
    from operative_app.core.errors import ActionError

    raise ActionError(f"“{SECRET}” is too long for {SECRET}")


def test_a_stored_secret_is_refused_in_words_before_anything_is_touched() -> None:
    page = FakePage(buttons=["Sign in"], fields={"Name": "", "Password": ""}, passwords={"Password"})
    asked = planner(lambda state: Login(username="Ada", password="{{secret:bank}}"))
    with World(page, asked) as world:
        world.run()
    assert page.fields == {"Name": "", "Password": ""}
    assert asked.troubles[0].kind == "refused"
    assert "no secret named “bank” is saved" in asked.troubles[0].reason
    assert len(steps(world)) == 1
