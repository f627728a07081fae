"""Hand-offs: the limit and its reminder, what happens at its end, and that “Done” is looked at."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

import pytest

from operative_app.actions.declare import Action
from operative_app.core.events import CheckpointSaved, Event, Notice, RequestClosed, RequestRaised, Said, StateChanged
from operative_app.core.plan import Task, TaskStatus
from operative_app.core.requests import (
    Approve,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    QuestionRequest,
    Reply,
    Request,
)
from operative_app.core.run import EndCause, Outcome, RunState
from operative_app.core.screen import ScreenState
from operative_app.engine.desk import minutes_words
from operative_app.engine.limits import Limits
from operative_app.planning.port import Decision, HandOver, RunContext
from tests.engine.world import QUICK, FakePage, ScriptedPlanner, World, click

LATE = replace(QUICK, hand_off_timeout_s=0.1)


@dataclass(frozen=True)
class Shows:
    """The words are on the page."""

    words: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if self.words in after.all_text else f"“{self.words}” is not there"


def world(*done_when: Shows, limits: Limits = QUICK, why: HandOffKind = HandOffKind.SIGN_IN) -> World:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return HandOver(why, "It needs your password.", "Sign in, then press Done.", done_when=done_when)

    return World(FakePage(buttons=["Sign in"]), ScriptedPlanner("Sign in", choose=choose), limits=limits)


def asked(one: World, number: int) -> HandOffRequest:
    request = one.listener.wait_request(number)
    assert isinstance(request, HandOffRequest)
    return request


def told(one: World) -> list[str]:
    return [event.text for event in one.recorder.events if isinstance(event, Said)]


def last_status(one: World) -> TaskStatus:
    plans = [event.plan for event in one.recorder.events if event.kind == "plan_changed"]
    return plans[-1].tasks[0].status


def test_ten_minutes_by_default_with_a_reminder_when_two_are_left() -> None:
    with world(limits=Limits()) as one:
        one.start()
        raised = one.listener.wait(lambda event: isinstance(event, RequestRaised))
        one.control.stop()
        one.listener.wait_end()
    assert isinstance(raised, RequestRaised)
    request = raised.request
    assert isinstance(request, HandOffRequest)
    assert request.expires_at_s - raised.time_s == pytest.approx(600, abs=30)
    assert request.expires_at_s - request.remind_at_s == pytest.approx(120)


def test_a_run_can_set_its_own_limit() -> None:
    with world() as one:
        one.start(hand_off_minutes=30)
        raised = one.listener.wait(lambda event: isinstance(event, RequestRaised))
        one.control.stop()
        one.listener.wait_end()
    assert isinstance(raised, RequestRaised)
    assert raised.request.expires_at_s - raised.time_s == pytest.approx(1800, abs=30)


def test_at_the_end_of_the_limit_it_was_reminded_nothing_is_done_and_the_state_is_kept() -> None:
    with world(limits=LATE) as one:
        end = one.run()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.HUMAN_NEEDED)
    assert "within 0.1 seconds" in end.reason
    assert "not done: Sign in" in end.reason
    events = one.recorder.events
    kinds = [type(event) for event in events]
    assert kinds.index(RequestRaised) < kinds.index(Notice) < kinds.index(RequestClosed) < kinds.index(CheckpointSaved)
    reminder = next(event for event in events if isinstance(event, Notice))
    assert "I still wait for you, another 0.02 seconds: Sign in" in reminder.text
    closed = next(event for event in events if isinstance(event, RequestClosed))
    assert (closed.answer, closed.by) == (None, "time-out")
    assert last_status(one) is TaskStatus.WAITING


@dataclass
class AtOnce:
    """A person who does what they are asked for in the same moment, and answers nothing else."""

    world: World

    def emit(self, event: Event) -> None:
        if isinstance(event, RequestRaised) and isinstance(event.request, HandOffRequest):
            self.world.control.answer(event.request.id, HumanDone())


def late(one: World) -> HandOffRequest:
    """Start, and let the time of the hand-off run out."""
    one.start(is_attended=True)
    request = asked(one, 2)
    assert request.is_over
    return request


def test_where_a_person_can_come_back_the_run_is_paused_when_the_time_is_over_and_done_still_counts() -> None:
    with world(Shows("Hello Ada"), limits=LATE) as one:
        request = late(one)
        assert (request.expires_at_s, one.page.clicks, one.page.was_shown) == (0, [], 1)
        events = one.recorder.events
        assert any(isinstance(event, CheckpointSaved) for event in events)
        paused = one.listener.wait(lambda event: isinstance(event, StateChanged) and event.state is RunState.PAUSED)
        assert "within 0.1 seconds: Sign in" in getattr(paused, "detail", "")
        one.page.texts.append("Hello Ada")
        one.control.answer(request.id, HumanDone())
        assert one.listener.wait_end().state is RunState.DONE


def test_a_late_cannot_is_asked_about_and_a_late_stop_stops() -> None:
    with world(limits=LATE) as one:
        one.control.answer(late(one).id, HumanCannot(word="no password"))
        guidance = one.listener.wait_request(3)
        assert isinstance(guidance, QuestionRequest)
        assert "you could not do it" in guidance.text
        one.control.stop()
        assert one.listener.wait_end().state is RunState.STOPPED


def test_resume_after_the_time_looks_anew_and_asks_again_with_the_whole_time() -> None:
    """Also as often as it is let run out: nobody has tried."""
    with world(Shows("Hello Ada"), limits=LATE) as one:
        late(one)
        for number in (3, 5, 7):
            one.control.resume()
            again = asked(one, number)
            assert (again.is_over, again.expires_at_s > 0) == (False, True)
            assert asked(one, number + 1).is_over
        one.page.texts.append("Hello Ada")
        one.control.answer(asked(one, 8).id, HumanDone())
        assert one.listener.wait_end().state is RunState.DONE


def test_a_take_over_after_the_time_is_given_back_as_ever() -> None:
    with world(Shows("Hello Ada"), limits=LATE) as one:
        late(one)
        one.control.take_over()
        one.listener.wait(lambda event: isinstance(event, StateChanged) and event.state is RunState.TAKEN_OVER)
        one.control.resume()
        assert not asked(one, 3).is_over
        one.control.stop()
        one.listener.wait_end()


def test_a_run_can_set_its_own_limit_for_answers() -> None:
    with World(FakePage(buttons=["Place order"]), ScriptedPlanner("Place order")) as one:
        one.start(answer_minutes=3)
        raised = one.listener.wait(lambda event: isinstance(event, RequestRaised))
        one.control.stop()
        one.listener.wait_end()
    assert isinstance(raised, RequestRaised)
    assert raised.request.expires_at_s - raised.time_s == pytest.approx(180, abs=30)


def test_who_has_answered_is_not_reminded_any_more() -> None:
    """The approval that follows outlasts the moment at which the hand-off would have reminded."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if task.goal == "Sign in":
            return HandOver(HandOffKind.SIGN_IN, "It needs your password.", "Sign in.")
        return click(state, task.goal)

    limits = replace(QUICK, hand_off_timeout_s=0.3, answer_timeout_s=0.5)
    with World(
        FakePage(buttons=["Place order"]), ScriptedPlanner("Sign in", "Place order", choose=choose), limits
    ) as one:
        one.page.on_look = lambda page: page.texts.append(str(len(page.texts)))  # something is different each time
        one.agent.add_sink(AtOnce(one))
        end = one.run()
    assert "Place order" in end.reason
    assert not [event for event in one.recorder.events if isinstance(event, Notice)]


