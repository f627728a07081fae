"""Opens browsers for runs and decides whether one is kept for the next."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from operative_app.core.errors import SurfaceMissing
from operative_app.core.ports import FrameListener, Surface
from operative_app.core.run import RunRequest
from operative_app.safety.host_rules import host_rules
from operative_app.safety.sites import SiteRules

if TYPE_CHECKING:
    from operative_app.surfaces.browser.surface import ManagedBrowser


def has_display() -> bool:
    """Whether a window can be shown here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _proxy_hosts() -> list[str]:
    """The hosts of the proxies that this system names."""
    proxies = (url if "://" in url else f"http://{url}" for name, url in getproxies().items() if name != "no")
    hosts = (urlsplit(url).hostname for url in proxies)
    return sorted({host for host in hosts if host})


class BrowserProvider:
    """A SurfaceProvider for the managed browser and for browsers that are already open. Agent thread only.

    Args:
        keep_open: Keep the managed browser after a run, so that the next one goes on from its current tab.
        sites: Which sites any run may touch, asked for as each begins. A kept browser that was started for other sites
            is closed, since a browser learns only when it starts which hosts it can find.
    """

    def __init__(
        self,
        *,
        profile_dir: Path,
        downloads_dir: Path,
        keep_open: bool,
        on_frame: FrameListener | None = None,
        sites: Callable[[], SiteRules] = SiteRules,
    ) -> None:
        self._profile_dir = profile_dir
        self._downloads_dir = downloads_dir
        self._keep_open = keep_open
        self._on_frame = on_frame
        self._kept: ManagedBrowser | None = None
        self._kept_headless = False
        self._sites = sites
        self._kept_rules = ""

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
        sites = self._sites().narrowed(SiteRules.read(request.allow, request.deny))
        rules = host_rules(sites, _proxy_hosts())
        is_same = self._kept_headless == headless and self._kept_rules == rules
        if self._kept is not None and (self._kept.is_closed or not is_same):
            await self.close()
        if self._kept is None:
            self._kept = await ManagedBrowser.launch(
                profile_dir=self._profile_dir,
                downloads_dir=self._downloads_dir,
                headless=headless,
                on_frame=self._on_frame,
                host_rules=rules,
            )
            self._kept_headless, self._kept_rules = headless, rules
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
