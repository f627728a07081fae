"""What a planner's model takes: each exchange is told and recorded, and its tokens are counted for the step."""

from __future__ import annotations

from operative_app.core.events import ModelAsked, Notice, NoticeLevel, StateChanged
from operative_app.core.run import RunState
from operative_app.engine.budget import Spending
from operative_app.engine.hub import EventHub
from operative_app.planning.port import Exchange


class Thinking:
    """Owned by the agent thread.

    Args:
        spending: Counts what it takes against the run's limits.
    """

    def __init__(self, hub: EventHub, spending: Spending) -> None:
        self._hub = hub
        self._spending = spending
        self._tokens = 0
        self.state = RunState.PLANNING

    def tell(self, exchange: Exchange) -> None:
        """Record an exchange. Raises StoreError."""
        tokens = exchange.input_tokens + exchange.output_tokens
        if self.state is not RunState.PLANNING:  # understanding the goal and planning are no part of a step
            self._tokens += tokens
        self._hub.emit(
            ModelAsked,
            step=self._spending.steps,
            purpose=exchange.purpose,
            model=exchange.model,
            input_tokens=exchange.input_tokens,
            cached_input_tokens=exchange.cached_input_tokens,
            output_tokens=exchange.output_tokens,
            cost=exchange.cost,
            duration_ms=exchange.duration_ms,
            sent=exchange.sent,
            received=exchange.received,
            fault=exchange.fault,
            snapshot=dict(exchange.snapshot),
        )
        self._spending.add_model_call(tokens, exchange.cost)
        for text in exchange.notices:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Tell the person something about the run."""
        self._hub.emit(Notice, level=NoticeLevel.WARNING, text=text)

    @property
    def nearly_used(self) -> tuple[tuple[str, str], ...]:
        """See `Spending.nearly_used`."""
        return self._spending.nearly_used

    def tell_waiting(self, sentence: str) -> None:
        """Say that an endpoint is waited for."""
        self._hub.emit(StateChanged, state=self.state, detail=sentence)

    def take_tokens(self) -> int:
        """What deciding took since the last step began; planning before the first step does not count for one."""
        tokens, self._tokens = self._tokens, 0
        return tokens
