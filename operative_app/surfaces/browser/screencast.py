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
from operative_app.surfaces.browser.tab import Tab

FRAME_GAP_S = 0.08
QUALITY = 70
THUMBNAIL_PX = 640
REPEAT_S = 0.5
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

    def __init__(self, listener: FrameListener | None) -> None:
        self._listener = listener
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
        self._tab, self._session = tab, session
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
        if session is not self._session or self._listener is None:
            return
        self._listener(picture_of(base64.b64decode(frame["data"])))

    def _acknowledge(self, session: CDPSession, number: int) -> None:
        tab = self._tab
        if session is self._session:
            self._changes += self._unanswered >= IN_FLIGHT  # frames may have been dropped meanwhile
            self._unanswered -= 1
        if tab is None or tab.session is not session or tab.border.has_ended:
            return
        work = session.send("Page.screencastFrameAck", {"sessionId": number})
        tab.border.keep(asyncio.ensure_future(work))
