from __future__ import annotations

import pytest

from operative_app.core.events import (
    Event,
    Notice,
    Observed,
    OversightChanged,
    PlanChanged,
    RecoveryTried,
    RequestClosed,
    RequestRaised,
    RunFinished,
    Rung,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.requests import ApprovalRequest, Approve, QuestionRequest, Reject
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunRequest, RunState
from operative_app.core.screen import Box
from operative_app.presentation.chat import LineKind
from operative_app.presentation.view_state import ViewState
from tests.gui.sample_run import GOAL, Pictures, event_maker, events_after_approval, events_until_approval

BOX = Box(x_css_px=1, y_css_px=2, width_css_px=3, height_css_px=4)


def started(*more: tuple[type, dict[str, object]]) -> ViewState:
    """A state after the start of a run and these events."""
    make = event_maker()
    events: list[Event] = [make(RunStarted, request=RunRequest(goal="Buy"), planner="Built-in planner")]
    events += [make(kind, **parts) for kind, parts in more]
    return ViewState.of(events)


def approval(**parts: object) -> ApprovalRequest:
    return ApprovalRequest.model_validate(
        {"id": "r1", "task_id": "t1", "action": "click", "label": "Press “Buy”", "reason": "it buys", "box": BOX}
        | parts
    )


def step(number: int, **parts: object) -> tuple[type, dict[str, object]]:
    return StepStarted, {"step": number, "action": "click", "label": f"Step {number}", **parts}


def finished(number: int, **parts: object) -> tuple[type, dict[str, object]]:
    return StepFinished, {"step": number, "status": OutcomeStatus.DONE, **parts}


def observed(number: int, **parts: object) -> tuple[type, dict[str, object]]:
    return Observed, {"step": number, "observation": number, "url": "http://x/", "title": "X", **parts}


END = {"state": RunState.DONE, "cause": EndCause.GOAL_MET, "reason": "All is bought.", "duration_s": 9.0}


def test_before_any_run_it_is_ready_and_empty() -> None:
    state = ViewState()
    assert (state.state, state.plan, state.chat, state.rows, state.step) == (RunState.READY, None, [], [], 0)
    assert not state.is_active


def test_a_run_begins_with_its_goal_in_the_chat_and_the_goal_is_not_said_twice() -> None:
    state = started((Said, {"role": "person", "text": "Buy"}), (Said, {"role": "person", "text": "a red one"}))
    assert [(line.kind, line.text) for line in state.chat] == [
        (LineKind.GOAL, "Buy"),
        (LineKind.PERSON, "a red one"),
    ]
    assert state.state is RunState.PLANNING


def test_a_step_is_one_row_from_start_to_outcome() -> None:
    state = started(step(1, task_id="t1", target="button “Buy”"), finished(1, duration_ms=120, tokens=7))
    (row,) = state.rows
    assert (row.step, row.label, row.status, row.duration_ms, row.tokens) == (1, "Step 1", OutcomeStatus.DONE, 120, 7)
    assert state.ledger.spent.words == "7 tokens"


def test_a_step_tried_again_keeps_one_row_with_its_attempts_and_recovery() -> None:
    state = started(
        step(1),
        finished(1, status=OutcomeStatus.FAILED, duration_ms=100, detail="covered"),
        (RecoveryTried, {"step": 1, "rung": Rung.ALTERNATIVE, "reason": "covered by a banner"}),
        step(1, attempt=2, variant="B"),
        finished(1, duration_ms=50),
    )
    (row,) = state.rows
    assert [(one.variant, one.status) for one in row.attempts] == [
        ("A", OutcomeStatus.FAILED),
        ("B", OutcomeStatus.DONE),
    ]
    assert row.duration_ms == 150
    assert "covered by a banner" in row.recovery[0]


def test_a_step_refused_before_it_was_started_is_still_a_row() -> None:
    state = started(finished(1, status=OutcomeStatus.REFUSED, detail="Not allowed on this site."))
    assert [(row.step, row.status, row.label) for row in state.rows] == [
        (1, OutcomeStatus.REFUSED, "Not allowed on this site.")
    ]


def test_what_was_seen_after_a_step_tells_its_changes() -> None:
    state = started(observed(1), step(1, observation=1), observed(2, difference="link “A” appeared"), finished(1))
    assert (state.rows[0].before, state.rows[0].after) == (1, 2)
    assert state.rows[0].changes == "link “A” appeared"


def test_the_frame_a_step_was_decided_on_shows_its_target() -> None:
    state = started(observed(1), step(1, observation=1, box=BOX, mark=4))
    target = state.frames[0].target
    assert target is not None
    assert (target.box, target.mark) == (BOX, 4)
    assert state.live_target is not None
    assert state.live_target.words == f"now: {state.rows[0].label}"


def test_marks_are_fresh_from_an_observation_until_something_is_done() -> None:
    assert started(observed(1)).has_fresh_marks
    assert not started(observed(1), step(1)).has_fresh_marks


def test_an_approval_is_a_card_a_waiting_row_a_target_and_a_tag_of_its_task() -> None:
    state = started((RequestRaised, {"request": approval(), "task_id": "t1"}))
    assert [request.id for request in state.requests] == ["r1"]
    assert state.chat[-1].is_open
    assert (state.rows[-1].is_waiting, state.rows[-1].label) == (True, "Press “Buy”")
    assert state.asking_task_ids == {"t1"}
    assert state.live_target is not None
    assert state.live_target.words == "next: Press “Buy”, waiting for you"


@pytest.mark.parametrize(("answer", "rows"), [(Approve(), 1), (Reject(word="no"), 0), (None, 0)])
def test_a_closed_approval_keeps_its_row_only_when_it_was_approved(answer: object, rows: int) -> None:
    state = started(
        (RequestRaised, {"request": approval()}),
        (RequestClosed, {"request_id": "r1", "answer": answer, "by": "person"}),
    )
    assert len(state.rows) == rows
    assert (state.requests, state.chat[-1].is_open, state.chat[-1].answer) == ([], False, answer)


def test_an_approved_step_takes_the_waiting_row() -> None:
    state = started(
        (RequestRaised, {"request": approval()}),
        (RequestClosed, {"request_id": "r1", "answer": Approve()}),
        step(1),
        finished(1),
    )
    assert [(row.step, row.is_waiting) for row in state.rows] == [(1, False)]


def test_several_requests_queue_in_their_order() -> None:
    state = started(
        (RequestRaised, {"request": approval()}),
        (RequestRaised, {"request": QuestionRequest(id="q", text="Which?")}),
        (RequestClosed, {"request_id": "r1", "answer": Approve()}),
    )
    assert [request.id for request in state.requests] == ["q"]


def test_the_end_withdraws_open_requests_and_adds_one_summary() -> None:
    state = started(
        (RequestRaised, {"request": approval()}),
        (StateChanged, {"state": RunState.DONE}),
        (Said, {"role": "agent", "text": "All is bought."}),
        (RunFinished, END | {"answer": "749 €"}),
    )
    assert (state.requests, state.rows) == ([], [])
    assert [line.kind for line in state.chat] == [LineKind.GOAL, LineKind.CARD, LineKind.SUMMARY]
    assert (state.chat[-1].facts, state.chat[-1].text) == ("749 €", "All is bought.")
    assert not state.is_active


def test_the_time_stands_still_after_the_end() -> None:
    state = started((RunFinished, END))
    assert state.elapsed_s(now_s=9e9) == pytest.approx(9.0)


def test_progress_counts_top_tasks_without_skipped_ones() -> None:
    def plan(*statuses: TaskStatus) -> Plan:
        return Plan(goal="Buy", tasks=tuple(Task(goal=str(one), status=one) for one in statuses))

    state = started((PlanChanged, {"plan": plan(TaskStatus.DONE, TaskStatus.SKIPPED, TaskStatus.PENDING)}))
    assert state.progress == (1, 2)


def test_events_of_another_run_change_nothing() -> None:
    state = started()
    state.fold(event_maker("other")(Notice, text="late"))
    assert [line.kind for line in state.chat] == [LineKind.GOAL]


def test_the_next_run_keeps_the_chat_and_begins_all_else_anew() -> None:
    state = started(step(1), finished(1), (RunFinished, END))
    state.fold(event_maker("next")(RunStarted, request=RunRequest(goal="Sell"), planner="Built-in planner"))
    assert [line.text for line in state.chat if line.kind is LineKind.GOAL] == ["Buy", "Sell"]
    assert (state.rows, state.frames, state.run_id) == ([], [], "next")


def test_clearing_waits_for_the_end_of_a_run() -> None:
    state = started()
    state.clear()
    assert state.chat
    state = started((RunFinished, END))
    state.clear()
    assert (state.chat, state.run_id, state.state) == ([], "", RunState.READY)


def test_parameters_are_told_in_words() -> None:
    reference = {"observation": 1, "key": "e5", "label": "button “Buy”"}
    state = started(step(1, parameters={"target": reference, "keys": ["a", "b"], "clear": True, "x" * 3: "y" * 900}))
    words = dict(state.rows[0].parameters)
    assert (words["target"], words["keys"], words["clear"]) == ("button “Buy”", "a, b", "yes")
    assert len(words["xxx"]) == 500


def test_the_oversight_follows_the_engine() -> None:
    state = started((OversightChanged, {"oversight": Oversight.EVERY}))
    assert state.oversight is Oversight.EVERY


def test_changes_name_what_differs_and_are_given_once() -> None:
    state = started()
    state.take_changes()
    make = event_maker()
    state.fold(make(StepStarted, step=1, action="click", label="A"))
    state.fold(make(Said, role="agent", text="hello"))
    changes = state.take_changes()
    assert (changes.rows, changes.chat, changes.plan) == ({0}, {1}, False)
    assert state.take_changes().rows == set()


def test_the_sample_run_folds_from_first_to_last_event() -> None:
    pictures = Pictures()
    state = ViewState.of([*events_until_approval(pictures), *events_after_approval(pictures)])
    assert state.chat[0].text == GOAL
    assert [row.step for row in state.rows] == [1, 2, 3, 4, 5, 6, 7]
    assert all(frame.screenshot in pictures.by_hash for frame in state.frames)
    assert state.state is RunState.DONE


def test_an_end_without_a_beginning_is_shown() -> None:
    state = started((RunFinished, END))
    lost = event_maker("lost")(
        RunFinished, state=RunState.FAILED, cause=EndCause.STORE_FAILED, reason="The disk is full."
    )
    state.fold(lost)
    assert [(line.kind, line.text) for line in state.chat[-2:]] == [
        (LineKind.SUMMARY, "All is bought."),
        (LineKind.SUMMARY, "The disk is full."),
    ]
    assert state.state is RunState.FAILED


def test_parts_and_the_pictures_actions_took_are_known_of_their_rows() -> None:
    state = started(step(1), step(2, part_of=1), finished(2), finished(1, picture="hash"))
    assert [(row.step, row.part_of, row.picture) for row in state.rows] == [(1, 0, "hash"), (2, 1, "")]
