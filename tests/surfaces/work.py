"""Short words for what browser tests do all the time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from operative_app.core.errors import ActionError
from operative_app.core.screen import Element, ElementRef, ScreenState
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.surfaces.pages import Pages

T = TypeVar("T")
PATIENCE_S = 60.0


class Work:
    """A browser, its loop and its pages."""

    def __init__(self, runner: asyncio.Runner, browser: ManagedBrowser, pages: Pages) -> None:
        self.browser = browser
        self.pages = pages
        browser._session.context.set_default_timeout(PATIENCE_S * 1000)
        self._runner = runner

    def run(self, work: Coroutine[Any, Any, T], *, limit_s: float = 180.0) -> T:
        return self._runner.run(asyncio.wait_for(work, limit_s))

    def reset(self) -> None:
        self.run(self._reset())

    async def _reset(self) -> None:
        await self.browser.release()
        state = (await self.browser.observe(with_picture=False)).state
        while state.dialogs:
            await self.browser.answer_dialog(accept=True)
            await self.browser.settle(0.3)
            state = (await self.browser.observe(with_picture=False)).state
        await self.close_other_tabs()

    async def close_other_tabs(self) -> None:
        while len(tabs := (await self.browser.observe(with_picture=False)).state.tabs) > 1:
            with suppress(ActionError):  # it went by itself
                await self.browser.close_tab(tabs[-1].id)

    async def open(self, url: str) -> ScreenState:
        """Open a page with all of its frames, unless it asks something meanwhile."""
        await self.browser.navigate(url)
        tab = await self.browser._tabs.front()
        with suppress(DialogWaits):
            loaded = tab.page.wait_for_load_state("load")
            await tab.border.call(loaded, deadline_s=PATIENCE_S, crash=tab.crash)
        return await self.look()

    async def show(self, body: str) -> ScreenState:
        """Open a page with this body."""
        return await self.open(self.pages.make(body))

    async def look(self) -> ScreenState:
        """Settle and observe."""
        await self.browser.settle()
        return (await self.browser.observe(with_picture=False)).state

    async def until(self, role: str, name: str, *, within: str = "") -> tuple[ScreenState, ElementRef]:
        """Observe until there is such an element (bounded by the test's limit)."""
        while True:
            state = await self.look()
            found = matching(state, role, name, within=within)
            if found:
                return state, state.ref(found[0])
            await asyncio.sleep(0.05)

    async def until_told(self, is_told: Callable[[ScreenState], object]) -> ScreenState:
        """Observe until that is told (bounded by the test's limit): some things come by way of another process."""
        while not is_told(state := await self.look()):
            continue
        return state

    async def click(self, role: str, name: str, *, within: str = "") -> ScreenState:
        """Find, click, settle and observe."""
        _, ref = await self.until(role, name, within=within)
        await self.browser.click(ref)
        return await self.look()

    async def script(self, expression: str) -> Any:
        """A value of the page's own world, as a test sees it from outside."""
        return await self.page.evaluate(expression)

    def asks_for_file(self) -> bool:
        """Whether the page's request for a file was heard; looks at nothing."""
        tab = self.browser._tabs.active
        return tab is not None and tab.chooser is not None

    @property
    def page(self) -> Any:
        tab = self.browser._tabs.active
        assert tab is not None
        return tab.page


def matching(state: ScreenState, role: str, name: str, *, within: str = "") -> list[Element]:
    return [
        element
        for element in state.elements
        if element.role == role
        and element.name == name
        and (not within or any(within in one for one in element.context))
    ]


def one(state: ScreenState, role: str, name: str, *, within: str = "") -> Element:
    """The one such element."""
    found = matching(state, role, name, within=within)
    assert len(found) == 1, f"{len(found)} × {role} {name!r}; there are {[element.label for element in state.elements]}"
    return found[0]
