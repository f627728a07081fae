"""Pause, step and take-over: the gate the loop passes before each action."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum


class Mode(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    TAKEN_OVER = "taken_over"


def is_being_stopped() -> bool:
    """Whether the task that asks was told to end, even if something it awaited has swallowed that."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _nothing() -> None:
    """Nothing is to be waited for."""


class Pace:
    """Whether the loop may go on. Owned by the agent thread.

    Args:
        on_wait: Called with the mode when the loop begins to wait, when a take-over follows a pause, and with RUNNING
            when it goes on.

    Attributes:
        take_overs: How often a person took control so far.
        settle: Awaited before anything is done: until a person's hands have left the surface. May turn to a take-over.
        on_back: Awaited when control was given back, before the loop goes on.
    """

    def __init__(self, on_wait: Callable[[Mode], None]) -> None:
        self._on_wait = on_wait
        self._changed = asyncio.Event()
        self._is_stepping = False
        self._was_taken_over = False
        self.mode = Mode.RUNNING
        self.take_overs = 0
        self.settle: Callable[[], Awaitable[None]] = _nothing
        self.on_back: Callable[[], Awaitable[None]] = _nothing

    def pause(self) -> None:
        if self.mode is Mode.RUNNING:
            self._turn_to(Mode.PAUSED)
        self._is_stepping = False

    def take_over(self) -> None:
        self._was_taken_over = True
        self.take_overs += 1
        self._turn_to(Mode.TAKEN_OVER)
        self._is_stepping = False

    def resume(self) -> None:
        self._turn_to(Mode.RUNNING)
        self._is_stepping = False

    def step(self) -> None:
        """Let one action through, then pause."""
        self._turn_to(Mode.RUNNING)
        self._is_stepping = True

    async def gate(self) -> bool:
        """Wait while paused or taken over. True when it had to wait: what was seen before may be out of date."""
        has_waited = False
        while True:
            if is_being_stopped():  # whatever has taken the cancellation for one of its own
                raise asyncio.CancelledError
            while self.mode is not Mode.RUNNING:
                has_waited = True
                self._changed.clear()
                self._on_wait(self.mode)
                await self._changed.wait()
            await self.settle()
            if self.mode is Mode.RUNNING:
                break
        if has_waited:
            self._on_wait(Mode.RUNNING)
        if self._was_taken_over:
            self._was_taken_over = False
            await self.on_back()
        return has_waited

    def passed_action(self) -> None:
        """An action was carried out; when stepping, the next one waits."""
        if self._is_stepping:
            self.pause()

    def _turn_to(self, mode: Mode) -> None:
        self.mode = mode
        self._changed.set()
