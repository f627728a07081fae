"""What a person shows on the desktop: their presses by the controls they hit, their typing by what fields hold then.

The input process tells the presses, the accessibility tree what lies there. Keys are not told, but for those that write
nothing (Enter, Escape, function keys, chords): what was typed is read from the field, and of a password nothing is
read. A switch to another window is told by what comes to the front; what is pressed there counts from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import time
from collections import deque
from typing import Final

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction, SurfaceError
from operative_app.core.screen import Element, ElementRef, ElementState
from operative_app.core.taking import Deed, DeedKind, Hand
from operative_app.surfaces.desktop.input.person import Touch
from operative_app.surfaces.desktop.observer import Look, Observer
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.targets import Targets

LOOK_S: Final = 0.3
"""How often is looked while nothing is pressed."""
LOOKS: Final = 40
"""How many looks are kept: a press is judged by the newest one from before it, however late it is told."""
END_S: Final = 3.0
DOUBLE_S: Final = 0.5
"""Two presses of one control within this time are a double click."""
SAME_CLOCK_S: Final = 30.0
"""A time that is so close to ours is told by the same clock (X servers have that of the system)."""
SCROLL_PX: Final = 60.0
"""For how many pixels a notch of the wheel stands, as the agent turns it itself."""
_LEFT: Final = 1
_RIGHT: Final = 3
_WHEEL: Final = {4: -SCROLL_PX, 5: SCROLL_PX}
_SWITCHING: Final = frozenset({"Alt+Tab", "Alt+Shift+Tab", "Alt+Escape", "Meta+Tab"})


class DesktopLesson:
    """Follows a person on the desktop. Agent thread: a task looks again and again, it ends by `end`."""

    def __init__(self, parts: Parts, observer: Observer, targets: Targets) -> None:
        self._parts = parts
        self._observer = observer
        self._targets = targets
        self._touches: asyncio.Queue[tuple[float, Touch] | None] = asyncio.Queue()
        self._looks: deque[tuple[float, Look]] = deque(maxlen=LOOKS)
        self._deeds: list[Deed] = []
        self._field: Element | None = None
        self._held = ""
        self._holds = ""
        self._has_typed = False
        self._values: dict[str, str] = {}
        self._aimed: dict[str, str] = {}
        self._pressed_s = -DOUBLE_S
        self._clock_s = math.inf
        self._window = 0
        self._open: frozenset[int] = frozenset()
        self._unseen_s = math.inf
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        await self._look()
        await self._parts.input.follow(lambda touch: self._touches.put_nowait((time.monotonic(), touch)))
        self._task = asyncio.ensure_future(self._follow())

    async def end(self) -> tuple[Deed, ...]:
        """What was shown, in order. Idempotent, bounded."""
        task, self._task = self._task, None
        if task is not None:
            with contextlib.suppress(SurfaceError):
                await self._parts.input.follow(None)
            self._touches.put_nowait(None)
            await asyncio.wait((task,), timeout=END_S)
            task.cancel()
            await asyncio.wait((task,))
        return tuple(self._deeds)

    async def _follow(self) -> None:
        """Look again and again, and after each press; what came last is looked at before it ends."""
        is_over = False
        while not is_over:
            came: list[tuple[float, Touch] | None] = []
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    came.append(await self._touches.get())
            while not self._touches.empty():
                came.append(self._touches.get_nowait())
            is_over = None in came
            for touched in came:
                if touched is not None:
                    await self._take(*touched)
            with contextlib.suppress(SurfaceError, ActionError):
                await self._look()
        self._leave_field()

    def _when(self, came_s: float, touch: Touch) -> float:
        """When it was, by our clock: the system's own clock is as far off as the touch that was told soonest says."""
        if not touch.time_ms:
            return came_s
        if 0 <= came_s - touch.time_ms / 1000 < SAME_CLOCK_S:
            return touch.time_ms / 1000
        self._clock_s = min(self._clock_s, came_s - touch.time_ms / 1000)
        return touch.time_ms / 1000 + self._clock_s

    async def _take(self, came_s: float, touch: Touch) -> None:
        at_s = self._when(came_s, touch)
        if touch.hand is Hand.CLICKED:
            point = ScreenPoint(x_screen_px=touch.x, y_screen_px=touch.y)
            if touch.button in {_LEFT, _RIGHT, *_WHEEL} and not await self._is_own(point):
                await self._read_field()
                look = self._seen_at(at_s)
                element = _at(look, point) if look is not None else None
                if touch.button in _WHEEL:
                    self._scrolled(element, _WHEEL[touch.button])
                else:
                    self._pressed(element, at_s, is_right=touch.button == _RIGHT)
        elif touch.hand is Hand.TYPED:
            self._has_typed = True
            field = self._field
            if field is None:
                self._unseen_s = min(self._unseen_s, at_s)
            if not touch.key:
                return
            if touch.key in _SWITCHING:  # what it has brought to the front is told
                return
            await self._read_field()
            if touch.key == "Enter" and field is not None and field.has(ElementState.MULTILINE):
                return
            self._leave_field()
            ref = _ref(field) if field is not None else None
            self._deeds.append(Deed(kind=DeedKind.PRESS, ref=ref, text=touch.key))

    async def _is_own(self, point: ScreenPoint) -> bool:
        """A press in Operative's own window (“Hand back”) is none that is shown."""
        try:
            await self._targets.refuse_own(point)
        except RefusedAction:
            return True
        except (SurfaceError, ActionError):  # no window at all: a panel, a menu
            return False
        return False

    def _pressed(self, element: Element | None, at_s: float, *, is_right: bool) -> None:
        if element is None:
            return
        if self._field is not None and element.key != self._field.key:
            self._leave_field()
        if self._field is None:  # a look that comes too late for the focus may see already what is typed there
            self._aimed = {element.key: element.value} if element.has(ElementState.EDITABLE) else {}
        ref = _ref(element)
        if is_right:
            self._deeds.append(Deed(kind=DeedKind.RIGHT_CLICK, ref=ref))
        elif not element.has(ElementState.EDITABLE):
            before, is_quick = self._deeds[-1:], at_s - self._pressed_s < DOUBLE_S
            self._pressed_s = at_s
            if is_quick and before == [Deed(kind=DeedKind.DOUBLE_CLICK, ref=ref)]:
                return
            if is_quick and before == [Deed(kind=DeedKind.CLICK, ref=ref)]:
                self._deeds[-1] = Deed(kind=DeedKind.DOUBLE_CLICK, ref=ref)
                return
            self._deeds.append(Deed(kind=DeedKind.CLICK, ref=ref))

    def _scrolled(self, element: Element | None, by_px: float) -> None:
        """One notch more; those in a row are one, since other things come under the pointer meanwhile."""
        ref = _ref(element) if element is not None else None
        last = self._deeds[-1] if self._deeds else None
        if last is not None and last.kind is DeedKind.SCROLL:
            self._deeds.pop()
            ref, by_px = last.ref, by_px + float(last.text)
        if by_px:
            self._deeds.append(Deed(kind=DeedKind.SCROLL, ref=ref, text=f"{by_px:g}"))

    def _note_window(self, look: Look) -> None:
        """A window that was open already has come to the front, and the one before is open still: they switched."""
        active, before = look.active, self._window
        if active is None or active.id == before or active.pid == os.getpid():
            return
        if active.id in self._open and any(window.id == before for window in look.windows):
            self._leave_field()
            self._deeds.append(Deed(kind=DeedKind.SWITCH, text=active.app or active.title))
        self._window = active.id

    def _seen_at(self, at_s: float) -> Look | None:
        """The newest look from before that time; what was there when it was pressed."""
        before = [look for ended_s, look in self._looks if ended_s <= at_s]
        return before[-1] if before else next((look for _, look in self._looks), None)

    async def _look(self) -> None:
        look = await self._observer.look()
        self._looks.append((time.monotonic(), look))
        self._note_window(look)
        self._open = frozenset(window.id for window in look.windows)
        focused = next((one for one in look.tree.elements if one.key == look.tree.focus), None)
        if focused is not None and not focused.has(ElementState.EDITABLE):
            focused = None
        values, before = self._values, self._seen_at(self._unseen_s) if self._unseen_s < math.inf else None
        self._unseen_s = math.inf
        if before is not None and self._field is None:
            values = {one.key: one.value for one in before.tree.elements}
            await self._note_unseen(look, focused, values)
        if self._field is not None and (focused is None or focused.key != self._field.key):
            self._leave_field()
        if focused is not None:
            text = await self._text(focused)
            if self._field is None:
                aimed = self._aimed.pop(focused.key, None)
                self._has_typed = before is not None or aimed not in {None, focused.value}
                self._held = values.get(focused.key, text) if aimed is None else aimed
            if self._field is None or focused.name or not self._field.name:  # a window that closes loses its names
                self._field, self._holds = focused, text
        self._values = {one.key: one.value for one in look.tree.elements if one.has(ElementState.EDITABLE)}

    async def _note_unseen(self, look: Look, focused: Element | None, values: dict[str, str]) -> None:
        """A field that was typed into and left again before it was looked at holds something else than before that."""
        for one in look.tree.elements:
            is_other = focused is None or one.key != focused.key
            has_changed = one.value and values.get(one.key, one.value) != one.value
            if is_other and has_changed and one.has(ElementState.EDITABLE):
                is_hidden = one.has(ElementState.PASSWORD)
                text = "" if is_hidden else await self._text(one)
                self._filled(one, text, is_hidden=is_hidden)

    async def _read_field(self) -> None:
        """What the field holds at this moment: a press may take it away."""
        if self._field is not None:
            self._holds = await self._text(self._field) or self._holds

    async def _text(self, field: Element) -> str:
        """What a field holds, whole; of a password how long it is, which tells only that it was changed."""
        if field.has(ElementState.PASSWORD):
            return field.value
        with contextlib.suppress(SurfaceError, ActionError):
            return await self._parts.accessibility.text_of(field.key) or field.value
        return field.value

    def _leave_field(self) -> None:
        """The field is left: what it holds now, when that is something else than before."""
        field, self._field = self._field, None
        if field is None:
            return
        is_hidden = field.has(ElementState.PASSWORD)
        if self._has_typed if is_hidden else self._holds != self._held:
            text = "" if is_hidden else self._holds
            self._filled(field, text, is_hidden=is_hidden)

    def _filled(self, field: Element, text: str, *, is_hidden: bool) -> None:
        """What a field holds in the end; one that was told of just before counts once."""
        deed = Deed(kind=DeedKind.FILL, ref=_ref(field), text=text, is_hidden=is_hidden)
        if self._deeds and self._deeds[-1].kind is DeedKind.FILL and self._deeds[-1].ref == deed.ref:
            self._deeds.pop()
        self._deeds.append(deed)


def _ref(element: Element) -> ElementRef:
    return ElementRef(observation=0, key=element.key, fingerprint=element.fingerprint, label=element.label)


def _at(look: Look, point: ScreenPoint) -> Element | None:
    """The smallest control in sight that lies there."""
    hits = [
        one
        for one in look.tree.elements
        if one.box.contains(point.x_screen_px, point.y_screen_px) and not one.has(ElementState.OFFSCREEN)
    ]
    return min(hits, key=lambda one: one.box.width_css_px * one.box.height_css_px, default=None)
