"""The browser as the engine and the actions use it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from playwright.async_api import Error

from operative_app.core.errors import ActionError, RefusedAction, StaleReference, SurfaceError
from operative_app.core.plan import Checkpoint
from operative_app.core.ports import FrameListener, WaitState
from operative_app.core.screen import ElementRef, Observation, ScreenState, SurfaceKind
from operative_app.core.screen import Tab as TabValue
from operative_app.core.taking import Deed, HandListener
from operative_app.surfaces.browser import checkpoints, ending, navigation
from operative_app.surfaces.browser import launch as start
from operative_app.surfaces.browser.border import DialogWaits, PageCrashed
from operative_app.surfaces.browser.connection import PERSON_CLOSED
from operative_app.surfaces.browser.fence import PageOutside, origin_of
from operative_app.surfaces.browser.following import Lesson, own_act
from operative_app.surfaces.browser.front import raise_window
from operative_app.surfaces.browser.hands import Hands
from operative_app.surfaces.browser.resolve import resolve
from operative_app.surfaces.browser.settle import settle
from operative_app.surfaces.browser.tab import Tab, WorldGone
from operative_app.surfaces.waiting import came

CLOSINGS = 5
ALONE_S = 3600.0
"""How long nobody has touched a browser that nobody sees."""
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
        cls,
        *,
        profile_dir: Path,
        downloads_dir: Path,
        headless: bool,
        on_frame: FrameListener | None = None,
        host_rules: str = "",
    ) -> Self:
        """Start the managed browser.

        Args:
            profile_dir: The managed profile; made when missing, locked while in use.
            downloads_dir: Where finished downloads go.
            on_frame: Gets live frames (at most about twelve a second).
            host_rules: Which hosts can be found at all (`safety.host_rules`); "" all.

        Raises:
            SurfaceMissing: No browser is installed or it cannot start.
            SurfaceError: The profile is in use.
        """
        session = await start.launch(profile_dir, downloads_dir=downloads_dir, headless=headless, host_rules=host_rules)
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
            await self._check_seen(seen.state)
        except DialogWaits:
            seen = self._observer.with_dialog(self._dialogs())
        except (PageCrashed, PageOutside):  # closed meanwhile, or left; another one comes to the front
            self._border.check()
            if attempts <= 1:
                raise
            await asyncio.sleep(CLOSING_S)
            return await self._observe(with_picture=with_picture, attempts=attempts - 1)
        self._memory.keep(seen.state)
        return seen.model_copy(update={"state": self._with_own(seen.state)})

    async def _check_seen(self, state: ScreenState) -> None:
        """What was seen may have gone elsewhere while it was looked at, or a window for nothing have opened over it.

        Raises:
            PageOutside: So it is; it is not told.
        """
        if state.dialogs:  # what was seen before
            return
        front = self._tabs.active
        if refusal := self._fence.refusal(state.url):
            self._observer.forget()
            raise PageOutside(f"The page was left: {refusal}")
        if front is not None and await self._fence.is_left_blank(front):
            raise PageOutside(f"A window was opened for nothing: {self._fence.why}")

    def _with_own(self, state: ScreenState) -> ScreenState:
        """The state with what only the hands and the sentry know: held keys, a page that wants to print."""
        box = self._sentry.pending(self._tabs.active) if self._tabs.active is not None else None
        return state.model_copy(
            update={
                "held": self.held,
                "dialogs": (*state.dialogs, box) if box is not None else state.dialogs,
                "left_out": (*state.left_out, *self._sentry.take_notes()),
                "held_back": tuple(self._fence.take_notes()),
                "tabs": tuple(self._told_tab(tab) for tab in state.tabs),
            }
        )

    def _told_tab(self, tab: TabValue) -> TabValue:
        """A tab behind whose page lies outside is told by its site alone."""
        if tab.is_active or not self._fence.refusal(tab.url):
            return tab
        return tab.model_copy(update={"title": "", "url": origin_of(tab.url)})

    async def settle(self, ceiling_s: float = 3.0) -> None:
        self._border.check()
        if self._dialog is None:
            try:
                await settle(await self._front(), self._traffic, ceiling_s)
            except (DialogWaits, PageCrashed, PageOutside):
                return

    async def get_text(self, ref: ElementRef | None = None) -> str:
        tab = await self._front()
        text = await self._read_text(tab, ref)
        await self._check_left(tab)
        return text

    async def _read_text(self, tab: Tab, ref: ElementRef | None) -> str:
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
        await self._check_left(tab)
        return None if value is None else str(value)

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        return await came(lambda: self._is_in(ref, state), timeout_s=timeout_s)

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
        self._check_inside(navigation.address_of(url))
        self._border.check()
        tab = self._tabs.active
        if tab is not None and tab.crash.done():
            await self._tabs.recover(tab)
        tab = await self._inside()
        self._begin()
        async with self._told_by_fence():
            await navigation.navigate(tab, self._downloads, url, timeout_s)

    async def go_back(self) -> None:
        tab = await self._front()
        self._begin()
        async with self._told_by_fence():
            await navigation.go_back(tab)

    async def new_tab(self, url: str = "") -> None:
        if url:
            self._check_inside(navigation.address_of(url))
        await self._tabs.open()
        tab = await self._front()
        self._begin()
        if url:
            async with self._told_by_fence():
                await navigation.navigate(tab, self._downloads, url, 30.0)

    async def switch_tab(self, tab_id: int) -> None:
        self._border.check()
        self._begin()
        tab = self._tabs.by_id(tab_id)
        if tab.crash.done():
            tab = await self._tabs.recover(tab)
        if refusal := await self._fence.outside(tab):
            raise RefusedAction(f"That tab is not brought to the front: {refusal}")
        await self._tabs.bring(tab)
        await self._front()

    async def close_tab(self, tab_id: int) -> None:
        self._border.check()
        self._begin()
        await self._tabs.close(self._tabs.by_id(tab_id))

    # --- the whole ---------------------------------------------------------------------------------------------------

    @own_act
    async def release(self) -> None:
        tab = self._tabs.active
        if tab is None or self._border.has_ended:
            return
        try:
            await self._border.let_go()
            await self._keys.release(tab)
            await self._pointer.release(tab)
        except (Error, ActionError, SurfaceError):
            return

    def tell_of_person(self, listener: HandListener) -> None:
        """See `core.taking.SharedSurface`: a click or a key in a page between the acts is a person's."""
        self._hearing.listener = listener

    async def watch_person(self, *, on: bool) -> float:
        self._border.check()
        if self._session.is_headless:
            return ALONE_S
        return await self._hearing.watch(on=on)

    async def begin_teaching(self) -> None:
        self._border.check()
        if self._lesson is None:
            self._lesson = Lesson(self._session.context, self._border)
            await self._lesson.begin()

    async def end_teaching(self) -> Sequence[Deed]:
        lesson, self._lesson = self._lesson, None
        return await lesson.end() if lesson is not None else ()

    async def show_to_person(self) -> None:
        tab = await self._inside()
        await self._tabs.bring(tab)
        if not self._session.is_headless:
            await self._set_interception(is_on=False)
            await raise_window(tab)

    async def checkpoint(self, step: int) -> Checkpoint:
        state = (await self.observe(with_picture=False)).state
        return Checkpoint(
            step=step,
            url=state.url,
            tabs=tuple(tab.url for tab in state.tabs),
            tab_ids=tuple(tab.id for tab in state.tabs),
            active_tab=next((tab.id for tab in state.tabs if tab.is_active), 0),
            scroll_y_css_px=state.scroll.y_css_px,
            forms=self._told_forms(state),
            screenshot=state.screenshot,
        )

    @own_act
    async def restore(self, checkpoint: Checkpoint) -> None:
        self._border.check()
        try:
            missed = await checkpoints.bring_tabs_back(checkpoint, self._tabs, self._load)
            is_fresh = bool(checkpoint.url) and (
                self._tabs.active is None or self._tabs.active.page.url != checkpoint.url
            )
            if is_fresh:
                await self.navigate(checkpoint.url)
            fields = await self._put_back(checkpoint)
            if fields and checkpoint.url and not is_fresh:  # the page became another one at the same address
                await self.navigate(checkpoint.url)
                fields = await self._put_back(checkpoint)
            tab = await self._front()
            await tab.call("scrollTo_", checkpoint.scroll_y_css_px)
        except ActionError as error:
            raise SurfaceError(f"The checkpoint could not be restored: {error}") from error
        if missed := [*missed, *fields]:
            raise SurfaceError(f"Not restored: {', '.join(missed)}.")

    async def close(self) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        if not self._border.has_ended:
            await self.end_teaching()
            await self._hearing.close()
        self._watchdog.cancel()
        await ending.close(self._session, self._border, PERSON_CLOSED)

    # --- private -----------------------------------------------------------------------------------------------------

    def _told_forms(self, state: ScreenState) -> tuple[tuple[str, str], ...]:
        """What fields hold, without what is concealed: going back must not fill a secret in again."""
        concealer = self._veils.concealer
        return tuple(
            (key, value)
            for key, value in checkpoints.form_values(state)
            if concealer is None or concealer.text(value) == value
        )

    async def _load(self, tab: Tab, url: str) -> None:
        """Load an address in any of the tabs."""
        navigation.address_of(url)
        await self._tabs.prepare(tab)
        await navigation.navigate(tab, self._downloads, url, 30.0)

    async def _put_back(self, checkpoint: Checkpoint) -> list[str]:
        """Put the fields of the page in front back; those that cannot be."""
        await self.settle()
        state = (await self.observe(with_picture=False)).state
        return await checkpoints.put_back(
            checkpoint,
            state,
            fill=lambda element, text: self.fill(state.ref(element), text),
            choose=lambda element, text: self.select_option(state.ref(element), text),
            press=lambda element: self.click(state.ref(element)),
        )

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
