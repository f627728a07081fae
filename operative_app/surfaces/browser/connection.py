"""What seeing and acting share: the session, its tabs, and the dialog that waits."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import Dialog, Error, Page

from operative_app.core.errors import ActionError
from operative_app.core.ports import FrameListener
from operative_app.core.screen import ElementRef, PendingDialog
from operative_app.surfaces.browser import ending
from operative_app.surfaces.browser.border import Border, NoAnswer
from operative_app.surfaces.browser.downloads import Downloads
from operative_app.surfaces.browser.launch import Session
from operative_app.surfaces.browser.observer import Observer
from operative_app.surfaces.browser.resolve import Memory, resolve
from operative_app.surfaces.browser.screencast import Screencast
from operative_app.surfaces.browser.sentry import Sentry
from operative_app.surfaces.browser.settle import Traffic
from operative_app.surfaces.browser.tab import Node, Tab
from operative_app.surfaces.browser.tabs import Tabs

PERSON_CLOSED = "The browser was closed. Start the run again to open a new one."


class Connection:
    """A browser session with its tabs (agent thread); `Hands` act through it and `ManagedBrowser` is the whole."""

    def __init__(self, session: Session, downloads_dir: Path, on_frame: FrameListener | None) -> None:
        self._session = session
        self._border = Border(lambda: session.processes.is_whole)
        self._downloads = Downloads(downloads_dir, self._border.keep)
        self._traffic = Traffic(session.context)
        self._dialog: Dialog | None = None
        self._tabs = Tabs(
            session.context,
            self._border,
            on_download=self._downloads.begin,
            on_dialog_gone=self._on_dialog_gone,
        )
        self._screencast = Screencast(on_frame)
        self._observer = Observer(self._tabs, self._downloads, self._screencast)
        self._sentry = Sentry(self._border, self._downloads, is_in_person=lambda: not self._tabs.intercepts)
        self._memory = Memory()
        self._pressed_key = ""
        session.context.on("dialog", self._on_dialog)
        session.context.on("close", lambda _: self._border.end(PERSON_CLOSED))
        if session.context.browser is not None:
            session.context.browser.on("disconnected", lambda _: self._border.end(PERSON_CLOSED))
        self._watchdog = asyncio.ensure_future(ending.watch(session.processes, self._border))

    @property
    def process_ids(self) -> tuple[int, ...]:
        """What was started for it (driver, browser): for the kill switch's guard."""
        return self._session.processes.pids

    @property
    def is_closed(self) -> bool:
        """Whether it is gone: closed by a person, ended from outside, or by `close`."""
        return self._border.has_ended

    def _begin(self) -> None:
        """An act begins: what follows is its effect."""
        self._traffic.mark()

    async def _front(self) -> Tab:
        tab = await self._tabs.front()
        if self._dialog is None:
            await self._screencast.follow(tab)
        return tab

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
