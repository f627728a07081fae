"""What seeing and acting share: the session, its tabs, and the dialog that waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Dialog, Error, Page

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.ports import Concealer, FrameListener, SiteLimit
from operative_app.core.screen import ElementRef, PendingDialog
from operative_app.surfaces.browser import ending, navigation
from operative_app.surfaces.browser.border import Border, NoAnswer
from operative_app.surfaces.browser.downloads import Downloads
from operative_app.surfaces.browser.fence import Fence, PageOutside
from operative_app.surfaces.browser.following import Acts, Hearing, Lesson
from operative_app.surfaces.browser.launch import Session
from operative_app.surfaces.browser.observer import Observer
from operative_app.surfaces.browser.resolve import Memory, resolve
from operative_app.surfaces.browser.screencast import Screencast
from operative_app.surfaces.browser.sentry import Sentry
from operative_app.surfaces.browser.settle import Traffic
from operative_app.surfaces.browser.tab import Node, Tab
from operative_app.surfaces.browser.tabs import Tabs
from operative_app.surfaces.browser.veil import Veils

LEAVE_S = 10.0
PERSON_CLOSED = "The browser was closed. Start the run again to open a new one."


class Connection:
    """A browser session with its tabs (agent thread); `Hands` act through it and `ManagedBrowser` is the whole."""

    def __init__(self, session: Session, downloads_dir: Path, on_frame: FrameListener | None) -> None:
        self._session = session
        self._border = Border(lambda: session.processes.is_whole)
        self._veils = Veils()
        self._downloads = Downloads(downloads_dir, self._border.keep, self._veils.name)
        self._traffic = Traffic(session.context)
        self._dialog: Dialog | None = None
        self._tabs = Tabs(
            session.context,
            self._border,
            on_download=self._downloads.begin,
            on_dialog_gone=self._on_dialog_gone,
        )
        self._screencast = Screencast(on_frame, self._veils)
        self._observer = Observer(self._tabs, self._downloads, self._screencast, self._veils)
        self._sentry = Sentry(self._border, self._downloads, is_in_person=lambda: not self._tabs.intercepts)
        self._memory = Memory()
        self._pressed_key = ""
        self._acts = Acts()
        self._hearing = Hearing(session.context, self._border, self._acts)
        self._lesson: Lesson | None = None
        self._fence = Fence(
            session.context,
            self._border,
            is_managed=session.is_managed,
            is_in_person=lambda: not self._tabs.intercepts,
        )
        self._turned_back = 0
        self._last_inside: dict[int, str] = {}
        session.context.on("dialog", self._on_dialog)
        session.context.on("close", lambda _: self._border.end(PERSON_CLOSED))
        if session.context.browser is not None:
            session.context.browser.on("disconnected", lambda _: self._border.end(PERSON_CLOSED))
        self._watchdog = asyncio.ensure_future(ending.watch(session.processes, self._border))

    @property
    def process_ids(self) -> tuple[int, ...]:
        """What was started for it (driver, browser): for the kill switch's guard."""
        return self._session.processes.pids

    def heed(self, is_pressed: Callable[[], bool]) -> None:
        """Send the browser nothing while this is true: a stop was asked for and is on its way to the run."""
        self._border.is_held = is_pressed

    @property
    def is_closed(self) -> bool:
        """Whether it is gone: closed by a person, ended from outside, or by `close`."""
        return self._border.has_ended

    async def limit(self, sites: SiteLimit) -> None:
        """See `core.ports.BrowserSurface`."""
        self._border.check()
        self._last_inside.clear()
        if not self._fence.is_at(sites):  # some of what was seen may lie outside now
            self._observer.forget()
        is_all_ours = self._session.is_managed
        await self._fence.raise_to(sites, [tab for tab in self._tabs if is_all_ours or tab is self._tabs.active])

    @property
    def has_sent(self) -> bool:
        """See `core.ports.BrowserSurface`."""
        return self._traffic.has_sent

    def conceal(self, concealer: Concealer) -> None:
        """See `core.ports.Surface`."""
        self._veils.concealer = concealer

    def _begin(self) -> None:
        """An act begins: what follows is its effect."""
        self._traffic.mark()

    async def _front(self) -> Tab:
        """The tab in front, which may be read and acted on.

        Raises:
            PageOutside: It showed a page outside the sites of the run, which was left.
        """
        if self._fence.turned_back != self._turned_back:  # a window that was opened for it may lie over all others
            self._turned_back = self._fence.turned_back
            self._tabs.may_be_behind = True
        tab = await self._tabs.front()
        if await self._fence.is_left_blank(tab):
            await self._tabs.close(tab)
            tab = await self._tabs.front()
        if refusal := await self._fence.outside(tab):
            await self._leave(tab, refusal)
            raise PageOutside(f"The page was left: {refusal}")
        await self._fence.follow(tab)
        await self._fence.empty_frames(tab)
        self._last_inside[tab.id] = tab.page.url
        if self._dialog is None:
            await self._screencast.follow(tab)
        return tab

    async def _inside(self) -> Tab:
        """The tab in front, after a page outside was left."""
        try:
            return await self._front()
        except PageOutside:
            return await self._front()

    async def _check_left(self, tab: Tab) -> None:
        """The page that was read may have gone elsewhere meanwhile.

        Raises:
            PageOutside: So it did; what was read is not told.
        """
        if refusal := await self._fence.outside(tab):
            raise PageOutside(f"The page was left: {refusal}")

    def _check_inside(self, address: str) -> None:
        if refusal := self._fence.refusal(address):
            raise RefusedAction(refusal)

    @asynccontextmanager
    async def _told_by_fence(self) -> AsyncIterator[None]:
        """Loading a page inside; when a hop of the way led outside, that is the reason to tell."""
        before = self._fence.turned_back
        try:
            yield
        except ActionError as error:
            if self._fence.turned_back == before:
                raise
            raise RefusedAction(f"The page was not opened: {self._fence.why}") from error

    async def _leave(self, tab: Tab, refusal: str) -> None:
        """Go from a page outside to the last one of the tab that was inside, or to an empty one."""
        self._fence.note(f"the page in front was left and not read: {refusal}")
        if tab.crash.done():
            await self._tabs.recover(tab)
            return
        if not self._session.is_managed and tab.id not in self._last_inside:
            await self._tabs.open()  # the person's own page stays as it is
            return
        if tab.opener != -1 and tab.id not in self._last_inside:  # a window that a page opened for it
            await self._tabs.close(tab)
            return
        if self._dialog is not None:
            await self.answer_dialog(accept=self._dialog.type == "beforeunload")
        before = self._last_inside.pop(tab.id, "about:blank")
        for url in dict.fromkeys((before, "about:blank")):
            try:
                await navigation.navigate(tab, self._downloads, url, LEAVE_S)
            except ActionError:
                self._border.check()
            if not await self._fence.outside(tab):
                return
        await self._tabs.close(tab)

    async def _target(self, ref: ElementRef) -> tuple[Tab, Node]:
        tab = await self._front()
        node = await resolve(tab, self._observer, self._memory, ref)
        self._begin()
        return tab, node

    async def _set_interception(self, *, is_on: bool) -> None:
        self._tabs.intercepts = is_on
        for tab in list(self._tabs):
            if tab.session is not None and not tab.crash.done():
                try:
                    await self._tabs.intercept(tab, is_on)
                except (NoAnswer, Error):
                    self._border.check()

    # --- dialogs -----------------------------------------------------------------------------------------------------

    async def answer_dialog(self, *, accept: bool, text: str = "") -> None:
        dialog = self._dialog
        if dialog is None:
            tab = await self._front()
            if self._sentry.pending(tab) is None:
                raise ActionError("No dialog waits for an answer.")
            self._begin()
            await self._sentry.answer(tab, accept=accept)
            return
        self._dialog = None
        self._border.dialog_answered()
        self._begin()
        answer = dialog.accept(text or dialog.default_value) if accept else dialog.dismiss()
        try:
            await self._border.call(answer, deadline_s=5.0, despite_dialog=True)
        except Error as error:
            self._border.check()
            raise ActionError("The dialog went before it could be answered.") from error

    def _dialogs(self) -> tuple[PendingDialog, ...]:
        dialog = self._dialog
        if dialog is None:
            return ()
        return (PendingDialog(kind=dialog.type, message=dialog.message, default_text=dialog.default_value),)

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self._border.dialog_opened(f"{dialog.type} “{dialog.message}”" if dialog.message else f"{dialog.type} dialog")

    def _on_dialog_gone(self, page: Page) -> None:
        """A person answered it in the browser's window, or its page went."""
        if self._dialog is not None and self._dialog.page is page:
            self._dialog = None
            self._border.dialog_answered()
