"""The open tabs: which is in front, who opened whom, what became of closed and crashed ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Download, Error, Frame, Page

from operative_app.core.errors import ActionError
from operative_app.core.screen import Tab as TabValue
from operative_app.surfaces.browser.border import Border
from operative_app.surfaces.browser.tab import ChooserRequest, Tab

PREPARE_S = 3.0
MAX_TABS = 40
"""Pages that open by themselves beyond this are closed at once: some open windows without end."""


class Tabs:
    """Follows the context's pages (agent thread). A page that opens by itself comes to the front.

    Attributes:
        may_be_behind: The browser may show another page than the active one, which is brought to the front then: one
            that is not shown may not answer the pointer.
    """

    def __init__(
        self,
        context: BrowserContext,
        border: Border,
        *,
        on_download: Callable[[Download], None],
        on_dialog_gone: Callable[[Page], None],
    ) -> None:
        self._context = context
        self._border = border
        self._on_download = on_download
        self._on_dialog_gone = on_dialog_gone
        self._tabs: list[Tab] = []
        self._last_id = 0
        self._opening = 0
        self.may_be_behind = False
        self.turned_away = 0
        self.active: Tab | None = None
        self.intercepts = True
        for page in context.pages:
            self._add(page)
        context.on("page", self._on_page)

    def __iter__(self) -> Any:
        return iter(self._tabs)

    def by_id(self, tab_id: int) -> Tab:
        for tab in self._tabs:
            if tab.id == tab_id:
                return tab
        raise ActionError(f"There is no tab {tab_id}.")

    def of(self, page: Page) -> Tab | None:
        return next((tab for tab in self._tabs if tab.page is page), None)

    def values(self) -> tuple[TabValue, ...]:
        """The tabs as a ScreenState tells them."""
        return tuple(
            TabValue(id=tab.id, url=tab.page.url, title=tab.title, is_active=tab is self.active, opener=tab.opener)
            for tab in self._tabs
        )

    async def front(self) -> Tab:
        """The tab in front, prepared. One is opened when none is left.

        Raises:
            SurfaceClosed: The browser is gone.
        """
        self._border.check()
        tab = self.active
        if tab is None:
            tab = await self.open()
        await self.prepare(tab)
        if self.may_be_behind and not tab.crash.done():
            await self.bring(tab)
        return tab

    async def prepare(self, tab: Tab) -> None:
        """Give the tab its session: dialogs closed by a person and file choosers are heard through it."""
        if tab.session is not None or tab.crash.done():
            return
        session = await tab.cdp()
        session.on("Page.javascriptDialogClosed", lambda _: self._on_dialog_gone(tab.page))
        session.on("Page.fileChooserOpened", lambda event: self._on_chooser(tab, event, session))
        try:
            await tab.send("Page.enable", deadline_s=PREPARE_S, despite_dialog=True)
            await self.intercept(tab, self.intercepts)
        except (Error, ActionError):
            self._border.check()

    async def intercept(self, tab: Tab, is_on: bool) -> None:
        """With interception no native file window opens; without it a person can use one."""
        for session in tab.sessions():
            await self._intercept_in(tab, session, is_on=is_on)

    async def _intercept_in(self, tab: Tab, session: CDPSession, *, is_on: bool) -> None:
        await self._border.call(
            session.send("Page.setInterceptFileChooserDialog", {"enabled": is_on}),
            deadline_s=PREPARE_S,
            crash=tab.crash,
            despite_dialog=True,
        )

    async def _hear_frame(self, tab: Tab, session: CDPSession) -> None:
        """A frame of another process has its own session, and asks for files there."""
        session.on("Page.fileChooserOpened", lambda event: self._on_chooser(tab, event, session))
        try:
            await self._border.call(session.send("Page.enable"), deadline_s=PREPARE_S, crash=tab.crash)
            await self._intercept_in(tab, session, is_on=self.intercepts)
        except (Error, ActionError):
            self._border.check()

    async def open(self, tab_id: int = 0) -> Tab:
        """A new blank tab in front; under the id of one that was closed when that is given."""
        self._opening += 1
        try:
            page = await self._border.call(self._context.new_page(), deadline_s=10.0, despite_dialog=True)
        finally:
            self._opening -= 1
        tab = self.of(page) or self._add(page)
        tab.id, tab.opener = tab_id or tab.id, -1
        self.active = tab
        return tab

    async def bring(self, tab: Tab) -> None:
        self.active = tab
        self.may_be_behind = False
        await self._border.call(tab.page.bring_to_front(), crash=tab.crash, despite_dialog=True)

    async def recover(self, tab: Tab) -> Tab:
        """A fresh page in place of a crashed one, under the same id."""
        old = tab.page
        fresh = await self.open()
        self._tabs.remove(fresh)
        fresh.id, fresh.opener = tab.id, tab.opener
        place = self._tabs.index(tab) if tab in self._tabs else len(self._tabs)
        self._tabs[place : place + 1] = [fresh]
        self.active = fresh
        self._border.keep(asyncio.ensure_future(old.close()))
        return fresh

    async def close(self, tab: Tab) -> None:
        """Close a tab without asking the page; the last one is replaced by a blank one, since the browser would end."""
        if len(self._tabs) == 1:
            await self.open()
        await self._border.call(tab.page.close(), deadline_s=5.0, despite_dialog=True)
        self._remove(tab)

    async def refresh_titles(self) -> None:
        """Titles of the tabs behind, asked of the browser, not of their pages."""
        for tab in self._tabs:
            if tab is self.active or tab.session is None or tab.crash.done():
                continue
            try:
                info = await tab.send("Target.getTargetInfo", deadline_s=0.5, despite_dialog=True)
            except (Error, ActionError):
                continue
            tab.title = str(info["targetInfo"].get("title", ""))

    def _add(self, page: Page) -> Tab:
        self._last_id += 1
        tab = Tab(id=self._last_id, page=page, border=self._border)
        tab.hear_frame = lambda session: self._hear_frame(tab, session)
        self._tabs.append(tab)
        self.active = self.active or tab
        page.on("close", lambda _: self._remove(tab))
        page.on("crash", lambda _: self._crashed(tab))
        page.on("download", self._on_download)
        page.on("framenavigated", lambda frame: self._navigated(tab, frame))
        return tab

    def _on_page(self, page: Page) -> None:
        if self.of(page) is not None:
            return
        if len(self._tabs) >= MAX_TABS and not self._opening:
            self.turned_away += 1
            self._border.keep(asyncio.ensure_future(page.close()))
            return
        opener = self.active
        tab = self._add(page)
        if self._opening:
            return
        tab.opener = opener.id if opener is not None else -1
        self.active = tab
        self._border.keep(asyncio.ensure_future(self._find_opener(tab)))

    async def _find_opener(self, tab: Tab) -> None:
        page = await tab.page.opener()
        known = self.of(page) if page is not None else None
        if known is not None:
            tab.opener = known.id

    def _navigated(self, tab: Tab, frame: Frame) -> None:
        if frame is tab.page.main_frame:
            tab.loads += 1
            tab.chooser = None

    def _on_chooser(self, tab: Tab, event: dict[str, Any], session: CDPSession) -> None:
        number = int(event.get("backendNodeId", 0))

        async def hold() -> str:
            node = session.send("DOM.resolveNode", {"backendNodeId": number})
            found = await self._border.call(node, crash=tab.crash, despite_dialog=True)
            return str(found["object"]["objectId"])

        held = asyncio.ensure_future(hold())
        self._border.keep(held)
        tab.chooser = ChooserRequest(number, session, held)

    def _crashed(self, tab: Tab) -> None:
        if not tab.crash.done():
            tab.crash.set_result(f"The page {tab.page.url} crashed. Open it again to go on.")

    def _remove(self, tab: Tab) -> None:
        if tab not in self._tabs:
            return
        self._tabs.remove(tab)
        if not tab.crash.done():
            tab.crash.set_result("The tab was closed.")
        if self.active is tab:
            opener = next((one for one in self._tabs if one.id == tab.opener), None)
            self.active = opener or (self._tabs[-1] if self._tabs else None)
            self.may_be_behind = True
        if not self._tabs and not self._opening:
            self._border.end("The browser window was closed. Start the run again to open a new one.")
