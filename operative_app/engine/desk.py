"""The desk: open requests to a person and their answers. The first answer wins; a stop withdraws them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from operative_app.core.events import RequestClosed, RequestRaised, StateChanged
from operative_app.core.requests import (
    Answer,
    ApprovalRequest,
    HandOffRequest,
    PlanReviewRequest,
    QuestionRequest,
    Reply,
)
from operative_app.core.run import RunState
from operative_app.engine.hub import EventHub

R = TypeVar("R", ApprovalRequest, HandOffRequest, QuestionRequest, PlanReviewRequest)

FRONT_END = "front end"
"""Who answers when no person is there."""


@dataclass(frozen=True, slots=True)
class Answered:
    """`answer` None: nobody answered in time, or the request was withdrawn. Denied and unanswered are the same."""

    answer: Answer | None
    by: str

    @property
    def is_nobody_there(self) -> bool:
        return self.by in {FRONT_END, "time-out"}


class RequestDesk:
    """Raises requests and waits for answers. Owned by the agent thread."""

    def __init__(self, hub: EventHub, *, timeout_s: float) -> None:
        self._hub = hub
        self._timeout_s = timeout_s
        self._open: dict[str, asyncio.Future[Answered]] = {}
        self._questions: set[str] = set()

    @property
    def is_waiting(self) -> bool:
        return bool(self._open)

    async def ask(
        self, request: R, *, detail: str, while_open: Callable[[], Awaitable[None]] | None = None
    ) -> Answered:
        """Raise a request and wait for the first answer, at most for the time limit.

        Args:
            detail: What is waited for, for the status line.
            while_open: Awaited once after the request was raised (to bring the browser to the front).
        """
        request = request.model_copy(update={"expires_at_s": time.time() + self._timeout_s})
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._open[request.id] = future
        if isinstance(request, QuestionRequest):
            self._questions.add(request.id)
        answered = Answered(None, "stop")
        try:
            self._hub.emit(RequestRaised, task_id=getattr(request, "task_id", ""), request=request)
            self._hub.emit(StateChanged, state=RunState.WAITING, detail=detail)
            if while_open is not None:
                await while_open()
            try:
                async with asyncio.timeout(self._timeout_s):
                    answered = await future
            except TimeoutError:
                answered = Answered(None, "time-out")
        finally:
            del self._open[request.id]
            self._questions.discard(request.id)
            self._hub.emit(RequestClosed, request_id=request.id, answer=answered.answer, by=answered.by)
        self._hub.emit(StateChanged, state=RunState.WORKING)
        return answered

    def answer(self, request_id: str, answer: Answer, by: str) -> bool:
        """Hand in an answer. False when the request is not open (any more)."""
        future = self._open.get(request_id)
        if future is None or future.done():
            return False
        future.set_result(Answered(answer, by))
        return True

    def reply(self, text: str) -> bool:
        """Take what the person typed as the answer to the open question. False when none is open."""
        return any(self.answer(request_id, Reply(text=text), "person") for request_id in self._questions)

    def withdraw_all(self, by: str) -> None:
        """Close all open requests without an answer."""
        for future in self._open.values():
            if not future.done():
                future.set_result(Answered(None, by))