@dataclass
class Overtaken:
    """Answers while the agent is held up: before it goes on, all limits are over."""

    world: World

    def emit(self, event: Event) -> None:
        if isinstance(event, RequestRaised):
            asyncio.get_running_loop().call_later(0, self._answer, event.request)

    def _answer(self, request: Request) -> None:
        self.world.control.answer(request.id, HumanDone() if isinstance(request, HandOffRequest) else Approve())
        until_s = time.monotonic() + 0.2
        while time.monotonic() < until_s:  # the agent is busy
            pass


def test_an_answer_that_was_taken_in_time_counts_however_late_it_is_heard() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if task.goal == "Sign in":
            return HandOver(HandOffKind.SIGN_IN, "It needs your password.", "Sign in.")
        return click(state, task.goal)

    page = FakePage(buttons=["Place order"])
    page.on_look = lambda page: page.texts.append(str(len(page.texts)))  # something is different each time
    limits = replace(LATE, answer_timeout_s=0.1)
    with World(page, ScriptedPlanner("Sign in", "Place order", choose=choose), limits) as one:
        one.agent.add_sink(Overtaken(one))
        assert one.run().state is RunState.DONE
    assert page.clicks == ["Place order"]
    assert not [event for event in one.recorder.events if isinstance(event, Notice)]


