"""A person's hands on the surface the agent acts on: nothing is done until they rest, and their first move is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from operative_app.core.ports import Surface
from operative_app.core.taking import Hand, SharedSurface

REST_S: Final = 0.5
"""Hands that did nothing for so long have left: who has just pressed a button of the window still moves the mouse."""
BUSY_S: Final = 5.0
"""Whoever goes on for so long wants to go on."""


class Hands:
    """Watches for a person while the agent is at work. Owned by the agent thread.

    Args:
        surface: One that no person shares is never waited for.
        on_hand: Called the moment a person acts while they are watched for; nothing is held down then any more.
        on_busy: Called when their hands do not come to rest.
    """

    def __init__(self, surface: Surface, on_hand: Callable[[Hand], None], on_busy: Callable[[], None]) -> None:
        self._shared = surface if isinstance(surface, SharedSurface) else None
        self._on_hand = on_hand
        self._on_busy = on_busy
        self._is_watched = False
        self._begun_s = time.monotonic()

    async def begin(self) -> None:
        """Notice hands from now on, without minding them yet."""
        if self._shared is not None:
            self._shared.tell_of_person(self._seen)
            await self._shared.watch_person(on=False)

    async def rest(self) -> None:
        """Return when a person's hands have come to rest, or `on_busy` was called. At once while they are watched."""
        if self._shared is None or self._is_watched:
            return
        begun_s = time.monotonic()
        while (left_s := REST_S - await self._rested_s(self._shared)) > 0:
            if time.monotonic() - begun_s > BUSY_S:
                self._on_busy()
                return
            await asyncio.sleep(left_s)
        self._is_watched = True
        await self._shared.watch_person(on=True)

    async def _rested_s(self, shared: SharedSurface) -> float:
        return min(await shared.watch_person(on=False), time.monotonic() - self._begun_s)

    def _seen(self, hand: Hand) -> None:
        self._is_watched = False
        self._on_hand(hand)
