"""What a model took: tokens and money of each step, each task and the run, and which exchanges led to a step.

An exchange belongs to the step it led to: the next one that begins. Planning before the first step, and what was asked
after the last one, belong to the run alone. Actions decided together share the exchange of the first of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from operative_app.core.events import Event, ModelAsked, StepFinished, StepStarted
from operative_app.core.plan import Task
from operative_app.presentation.words import tokens

_BEFORE_THE_STEPS: Final = frozenset({"planning", "perception"})
_SMALLEST_SHOWN: Final = 0.0001
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Spent:
    """What was taken so far.

    Attributes:
        cost: US dollars; None when no part of it is known.
        is_at_least: The price of a part is not known, so that it cost more.
    """

    tokens: int = 0
    cost: float | None = None
    is_at_least: bool = False

    def __add__(self, other: Spent) -> Spent:
        if self.is_nothing:
            return other
        if other.is_nothing:
            return self
        costs = [one for one in (self.cost, other.cost) if one is not None]
        return Spent(
            self.tokens + other.tokens,
            sum(costs) if costs else None,
            self.is_at_least or other.is_at_least or len(costs) == 1,
        )

    @property
    def is_nothing(self) -> bool:
        return not self.tokens and not self.cost

    @property
    def words(self) -> str:
        """Say “12,340 tokens, $0.03”; tokens only when no price is known, "" when nothing was taken."""
        return ", ".join(part for part in (tokens(self.tokens), self.cost_words) if part)

    @property
    def cost_words(self) -> str:
        """Say “$0.03” or “at least $0.012”; "" when no price is known."""
        if self.cost is None or self.is_nothing or (self.is_at_least and not self.cost):
            return ""
        return f"at least {money(self.cost)}" if self.is_at_least else money(self.cost)


NOTHING: Final = Spent()


def spent_by(exchange: ModelAsked) -> Spent:
    """What one exchange took."""
    return Spent(exchange.input_tokens + exchange.output_tokens, exchange.cost)


def sizes_words(exchange: ModelAsked) -> str:
    """Say “11,000 tokens sent (9,800 of them known to the server), 340 received”; "" when none were counted."""
    if not exchange.input_tokens and not exchange.output_tokens:
        return ""
    cached = exchange.cached_input_tokens
    known = f" ({cached:,} of them known to the server)" if cached else ""
    return f"{tokens(exchange.input_tokens) or 'nothing'} sent{known}, {exchange.output_tokens:,} received"


def money(dollars: float) -> str:
    """Say “$1,204.50”, “$0.03”, “$0.012”: two digits that count, and never fewer than cents."""
    if 0 < dollars < _SMALLEST_SHOWN:
        return f"less than ${_SMALLEST_SHOWN}"
    digits = 2 if dollars <= 0 or dollars >= 1 else max(2, 1 - math.floor(math.log10(dollars)))
    whole, _, cents = f"{dollars:,.{digits}f}".partition(".")
    return f"${whole}.{cents.rstrip('0'):0<2}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for a step. `with_step` is the step it was asked for first, the step itself when it is its own."""

    exchanges: tuple[ModelAsked, ...] = ()
    with_step: int = 0


class Ledger:
    """Folds the events of one run, in their order; keeps the events themselves. One owner, one thread.

    Attributes:
        exchanges: All exchanges so far.
        spent: What the run took.
    """

    def __init__(self) -> None:
        self.exchanges: list[ModelAsked] = []
        self.spent = NOTHING
        self._told_by_steps: dict[int, Spent] = {}
        self._of_attempt: dict[int, Spent] = {}
        self._of_step: dict[int, tuple[int, int, int]] = {}
        self._taken = 0
        self._last = (0, 0, 0)

    def fold(self, event: Event) -> None:
        """Take in the next event; those that tell nothing of a model change nothing."""
        match event:
            case ModelAsked():
                if not self.exchanges:
                    self.spent = NOTHING
                self.exchanges.append(event)
                self.spent += spent_by(event)
            case StepStarted():
                self._begin(event.step)
            case StepFinished():
                if event.step not in self._of_step:  # refused before it was started
                    self._begin(event.step)
                if not self.exchanges:  # a record that tells no exchanges
                    told = self._of_attempt[event.step] = Spent(event.tokens)
                    self._told_by_steps[event.step] = self._told_by_steps.get(event.step, NOTHING) + told
                    self.spent += told
            case _:
                pass

    def _begin(self, step: int) -> None:
        first, end = self._taken, len(self.exchanges)
        self._taken = end
        if not self._of_step:
            while first < end and self.exchanges[first].purpose in _BEFORE_THE_STEPS:
                first += 1
        self._of_attempt[step] = _sum(self.exchanges[first:end])
        if first == end and step not in self._of_step:
            self._of_step[step] = self._last
        elif first < end:
            known = self._of_step.get(step)
            is_again = known is not None and known[2] == step
            self._of_step[step] = self._last = (known[0] if known and is_again else first, end, step)

    def asked_for(self, step: int) -> Asked:
        """What was asked so that this step was taken; empty for a step no model chose."""
        first, end, with_step = self._of_step.get(step, (0, 0, 0))
        return Asked(tuple(self.exchanges[first:end]), with_step)

    def spent_on(self, step: int) -> Spent:
        """What this step took; nothing when it was decided together with an earlier one, which has it."""
        asked = self.asked_for(step)
        own = asked.exchanges if asked.with_step == step else ()
        return self._told_by_steps.get(step, NOTHING) + _sum(own)

    def spent_on_attempt(self, step: int) -> Spent:
        """What the last attempt of this step took."""
        return self._of_attempt.get(step, NOTHING)


def _sum(exchanges: Iterable[ModelAsked]) -> Spent:
    return sum(map(spent_by, exchanges), NOTHING)


def spent_on_tasks(tasks: Iterable[Task], of_task: Mapping[str, Spent]) -> dict[str, Spent]:
    """What each task took, its subtasks included; `of_task` has what the steps of each took."""
    found: dict[str, Spent] = {}

    def add(task: Task) -> Spent:
        spent = of_task.get(task.id, NOTHING)
        for subtask in task.subtasks:
            spent += add(subtask)
        found[task.id] = spent
        return spent

    for task in tasks:
        add(task)
    return found


def unfolded(text: str) -> str:
    """What went over the wire, laid out for reading: one line for each value, texts with their own line breaks.

    What is no JSON comes back as it is.
    """
    try:
        value = _structure(text)
        return text if value is None else "\n".join(_lines(value, ""))
    except RecursionError:  # nested too deep to be laid out
        return text


def _structure(text: str) -> Any:
    """The object or list a text holds as JSON; None when it holds none."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text) or None
    except ValueError:
        return None


def _lines(value: Any, indent: str) -> Iterable[str]:
    items = value.items() if isinstance(value, dict) else (("", one) for one in value)
    for key, given in items:
        name = f"{key}:" if key else "-"
        one = (_structure(given) or given) if isinstance(given, str) else given
        if isinstance(one, dict | list) and one:
            yield f"{indent}{name}"
            yield from _lines(one, indent + _INDENT)
        elif isinstance(one, str) and "\n" in one:
            yield f"{indent}{name}"
            yield from (f"{indent}{_INDENT}{line}".rstrip() for line in one.split("\n"))
        else:
            yield f"{indent}{name} {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}".rstrip()
