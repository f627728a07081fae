"""Waiting for calm: until navigation, requests and changes that an act caused are over, never longer than a ceiling.

Only requests that began after the act count; streams (event sources, sockets, answers that keep flowing) and endless
animations do not. Timers cannot be seen: what a page does by itself a second later is for the next observation.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from playwright.async_api import BrowserContext, Error, Page, Request

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.browser.border import DialogWaits, NoAnswer, PageCrashed
from operative_app.surfaces.browser.tab import Tab

QUIET_MS = 80
STREAM_S = 0.7
LOAD_S = 1.5
_AWAITED = frozenset({"document", "fetch", "xhr", "script", "stylesheet"})
_ONE_WAY = frozenset({"ping", "beacon"})
"""What a page sends and hears nothing of."""


@dataclass(slots=True)
class _Flight:
    began_s: float
    answered_s: float = 0.0


class Traffic:
    """Requests in flight over all tabs (agent thread).

    Attributes:
        has_sent: Since the mark a page told its server something: by a request, answered or not, or over a socket.
    """

    def __init__(self, context: BrowserContext) -> None:
        self._flights: dict[Request, _Flight] = {}
        self._change = asyncio.Event()
        self._mark_s = 0.0
        self.has_sent = False
        context.on("request", self._on_request)
        context.on("response", lambda response: self._on_response(response.request))
        context.on("requestfinished", self._on_over)
        context.on("requestfailed", self._on_over)
        context.on("page", self._follow)
        for page in context.pages:
            self._follow(page)

    def mark(self) -> None:
        """An act begins now; what was in flight before is not its effect."""
        self._mark_s = asyncio.get_running_loop().time()
        self.has_sent = False

    @property
    def since_mark_s(self) -> float:
        return asyncio.get_running_loop().time() - self._mark_s

    def pending(self) -> bool:
        """Whether a request of the act is still awaited."""
        now = asyncio.get_running_loop().time()
        return any(
            flight.began_s >= self._mark_s and not (flight.answered_s and now - flight.answered_s > STREAM_S)
            for flight in self._flights.values()
        )

    async def wait_change(self, timeout_s: float) -> None:
        self._change.clear()
        try:
            await asyncio.wait_for(self._change.wait(), timeout_s)
        except TimeoutError:
            return

    def _follow(self, page: Page) -> None:
        page.on("websocket", lambda socket: socket.on("framesent", self._on_sent))

    def _on_sent(self, _: str | bytes) -> None:
        self.has_sent = True

    def _on_request(self, request: Request) -> None:
        self.has_sent = self.has_sent or request.resource_type in _AWAITED | _ONE_WAY
        if request.resource_type in _AWAITED:
            self._flights[request] = _Flight(began_s=asyncio.get_running_loop().time())

    def _on_response(self, request: Request) -> None:
        flight = self._flights.get(request)
        if flight is not None:
            flight.answered_s = asyncio.get_running_loop().time()

    def _on_over(self, request: Request) -> None:
        if self._flights.pop(request, None) is not None:
            self._change.set()


async def settle(tab: Tab, traffic: Traffic, ceiling_s: float) -> None:
    """Return when the tab has calmed, at the ceiling at the latest; at once when a dialog is open."""
    loop = asyncio.get_running_loop()
    end = loop.time() + ceiling_s
    load_end = loop.time() + min(LOAD_S, ceiling_s)
    while (left_s := end - loop.time()) > 0:
        since_ms = min(traffic.since_mark_s * 1000, QUIET_MS - 10)
        try:
            async with asyncio.timeout(left_s + 0.2):
                state = await tab.call("calm", QUIET_MS, int(left_s * 1000), since_ms, deadline_s=left_s + 0.2)
        except (DialogWaits, PageCrashed, NoAnswer, TimeoutError):
            return
        except (SurfaceError, Error):
            tab.border.check()
            await asyncio.sleep(0.03)
            continue
        if traffic.pending():
            await traffic.wait_change(min(end - loop.time(), 0.1))
        elif state["isLoading"] and loop.time() < load_end:
            await asyncio.sleep(0.03)
        else:
            return
