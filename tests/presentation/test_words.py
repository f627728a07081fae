from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import pytest

from operative_app.core.events import (
    Notice,
    Observed,
    RequestClosed,
    RequestRaised,
    RunFinished,
    Rung,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.requests import (
    ApprovalRequest,
    Approve,
    HandOffKind,
    HandOffRequest,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
)
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunState
from operative_app.core.screen import SurfaceKind
from operative_app.presentation import words


def started(label: str = "Click link “Mac mini 512 GB”", step: int = 4) -> StepStarted:
    return StepStarted(run_id="r", sequence=1, time_s=0, step=step, action="click", label=label)


def finished(status: OutcomeStatus = OutcomeStatus.DONE, **more: object) -> StepFinished:
    return StepFinished.model_validate(
        {"run_id": "r", "sequence": 2, "time_s": 0, "step": 4, "status": status, "duration_ms": 312, **more}
    )


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (words.STATE_WORDS, RunState),
        (words.OUTCOME_WORDS, OutcomeStatus),
        (words.TASK_WORDS, TaskStatus),
        (words.TASK_SIGNS, TaskStatus),
        (words.OVERSIGHT_WORDS, Oversight),
        (words.SURFACE_WORDS, SurfaceKind),
        (words.RUNG_WORDS, Rung),
        (words.CAUSE_WORDS, EndCause),
        (words.HAND_OFF_WORDS, HandOffKind),
    ],
)
def test_every_member_has_its_own_wording(table: Mapping[StrEnum, str], kind: type[StrEnum]) -> None:
    assert set(table) == set(kind)
    assert len(set(table.values())) == len(table)


def test_the_states_are_worded_as_the_product_says() -> None:
    assert list(words.STATE_WORDS.values()) == [
        "Ready", "Planning", "Working", "Waiting for you", "Paused", "You have control", "Stopping", "Done",
        "Not verified", "Failed", "Stopped",
    ]  # fmt: skip


def test_a_recorded_state_is_worded_like_a_live_one() -> None:
    assert words.recorded_state_word("not_verified") == "Not verified"
    assert words.recorded_state_word("interrupted") == "Interrupted"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0 ms"),
        (0, "0 ms"),
        (0.3124, "312 ms"),
        (0.9996, "1.0 s"),
        (4.24, "4.2 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (125.2, "2 min 5 s"),
        (3599.7, "1 h"),
        (3780, "1 h 3 min"),
        (7199.9, "2 h"),
    ],
)
def test_durations_use_the_unit_that_reads_well(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


def test_tokens_are_grouped_and_left_out_when_there_are_none() -> None:
    assert [words.tokens(number) for number in (0, 1, 1204)] == ["", "1 token", "1,204 tokens"]


def test_a_step_that_was_done_is_one_line() -> None:
    assert words.step_line(started(), finished()) == "  4  Click link “Mac mini 512 GB”  done  312 ms"


def test_a_step_that_was_not_done_names_the_reason_and_what_it_cost() -> None:
    line = words.step_line(
        started("Press Enter", 12), finished(OutcomeStatus.FAILED, detail="It is covered.", tokens=1500)
    )

    assert line == " 12  Press Enter  failed  312 ms  1,500 tokens  (It is covered.)"


def test_a_step_under_way_ends_open() -> None:
    assert words.step_line(started()) == "  4  Click link “Mac mini 512 GB”  …"


@pytest.mark.parametrize(
    "hostile",
    [
        "a\x1b[2J\x1b]0;owned\x07b",
        "a\r\nb",
        "a\u202eb",
        "a\u2066b\u2069",
        "a\x9b31mb",
        "a\u2028b",
        "a\ud800b",
        "a\x00b",
    ],
)
def test_text_from_outside_cannot_steer_the_terminal(hostile: str) -> None:
    lines = [
        words.step_line(started(hostile), finished(OutcomeStatus.FAILED, detail=hostile)),
        words.event_line(Said(run_id="r", sequence=1, time_s=0, role="agent", text=hostile)),
        words.event_line(Notice(run_id="r", sequence=1, time_s=0, text=hostile)),
        words.request_text(QuestionRequest(text=hostile, choices=(hostile,))),
        *words.plan_lines(Plan(goal="g", tasks=(Task(goal=hostile),))),
    ]

    for line in lines:
        line.encode("utf-8")
        assert line.isprintable() or line.replace("\u202f", "").isprintable()
        assert "a" in line
        assert "b" in line


def test_requests_say_what_and_why() -> None:
    approval = ApprovalRequest(
        action="click",
        label="Click button “Place order”",
        reason="It spends money",
        effect="an order is placed",
        site="shop.example",
        rule="money",
    )
    hand_off = HandOffRequest(
        why=HandOffKind.FILE, reason="A file is wanted", instructions="Choose the PDF!", accepts=(".pdf",)
    )

    assert words.request_title(approval) == "May I do this?"
    assert words.request_text(approval) == (
        "Click button “Place order”. It spends money. Effect: an order is placed. Site: shop.example."
    )
    assert words.request_title(hand_off) == "Please choose a file"
    assert words.request_text(hand_off) == "A file is wanted. Choose the PDF! Files taken: .pdf."
    assert words.request_text(QuestionRequest(text="Which one?", choices=("red", "blue"))) == (
        "Which one? Choices: red, blue."
    )
    review = PlanReviewRequest(plan=Plan(goal="g", tasks=(Task(goal="a"), Task(goal="b"))))
    assert words.request_text(review) == "The plan has 2 tasks."


def test_answers_say_who_gave_them() -> None:
    def line(answer: Approve | Reject | None, by: str) -> str:
        return words.event_line(RequestClosed(run_id="r", sequence=1, time_s=0, request_id="q", answer=answer, by=by))

    assert line(Approve(), "person") == "Answer: approved (by you)"
    assert line(Approve(allow_kind=True), "person") == "Answer: approved, and allowed from now on in this run (by you)"
    assert line(Reject(word="use the other one"), "front end") == (
        "Answer: rejected: use the other one (by the front end)"
    )
    assert line(None, "time-out") == "Answer: no answer (time ran out)"


def test_events_that_say_nothing_alone_give_no_line() -> None:
    seen = Observed(run_id="r", sequence=1, time_s=0, step=1, observation=1, url="u", title="t")

    assert words.event_line(seen) == ""
    assert words.event_line(finished()) == ""


def test_a_raised_request_is_told_with_its_title() -> None:
    raised = RequestRaised(run_id="r", sequence=1, time_s=0, request=QuestionRequest(text="Which one?"))

    assert words.event_line(raised) == "A question. Which one?"


def test_the_end_names_state_size_and_reason() -> None:
    event = RunFinished(
        run_id="r",
        sequence=9,
        time_s=0,
        state=RunState.FAILED,
        cause=EndCause.STEP_LIMIT,
        reason="",
        steps=1,
        duration_s=2,
    )

    assert words.finish_line(event) == "Failed (1 step, 2.0 s): The limit of steps is reached."


def test_a_state_is_told_with_its_detail() -> None:
    event = StateChanged(run_id="r", sequence=1, time_s=0, state=RunState.WAITING, detail="an approval")

    assert words.event_line(event) == "Waiting for you: an approval"
