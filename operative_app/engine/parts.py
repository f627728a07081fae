"""What an action under way may use, and how the parts of a composite action are carried out.

A part is a step of its own with all that belongs to one: checked, judged, asked about, recorded, counted against the
step limit, held by pause and step, tried again when that is harmless. What a person refused or stopped ends the whole:
no further part is begun, whatever the composite makes of the error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from operative_app.actions.declare import Action
from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.events import RecoveryTried, Rung
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import ElementRef, Picture, ScreenState
from operative_app.core.secrets import Revealed
from operative_app.engine.attempt import Attempt, DeclinedError, StepResult
from operative_app.engine.editing import with_changed_part
from operative_app.engine.eyes import Eyes
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.pace import Pace


class Path(Protocol):
    """The one path of the engine, as parts need it."""

    async def take(self, attempt: Attempt) -> StepResult: ...

    async def look_again(self, step: int) -> ScreenState: ...

    @property
    def is_at_limit(self) -> bool: ...


class Parts:
    """The `actions.declare.ActionContext` of one action under way. Agent thread.

    Attributes:
        done: How many parts were done.
        whole: The action, with what a person changed in its parts.
        is_repeatable: No part forbids beginning the whole again.
        is_risky: A part was one that the policy asks about.
    """

    def __init__(
        self, path: Path, attempt: Attempt, step: int, state: ScreenState, *, hub: EventHub, eyes: Eyes, pace: Pace,
        limits: Limits, reveal: Callable[[str, ElementRef | None], Awaitable[Revealed]],
    ) -> None:  # fmt: skip
        self._path = path
        self._attempt = attempt
        self._step = step
        self._hub = hub
        self._eyes = eyes
        self._pace = pace
        self._limits = limits
        self._reveal = reveal
        self._end = ""
        self.state = state
        self.whole = attempt.action
        self.done = 0
        self.is_repeatable = True
        self.is_risky = False

    async def look(self) -> ScreenState:
        self.state = await self._path.look_again(self._step)
        return self.state

    async def perform(self, part: Action) -> Outcome:
        attempt = replace(self._attempt, action=part, expect=(), is_doubted=False, part_of=self._step, is_followed=True)
        number = 1
        while True:
            await self._may_go_on()
            result = await self._path.take(replace(attempt, number=number))
            self._note(result)
            self.whole = with_changed_part(self.whole, attempt.action, result.action)
            attempt = replace(attempt, action=result.action)
            if result.outcome.is_done or number >= self._limits.action_attempts or not result.is_repeatable:
                break
            number += 1
            await self._wait_before(number, result.outcome.detail)
        return await self._outcome(result)

    async def reveal(self, text: str, target: ElementRef | None = None) -> Revealed:
        return await self._reveal(text, target)

    def keep_picture(self, picture: Picture) -> str:
        return self._hub.keep_picture(picture)

    async def _may_go_on(self) -> None:
        if self._end:
            raise DeclinedError(self._end)
        if await self._pace.gate():
            self._eyes.blink()
        if self._path.is_at_limit:
            self._end, self.is_repeatable = "the limit of this run was reached", False
            raise DeclinedError(self._end)

    async def _wait_before(self, number: int, reason: str) -> None:
        wait_s = self._limits.wait_before(number)
        self._hub.emit(
            RecoveryTried,
            task_id=self._attempt.task_id,
            step=self._step,
            rung=Rung.RETRY,
            reason=reason,
            attempt=number,
            wait_s=wait_s,
        )
        await asyncio.sleep(wait_s)
        self._eyes.blink()

    def _note(self, result: StepResult) -> None:
        self.done += result.outcome.is_done
        self.is_repeatable = self.is_repeatable and result.is_repeatable
        self.is_risky = self.is_risky or (result.is_risky and result.outcome.status is not OutcomeStatus.REFUSED)
        if result.outcome.status is OutcomeStatus.REFUSED and not result.is_repeatable:
            self._end = f"{result.words}: {result.outcome.detail}"

    async def _outcome(self, result: StepResult) -> Outcome:
        self.state = result.after or await self._eyes.state(self._step)
        match result.outcome.status:
            case OutcomeStatus.DONE:
                return result.outcome
            case OutcomeStatus.REFUSED if self._end:
                raise DeclinedError(self._end)
            case OutcomeStatus.REFUSED:
                raise RefusedAction(f"{result.words}: {result.outcome.detail}")
            case _:
                raise ActionError(f"{result.words}: {result.outcome.detail}")
