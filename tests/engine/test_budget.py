"""The limits of a run: warned of once at 80 %, kept at 100 %."""

from __future__ import annotations

import pytest

from operative_app.core.run import Budget, EndCause, RunRequest
from operative_app.engine.budget import Spending


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def spending(*, max_steps: int = 1000, budget: Budget | None = None) -> tuple[Spending, list[str], Clock]:
    told: list[str] = []
    clock = Clock()
    request = RunRequest(goal="g", max_steps=max_steps, budget=budget or Budget())
    return Spending(request, told.append, clock=clock), told, clock


def cause_of(one: Spending) -> EndCause | None:
    return one.cause


def test_nothing_is_limited_but_steps_by_default() -> None:
    one, told, clock = spending()
    one.add_model_call(10_000_000, 500.0)
    clock.now_s = 1e6
    assert cause_of(one) is None
    assert told == []


def test_steps_are_counted_and_warned_of_once() -> None:
    one, told, _ = spending(max_steps=10)
    for _ in range(9):
        one.add_step()
    assert told == ["80% of this run's limit of 10 steps is used."]
    assert cause_of(one) is None
    assert one.add_step() == 10
    assert cause_of(one) is EndCause.STEP_LIMIT
    assert one.words == "after 10 steps, the limit set for this run"


@pytest.mark.parametrize(
    ("budget", "call", "warning", "words"),
    [
        (
            Budget(max_tokens=1000),
            (450, None),
            "90% of this run's limit of 1,000 tokens",
            "after 1,350 of 1,000 tokens",
        ),
        (Budget(max_cost=0.5), (1, 0.225), "90% of this run's limit of $0.50", "after spending $0.68 of $0.50"),
    ],
)
def test_tokens_and_money(budget: Budget, call: tuple[int, float | None], warning: str, words: str) -> None:
    one, told, _ = spending(budget=budget)
    for _ in range(2):
        one.add_model_call(*call)
    assert cause_of(one) is None
    assert [text.startswith(warning) for text in told] == [True]
    one.add_model_call(*call)
    assert cause_of(one) is EndCause.BUDGET
    assert one.words.startswith(words)
    assert len(told) == 1


def test_a_limit_of_money_that_cannot_be_kept_is_told_once() -> None:
    one, told, _ = spending(budget=Budget(max_cost=0.01))
    for _ in range(3):
        one.add_model_call(1000, None)
    assert [text.startswith("What this model costs is not known, so the limit of $0.01 cannot") for text in told] == [
        True
    ]
    one, told, _ = spending()
    one.add_model_call(1000, None)
    assert told == []


def test_minutes() -> None:
    one, told, clock = spending(budget=Budget(max_minutes=2))
    clock.now_s = 100
    assert cause_of(one) is None
    assert told == ["83% of this run's limit of 2 minutes is used."]
    clock.now_s = 120
    assert cause_of(one) is EndCause.BUDGET
    assert one.words == "after 2 minutes, the limit set for this run"
