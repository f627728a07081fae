"""Checks before an action, as small frozen values named in its declaration.

Each answers "" when it holds, otherwise the reason in words. A parameter that is not given passes. What only the live
surface can tell (does the hit test land on the element, does its box rest) is checked there at the moment of the act.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from operative_app.actions.declare import Action
from operative_app.core.errors import ActionError
from operative_app.core.keys import key_name, split_chord
from operative_app.core.run import Outcome
from operative_app.core.screen import (
    Element,
    ElementRef,
    ElementState,
    ScreenState,
    ScrollContainer,
    SurfaceKind,
    Window,
)


def _element(action: Action, parameter: str, state: ScreenState) -> Element | None:
    ref = getattr(action, parameter)
    return state.find(ref) if isinstance(ref, ElementRef) else None


@dataclass(frozen=True, slots=True)
class Present:
    """The element is on the screen's list. An optional parameter that is None passes."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        ref = getattr(action, self.parameter)
        if not isinstance(ref, ElementRef) or state.find(ref) is not None:
            return ""
        return f"{ref.label or 'the element'} is no longer on the page"


@dataclass(frozen=True, slots=True)
class Enabled:
    """The element is not disabled."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is not None and element.has(ElementState.DISABLED):
            return f"{element.label} is disabled"
        return ""


@dataclass(frozen=True, slots=True)
class Editable:
    """The element takes text and is not read-only."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is None:
            return ""
        if element.has(ElementState.READONLY):
            return f"{element.label} is read-only"
        if not element.has(ElementState.EDITABLE):
            return f"{element.label} does not take text"
        return ""


@dataclass(frozen=True, slots=True)
class HasOptions:
    """The element is a native select."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is not None and element.tag != "select":
            return f"{element.label} is no native list; open it and click the choice"
        return ""


@dataclass(frozen=True, slots=True)
class TabIsOpen:
    """A tab with the given id is open."""

    parameter: str = "tab_id"

    def check(self, action: Action, state: ScreenState) -> str:
        tab_id = getattr(action, self.parameter)
        return "" if any(tab.id == tab_id for tab in state.tabs) else f"there is no tab {tab_id}"


@dataclass(frozen=True, slots=True)
class InViewport:
    """The place is on the visible part of the surface."""

    x: str = "x_px"
    y: str = "y_px"

    def check(self, action: Action, state: ScreenState) -> str:
        x, y = getattr(action, self.x), getattr(action, self.y)
        view = state.viewport
        if x is None or view.area_css_px2 == 0 or view.contains(x, y):
            return ""
        return (
            f"the place {x:g}, {y:g} is not on the screen, which reaches from {view.x_css_px:g}, {view.y_css_px:g} "
            f"to {view.right_css_px:g}, {view.bottom_css_px:g}"
        )


@dataclass(frozen=True, slots=True)
class Unblocked:
    """No modal dialog lies over the target: it is part of the dialog, or there is none.

    Args:
        parameter: An element; "" checks the place that `x` and `y` name instead.
    """

    parameter: str = ""
    x: str = "x_px"
    y: str = "y_px"

    def check(self, action: Action, state: ScreenState) -> str:
        if not state.modal:
            return ""
        if self.parameter:
            element = _element(action, self.parameter, state)
            is_inside = element is None or state.modal in (*element.context, element.name)
            is_free = is_inside or (element is not None and not element.cover)
        else:
            x, y = getattr(action, self.x), getattr(action, self.y)
            is_free = x is None or state.modal_box is None or state.modal_box.contains(x, y)
        return "" if is_free else f"the dialog “{state.modal}” is open over it"


@dataclass(frozen=True, slots=True)
class EnabledAt:
    """What is listed at the place, if anything, is not disabled."""

    x: str = "x_px"
    y: str = "y_px"

    def check(self, action: Action, state: ScreenState) -> str:
        x, y = getattr(action, self.x), getattr(action, self.y)
        element = state.element_at(x, y) if x is not None else None
        if element is not None and element.has(ElementState.DISABLED):
            return f"{element.label} is disabled"
        return ""


@dataclass(frozen=True, slots=True)
class TextAt:
    """There is text at the target: an element with text or a field, or a text block at the place."""

    parameter: str = "target"
    x: str = "x_px"
    y: str = "y_px"

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state) if self.parameter else None
        if element is not None:
            has_text = bool(element.name or element.text or element.value) or element.has(ElementState.EDITABLE)
            return "" if has_text else f"{element.label} has no text"
        x, y = getattr(action, self.x), getattr(action, self.y)
        if x is None:
            return ""
        listed = state.element_at(x, y)
        is_text = any(block.box.contains(x, y) for block in state.texts)
        is_text = is_text or any(box.contains(x, y) for table in state.tables for box in table.boxes)
        is_text = is_text or (listed is not None and bool(listed.name or listed.text or listed.value))
        return "" if is_text else f"there is no text at {x:g}, {y:g}"


@dataclass(frozen=True, slots=True)
class Draggable:
    """The element can be dragged."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is None or element.has(ElementState.DRAGGABLE) or element.role == "slider":
            return ""
        if state.surface is SurfaceKind.DESKTOP:  # accessibility trees do not tell it
            return ""
        return f"{element.label} cannot be dragged"