def test_done_counts_when_the_page_shows_it() -> None:
    with world(Shows("Hello Ada")) as one:
        one.start()
        request = asked(one, 1)
        one.page.texts.append("Hello Ada")
        one.control.answer(request.id, HumanDone())
        assert one.listener.wait_end().state is RunState.DONE
    assert last_status(one) is TaskStatus.DONE


def test_done_without_a_sign_of_it_is_told_and_asked_once_more_and_then_it_is_not_done() -> None:
    with world(Shows("Hello Ada")) as one:
        one.start()
        assert asked(one, 1).note == ""
        one.control.answer(asked(one, 1).id, HumanDone())
        again = asked(one, 2)
        assert again.note == "It does not look finished yet: “Hello Ada” is not there."
        assert again.note in told(one)
        one.control.answer(again.id, HumanDone())
        guidance = one.listener.wait_request(3)
        assert isinstance(guidance, QuestionRequest)
        assert "“Hello Ada” is not there" in guidance.text
        one.control.answer(guidance.id, Reply(text="Stop here"))
        assert one.listener.wait_end().state is RunState.STOPPED


def test_done_though_nothing_is_different_is_told_and_then_taken_as_not_verified() -> None:
    with world(why=HandOffKind.OTHER) as one:
        one.start()
        one.control.answer(asked(one, 1).id, HumanDone())
        again = asked(one, 2)
        assert "nothing on the screen is different" in again.note
        one.control.answer(again.id, HumanDone())
        end = one.listener.wait_end()
    assert (end.state, end.cause) == (RunState.NOT_VERIFIED, EndCause.NOT_VERIFIED)
    assert last_status(one) is TaskStatus.UNVERIFIED


def test_one_kind_after_the_other_is_asked_for_by_itself() -> None:
    """A sign-in that leads to a code is no sign-in that failed."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if "Enter the code" in state.all_text:
            return HandOver(
                HandOffKind.SECOND_FACTOR, "A code is asked for.", "Enter it.", done_when=(Shows("Hello Ada"),)
            )
        return HandOver(HandOffKind.SIGN_IN, "A password.", "Sign in.", done_when=(Shows("Enter the code"),),
                        completes_task=False)  # fmt: skip

    with World(FakePage(buttons=["Sign in"]), ScriptedPlanner("Sign in", choose=choose)) as one:
        one.start()
        one.control.answer(asked(one, 1).id, HumanDone())
        second = asked(one, 2)
        one.page.texts.append("Enter the code")
        one.control.answer(second.id, HumanDone())
        code = asked(one, 3)
        assert (code.why, code.note) == (HandOffKind.SECOND_FACTOR, "")
        one.control.answer(code.id, HumanDone())
        assert asked(one, 4).why is HandOffKind.SECOND_FACTOR
        one.page.texts.append("Hello Ada")
        one.control.answer(asked(one, 4).id, HumanDone())
        assert one.listener.wait_end().state is RunState.DONE


def test_an_approval_that_runs_out_is_not_reminded_and_not_done() -> None:
    limits = replace(QUICK, answer_timeout_s=0.05, hand_off_timeout_s=60)
    with World(FakePage(buttons=["Place order"]), ScriptedPlanner("Place order"), limits=limits) as one:
        assert one.run().cause is EndCause.HUMAN_NEEDED
    notices: list[Event] = [event for event in one.recorder.events if isinstance(event, Notice)]
    assert (one.page.clicks, notices) == ([], [])


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (600, "10 minutes"),
        (60, "1 minute"),
        (1, "1 second"),
        (90, "90 seconds"),
        (120, "2 minutes"),
        (150, "2.5 minutes"),
    ],
)
def test_limits_are_told_as_people_say_them(seconds: float, words: str) -> None:
    assert minutes_words(seconds) == words
