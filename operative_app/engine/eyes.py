"""Looking: each observation is kept, told, and used until something may have changed."""

from __future__ import annotations

import contextlib
import time
from typing import cast

from operative_app.core.difference import difference
from operative_app.core.errors import ActionError
from operative_app.core.events import MarkSeen, Notice, NoticeLevel, Observed
from operative_app.core.ports import BrowserSurface, Surface
from operative_app.core.screen import ElementRef, Picture, ScreenState, SurfaceKind
from operative_app.engine.hub import EventHub


class Eyes:
    """The latest ScreenState of a surface, and its picture when one was taken. Owned by the agent thread."""

    def __init__(self, surface: Surface, hub: EventHub) -> None:
        self._surface = surface
        self._hub = hub
        self._fresh: ScreenState | None = None
        self.last: ScreenState | None = None
        self.picture: Picture | None = None
        self._told: set[str] = set()

    def blink(self) -> None:
        """What was seen may be out of date: the next `state` looks again."""
        self._fresh = None

    async def state(self, step: int) -> ScreenState:
        """What is on the screen; looks only when something may have changed since the last look."""
        return self._fresh if self._fresh is not None else await self.look(step)

    async def bring_into_sight(self, ref: ElementRef) -> None:
        """Scroll a page so that the element is seen; where that cannot be done, nothing happens."""
        if self._surface.kind is SurfaceKind.BROWSER:
            with contextlib.suppress(ActionError):
                await cast(BrowserSurface, self._surface).scroll_into_view(ref)
                self.blink()
                await self._surface.settle()

    async def look(self, step: int, *, with_picture: bool = True) -> ScreenState:
        """See the screen now, keep its picture, tell it.

        Args:
            with_picture: False for a quick look between two steps that belong together.
        """
        begun = time.monotonic()
        observation = await self._surface.observe(with_picture=with_picture)
        state, self.picture = self._hub.cleaned(observation.state), observation.picture
        if observation.picture is not None:
            state = state.model_copy(update={"screenshot": self._hub.keep_picture(observation.picture)})
        changes = difference(self.last, state) if self.last is not None else ""
        self._hub.emit(
            Observed,
            step=step,
            observation=state.observation,
            url=state.url,
            title=state.title,
            screenshot=state.screenshot,
            pixel_ratio=state.pixel_ratio,
            marks=tuple(
                MarkSeen(mark=element.mark, label=element.label, box=element.box)
                for element in state.elements
                if element.mark
            ),
            element_count=len(state.elements),
            left_out=state.left_out,
            difference=changes,
            duration_ms=(time.monotonic() - begun) * 1000,
        )
        self._tell_held_back(state)
        self._fresh = self.last = state
        return state

    def _tell_held_back(self, state: ScreenState) -> None:
        """The person learns once of each thing that was outside the run's sites."""
        for sentence in state.held_back:
            if sentence not in self._told:
                self._told.add(sentence)
                self._hub.emit(Notice, level=NoticeLevel.WARNING, text=f"{sentence[:1].upper()}{sentence[1:]}")
