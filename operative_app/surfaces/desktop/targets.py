"""From a reference or a place to the point the pointer goes to now, or a refusal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from operative_app.core.coordinates import CssPoint, ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction, StaleReference, SurfaceClosed, SurfaceError
from operative_app.core.ports import Spot
from operative_app.core.screen import Box, Element, ElementRef, ElementState, Window
from operative_app.surfaces.desktop.observer import Look, Observer
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.ports import WindowTree
from operative_app.surfaces.desktop.worker import Worker

REST_S: Final = 0.08
REST_LOOKS: Final = 12
"""A box that still moves after these looks is refused."""
_MOST_SCROLLS: Final = 30
_POPUP_ROLES: Final = frozenset(
    {"menu", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "listitem", "listbox", "cell", "row", "tooltip"}
)


@dataclass(frozen=True, slots=True)
class Target:
    """An element as it is now, its window, and its middle."""

    element: Element
    window: Window
    point: ScreenPoint


class Targets:
    """Finds what is meant at the moment of the act. Owned by the agent thread."""

    def __init__(self, parts: Parts, observer: Observer, system: Worker) -> None:
        self._parts = parts
        self._observer = observer
        self._system = system

    async def seen(self, ref: ElementRef) -> tuple[Element, Window, WindowTree]:
        """The element now, wherever it is; its window comes to the front for that.

        Raises:
            StaleReference: It, or its window, is gone or no longer unique.
        """
        window_id = self._observer.home(ref.key)
        if not window_id:
            raise StaleReference(f"{ref.label or 'The element'} is no longer on the screen.")
        look = await self._in_front(window_id, ref)
        if look.active is None:
            raise StaleReference(f"{ref.label or 'The element'} is no longer on the screen.")
        read = self._observer.last.find(ref) if ref.key.startswith(READ_KEY) else None
        if read is not None:  # read off the picture: it has no life of its own in the tree
            return read, look.active, look.tree
        return _same(look.tree.elements, ref), look.active, look.tree

    async def element(self, ref: ElementRef) -> Target:
        """The element, in sight, at rest, and hit by its middle.

        Raises:
            StaleReference: It is gone or no longer unique.
            RefusedAction: Disabled, under a dialog, out of sight, moving, or covered; names what covers it.
        """
        element, window, tree = await self.seen(ref)
        if element.has(ElementState.DISABLED):
            raise RefusedAction(f"{element.label} is disabled.")
        _refuse_behind_modal(element, window, tree)
        element = await self._in_sight(ref, element, window)
        element = await self._at_rest(ref, element)
        x, y = element.box.center
        point = ScreenPoint(x_screen_px=x, y_screen_px=y)
        await self._refuse_covered(element, window, point)
        return Target(element, window, point)

    async def point(self, at: Spot) -> ScreenPoint:
        """Where the pointer goes; the hit test included."""
        match at:
            case ElementRef():
                return (await self.element(at)).point
            case ScreenPoint():
                await self.refuse_own(at)
                return at
            case CssPoint():
                raise RefusedAction("A place in a page is no place on the desktop.")

    async def refuse_own(self, point: ScreenPoint) -> Window | None:
        """The window at a place; RefusedAction when it is Operative's own."""
        boxes = await self._system.run(self._parts.windows.own_windows)
        try:
            return await self._system.run(self._parts.windows.window_at, point)
        except SurfaceClosed:
            raise
        except SurfaceError as error:
            if any(box.contains(point.x_screen_px, point.y_screen_px) for box in boxes):
                raise RefusedAction("Operative's own window is there; it is never acted on.") from error
            raise

    async def _in_front(self, window_id: int, ref: ElementRef) -> Look:
        """The element's window in front, and what it shows."""
        look = await self._observer.look()
        if look.active is not None and look.active.id == window_id:
            return look
        window = next((one for one in look.windows if one.id == window_id), None)
        if window is None:
            if look.active is not None and any(one.key == ref.key for one in look.tree.elements):
                return look  # it is in a menu of the window in front
            raise StaleReference(f"The window of {ref.label or 'the element'} is closed.")
        await self._system.run(self._parts.windows.activate, window_id)
        return await self._observer.look()

    async def _in_sight(self, ref: ElementRef, element: Element, window: Window) -> Element:
        """Turn the wheel over the window until the element is in sight."""
        for _ in range(_MOST_SCROLLS):
            if not element.has(ElementState.OFFSCREEN):
                return element
            before = element.box
            middle_x, middle_y = window.box.center
            away = before.center[1] - middle_y
            if before.area_css_px2 == 0 or abs(away) < 1:
                break
            point = ScreenPoint(x_screen_px=middle_x, y_screen_px=middle_y)
            await self.refuse_own(point)
            await self._parts.input.scroll(0, max(-400.0, min(400.0, away)), point)
            await asyncio.sleep(REST_S)
            element, window, _ = await self.seen(ref)
            if element.box == before and element.has(ElementState.OFFSCREEN):
                break
        if element.has(ElementState.OFFSCREEN):
            raise RefusedAction(f"{element.label} is out of sight; scroll to it first.")
        return element

    async def _at_rest(self, ref: ElementRef, element: Element) -> Element:
        """Two equal boxes in a row, the first of which may be the one last observed."""
        known = self._observer.last.element(element.key)
        last = known.box if known is not None else None
        for _ in range(REST_LOOKS):
            if element.box == last:
                return element
            last = element.box
            await asyncio.sleep(REST_S)
            element, _, _ = await self.seen(ref)
        raise RefusedAction(f"{element.label} does not come to rest.")

    async def _refuse_covered(self, element: Element, window: Window, point: ScreenPoint) -> None:
        hit = await self.refuse_own(point)
        if hit is None:
            raise RefusedAction(f"{element.label} is not where its program says; the desktop is there.")
        if hit.id in {window.id, element.window}:
            return
        if hit.pid == window.pid and element.role in _POPUP_ROLES:
            return  # a menu that the window manager does not know, of the same program
        raise RefusedAction(f"The window “{hit.title or hit.app}” lies over {element.label}.")


READ_KEY: Final = "read:"
"""How keys of elements begin that were read off the picture."""


def _same(elements: Sequence[Element], ref: ElementRef) -> Element:
    """The element in a fresh look: the same control with the same role and name or place, else the only one alike."""
    print_ = ref.fingerprint
    same = next((one for one in elements if one.key == ref.key and one.role == print_.role), None)
    if same is not None and (same.name == print_.name or same.path == print_.path):
        return same
    alike = [one for one in elements if one.fingerprint == print_]
    if len(alike) == 1:
        return alike[0]
    what = "is no longer on the screen" if not alike else f"is there {len(alike)} times now"
    raise StaleReference(f"{ref.label or 'The element'} {what}.")


def _refuse_behind_modal(element: Element, window: Window, tree: WindowTree) -> None:
    is_in_it = window.is_dialog or window.title == tree.modal or tree.modal in (*element.context, element.name)
    if tree.modal and not is_in_it:
        raise RefusedAction(f"The dialog “{tree.modal}” is open over {element.label}.")


def clipped(box: Box, area: Box) -> Box:
    """The part of a box inside an area; ActionError when there is none."""
    left, top = max(box.x_css_px, area.x_css_px), max(box.y_css_px, area.y_css_px)
    right, bottom = min(box.right_css_px, area.right_css_px), min(box.bottom_css_px, area.bottom_css_px)
    if right - left < 1 or bottom - top < 1:
        raise ActionError("It is not on the screen.")
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)
