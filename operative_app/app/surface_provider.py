"""The surfaces a run can act on: each kind has its provider, and the guard knows the processes of what is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol, assert_never, runtime_checkable

from operative_app.app.browser_provider import BrowserProvider
from operative_app.app.desktop_provider import DesktopProvider
from operative_app.core.ports import Surface, SurfaceProvider
from operative_app.core.run import RunRequest
from operative_app.core.screen import SurfaceKind
from operative_app.guard.targets import TargetKind


class ProcessWatch(Protocol):
    """Who ends processes when the stop key is pressed. Any thread."""

    def wait(self) -> bool:
        """Wait until it works or cannot; whether it works."""
        ...

    def is_pressed(self) -> bool:
        """Whether nothing may be sent, since a press was not answered yet."""
        ...

    def processes_started(self, kind: TargetKind, pids: Iterable[int]) -> None: ...

    def processes_ended(self, pids: Iterable[int]) -> None: ...


@runtime_checkable
class _Acting(Protocol):
    """A surface that acts by processes of its own."""

    @property
    def process_ids(self) -> tuple[int, ...]: ...

    @property
    def is_closed(self) -> bool: ...


@runtime_checkable
class _Heeding(Protocol):
    """A surface whose processes are not ended at once by a press."""

    def heed(self, is_pressed: Callable[[], bool]) -> None: ...


class Surfaces:
    """A SurfaceProvider that asks the one for the kind wanted. Agent thread only, but for `watch`."""

    def __init__(self, browser: BrowserProvider, desktop: DesktopProvider) -> None:
        self._browser = browser
        self._desktop = desktop
        self._watch: ProcessWatch | None = None

    def watch(self, watch: ProcessWatch) -> None:
        """Tell who guards the processes of what is opened from now on."""
        self._watch = watch

    async def acquire(self, request: RunRequest) -> Surface:
        """Open what the run acts on, once the stop key works or cannot: nothing is done before it is listened to."""
        if self._watch is not None:
            await asyncio.to_thread(self._watch.wait)
        surface = await self._of(request.surface).acquire(request)
        if self._watch is not None and isinstance(surface, _Heeding):
            surface.heed(self._watch.is_pressed)
        if self._watch is not None and isinstance(surface, _Acting):
            kind = TargetKind.INPUT if surface.kind is SurfaceKind.DESKTOP else TargetKind.BROWSER
            self._watch.processes_started(kind, surface.process_ids)
        return surface

    async def release(self, surface: Surface) -> None:
        pids = surface.process_ids if isinstance(surface, _Acting) else ()
        await self._of(surface.kind).release(surface)
        if self._watch is not None and isinstance(surface, _Acting) and surface.is_closed:
            self._watch.processes_ended(pids)

    async def close(self) -> None:
        """Close what is kept between runs. Idempotent, bounded."""
        await self._browser.close()

    def _of(self, kind: SurfaceKind) -> SurfaceProvider:
        match kind:
            case SurfaceKind.BROWSER:
                return self._browser
            case SurfaceKind.DESKTOP:
                return self._desktop
            case _:
                assert_never(kind)