@dataclass(frozen=True, slots=True)
class Scrollable:
    """Something at the target can still be scrolled in that direction: its scroll container, or the page around it."""

    parameter: str = "target"

    def check(self, action: Action, state: ScreenState) -> str:
        if state.surface is SurfaceKind.DESKTOP:  # accessibility trees do not tell how far
            return ""
        dx, dy = getattr(action, "dx_css_px", 0), getattr(action, "dy_css_px", 0)
        if not dx and not dy:
            return "scrolling by nothing does nothing"
        if state.scroll.height_css_px == 0:
            return ""
        around = _scrollers(action, self.parameter, state)
        view = state.viewport
        below = state.scroll.height_css_px - state.scroll.y_css_px - view.height_css_px
        right = state.scroll.width_css_px - state.scroll.x_css_px - view.width_css_px
        rooms = [(state.scroll.x_css_px, right, state.scroll.y_css_px, below)]
        rooms += [(one.left_css_px, one.right_css_px, one.above_css_px, one.below_css_px) for one in around]
        if any(
            (dy > 0 and below >= 1) or (dy < 0 and above >= 1) or (dx > 0 and right >= 1) or (dx < 0 and left >= 1)
            for left, right, above, below in rooms
        ):
            return ""
        return "there is nothing more to scroll to in that direction"


def _scrollers(action: Action, parameter: str, state: ScreenState) -> list[ScrollContainer]:
    """The scroll containers around the target; all of them when no target is given, since any may take the wheel."""
    ref = getattr(action, parameter)
    if ref is not None:
        element = state.find(ref)
        keys = {element.key, element.scroller} if element is not None else set()
        inside = [one for one in state.scrollers if one.key in keys]
        boxes = [one.box for one in inside]
        return inside + [
            one for one in state.scrollers
            if one not in inside and any(one.box.contains(*box.center) for box in boxes)
        ]  # fmt: skip
    x, y = getattr(action, "x_px", None), getattr(action, "y_px", None)
    if x is None or y is None:
        return list(state.scrollers)
    return [one for one in state.scrollers if one.box.contains(x, y)]


@dataclass(frozen=True, slots=True)
class Held:
    """The key or mouse button is held down now by the agent."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        name = held_name(str(getattr(action, self.parameter)))
        return "" if name in state.held else f"“{name}” is not held down"


@dataclass(frozen=True, slots=True)
class KeyKnown:
    """The names are keys: one key, a chord, or several keys."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        value = getattr(action, self.parameter)
        try:
            split_chord(value if isinstance(value, str) else "+".join(value))
        except ActionError as error:
            return str(error).rstrip(".")
        return ""


@dataclass(frozen=True, slots=True)
class SomethingSelected:
    """A text is selected; on the desktop, where programs do not all tell, the check is left to the effect."""

    def check(self, action: Action, state: ScreenState) -> str:
        return "" if state.selection or state.surface is SurfaceKind.DESKTOP else "nothing is selected"


@dataclass(frozen=True, slots=True)
class Editing:
    """What has the focus takes text; on the desktop a program without a listed focus passes."""

    def check(self, action: Action, state: ScreenState) -> str:
        focused = state.element(state.focus) if state.focus else None
        if focused is None:
            return "" if state.surface is SurfaceKind.DESKTOP else "no field has the focus"
        if focused.has(ElementState.READONLY):
            return f"{focused.label} is read-only"
        if not focused.has(ElementState.EDITABLE) and state.surface is SurfaceKind.BROWSER:
            return f"{focused.label} has the focus and does not take text"
        return ""


@dataclass(frozen=True, slots=True)
class AppIsOpen:
    """A window of that program, or with that title, is open.

    Also a postcondition: then the name the outcome gives counts, since windows go by other names than people use.
    """

    parameter: str

    def check(
        self, action: Action, state: ScreenState, after: ScreenState | None = None, outcome: Outcome | None = None
    ) -> str:
        app = str(getattr(action, self.parameter))
        name = outcome.value if outcome is not None and outcome.value else app
        return "" if windows_of(after or state, name) else f"no window of “{app}” is open"


@dataclass(frozen=True, slots=True)
class CommandReadable:
    """The command can be split into a program and arguments."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        try:
            parts = shlex.split(str(getattr(action, self.parameter)))
        except ValueError as error:
            return f"the command cannot be read: {str(error).lower()}"
        return "" if parts else "the command is empty"


@dataclass(frozen=True, slots=True)
class FileDialogOpen:
    """A file dialog or a page's request for a file waits, or the control that opens it is given."""

    def check(self, action: Action, state: ScreenState) -> str:
        if getattr(action, "target", None) is not None or state.file_chooser:
            return ""
        return "nothing asks for a file now"


@dataclass(frozen=True, slots=True)
class PathsFit:
    """The paths are absolute, and name files that exist; on the desktop one alone may be new, to save to."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        paths = [Path(path) for path in getattr(action, self.parameter)]
        for path in paths:
            if not path.is_absolute():
                return f"“{path}” is no absolute path"
            if path.is_file():
                continue
            if state.surface is SurfaceKind.DESKTOP and len(paths) == 1 and path.parent.is_dir():
                continue
            return f"there is no file “{path}”"
        return ""


def windows_of(state: ScreenState, app: str) -> tuple[Window, ...]:
    """Open windows of a program, by its name or a window's title, front to back; exact names before parts of them."""
    wanted = " ".join(app.casefold().split())
    exact = tuple(one for one in state.windows if wanted in {one.app.casefold(), one.title.casefold()})
    return exact or tuple(
        one for one in state.windows if wanted in one.app.casefold() or wanted in one.title.casefold()
    )


def held_name(name: str) -> str:
    """The name under which `ScreenState.held` lists a key or button."""
    if name in {"left", "right", "middle"}:
        return name
    try:
        return key_name(name)
    except ActionError:
        return name
