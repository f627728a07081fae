"""The desk: open requests to a person and their answers. The first answer wins; a stop withdraws them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from operative_app.core.events import Notice, NoticeLevel, RequestClosed, RequestRaised, StateChanged
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
from operative_app.safety.given_passwords import asks_for_secret, secrets_in_answer

R = TypeVar("R", ApprovalRequest, HandOffRequest, QuestionRequest, PlanReviewRequest)

FRONT_END = "front end"
"""Who answers when no person is there."""

TIME_OUT = "time-out"
"""Who closes a request nobody answered in time."""

GOES_ON = "resume"
"""Who closes a hand-off whose time was over, when the run is to go on and look anew."""

_REMINDER_SHARE = 0.2
"""A hand-off reminds when so much of its time is left: 2 of 10 minutes."""


@dataclass(frozen=True, slots=True)
class Answered:
    """`answer` None: nobody answered in time, or the request was withdrawn. Denied and unanswered are the same."""

    answer: Answer | None
    by: str

    @property
    def is_nobody_there(self) -> bool:
        return self.by in {FRONT_END, TIME_OUT}


class RequestDesk:
    """Raises requests and waits for answers. Owned by the agent thread.

    Attributes:
        hand_off_timeout_s: How long a person has for a hand-off.
        is_attended: A person can come back to a hand-off whose time is over.
    """

    def __init__(
        self, hub: EventHub, *, timeout_s: float, hand_off_timeout_s: float, is_attended: bool = False
    ) -> None:
        self._hub = hub
        self._timeout_s = timeout_s
        self.hand_off_timeout_s = hand_off_timeout_s
        self.is_attended = is_attended
        self._open: dict[str, asyncio.Future[Answered]] = {}
        self._questions: set[str] = set()
        self._secret: set[str] = set()
        self._overdue: set[str] = set()

    @property
    def is_waiting(self) -> bool:
        return bool(self._open)

    async def ask(
        self, request: R, *, detail: str, while_open: Callable[[], Awaitable[None]] | None = None
    ) -> Answered:
        """Raise a request and wait for the first answer, at most for the time limit.

        A hand-off whose time is over has none: the run is paused as long as it is open.

        Args:
            detail: What is waited for, for the status line.
            while_open: Awaited once after the request was raised (to bring the browser to the front).
        """
        loop, now_s = asyncio.get_running_loop(), time.time()
        is_hand_off = isinstance(request, HandOffRequest)
        is_overdue = bool(getattr(request, "is_over", False))
        limit_s = self.hand_off_timeout_s if is_hand_off else self._timeout_s
        times = {"expires_at_s": 0.0 if is_overdue else now_s + limit_s}
        if is_hand_off and not is_overdue:
            times["remind_at_s"] = now_s + limit_s * (1 - _REMINDER_SHARE)
        request = request.model_copy(update=times)
        future: asyncio.Future[Answered] = loop.create_future()
        self._open[request.id] = future
        if isinstance(request, QuestionRequest):
            self._questions.add(request.id)
            if not request.choices and asks_for_secret(request.text):
                self._secret.add(request.id)
        if is_overdue:
            self._overdue.add(request.id)
        answered = Answered(None, "stop")
        reminder: asyncio.TimerHandle | None = None
        try:
            self._hub.emit(RequestRaised, task_id=getattr(request, "task_id", ""), request=request)
            self._hub.emit(StateChanged, state=RunState.PAUSED if is_overdue else RunState.WAITING, detail=detail)
            if while_open is not None:
                await while_open()
            try:
                async with asyncio.timeout(None if is_overdue else limit_s):
                    if not is_overdue and isinstance(request, HandOffRequest):
                        reminder = loop.call_later(limit_s * (1 - _REMINDER_SHARE), self._remind, request, limit_s)
                    answered = await future
            except TimeoutError:  # an answer that was taken at the last moment is one
                answered = future.result() if _is_answered(future) else Answered(None, TIME_OUT)
        finally:
            if reminder is not None:
                reminder.cancel()
            del self._open[request.id]
            self._questions.discard(request.id)
            self._secret.discard(request.id)
            self._overdue.discard(request.id)
            self._hub.emit(RequestClosed, request_id=request.id, answer=answered.answer, by=answered.by)
        self._hub.emit(StateChanged, state=RunState.WORKING)
        return answered

    def _remind(self, request: HandOffRequest, limit_s: float) -> None:
        if _is_answered(self._open[request.id]):
            return
        left = minutes_words(limit_s * _REMINDER_SHARE)
        text = f"I still wait for you, another {left}: {request.instructions} Without you it is not done."
        self._hub.emit(Notice, task_id=request.task_id, level=NoticeLevel.WARNING, text=text)

    def answer(self, request_id: str, answer: Answer, by: str) -> bool:
        """Hand in an answer. False when the request is not open (any more).

        What is typed where a secret is asked for is told to nobody, from now on.
        """
        future = self._open.get(request_id)
        if future is None or future.done():
            return False
        if isinstance(answer, Reply) and request_id in self._secret:
            self._hub.conceal(secrets_in_answer(answer.text))
        future.set_result(Answered(answer, by))
        return True

    def reply(self, text: str) -> bool:
        """Take what the person typed as the answer to the open question. False when none is open."""
        return any(self.answer(request_id, Reply(text=text), "person") for request_id in self._questions)

    def go_on(self) -> None:
        """Close a hand-off whose time is over: what is needed is found out anew."""
        for request_id in self._overdue:
            future = self._open[request_id]
            if not future.done():
                future.set_result(Answered(None, GOES_ON))

    def withdraw_all(self, by: str) -> None:
        """Close all open requests without an answer."""
        for future in self._open.values():
            if not future.done():
                future.set_result(Answered(None, by))


def _is_answered(future: asyncio.Future[Answered]) -> bool:
    return future.done() and not future.cancelled()


def minutes_words(seconds: float) -> str:
    """A limit as people say it: “10 minutes”, “1 minute”, “90 seconds”."""
    minutes = seconds / 60
    if minutes < 2 and minutes != 1:
        return f"{seconds:g} {'second' if seconds == 1 else 'seconds'}"
    return f"{minutes:g} {'minute' if minutes == 1 else 'minutes'}"
