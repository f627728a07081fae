"""Live frames of the tab in front, at most about twelve a second."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.async_api import CDPSession, Error

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.ports import FrameListener
from operative_app.core.screen import Picture
from operative_app.surfaces.blackening import blackened, hull
from operative_app.surfaces.browser.tab import Tab
from operative_app.surfaces.browser.veil import Veil, Veils

FRAME_GAP_S = 0.08
QUALITY = 70
THUMBNAIL_PX = 640
REPEAT_S = 0.5
VEIL_S = 1.0
"""A frame of a page that does not say in this time what must be blacked out is dropped."""
IN_FLIGHT = 3


def picture_of(data: bytes) -> Picture:
    """A JPEG with its size, read from the header alone."""
    with Image.open(BytesIO(data)) as image:
        width, height = image.size
    return Picture(data=data, width_px=width, height_px=height)


class Screencast:
    """Passes frames on to a listener, and knows whether what is seen stayed the same (agent thread).

    Without a listener the frames are half as wide, and only tell that something changed. The browser sends a frame when
    something visible changes, and drops it while three have not been answered (measured).
    """

    def __init__(self, listener: FrameListener | None, veils: Veils) -> None:
        self._listener = listener
        self._veils = veils
        self._veil: Veil | None = None
        self._waiting: tuple[Tab, Picture] | None = None
        self._showing: asyncio.Task[None] | None = None
        self._latest = ""
        self._changes = 0
        self._unanswered = 0
        self._repeat_until_s = 0.0
        self._tab: Tab | None = None
        self._session: CDPSession | None = None
        self._hear: Callable[[dict[str, Any]], None] | None = None

    async def follow(self, tab: Tab) -> None:
        """Show this tab from now on."""
        if self._tab is tab and self._session is tab.session:
            return
        await self.stop()
        session = await tab.cdp()
        self._tab, self._session, self._veil = tab, session, None
        self._latest, self._unanswered = "", 0
        self._changes += 1
        size = {} if self._listener is not None else {"maxWidth": THUMBNAIL_PX, "maxHeight": THUMBNAIL_PX}
        self._hear = partial(self._on_frame, session)
        session.on("Page.screencastFrame", self._hear)
        try:
            await tab.send("Page.startScreencast", {"format": "jpeg", "quality": QUALITY, "everyNthFrame": 1} | size)
        except (Error, ActionError):
            self._tab = self._session = None

    async def stop(self) -> None:
        tab, self._tab = self._tab, None
        session, self._session = self._session, None
        if session is not None and self._hear is not None:
            session.remove_listener("Page.screencastFrame", self._hear)
        if tab is None or tab.page.is_closed() or tab.crash.done():
            return
        try:
            await tab.send("Page.stopScreencast", deadline_s=1.0, despite_dialog=True)
        except (Error, ActionError, SurfaceError):
            return

    def glimpse(self, tab: Tab) -> int | None:
        """A number that stays the same while nothing visible changes in the tab; None when that is not known."""
        if (
            self._tab is not tab
            or self._session is not tab.session
            or not self._latest
            or self._unanswered >= IN_FLIGHT
        ):
            return None
        return self._changes

    def expect_repeat(self) -> None:
        """A picture is taken: the browser may send the frame it sent last again, though nothing changed."""
        self._repeat_until_s = asyncio.get_running_loop().time() + REPEAT_S

    def _on_frame(self, session: CDPSession, frame: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        if session is self._session:
            self._unanswered += 1
            is_repeated = frame["data"] == self._latest and loop.time() < self._repeat_until_s
            self._latest = frame["data"]
            self._changes += not is_repeated
        loop.call_later(FRAME_GAP_S, self._acknowledge, session, frame["sessionId"])
        tab = self._tab
        if session is not self._session or self._listener is None or tab is None:
            return
        self._waiting = (tab, picture_of(base64.b64decode(frame["data"])))
        if self._showing is None or self._showing.done():
            self._showing = asyncio.ensure_future(self._show(self._listener))
            tab.border.keep(self._showing)

    async def _show(self, listener: FrameListener) -> None:
        """Hand on the newest frame, blacked out where something must not be seen now or was when it was sent."""
        while self._waiting is not None:
            (tab, frame), self._waiting = self._waiting, None
            veil = await self._veil_of(tab)
            if veil is None or tab is not self._tab:
                continue
            boxes = veil.boxes if self._veil is None else hull(self._veil.boxes, veil.boxes)
            self._veil = veil
            ratio = frame.width_px / (veil.width_css_px or 1)
            if boxes:
                frame = await asyncio.to_thread(blackened, frame, boxes, x_px=0, y_px=0, ratio=ratio)
            if tab is self._tab:
                listener(frame)

    async def _veil_of(self, tab: Tab) -> Veil | None:
        """What to black out now; where the page does not answer the last that is known, unless a secret is about."""
        try:
            async with asyncio.timeout(VEIL_S):
                veil = await self._veils.over(tab)
        except (TimeoutError, ActionError, SurfaceError, Error):
            veil = None
        if veil is not None or self._veils.version:
            return veil
        return self._veil or Veil((), 0.0)

    def _acknowledge(self, session: CDPSession, number: int) -> None:
        tab = self._tab
        if session is self._session:
            self._changes += self._unanswered >= IN_FLIGHT  # frames may have been dropped meanwhile
            self._unanswered -= 1
        if tab is None or tab.session is not session or tab.border.has_ended:
            return
        work = session.send("Page.screencastFrameAck", {"sessionId": number})
        tab.border.keep(asyncio.ensure_future(work))
