"""Where an action takes place: in the page or in a frame of another address, in which program's window.

| action | place |
|---|---|
| on an element | the frame or window the element is in |
| at a place | the innermost frame there; the foremost window there |
| keys and typing | what has the focus; on the desktop the window in front |
"""

from __future__ import annotations

from collections.abc import Iterator

from operative_app.actions.declare import Action
from operative_app.core.screen import Element, ScreenState, Window
from operative_app.safety.aim import aimed_at, places_of


def addresses_of(action: Action, state: ScreenState) -> tuple[str, ...]:
    """The addresses of the documents an action acts in; that of the page where no frame has one of its own."""
    paths = [element.frame for element in _elements(action, state)]
    paths.extend(_frame_at(state, *place) for place in places_of(action))
    return tuple(dict.fromkeys(state.address_in(path) for path in paths)) or (state.url,)


def windows_of(action: Action, state: ScreenState) -> tuple[Window, ...]:
    """The windows an action acts in; the one in front where it names no place. Where no window is there is none."""
    by_id = {window.id: window for window in state.windows}
    elements = _elements(action, state)
    places = list(places_of(action))
    if not elements and not places:
        return (state.active_window,) if state.active_window is not None else ()
    found = [by_id.get(one.window) or _window_at(state, *one.box.center) for one in elements]
    found.extend(_window_at(state, *place) for place in places)
    return tuple({window.id: window for window in found if window is not None}.values())


def _elements(action: Action, state: ScreenState) -> tuple[Element, ...]:
    """What it is aimed at; for keys what has the focus."""
    if aimed := aimed_at(action, state):
        return aimed
    focused = state.element(state.focus) if state.focus and not places_of(action) else None
    return (focused,) if focused is not None else ()


def _frame_at(state: ScreenState, x_px: float, y_px: float) -> str:
    hits = [one.path for one in state.frames if one.box.contains(x_px, y_px)]
    return max(hits, key=lambda path: path.count("."), default="")


def _window_at(state: ScreenState, x_px: float, y_px: float) -> Window | None:
    return next((one for one in _front_to_back(state) if one.box.contains(x_px, y_px)), None)


def _front_to_back(state: ScreenState) -> Iterator[Window]:
    return (window for window in state.windows if not window.is_minimized)
