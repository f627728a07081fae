"""Opens browsers for runs and decides whether one is kept for the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from operative_app.core.errors import SurfaceMissing
from operative_app.core.ports import FrameListener, Surface
from operative_app.core.run import RunRequest

if TYPE_CHECKING:
    from operative_app.surfaces.browser.surface import ManagedBrowser


def has_display() -> bool:
    """Whether a window can be shown here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


class BrowserProvider:
    """A SurfaceProvider for the managed browser and for browsers that are already open. Agent thread only.

    Args:
        keep_open: Keep the managed browser after a run, so that the next one goes on from its current tab.
    """

    def __init__(
        self,
        *,
        profile_dir: Path,
        downloads_dir: Path,
        keep_open: bool,
        on_frame: FrameListener | None = None,
    ) -> None:
        self._profile_dir = profile_dir
        self._downloads_dir = downloads_dir
        self._keep_open = keep_open
        self._on_frame = on_frame
        self._kept: ManagedBrowser | None = None
        self._kept_headless = False

    async def acquire(self, request: RunRequest) -> Surface:
        """Open or go on with a browser; raises SurfaceMissing or SurfaceError in words."""
        from operative_app.surfaces.browser.surface import ManagedBrowser  # Playwright is slow to import

        if request.cdp_url:
            return await ManagedBrowser.attach(
                request.cdp_url, downloads_dir=self._downloads_dir, on_frame=self._on_frame
            )
        headless = request.headless if request.headless is not None else not has_display()
        if not headless and not has_display():
            raise SurfaceMissing("There is no display to show the browser on; use --headless or start a display.")
        if self._kept is not None and (self._kept.is_closed or self._kept_headless != headless):
            await self.close()
        if self._kept is None:
            self._kept = await ManagedBrowser.launch(
                profile_dir=self._profile_dir,
                downloads_dir=self._downloads_dir,
                headless=headless,
                on_frame=self._on_frame,
            )
            self._kept_headless = headless
        return self._kept

    async def release(self, surface: Surface) -> None:
        """Close the run's browser unless it is kept. Bounded."""
        if surface is not self._kept:
            await surface.close()
        elif not self._keep_open or self._kept.is_closed:
            await self.close()

    async def close(self) -> None:
        """Close the kept browser. Idempotent, bounded."""
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.close()
