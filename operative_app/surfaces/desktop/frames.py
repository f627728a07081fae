"""Live frames of the desktop, for who watches a run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from operative_app.core.errors import SurfaceClosed, SurfaceError
from operative_app.core.ports import FrameListener
from operative_app.core.screen import Picture
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.worker import Worker

FRAME_S: Final = 0.3


class Frames:
    """Grabs a frame every `FRAME_S`; nothing is grabbed while nobody listens. Stops by `stop`, idempotent."""

    def __init__(
        self,
        parts: Parts,
        capture: Worker,
        listener: FrameListener | None,
        black: Callable[[Picture], Awaitable[Picture]],
    ) -> None:
        self._black = black
        self._parts = parts
        self._capture = capture
        self._listener = listener
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._listener is not None and self._task is None:
            self._task = asyncio.create_task(self._run(self._listener))

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self, listener: FrameListener) -> None:
        last = b""
        while True:
            try:
                frame = await self._black(await self._capture.run(self._parts.screens.grab))
            except SurfaceClosed:
                return
            except SurfaceError:  # a blank or locked screen: the next one may be there again
                await asyncio.sleep(FRAME_S)
                continue
            if frame.data != last:
                last = frame.data
                listener(frame)
            await asyncio.sleep(FRAME_S)
