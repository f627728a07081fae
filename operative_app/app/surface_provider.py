"""The surfaces a run can act on: each kind has its provider."""

from __future__ import annotations

from typing import assert_never

from operative_app.app.browser_provider import BrowserProvider
from operative_app.app.desktop_provider import DesktopProvider
from operative_app.core.ports import Surface, SurfaceProvider
from operative_app.core.run import RunRequest
from operative_app.core.screen import SurfaceKind


class Surfaces:
    """A SurfaceProvider that asks the one for the kind wanted. Agent thread only."""

    def __init__(self, browser: BrowserProvider, desktop: DesktopProvider) -> None:
        self._browser = browser
        self._desktop = desktop

    async def acquire(self, request: RunRequest) -> Surface:
        return await self._of(request.surface).acquire(request)

    async def release(self, surface: Surface) -> None:
        await self._of(surface.kind).release(surface)

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
