"""Bringing the browser's own window before the windows of other programs."""

from __future__ import annotations

import asyncio

from playwright.async_api import Error

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.tab import Tab

RAISING_S = 3.0
LOOK_S = 0.05
STAYS_LOOKS = 4
"""How many looks in a row must find the window shown: a late "minimized" came within 100 ms on a busy machine."""


async def raise_window(tab: Tab) -> None:
    """Bring the browser's window before those of other programs: only one that comes back from being minimized does.

    A window manager carries out each change some time after it was asked for. A window asked back before it is gone
    stays minimized, so each change is waited for, and the window is asked back until it stays.
    """
    try:
        window = await tab.send("Browser.getWindowForTarget")
        frame = _Frame(tab, window["windowId"])
        before = window["bounds"].get("windowState", "normal")
        shown = "normal" if before == "minimized" else before
        try:
            async with asyncio.timeout(RAISING_S):
                await frame.minimize()
                await frame.show(shown)
        except TimeoutError:  # a display whose windows cannot be minimized
            await frame.ask(shown)
    except (ActionError, Error):
        tab.border.check()  # a browser without windows of its own, such as an attached one that is not shown


class _Frame:
    """One window of the browser."""

    def __init__(self, tab: Tab, window_id: int) -> None:
        self._tab = tab
        self._window_id = window_id

    async def minimize(self) -> None:
        await self.ask("minimized")
        is_gone = False
        while not is_gone:
            await asyncio.sleep(LOOK_S)
            is_gone = await self._is_minimized()

    async def show(self, state: str) -> None:
        """Ask for the state until the window stays in it."""
        looks = 0
        while looks < STAYS_LOOKS:
            if await self._is_minimized():
                looks = 0
                await self.ask(state)
            else:
                looks += 1
            await asyncio.sleep(LOOK_S)

    async def ask(self, state: str) -> None:
        await self._tab.send("Browser.setWindowBounds", {"windowId": self._window_id, "bounds": {"windowState": state}})

    async def _is_minimized(self) -> bool:
        found = await self._tab.send("Browser.getWindowBounds", {"windowId": self._window_id})
        return bool(found["bounds"].get("windowState") == "minimized")
