"""How runs go on and end, seen from the two doors: commands in, events out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from operative_app.actions.mouse import ClickElement
from operative_app.core.errors import ActionError, SettingsError
from operative_app.core.events import (
    Event,
    Notice,
    PlanChanged,
    RecoveryTried,
    RequestClosed,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import AddTask, DeleteTask, MoveTask, RenameTask, SetBreakpoint, SkipTask, Task, TaskStatus
from operative_app.core.ports import Surface
from operative_app.core.requests import (
    ApprovalRequest,
    Approve,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Reply,
)
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunState
from operative_app.core.screen import PendingDialog, ScreenState
from operative_app.engine.control import Stop, TakeOver
from operative_app.engine.doubts import DO_IT
from operative_app.planning.port import (
    Act,
    AskPerson,
    Decision,
    GiveUp,
    HandOver,
    NotThereYet,
    RunContext,
    TaskDone,
    Trouble,
    Variant,
)
from tests.engine.world import QUICK, FakePage, Listener, ListRecorder, ScriptedPlanner, World, click, click_named


def press_and(act: Callable[[], object]) -> Callable[[FakePage], object]:
    """A button that shows it was pressed and does something else beside."""

    def pressed(page: FakePage) -> None:
        page.texts.append("pressed")
        act()

    return pressed


def page(*buttons: str) -> FakePage:
    """A page on which every button adds a text of its own."""

    def adding(name: str) -> Callable[[FakePage], object]:
        return lambda page: page.texts.append(f"{name} pressed")

    return FakePage(buttons=list(buttons), on_click={name: adding(name) for name in buttons})


def steps(listener: Listener) -> list[StepStarted]:
    return [event for event in listener.events if isinstance(event, StepStarted)]


def last_plan(listener: Listener) -> PlanChanged:
    return [event for event in listener.events if isinstance(event, PlanChanged)][-1]


def test_a_goal_is_planned_carried_out_and_told() -> None:
    with World(page("One", "Two"), ScriptedPlanner("One", "Two")) as world:
        end = world.run()
    assert (end.state, end.cause, end.steps) == (RunState.DONE, EndCause.GOAL_MET, 2)
    assert world.page.clicks == ["One", "Two"]
    assert [task.status for task in last_plan(world.listener).plan.tasks] == [TaskStatus.DONE, TaskStatus.DONE]
    assert world.page.is_released
    assert world.provider.released == 1


def test_events_are_numbered_without_gaps_and_recorded_before_they_are_told() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        world.run()
    assert [event.sequence for event in world.recorder.events] == list(range(1, len(world.recorder.events) + 1))
    assert world.recorder.events == world.listener.events


def test_the_step_is_recorded_before_the_page_is_touched() -> None:
    seen: list[list[str]] = []
    world = World(page("One"), ScriptedPlanner("One"))
    world.page.on_click["One"] = press_and(lambda: seen.append([event.kind for event in world.recorder.events]))
    with world:
        world.run()
    assert seen[0][-1] == "step_started"


def test_an_action_that_cannot_be_recorded_is_not_carried_out() -> None:
    world = World(page("One"), ScriptedPlanner("One"), recorder=ListRecorder(fails_at_kind="step_started"))
    with world:
        end = world.run()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.STORE_FAILED)
    assert "disk is full" in end.reason
    assert world.page.clicks == []


def test_an_empty_goal_starts_nothing() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        with pytest.raises(SettingsError, match="goal is empty"):
            world.start("  \n ")
        assert world.listener.events == []


def test_a_goal_says_no_more_than_its_person_sees() -> None:
    """Copied from a page it may hold marks that show nothing, or a whole other goal in such signs."""
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in " and press Two")
    planner = ScriptedPlanner("One")
    with World(page("One", "Two"), planner) as world:
        assert world.run(f"\u200fpress\u200f O\u200bne{hidden}").state is RunState.DONE
    assert {context.request.goal for context in planner.contexts} == {"press One"}
    assert [event.request.goal for event in world.listener.events if isinstance(event, RunStarted)] == ["press One"]


def test_a_goal_that_is_not_understood_opens_no_browser_and_does_nothing() -> None:
    with World(page("One"), ScriptedPlanner()) as world:
        end = world.run("frobnicate the blub")
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.NOT_UNDERSTOOD)
    assert "frobnicate the blub" in end.reason
    assert world.provider.requests == []


def test_a_second_run_during_a_run_is_refused_in_words() -> None:
    with World(page("One"), ScriptedPlanner("One", choose=lambda *_: NotThereYet("It"))) as world:
        world.start()
        world.listener.wait_state(RunState.WORKING)
        world.start("another")
        world.listener.wait(lambda event: isinstance(event, Notice) and "still going on" in event.text)
        world.control.stop()
        assert world.listener.wait_end().state is RunState.STOPPED


def test_a_run_can_follow_a_run() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        first = world.start()
        world.listener.wait(lambda event: event.kind == "run_finished" and event.run_id == first)
        second = world.start()
        world.listener.wait(lambda event: event.kind == "run_finished" and event.run_id == second)
    assert world.page.clicks == ["One", "One"]


def test_a_run_can_be_started_by_who_hears_the_end_of_another() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        second: list[str] = []

        class Again:
            def emit(self, event: Event) -> None:
                if isinstance(event, RunFinished) and not second:
                    second.append(world.start())
                    world.control.stop()

        world.agent.add_sink(Again())
        world.start()
        end = world.listener.wait(lambda event: event.kind == "run_finished" and event.run_id in second)
        assert isinstance(end, RunFinished)
        assert end.state is RunState.STOPPED  # a stop that follows is for it
    assert world.page.clicks == ["One"]


# Stop, pause, step, take over.


def test_stop_ends_a_run_that_waits_for_an_element() -> None:
    with World(page("One"), ScriptedPlanner("One", choose=lambda *_: NotThereYet("It"))) as world:
        world.start()
        world.listener.wait_state(RunState.WORKING)
        world.control.stop()
        end = world.listener.wait_end()
    assert (end.state, end.cause) == (RunState.STOPPED, EndCause.STOPPED_BY_PERSON)
    assert world.page.is_released


def test_stop_interrupts_an_action_under_way_and_nothing_follows() -> None:
    world = World(page("One", "Two"), ScriptedPlanner("One", "Two"))
    world.page.click_takes_s = 30
    with world:
        world.start()
        world.listener.wait(lambda event: event.kind == "step_started")
        world.control.stop()
        end = world.listener.wait_end()
    assert end.state is RunState.STOPPED
    assert world.page.clicks == []
    finished = [event for event in world.listener.events if isinstance(event, StepFinished)]
    assert "not known" in finished[-1].detail


def test_stop_beats_an_approval() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.control.answer(request.id, Approve())
        end = world.listener.wait_end()
    assert end.state is RunState.STOPPED
    assert world.page.clicks == []
    closed = [event for event in world.listener.events if isinstance(event, RequestClosed)]
    assert [(event.answer, event.by) for event in closed] == [(None, "stop")]


def test_closing_the_agent_during_a_run_stops_it() -> None:
    with World(page("One"), ScriptedPlanner("One", choose=lambda *_: NotThereYet("It"))) as world:
        world.start()
        world.listener.wait_state(RunState.WORKING)
    assert world.listener.wait_end().state is RunState.STOPPED
    assert world.provider.released == 1


def test_a_stop_while_the_surface_is_let_go_of_does_not_take_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        begun = threading.Event()

        async def release(_: Surface) -> None:
            begun.set()
            await asyncio.sleep(0.05)
            world.provider.released += 1

        monkeypatch.setattr(world.provider, "release", release)
        world.start()
        assert begun.wait(60)
        world.control.stop()
        assert world.listener.wait_end().state is RunState.DONE
    assert world.provider.released == 1
    assert world.recorder.events[-1].kind == "run_finished"


def test_a_stop_that_comes_before_the_run_has_begun_is_told() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        loop = world.agent._loop
        assert loop is not None

        def start_and_stop() -> None:
            world.start()
            world.control.stop()

        loop.call_soon_threadsafe(start_and_stop)
        end = world.listener.wait_end()
    assert (end.state, end.cause) == (RunState.STOPPED, EndCause.STOPPED_BY_PERSON)
    assert world.recorder.events == []


def test_a_paused_run_waits_and_goes_on() -> None:
    world = World(page("One", "Two"), ScriptedPlanner("One", "Two"))
    world.page.on_click["One"] = press_and(world.control.pause)
    with world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        assert world.page.clicks == ["One"]
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["One", "Two"]


def test_step_takes_one_step_and_pauses() -> None:
    world = World(page("One", "Two", "Three"), ScriptedPlanner("One", "Two", "Three"))
    world.page.on_click["One"] = press_and(world.control.pause)
    with world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.listener.events.clear()
        world.control.step()
        world.listener.wait_state(RunState.PAUSED)
        assert world.page.clicks == ["One", "Two"]
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE


def test_taking_over_while_the_first_page_loads_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(page("One"), ScriptedPlanner("One"))

    async def load(url: str, *, timeout_s: float = 30.0) -> None:
        await asyncio.sleep(30)

    monkeypatch.setattr(world.page, "navigate", load)
    with world:
        world.start(url="http://page.test/start")
        world.listener.wait(lambda event: event.kind == "step_started")
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["One"]


def test_a_stop_that_comes_with_a_take_over_is_a_stop() -> None:
    """A hand on the stop key is a hand on the keyboard, too: both are told at the same moment."""
    world = World(page("One"), ScriptedPlanner("One"))
    world.page.click_takes_s = 30
    with world:
        world.start()
        world.listener.wait(lambda event: event.kind == "step_started")

        def both() -> None:
            world.agent._handle(TakeOver())
            world.agent._handle(Stop())

        assert world.agent._loop is not None
        world.agent._loop.call_soon_threadsafe(both)
        assert world.listener.wait_end().state is RunState.STOPPED
    assert world.page.clicks == []


def test_taking_over_cancels_the_action_and_handing_back_looks_again() -> None:
    world = World(page("One"), ScriptedPlanner("One"))
    world.page.click_takes_s = 30
    with world:
        world.start()
        world.listener.wait(lambda event: event.kind == "step_started")
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        looks = len(world.listener.of("observed"))
        world.page.click_takes_s = 0
        world.control.resume()
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        assert "not known whether it was done" in request.text
        world.control.answer(request.id, Reply(text=DO_IT))
        assert world.listener.wait_end().state is RunState.DONE
    assert len(world.listener.of("observed")) > looks
    assert world.page.clicks == ["One"]


def test_taking_over_a_paused_run_is_told_and_hands_back() -> None:
    world = World(page("One", "Two"), ScriptedPlanner("One", "Two"))
    world.page.on_click["One"] = press_and(world.control.pause)
    with world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE


def test_taking_over_withdraws_an_open_request() -> None:
    with World(page("Pay now"), ScriptedPlanner("Pay now")) as world:
        world.start()
        world.listener.wait_request()
        world.control.take_over()
        world.listener.wait_state(RunState.TAKEN_OVER)
        world.control.resume()
        world.control.answer(world.listener.wait_request(2).id, Approve())
        assert world.listener.wait_end().state is RunState.DONE


# Approval.


def test_a_risky_action_waits_for_approval_and_runs_when_approved() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, ApprovalRequest)
        assert "Place order" in request.label
        assert request.rule == "payment"
        assert request.mark == 1
        assert world.page.clicks == []
        world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["Place order"]


def test_a_rejected_action_is_not_carried_out_and_the_planner_hears_why() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject(word="too dear"))
        guidance = world.listener.wait_request(2)
        assert isinstance(guidance, QuestionRequest)
        world.control.answer(guidance.id, Reply(text="Stop here"))
        end = world.listener.wait_end()
    assert end.state is RunState.STOPPED
    assert world.page.clicks == []
    assert world.planner.troubles[0].kind == "refused"
    assert list(world.planner.contexts[-1].words) == ["too dear"]


def test_nobody_there_to_approve_ends_the_run_with_that_reason() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject(), by="front end")
        end = world.listener.wait_end()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.HUMAN_NEEDED)
    assert world.page.clicks == []


def test_an_unanswered_approval_is_not_done() -> None:
    limits = replace(QUICK, answer_timeout_s=0.05)
    with World(page("Place order"), ScriptedPlanner("Place order"), limits=limits) as world:
        end = world.run()
    assert end.cause is EndCause.HUMAN_NEEDED
    assert world.page.clicks == []


def test_approve_all_asks_nothing() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        assert world.run(approve_all=True).state is RunState.DONE
    assert world.listener.of("request_raised") == []


def test_a_page_that_changed_while_the_approval_was_open_is_checked_again() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        request = world.listener.wait_request()
        world.page.buttons.clear()
        world.control.answer(request.id, Approve())
        guidance = world.listener.wait_request(2)
        world.control.answer(guidance.id, Reply(text="Stop here"))
        world.listener.wait_end()
    assert world.page.clicks == []


def test_every_step_is_asked_when_the_person_wants_that_and_reading_is_not() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        world.start(oversight="every")
        review = world.listener.wait_request()
        assert isinstance(review, PlanReviewRequest)
        world.control.answer(review.id, Approve())
        world.control.answer(world.listener.wait_request(2).id, Approve())
        assert world.listener.wait_end().state is RunState.DONE


def test_a_plan_that_is_not_accepted_does_nothing() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        world.start(review_plan=True)
        world.control.answer(world.listener.wait_request().id, Reject(word="not today"))
        end = world.listener.wait_end()
    assert (end.state, world.page.clicks) == (RunState.STOPPED, [])
    assert "not today" in end.reason


def test_the_first_answer_wins() -> None:
    with World(page("Place order"), ScriptedPlanner("Place order")) as world:
        world.start()
        request = world.listener.wait_request()
        world.control.answer(request.id, Approve())
        world.control.answer(request.id, Reject(word="late"))
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["Place order"]


def test_oversight_can_be_changed_during_the_run() -> None:
    world = World(page("One", "Place order"), ScriptedPlanner("One", "Place order"))
    world.page.on_click["One"] = press_and(lambda: world.control.set_oversight(Oversight.NONE))
    with world:
        assert world.run().state is RunState.DONE
    assert world.listener.of("request_raised") == []


# Plan edits.


def paused_after_first(*names: str) -> World:
    world = World(page(*names), ScriptedPlanner(*names))
    first = names[0]
    world.page.on_click[first] = press_and(world.control.pause)
    return world


def test_the_plan_is_edited_while_it_runs() -> None:
    with paused_after_first("One", "Two", "Three", "Four") as world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.page.buttons.append("New")
        world.page.on_click["New"] = lambda page: page.texts.append("New pressed")
        world.control.edit_plan(AddTask(goal="New", index=1))
        world.control.edit_plan(SkipTask(task_id="t2"))
        world.control.edit_plan(DeleteTask(task_id="t3"))
        world.control.edit_plan(MoveTask(task_id="t4", index=1))
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["One", "Four", "New"]


def test_a_renamed_task_is_read_anew() -> None:
    with paused_after_first("One", "Two") as world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.page.buttons.append("Other")
        world.page.on_click["Other"] = lambda page: page.texts.append("Other pressed")
        world.control.edit_plan(RenameTask(task_id="t2", goal="Other"))
        world.control.resume()
        world.listener.wait_end()
    assert world.page.clicks == ["One", "Other"]


def test_edits_are_undone_and_redone() -> None:
    with paused_after_first("One", "Two") as world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.control.edit_plan(DeleteTask(task_id="t2"))
        world.control.undo_plan_edit()
        world.control.redo_plan_edit()
        world.control.undo_plan_edit()
        world.control.resume()
        world.listener.wait_end()
    assert world.page.clicks == ["One", "Two"]


def test_a_finished_task_cannot_be_edited_and_the_person_is_told() -> None:
    with paused_after_first("One", "Two") as world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.control.edit_plan(DeleteTask(task_id="t1"))
        world.listener.wait(lambda event: isinstance(event, Notice) and "already started" in event.text)
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE


def test_a_breakpoint_pauses_before_its_task() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return click_named(state, task, context)

    world = World(page("One", "Two"), ScriptedPlanner("One", "Two", choose=choose))
    with world:
        world.start(review_plan=True)
        review = world.listener.wait_request()
        world.control.edit_plan(SetBreakpoint(task_id="t2"))
        world.control.answer(review.id, Approve())
        world.listener.wait_state(RunState.PAUSED)
        assert world.page.clicks == ["One"]
        world.control.resume()
        assert world.listener.wait_end().state is RunState.DONE


# Questions and hand-offs.


def test_an_answer_to_a_question_reaches_the_planner() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return TaskDone(answer=f"you said {context.words[-1]}") if context.words else AskPerson("Which size?")

    with World(page("One"), ScriptedPlanner("One", choose=choose)) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reply(text="large"))
        end = world.listener.wait_end()
    assert end.answer == "you said large"


def test_what_is_typed_while_a_question_is_open_is_its_answer() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return TaskDone(answer=f"you said {context.words[-1]}") if context.words else AskPerson("Which size?")

    with World(page("One"), ScriptedPlanner("One", choose=choose)) as world:
        world.start()
        world.listener.wait_request()
        world.control.say("large")
        end = world.listener.wait_end()
    assert end.answer == "you said large"
    assert world.planner.contexts[-1].wishes == ()


def test_trying_again_after_a_no_asks_again() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        refused = [record for record in context.of_task(task.id) if record.outcome.status is OutcomeStatus.REFUSED]
        return GiveUp("it was refused") if refused else click(state, task.goal)

    with World(page("Place order"), ScriptedPlanner("Place order", choose=choose)) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject())
        world.control.answer(world.listener.wait_request(2).id, Reply(text="Try again"))
        world.control.answer(world.listener.wait_request(3).id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["Place order"]


def hand_over(**fields: object) -> HandOver:
    defaults: dict[str, object] = {
        "why": HandOffKind.SIGN_IN,
        "reason": "It needs your password.",
        "instructions": "Sign in, then press Done.",
    }
    return HandOver(**{**defaults, **fields})  # type: ignore[arg-type]


def test_a_hand_off_shows_the_surface_waits_and_looks_at_what_came_of_it() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return TaskDone() if "Signed in" in state.all_text else hand_over(completes_task=False)

    with World(page("One"), ScriptedPlanner("Sign in", choose=choose)) as world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, HandOffRequest)
        world.control.answer(request.id, HumanDone())
        again = world.listener.wait_request(2)  # not believed: the page shows no sign of it
        world.page.texts.append("Signed in")
        world.control.answer(again.id, HumanDone())
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.was_shown == 2


def test_a_file_the_person_chose_is_given_to_the_page_and_recorded() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return hand_over(why=HandOffKind.FILE, target=state.ref(state.elements[0]), accepts=(".pdf",))

    with World(page("Choose file"), ScriptedPlanner("Choose", choose=choose)) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, FilesChosen(paths=("/somewhere/paper.pdf",)))
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.files == ["/somewhere/paper.pdf"]
    assert "paper.pdf" in steps(world.listener)[-1].label


def test_a_person_who_cannot_is_asked_what_now_when_the_planner_knows_no_way_without_it() -> None:
    planner = ScriptedPlanner("Sign in", choose=lambda *_: hand_over())
    with World(page("One"), planner) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, HumanCannot(word="no account"))
        guidance = world.listener.wait_request(2)
        assert isinstance(guidance, QuestionRequest)
        assert "you could not do it" in guidance.text
        world.control.answer(guidance.id, Reply(text="Skip this task"))
        end = world.listener.wait_end()
    assert end.state is RunState.DONE
    assert last_plan(world.listener).plan.tasks[0].status is TaskStatus.SKIPPED
    assert [list(context.words) for context in planner.contexts] == [[], ["no account"]]


def test_a_second_word_to_a_hand_off_goes_to_the_person_again() -> None:
    again = ScriptedPlanner("Sign in", choose=lambda *_: hand_over(), replan=lambda *_: hand_over())
    with World(page("One"), again) as world:
        world.start()
        world.control.answer(world.listener.wait_request(1).id, HumanCannot(word="no account"))
        world.control.answer(world.listener.wait_request(2).id, HumanCannot(word="really none"))
        guidance = world.listener.wait_request(3)
        assert isinstance(guidance, QuestionRequest)
        assert "you could not do it: really none" in guidance.text
        world.control.stop()
        world.listener.wait_end()
    assert len(again.troubles) == 1


def test_typed_guidance_becomes_the_task() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return GiveUp("there is no such button") if task.goal == "Zwei" else click(state, task.goal)

    with World(page("Two"), ScriptedPlanner("Zwei", choose=choose)) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reply(text="Two"))
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.clicks == ["Two"]


def test_without_guidance_the_task_has_failed_and_what_is_left_is_named() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return GiveUp("there is no such button")

    with World(page(), ScriptedPlanner("One", "Two", choose=choose)) as world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject(), by="front end")
        end = world.listener.wait_end()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.TASK_FAILED)
    assert "“One” could not be done: there is no such button." in end.reason
    assert "“Two”" in end.reason


# Honest ends and lost surfaces.


def test_an_effect_that_was_not_seen_makes_the_run_not_verified() -> None:
    with World(page("One"), ScriptedPlanner("One", choose=lambda *_: TaskDone(is_verified=False))) as world:
        end = world.run()
    assert (end.state, end.cause) == (RunState.NOT_VERIFIED, EndCause.NOT_VERIFIED)
    assert "“One”" in end.reason


def test_a_browser_closed_in_the_middle_ends_the_run_with_a_sentence() -> None:
    world = World(page("One", "Two"), ScriptedPlanner("One", "Two"))
    world.page.on_click["One"] = lambda page: setattr(page, "is_closed", True)
    with world:
        end = world.run()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.SURFACE_LOST)
    assert "closed" in end.reason


def test_a_fault_in_a_planner_ends_the_run_with_a_word() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        raise ZeroDivisionError("oops")

    with World(page("One"), ScriptedPlanner("One", choose=choose)) as world:
        end = world.run()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.ERROR)
    assert "oops" in end.reason
    assert world.provider.released == 1


def test_a_sink_that_fails_does_not_disturb_the_run() -> None:
    class Broken:
        def emit(self, event: Event) -> None:
            raise RuntimeError("broken")

    with World(page("One"), ScriptedPlanner("One")) as world:
        world.agent.add_sink(Broken())
        assert world.run().state is RunState.DONE


# Page dialogs.


def asks(kind: str) -> Callable[[FakePage], object]:
    return lambda page: page.dialogs.append(PendingDialog(kind=kind, message="Sure?"))


@pytest.mark.parametrize("goals", [("One", "Two"), ("One",)])
@pytest.mark.parametrize("kind", ["confirm", "beforeunload"])
def test_a_page_question_that_was_agreed_to_is_answered_before_the_task_is_done(
    kind: str, goals: tuple[str, ...]
) -> None:
    world = World(page("One", "Two"), ScriptedPlanner(*goals))
    world.page.on_click["One"] = asks(kind)
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.answers == [True]


def test_a_no_to_the_page_s_question_is_no_done_step_and_is_not_tried_again() -> None:
    planner = ScriptedPlanner("One", "Two", replan=lambda *_: TaskDone(is_verified=False))
    world = World(page("One", "Two"), planner)
    world.page.on_click["One"] = asks("confirm")
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject())
        assert world.listener.wait_end().state is RunState.NOT_VERIFIED
    assert world.page.answers == [False]
    assert world.page.clicks == ["One", "Two"]
    assert [(trouble.kind, trouble.reason) for trouble in planner.troubles] == [
        ("refused", "you said no to the page's question “Sure?”")
    ]


def test_a_page_question_with_nobody_there_needs_a_human() -> None:
    world = World(page("One"), ScriptedPlanner("One"))
    world.page.on_click["One"] = asks("confirm")
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject(), by="front end")
        assert world.listener.wait_end().cause is EndCause.HUMAN_NEEDED
    assert world.page.answers == [False]


@pytest.mark.parametrize("goals", [("One", "Two"), ("One",)])
def test_an_alert_is_only_acknowledged(goals: tuple[str, ...]) -> None:
    world = World(page("One", "Two"), ScriptedPlanner(*goals))
    world.page.on_click["One"] = asks("alert")
    with world:
        assert world.run().state is RunState.DONE
    assert world.page.answers == [True]
    assert world.listener.of("request_raised") == []


@pytest.mark.parametrize(("kind", "accepted"), [("alert", True), ("confirm", False)])
def test_a_box_left_open_before_the_run_does_not_keep_it_from_beginning(kind: str, accepted: bool) -> None:
    world = World(page("One"), ScriptedPlanner("One"))
    world.page.dialogs.append(PendingDialog(kind=kind, message="Old news"))
    with world:
        world.start(url="http://page.test/start")
        if not accepted:
            world.control.answer(world.listener.wait_request().id, Reject(), by="front end")
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.answers == [accepted]


def test_a_box_that_comes_while_an_action_is_on_its_way_is_answered_and_the_action_tried_again() -> None:
    def pressed(fake: FakePage) -> None:
        if len(fake.clicks) == 1:
            fake.dialogs.append(PendingDialog(kind="alert", message="Late news"))
            raise ActionError("The page waits for an answer to its alert “Late news”.")
        fake.texts.append("pressed")

    world = World(page("One"), ScriptedPlanner("One"))
    world.page.on_click["One"] = pressed
    with world:
        assert world.run().state is RunState.DONE
    assert world.page.answers == [True]


@pytest.mark.parametrize("moment", ["after the click", "at once"])
def test_a_page_that_opens_boxes_without_end_is_given_up(moment: str) -> None:
    def open_one(fake: FakePage) -> None:
        if fake.clicks or moment == "at once":
            fake.dialogs[:] = [PendingDialog(kind="alert", message="Again")]

    world = World(page("One"), ScriptedPlanner("One"), limits=replace(QUICK, dialogs_in_a_row=5))
    world.page.on_look = open_one
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reply(text="Stop here"))
        assert world.listener.wait_end().state is RunState.STOPPED
    assert 5 <= len(world.page.answers) <= 12


# The recovery ladder.


def rungs(listener: Listener) -> list[str]:
    return [event.rung.value for event in listener.events if isinstance(event, RecoveryTried)]


def test_alternatives_are_tried_in_turn() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        dead, live = (state.ref(element) for element in state.elements)
        return Act(
            (Variant((ClickElement(target=dead),), "A"), Variant((ClickElement(target=live),), "B")),
            completes_task=True,
        )

    world = World(page("Dead", "Live"), ScriptedPlanner("One", choose=choose))
    world.page.on_click["Dead"] = lambda page: None
    with world:
        assert world.run().state is RunState.DONE
    assert rungs(world.listener) == ["retry", "retry", "alternative"]
    assert steps(world.listener)[-1].variant == "B"


def test_a_risky_action_without_a_seen_effect_is_never_sent_twice() -> None:
    world = World(page("Place order"), ScriptedPlanner("Place order"))
    world.page.on_click["Place order"] = lambda page: None
    with world:
        world.start(approve_all=True)
        world.control.answer(world.listener.wait_request().id, Reply(text="Stop here"))
        world.listener.wait_end()
    assert world.page.clicks == ["Place order"]


def test_the_same_action_without_progress_counts_as_stuck() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return click(state, "One", completes_task=False)

    def replan(state: ScreenState, task: Task, trouble: Trouble, context: RunContext) -> Decision:
        return GiveUp(trouble.reason)

    world = World(page("One"), ScriptedPlanner("One", choose=choose, replan=replan))
    world.page.on_click["One"] = lambda page: page.texts.clear() if page.texts else page.texts.append("on")
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reply(text="Stop here"))
        world.listener.wait_end()
    assert "again and again" in world.planner.troubles[0].reason


def test_a_late_effect_is_waited_for_and_the_action_not_repeated() -> None:
    world = World(page("One"), ScriptedPlanner("One"))
    pressed_at: list[int] = []
    world.page.on_click["One"] = lambda page: pressed_at.append(page._observations)
    world.page.on_look = lambda page: (
        page.texts.append("late") if pressed_at and page._observations >= pressed_at[0] + 2 else None
    )
    with world:
        assert world.run().state is RunState.DONE
    assert world.page.clicks == ["One"]


def test_an_unreachable_address_is_a_refused_step_and_a_failed_run() -> None:
    world = World(page("One"), ScriptedPlanner("One"))
    with world:
        end = world.run(url="file:///etc/passwd")
    assert end.state is RunState.FAILED
    assert "only http and https" in end.reason
    outcomes = [event.status for event in world.listener.events if isinstance(event, StepFinished)]
    assert outcomes == [OutcomeStatus.REFUSED]


def test_what_the_person_says_during_the_run_reaches_the_next_decision() -> None:
    with paused_after_first("One", "Two") as world:
        world.start()
        world.listener.wait_state(RunState.PAUSED)
        world.control.say("be careful")
        world.control.resume()
        world.listener.wait_end()
    assert "be careful" in world.planner.contexts[-1].wishes
    assert any(isinstance(event, Said) and event.text == "be careful" for event in world.listener.events)


def test_states_are_told_in_order() -> None:
    with World(page("One"), ScriptedPlanner("One")) as world:
        world.run()
    told = [event.state for event in world.listener.events if isinstance(event, StateChanged)]
    assert told == [RunState.PLANNING, RunState.WORKING, RunState.DONE]
