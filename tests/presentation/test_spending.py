from __future__ import annotations

import json

import pytest

from operative_app.core.events import Event, ModelAsked, RunFinished, StepFinished, StepStarted
from operative_app.presentation.narration import Narration
from operative_app.presentation.report_model import report_model
from operative_app.presentation.spending import Ledger, Spent, money, sizes_words, unfolded
from operative_app.presentation.view_state import ViewState
from tests.gui.sample_run import Pictures, events_after_approval, events_until_approval, exchange, planned_by_model


@pytest.fixture(scope="module")
def run() -> list[Event]:
    pictures = Pictures()
    return list(planned_by_model([*events_until_approval(pictures), *events_after_approval(pictures)]))


def without_prices(events: list[Event]) -> list[Event]:
    return [one.model_copy(update={"cost": None}) if isinstance(one, ModelAsked) else one for one in events]


@pytest.mark.parametrize(
    ("dollars", "words"),
    [
        (0, "$0.00"), (0.00003, "less than $0.0001"), (0.00041, "$0.00041"), (0.012, "$0.012"), (0.03, "$0.03"),
        (0.0346, "$0.035"), (0.5, "$0.50"), (0.999, "$1.00"), (1.5, "$1.50"), (1204.5, "$1,204.50"),
    ],
)  # fmt: skip
def test_money_has_two_digits_that_count(dollars: float, words: str) -> None:
    assert money(dollars) == words


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], ""),
        ([Spent(12_340, 0.03)], "12,340 tokens, $0.03"),
        ([Spent(12_340)], "12,340 tokens"),
        ([Spent(100, 0.012), Spent(50)], "150 tokens, at least $0.012"),
        ([Spent(50), Spent(100, 0.012), Spent(1, 0.001)], "151 tokens, at least $0.013"),
        ([Spent(0, 0.0), Spent(50)], "50 tokens"),  # one that could not be reached says nothing about prices
        ([Spent(50), Spent(50, 0.0)], "100 tokens"),
        ([Spent(50, 0.0)], "50 tokens, $0.00"),
    ],
)
def test_what_was_spent_is_told_as_far_as_it_is_known(parts: list[Spent], words: str) -> None:
    assert sum(parts, Spent()).words == words


def test_the_run_counts_every_exchange_and_the_steps_those_that_led_to_them(run: list[Event]) -> None:
    state = ViewState.of(run)
    told = [one for one in run if isinstance(one, ModelAsked)]
    assert state.ledger.spent.tokens == sum(one.input_tokens + one.output_tokens for one in told)
    assert [row.spent.words for row in state.rows[:3]] == [
        "3,508 tokens, $0.0034",  # without the planning
        "3,508 tokens, $0.0034",
        "7,016 tokens, $0.0068",  # asked twice
    ]
    by_run_alone = told[0].input_tokens + told[0].output_tokens + told[-1].input_tokens + told[-1].output_tokens
    assert sum(row.tokens for row in state.rows) == state.ledger.spent.tokens - by_run_alone


def test_actions_decided_together_share_their_exchange_and_count_it_once(run: list[Event]) -> None:
    ledger = ViewState.of(run).ledger
    assert ledger.asked_for(5) == ledger.asked_for(4)
    assert ledger.asked_for(5).with_step == 4
    assert ledger.spent_on(4).tokens == 3508
    assert ledger.spent_on(5).words == ""


def test_a_task_counts_its_steps_and_those_of_its_subtasks(run: list[Event]) -> None:
    spent = ViewState.of(run).spent_on_tasks
    assert {task: one.tokens for task, one in spent.items()} == {
        "t1": 7016, "t2": 7016, "t3": 3 * 3508, "t3a": 2 * 3508, "t3b": 3508, "t4": 0, "t5": 0,
    }  # fmt: skip


def test_a_step_that_is_tried_again_counts_what_each_try_took() -> None:
    ledger = Ledger()
    start = StepStarted(run_id="r", sequence=0, time_s=0, step=1, action="click", label="Click")
    for event in (exchange(0), start, exchange(1, "recovery"), start, start):
        ledger.fold(event)
    assert ledger.spent_on(1).tokens == 2 * 3508
    assert ledger.spent_on_attempt(1).tokens == 0
    assert [one.purpose for one in ledger.asked_for(1).exchanges] == ["decision", "recovery"]


def test_the_built_in_planner_takes_nothing_and_nothing_is_said() -> None:
    pictures = Pictures()
    events = [*events_until_approval(pictures), *events_after_approval(pictures)]
    narration = Narration()
    told = [line for event in events for line in narration.lines(event)]
    assert ViewState.of(events).ledger.spent.words == ""
    assert not any("token" in line or "$" in line for line in told)


def test_terminal_and_report_tell_the_same_figures(run: list[Event]) -> None:
    narration = Narration()
    lines = [line for event in run for line in narration.lines(event)]
    total = ViewState.of(run).ledger.spent.words
    assert f"Model: {total}" in lines
    assert sum("3,508 tokens, $0.0034" in line for line in lines) == 5
    model = report_model(run)
    assert total in model.facts
    assert [(step.tokens, step.cost) for step in model.steps][2:5] == [
        ("7,016", "$0.0068"),
        ("3,508", "$0.0034"),
        ("", ""),
    ]
    assert model.plan[2].spent == "10,524 tokens, $0.01"
    unpriced = report_model(without_prices(run))
    assert not any("$" in fact for fact in unpriced.facts)
    assert {step.cost for step in unpriced.steps} == {""}


def test_a_record_without_exchanges_counts_what_its_steps_tell() -> None:
    ledger = Ledger()
    ledger.fold(StepStarted(run_id="r", sequence=0, time_s=0, step=1, action="click", label="Click"))
    ledger.fold(StepFinished(run_id="r", sequence=0, time_s=0, step=1, status="done", tokens=7))  # type: ignore[arg-type]
    assert (ledger.spent.words, ledger.spent_on(1).words, ledger.asked_for(1).exchanges) == ("7 tokens", "7 tokens", ())


def test_the_summary_line_says_what_the_run_took(run: list[Event]) -> None:
    state = ViewState.of(run)
    assert isinstance(run[-1], RunFinished)
    assert state.chat[-1].spent == state.ledger.spent.words != ""


def test_sizes_tell_what_the_server_still_knew() -> None:
    assert sizes_words(exchange(0)) == "3,412 tokens sent (2,900 of them known to the server), 96 received"
    assert sizes_words(exchange(0, input_tokens=0, output_tokens=0)) == ""


def test_json_is_laid_out_with_its_texts_and_the_json_inside_them_in_lines() -> None:
    text = json.dumps({"a": ["x\ny", 1, None], "b": json.dumps({"c": "é"}), "d": {}, "e": "{no"})
    assert unfolded(text).splitlines() == [
        "a:", "  -", "    x", "    y", "  - 1", "  - null", "b:", "  c: é", "d: {}", "e: {no",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "plain", "{broken", "[]", "[" * 100_000])
def test_what_cannot_be_laid_out_stays_as_it_is(text: str) -> None:
    assert unfolded(text) == text
