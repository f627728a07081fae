"""The browser as the engine and the actions use it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Self

from playwright.async_api import Error

from operative_app.core.errors import ActionError, StaleReference, SurfaceError
from operative_app.core.plan import Checkpoint
from operative_app.core.ports import FrameListener, WaitState
from operative_app.core.screen import ElementRef, Observation, ScreenState, SurfaceKind
from operative_app.surfaces.browser import checkpoints, ending, navigation
from operative_app.surfaces.browser import launch as start
from operative_app.surfaces.browser.border import DialogWaits, PageCrashed
from operative_app.surfaces.browser.connection import PERSON_CLOSED
from operative_app.surfaces.browser.hands import Hands
from operative_app.surfaces.browser.resolve import resolve
from operative_app.surfaces.browser.settle import settle
from operative_app.surfaces.browser.tab import Tab, WorldGone

WAIT_STEP_S = 0.1
CLOSINGS = 5
CLOSING_S = 0.05
"""How often, and after which pause, another tab is looked at when the one in front closed at that moment."""


class ManagedBrowser(Hands):
    """A browser with a profile of its own, or one that was open before; implements `core.ports.BrowserSurface`.

    One instance belongs to one asyncio loop (the agent thread). Every call has a deadline and can be cancelled; while a
    dialog of the page waits, calls raise ActionError at once and `observe` gives the last state with the dialog.
    """

    kind = SurfaceKind.BROWSER

    def __init__(self, session: start.Session, downloads_dir: Path, on_frame: FrameListener | None) -> None:
        """Use `launch` or `attach`."""
        super().__init__(session, downloads_dir, on_frame)
        self._is_closing = False

    @classmethod
    async def launch(
        cls, *, profile_dir: Path, downloads_dir: Path, headless: bool, on_frame: FrameListener | None = None
    ) -> Self:
        """Start the managed browser.

        Args:
            profile_dir: The managed profile; made when missing, locked while in use.
            downloads_dir: Where finished downloads go.
            on_frame: Gets live frames (at most about twelve a second).

        Raises:
            SurfaceMissing: No browser is installed or it cannot start.
            SurfaceError: The profile is in use.
        """
        session = await start.launch(profile_dir, downloads_dir=downloads_dir, headless=headless)
        return await cls._open(session, downloads_dir, on_frame)

    @classmethod
    async def attach(cls, cdp_url: str, *, downloads_dir: Path, on_frame: FrameListener | None = None) -> Self:
        """Connect to an open browser and go on from its current tab; `close` leaves it and its tabs as they are.

        Raises:
            SurfaceError: Nothing answers at the address.
        """
        session = await start.attach(cdp_url, downloads_dir=downloads_dir)
        browser = await cls._open(session, downloads_dir, on_frame)
        try:
            await browser._choose_current_tab()
        except BaseException:
            await browser.close()
            raise
        return browser

    @classmethod
    async def _open(cls, session: start.Session, downloads_dir: Path, on_frame: FrameListener | None) -> Self:
        browser = cls(session, downloads_dir, on_frame)
        try:
            await browser._sentry.install(session.context)
            tab = await browser._tabs.front()
            await browser._screencast.follow(tab)
        except BaseException:
            await browser.close()
            raise
        return browser

    # --- seeing ------------------------------------------------------------------------------------------------------

    async def observe(self, *, with_picture: bool = True) -> Observation:
        return await self._observe(with_picture=with_picture, attempts=CLOSINGS)

    async def _observe(self, *, with_picture: bool, attempts: int) -> Observation:
        self._border.check()
        if not self._tabs.intercepts and not self._dialog:
            await self._set_interception(is_on=True)
        try:
            tab = await self._front()
            seen = await self._observer.observe(
                tab, self._dialogs(), with_picture=with_picture, asked_by=self._pressed_key
            )
        except DialogWaits:
            seen = self._observer.with_dialog(self._dialogs())
        except PageCrashed:  # the tab in front was closed meanwhile; another one comes to the front
            self._border.check()
            if attempts <= 1:
                raise
            await asyncio.sleep(CLOSING_S)
            return await self._observe(with_picture=with_picture, attempts=attempts - 1)
        self._memory.keep(seen.state)
        return seen.model_copy(update={"state": self._with_own(seen.state)})

    def _with_own(self, state: ScreenState) -> ScreenState:
        """The state with what only the hands and the sentry know: held keys, a page that wants to print."""
        box = self._sentry.pending(self._tabs.active) if self._tabs.active is not None else None
        return state.model_copy(
            update={
                "held": self.held,
                "dialogs": (*state.dialogs, box) if box is not None else state.dialogs,
                "left_out": (*state.left_out, *self._sentry.take_notes()),
            }
        )

    async def settle(self, ceiling_s: float = 3.0) -> None:
        self._border.check()
        if self._dialog is None:
            try:
                await settle(await self._front(), self._traffic, ceiling_s)
            except (DialogWaits, PageCrashed):
                return

    async def get_text(self, ref: ElementRef | None = None) -> str:
        tab = await self._front()
        if ref is not None:
            node = await resolve(tab, self._observer, self._memory, ref)
            return str(await tab.on(node, "readText") or "")
        parts = [await tab.call("readText", 0)]
        await self._observer.peek(tab)  # makes the worlds of frames of other processes known
        for world in tab.worlds()[1:]:
            try:
                parts.append(await tab.run(world, "readText", 0))
            except (WorldGone, Error):
                continue
        return "\n".join(part for part in parts if part)

    async def get_attribute(self, ref: ElementRef, name: str) -> str | None:
        tab, node = await self._target(ref)
        value = await tab.on(node, "attributeOf", name)
        return None if value is None else str(value)

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_s
        while True:
            if await self._is_in(ref, state):
                return True
            if loop.time() + WAIT_STEP_S > end:
                return False
            await asyncio.sleep(WAIT_STEP_S)

    async def _is_in(self, ref: ElementRef, state: WaitState) -> bool:
        tab = await self._front()
        try:
            node = await resolve(tab, self._observer, self._memory, ref)
            seen = await tab.on(node, "lookAt")
        except (StaleReference, WorldGone):
            seen = None
        match state:
            case WaitState.VISIBLE:
                return bool(seen and seen["isVisible"])
            case WaitState.HIDDEN:
                return not (seen and seen["isVisible"])
            case WaitState.ENABLED:
                return bool(seen and seen["isVisible"] and seen["isEnabled"])

    # --- pages and tabs ----------------------------------------------------------------------------------------------

    async def navigate(self, url: str, *, timeout_s: float = 30.0) -> None:
        navigation.address_of(url)
        self._border.check()
        tab = self._tabs.active
        if tab is not None and tab.crash.done():
            await self._tabs.recover(tab)
        tab = await self._front()
        self._begin()
        await navigation.navigate(tab, self._downloads, url, timeout_s)

    async def go_back(self) -> None:
        tab = await self._front()
        self._begin()
        await navigation.go_back(tab)

    async def new_tab(self, url: str = "") -> None:
        if url:
            navigation.address_of(url)
        await self._tabs.open()
        tab = await self._front()
        self._begin()
        if url:
            await navigation.navigate(tab, self._downloads, url, 30.0)

    async def switch_tab(self, tab_id: int) -> None:
        self._border.check()
        self._begin()
        tab = self._tabs.by_id(tab_id)
        if tab.crash.done():
            tab = await self._tabs.recover(tab)
        await self._tabs.bring(tab)
        await self._front()

    async def close_tab(self, tab_id: int) -> None:
        self._border.check()
        self._begin()
        await self._tabs.close(self._tabs.by_id(tab_id))

    # --- the whole ---------------------------------------------------------------------------------------------------

    async def release(self) -> None:
        tab = self._tabs.active
        if tab is None or self._border.has_ended:
            return
        try:
            await self._keys.release(tab)
            await self._pointer.release(tab)
        except (Error, ActionError, SurfaceError):
            return

    async def show_to_person(self) -> None:
        tab = await self._front()
        await self._tabs.bring(tab)
        if not self._session.is_headless:
            await self._set_interception(is_on=False)
            await _raise_window(tab)

    async def checkpoint(self, step: int) -> Checkpoint:
        state = (await self.observe(with_picture=False)).state
        return Checkpoint(
            step=step,
            url=state.url,
            tabs=tuple(tab.url for tab in state.tabs),
            scroll_y_css_px=state.scroll.y_css_px,
            forms=checkpoints.form_values(state),
            screenshot=state.screenshot,
        )

    async def restore(self, checkpoint: Checkpoint) -> None:
        self._border.check()
        try:
            if checkpoint.url and (self._tabs.active is None or self._tabs.active.page.url != checkpoint.url):
                await self.navigate(checkpoint.url)
            await self.settle()
            state = (await self.observe(with_picture=False)).state
            await checkpoints.put_back(
                checkpoint,
                state,
                fill=lambda element, text: self.fill(state.ref(element), text),
                choose=lambda element, text: self.select_option(state.ref(element), text),
                press=lambda element: self.click(state.ref(element)),
            )
            tab = await self._front()
            await tab.call("scrollTo_", checkpoint.scroll_y_css_px)
        except ActionError as error:
            raise SurfaceError(f"The checkpoint could not be restored: {error}") from error

    async def close(self) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        self._watchdog.cancel()
        await ending.close(self._session, self._border, PERSON_CLOSED)

    # --- private -----------------------------------------------------------------------------------------------------

    async def _choose_current_tab(self) -> None:
        """The tab a person looks at: it has the focus, or is visible, or was opened last."""
        best: tuple[tuple[bool, bool], Tab] | None = None
        for tab in list(self._tabs):
            await self._tabs.prepare(tab)
            try:
                is_visible, has_focus = await tab.call("isPageVisible", deadline_s=1.0)
            except (ActionError, SurfaceError, Error):
                self._border.check()
                continue
            rank = (has_focus, is_visible)
            if best is None or rank >= best[0]:
                best = (rank, tab)
        if best is not None:
            self._tabs.active = best[1]
            await self._screencast.follow(best[1])


async def _raise_window(tab: Tab) -> None:
    """Bring the browser's window before those of other programs: only one that comes back from being minimized does."""
    try:
        window = await tab.send("Browser.getWindowForTarget")
        for state in ("minimized", window["bounds"].get("windowState", "normal")):
            bounds = {"windowId": window["windowId"], "bounds": {"windowState": state}}
            await tab.send("Browser.setWindowBounds", bounds)
    except (ActionError, Error):
        tab.border.check()  # a browser without windows of its own, such as an attached one that is not shown
