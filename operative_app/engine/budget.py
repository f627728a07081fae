"""What a run may take, how much of it is used, and the warning before it is used up.

Warnings come once for each kind, at 80 %; at 100 % nothing further is begun, and what was done stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from operative_app.core.run import EndCause, RunRequest

WARN_SHARE = 0.8


class Spending:
    """Counts what a run takes against its limits. Owned by the agent thread.

    Args:
        warn: Gets a sentence when most of a limit is used.
        clock: Seconds, going forward.
    """

    def __init__(
        self, request: RunRequest, warn: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._request = request
        self._warn = warn
        self._clock = clock
        self._begun_s = clock()
        self._warned: set[str] = set()
        self.steps = 0
        self.tokens = 0
        self.cost = 0.0

    def add_step(self) -> int:
        """One more step; its number. The limit of steps is warned of when it is near."""
        self.steps += 1
        self._check_share("steps", self.steps, self._request.max_steps)
        return self.steps

    def add_model_call(self, tokens: int, cost: float | None) -> None:
        """What one exchange with a model took; a cost that is not known counts as nothing, which is told."""
        self.tokens += tokens
        if cost is None and tokens and self._request.budget.max_cost is not None and "price" not in self._warned:
            self._warned.add("price")
            self._warn(
                f"What this model costs is not known, so the limit of ${self._request.budget.max_cost:.2f} cannot be "
                "kept. Stop the run, or write its price into your price file (“Prices…”, `operative prices`) or set a "
                "limit of tokens before the next one."
            )
        self.cost += cost or 0.0
        budget = self._request.budget
        self._check_share("tokens", self.tokens, budget.max_tokens)
        self._check_share("money", self.cost, budget.max_cost)

    @property
    def minutes(self) -> float:
        return (self._clock() - self._begun_s) / 60

    @property
    def time_left_s(self) -> float | None:
        """Until the limit of minutes is reached; None when there is none."""
        limit = self._request.budget.max_minutes
        return None if limit is None else max(0.0, 60 * (limit - self.minutes))

    @property
    def nearly_used(self) -> tuple[tuple[str, str], ...]:
        """The limits besides steps of which little is left, each with how much: ("minutes", "1.5 of 10 minutes")."""
        budget = self._request.budget
        found: list[tuple[str, str]] = []
        for kind, spent, limit in (
            ("minutes", self.minutes, budget.max_minutes),
            ("tokens", self.tokens, budget.max_tokens),
            ("money", self.cost, budget.max_cost),
        ):
            if limit is None or not WARN_SHARE * limit <= spent < limit:
                continue
            left = limit - spent
            if kind == "money":
                words = f"${left:.4f}".rstrip("0").rstrip(".") + f" of ${limit:.2f}"
            else:
                words = f"{round(left, 1):,g} of {_count(limit, kind.removesuffix('s'))}"
            found.append((kind, words))
        return tuple(found)

    @property
    def cause(self) -> EndCause | None:
        """Which limit is reached; None when none is."""
        budget = self._request.budget
        if self.steps >= self._request.max_steps:
            return EndCause.STEP_LIMIT
        self._check_share("minutes", self.minutes, budget.max_minutes)
        used = ((self.minutes, budget.max_minutes), (self.tokens, budget.max_tokens), (self.cost, budget.max_cost))
        return EndCause.BUDGET if any(limit is not None and spent >= limit for spent, limit in used) else None

    @property
    def words(self) -> str:
        """The limit that is reached, as the beginning of a sentence: "after 60 steps, the limit set for this run"."""
        budget = self._request.budget
        if self.steps >= self._request.max_steps:
            spent = _count(self._request.max_steps, "step")
        elif budget.max_tokens is not None and self.tokens >= budget.max_tokens:
            spent = f"{self.tokens:,} of {_count(budget.max_tokens, 'token')}"
        elif budget.max_cost is not None and self.cost >= budget.max_cost:
            spent = f"spending ${self.cost:.2f} of ${budget.max_cost:.2f}"
        else:
            spent = f"{_count(budget.max_minutes or 0, 'minute')}"
        return f"after {spent}, the limit set for this run"

    def _check_share(self, kind: str, spent: float, limit: float | None) -> None:
        if limit is None or kind in self._warned or spent < WARN_SHARE * limit or spent >= limit:
            return
        self._warned.add(kind)
        shown = f"${limit:.2f}" if kind == "money" else _count(limit, kind.removesuffix("s"))
        self._warn(f"{spent / limit:.0%} of this run's limit of {shown} is used.")


def _count(number: float, noun: str) -> str:
    return f"{number:,.6g} {noun}{'' if number == 1 else 's'}" if number < 1e6 else f"{number:,.0f} {noun}s"
