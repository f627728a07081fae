"""The fence: no request of any page goes to an address outside the sites of the run, at any hop.

Every request is held at the level of the whole browser before it leaves (CDP `Fetch`, stage "Request"), each hop of a
redirect anew: documents of tabs, frames and windows that pages open, forms, scripts' requests, pictures, workers and
service workers, downloads. Only addresses that match `SiteLimit.watched` are held, so that without lists nothing waits.

A browser that was open before has tabs of the person's too, whose requests are none of our business. There each tab of
the session is held by a session of its own, and the browser as a whole only for windows that these tabs open.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Error, Frame, Page, Response, WebSocket

from operative_app.core.errors import ActionError, RefusedAction, SurfaceError
from operative_app.core.ports import SiteLimit
from operative_app.surfaces.browser.border import Border
from operative_app.surfaces.browser.tab import Tab

INSTALL_S = 5.0
ADDRESS_S = 10.0
"""How long to wait for where a document came from. It is known with the document: this is for a busy computer."""
MAX_NOTES = 5
_WEB = frozenset({"http", "https", "ws", "wss"})
_NO_PAGES = frozenset({"data", "blob", "file", "filesystem", "view-source"})
_PORTS = {"http": 80, "https": 443}
_DOCUMENT = "Document"
_NOT_HELD = "The browser does not let itself be held to the sites of the run, so that nothing was begun. Start it anew."


class PageOutside(RefusedAction):
    """The page in front lay outside the sites of the run and was left; another one is in front now."""


class Fence:
    """Holds the requests of one browser to the limit set last (agent thread).

    Attributes:
        turned_back: How many documents were not loaded since the session began.
        why: Why the last of them was not.
    """

    def __init__(
        self, context: BrowserContext, border: Border, *, is_managed: bool, is_in_person: Callable[[], bool]
    ) -> None:
        """`is_in_person` tells whether a person has the browser in hand now."""
        self._context = context
        self._border = border
        self._is_managed = is_managed
        self._is_in_person = is_in_person
        self._limit: SiteLimit | None = None
        self._sessions: dict[CDPSession, bool] = {}
        self._browser: CDPSession | None = None
        self._own_targets: set[str] = set()
        self._blank_targets: set[str] = set()
        self._told_sites: set[str] = set()
        self._notes: list[str] = []
        self._sites: list[str] = []
        self._checks: set[asyncio.Task[None]] = set()
        self._wrong: dict[Page, tuple[str, str]] = {}
        self.turned_back = 0
        self.why = ""
        context.on("response", self._on_response)
        for page in context.pages:
            self._follow(page)
        context.on("page", self._follow)

    def is_at(self, limit: SiteLimit) -> bool:
        """Whether the browser is held to this limit already."""
        return self._limit == limit

    async def raise_to(self, limit: SiteLimit, tabs: list[Tab]) -> None:
        """Hold to this limit from now on, in place of the one before.

        Args:
            tabs: What is open already; what its pages do next is held too.

        Raises:
            SurfaceError: The browser does not let itself be held; nothing is sure then, and no run may begin.
        """
        self._limit = limit
        self._told_sites.clear()
        self._blank_targets.clear()
        self._wrong.clear()
        self.take_notes()
        try:
            if self._browser is None and self._context.browser is not None:
                self._browser = await self._call(self._context.browser.new_browser_cdp_session())
                self._listen(self._browser)
            if self._browser is not None:
                await self._hold(self._browser, is_browser=True)
                for tab in tabs:
                    await self.hold_tab(tab)
                return
        except (Error, ActionError) as error:
            self._border.check()
            raise SurfaceError(_NOT_HELD) from error
        raise SurfaceError(_NOT_HELD)

    async def hold_tab(self, tab: Tab) -> None:
        """Hold what an open page does next; it may have been loaded before the fence stood."""
        is_empty = self._is_managed and tab.page.url in {"", "about:blank"}
        if self._limit is None or not self._limit.watched or tab.crash.done() or is_empty:
            return
        session = await tab.cdp()
        if self._is_managed:
            # What carries the requests of a page was made with it: turning this on and off makes it anew.
            await self._call(session.send("Fetch.enable", {"patterns": self._patterns()}))
            await self._call(session.send("Fetch.disable"))
        else:
            info = await self._call(session.send("Target.getTargetInfo"))
            self._own_targets.add(str(info["targetInfo"]["targetId"]))
            for one in tab.sessions():
                await self._hold_session(one)
        try:
            for method in ("enable", "stopAllWorkers", "disable"):
                await self._call(session.send(f"ServiceWorker.{method}"))
        except (Error, ActionError):  # it has none
            self._border.check()

    async def follow(self, tab: Tab) -> None:
        """Hold a tab that came to the front, where each is held by itself."""
        if self._is_managed or self._limit is None or tab.crash.done():
            return
        if any(session not in self._sessions for session in tab.sessions()):
            try:
                await self.hold_tab(tab)
            except Error as error:
                self._border.check()
                raise ActionError("The tab went before it could be held to the sites of the run.") from error

    async def _hold_session(self, session: CDPSession) -> None:
        """In a browser that was open before: hold a page, or a frame of another process, by its own session."""
        if session not in self._sessions:
            self._listen(session)
        await self._hold(session, is_browser=False)

    def refusal(self, url: str) -> str:
        """Why a page at this address is neither read nor opened, "" when it may be."""
        scheme = urlsplit(url).scheme.lower() if ":" in url else ""
        is_listed = self._limit is not None and "*" in self._limit.watched
        if self._limit is None or not (scheme in _WEB or (is_listed and scheme in _NO_PAGES)):
            return ""  # an empty page and the browser's own touch no site
        return self._limit.refusal(url)

    async def outside(self, tab: Tab) -> str:
        """Why the page of a tab may not be read, "" when it may."""
        if self._checks:
            await asyncio.wait(set(self._checks), timeout=ADDRESS_S)
        if refusal := self.refusal(tab.page.url):
            return refusal
        origin, refusal = self._wrong.get(tab.page, ("", ""))
        return refusal if origin == origin_of(tab.page.url) else ""

    async def empty_frames(self, tab: Tab) -> None:
        """Empty the frames of a page inside that lie outside: they were loaded before they were held.

        Raises:
            ActionError: One of them does not let itself be emptied, so that the page may not be read.
        """
        if self._limit is None or tab.crash.done() or self._border.has_dialog:  # nothing is read behind one
            return
        for frame in tab.page.frames:
            is_web = urlsplit(frame.url).scheme.lower() in _WEB  # what is none came with the page around it
            refusal = self._limit.refusal(frame.url) if is_web and frame.parent_frame is not None else ""
            if not refusal or frame.is_detached():
                continue
            self.note(f"a frame of the page was emptied and not read: {refusal}")
            try:
                await self._border.call(frame.goto("about:blank", wait_until="commit"), crash=tab.crash)
            except Error as error:
                self._border.check()
                if not frame.is_detached():
                    raise ActionError("A frame from outside the sites of this run could not be emptied.") from error

    async def is_left_blank(self, tab: Tab) -> bool:
        """Whether the tab was opened by a page for a document that was turned back, so that nothing is in it."""
        if not self._blank_targets or tab.loads or tab.page.url not in {"", "about:blank", ":"} or tab.crash.done():
            return False
        try:
            info = await tab.send("Target.getTargetInfo", deadline_s=1.0, despite_dialog=True)
        except (Error, ActionError):
            self._border.check()
            return False
        return str(info["targetInfo"]["targetId"]) in self._blank_targets

    def take_notes(self) -> list[str]:
        """Sentences about what was held back since they were last asked for."""
        notes, self._notes = self._notes, []
        sites, self._sites = self._sites, []
        if sites:
            more = f" and {len(sites) - MAX_NOTES} more" if len(sites) > MAX_NOTES else ""
            notes.append(
                f"parts of the page from {', '.join(sites[:MAX_NOTES])}{more} were not loaded: "
                "outside the sites of this run"
            )
        return notes

    def note(self, sentence: str) -> None:
        if sentence not in self._notes and len(self._notes) < MAX_NOTES:
            self._notes.append(sentence)

    # --- private -----------------------------------------------------------------------------------------------------

    def _patterns(self) -> list[dict[str, str]]:
        return [{"urlPattern": pattern} for pattern in self._limit.watched] if self._limit is not None else []

    async def _hold(self, session: CDPSession, *, is_browser: bool) -> None:
        patterns = self._patterns()
        if is_browser and not self._is_managed:
            patterns = [pattern | {"resourceType": _DOCUMENT} for pattern in patterns]
        if patterns:  # in place of those before, without a moment between
            await self._call(session.send("Fetch.enable", {"patterns": patterns}))
        elif self._sessions.get(session):
            await self._call(session.send("Fetch.disable"))
        self._sessions[session] = bool(patterns)

    async def _call(self, work: Any) -> Any:
        return await self._border.call(work, deadline_s=INSTALL_S, despite_dialog=True)

    def _listen(self, session: CDPSession) -> None:
        self._sessions[session] = False
        session.on("Fetch.requestPaused", lambda event: self._keep(self._on_paused(session, event)))

    def _keep(self, work: Awaitable[None]) -> None:
        self._border.keep(asyncio.ensure_future(work))

    async def _on_paused(self, session: CDPSession, event: dict[str, Any]) -> None:
        """One request waits. Whatever happens here, it does not go on unjudged."""
        url, is_document = str(event["request"]["url"]), event.get("resourceType") == _DOCUMENT
        scheme = url.partition(":")[0].lower()
        refusal = self._limit.refusal(url) if self._limit is not None and scheme in _WEB else ""
        if refusal and session is self._browser and not self._is_managed and not await self._is_own(session, event):
            refusal = ""  # the person's own tab
        if not refusal:
            await _answer(session, "Fetch.continueRequest", {"requestId": event["requestId"]})
            return
        if is_document:
            self.turned_back += 1
            self.why = refusal
            self._blank_targets.add(str(event.get("frameId", "")))
            self.note(f"{_shown(url)} was not opened: {refusal}")
        else:
            self._note_part(url)
        if is_document and self._is_in_person():
            await _answer(session, "Fetch.fulfillRequest", {"requestId": event["requestId"], **_page_for(refusal)})
            return
        # Aborted leaves the page that is there; a refused part is told to its page as the browser's own blocking is.
        reason = "Aborted" if is_document else "BlockedByClient"
        await _answer(session, "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    async def _is_own(self, browser: CDPSession, event: dict[str, Any]) -> bool:
        """Whether a document belongs to a window that one of our tabs opened."""
        target = str(event.get("frameId", ""))
        try:
            while target and target not in self._own_targets:
                info = await self._call(browser.send("Target.getTargetInfo", {"targetId": target}))
                target = str(info["targetInfo"].get("openerId", ""))
        except Error:  # a frame: its page holds it
            return False
        except ActionError:
            return True  # it is not known
        return bool(target)

    def _note_part(self, url: str) -> None:
        site = urlsplit(url).netloc.rpartition("@")[2]
        if site not in self._told_sites:
            self._told_sites.add(site)
            self._sites.append(site)

    # --- what no request tells before it leaves ----------------------------------------------------------------------

    def _follow(self, page: Page) -> None:
        page.on("websocket", self._on_socket)
        page.on("close", self._forget)

    def _forget(self, page: Page) -> None:
        self._wrong.pop(page, None)

    def _on_socket(self, socket: WebSocket) -> None:
        """The browser does not find hosts outside; that a page asked for one is told."""
        if self._limit is not None and self._limit.refusal(socket.url):
            self._note_part(socket.url)

    def _on_response(self, response: Response) -> None:
        if self._limit is None or not response.request.is_navigation_request():
            return
        task = asyncio.ensure_future(self._check_address(response, self._limit))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)
        self._border.keep(task)

    async def _check_address(self, response: Response, limit: SiteLimit) -> None:
        """Judge the address a document really came from: a public name may lead to this computer."""
        try:
            async with asyncio.timeout(ADDRESS_S):
                address = await response.server_addr()
        except (Error, TimeoutError):  # the page was left before it was told
            return
        scheme = urlsplit(response.url).scheme
        if not address or not address.get("ipAddress") or scheme not in _PORTS:
            return
        if int(address["port"]) != (urlsplit(response.url).port or _PORTS[scheme]):
            return  # a proxy answered
        frame: Frame = response.frame
        if refusal := limit.connection_refusal(response.url, str(address["ipAddress"])):
            is_top = frame.parent_frame is None
            self._wrong[frame.page] = (origin_of(response.url if is_top else frame.page.url), refusal)
            self.note(f"{_shown(response.url)} is not read: {refusal}")


def _page_for(refusal: str) -> dict[str, Any]:
    """What a person sees who wants to go outside: nothing was asked of the site, and nothing of it is shown."""
    text = f"<!doctype html><meta charset=utf-8><title>Not opened</title><h1>Not opened</h1><p>{escape(refusal)}</p>"
    headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "sandbox; default-src 'none'"}
    return {
        "responseCode": 403,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
        "body": base64.b64encode(text.encode()).decode(),
    }


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _shown(url: str) -> str:
    """An address for people: what is asked for there may hold secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"[:120]


async def _answer(session: CDPSession, method: str, params: dict[str, Any]) -> None:
    try:
        await session.send(method, params)
    except Error:  # the page that asked is gone
        return
