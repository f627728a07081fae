"""Pause, step and take-over: the gate the loop passes before each action."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import StrEnum


class Mode(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    TAKEN_OVER = "taken_over"


class Pace:
    """Whether the loop may go on. Owned by the agent thread.

    Args:
        on_wait: Called with the mode when the loop begins to wait, when a take-over follows a pause, and with RUNNING
            when it goes on.
    """

    def __init__(self, on_wait: Callable[[Mode], None]) -> None:
        self._on_wait = on_wait
        self._changed = asyncio.Event()
        self._is_stepping = False
        self.mode = Mode.RUNNING

    def pause(self) -> None:
        if self.mode is Mode.RUNNING:
            self._turn_to(Mode.PAUSED)
        self._is_stepping = False

    def take_over(self) -> None:
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
        while self.mode is not Mode.RUNNING:
            has_waited = True
            self._changed.clear()
            self._on_wait(self.mode)
            await self._changed.wait()
        if has_waited:
            self._on_wait(Mode.RUNNING)
        return has_waited

    def passed_action(self) -> None:
        """An action was carried out; when stepping, the next one waits."""
        if self._is_stepping:
            self.pause()

    def _turn_to(self, mode: Mode) -> None:
        self.mode = mode
        self._changed.set()
