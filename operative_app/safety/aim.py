"""What an action lands on, and which controls it sets off. Read from the action and the present screen alone.

| action | sets off |
|---|---|
| a left click, single to triple, on an element or at a place | the control there |
| pressing or letting go of the left button at a place | the control there |
| dragging | what it is dropped on, and a slider that is dragged; within one control it is a click |
| Enter in a field, also as a newline that is typed | what submits its form, else the buttons of the form |
| Enter or the blank on a control | that control |
| Enter in a dialog of the desktop | the buttons of that window |
| pointing, scrolling, the right button | nothing |
"""

from __future__ import annotations

from collections.abc import Iterable

from operative_app.actions.browser import Fill
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import Hotkey, KeyDown, PressKey, TypeText
from operative_app.actions.mouse import (
    Click,
    ClickElement,
    DoubleClick,
    Drag,
    DragElement,
    MouseDown,
    MouseUp,
    SelectText,
    TripleClick,
)
from operative_app.core.errors import ActionError
from operative_app.core.keys import split_chord
from operative_app.core.ports import MouseButton
from operative_app.core.screen import Element, ElementRef, ElementState, ScreenState, SurfaceKind
from operative_app.safety.forms import is_same_form

PRESSED = frozenset({"button", "menuitem", "link", "checkbox", "switch", "option", "tab", "generic", "image"})
"""Roles of what does something when it is pressed."""

_SENDING = frozenset({"Control", "Meta", "ControlOrMeta"})
"""With Enter they send off what is written even in a field of several lines."""


def aimed_at(action: Action, state: ScreenState) -> tuple[Element, ...]:
    """The elements an action names, or those at the places it names; in the order of its parameters."""
    refs = [value for _, value in action if isinstance(value, ElementRef)]
    named = [element for ref in refs if (element := state.find(ref)) is not None]
    return (*named, *(one for place in places_of(action) if (one := at_place(state, *place)) is not None))


def at_place(state: ScreenState, x_px: float, y_px: float) -> Element | None:
    """The smallest listed element in sight there that nothing covers; a covered one when there is no other."""
    hits = [
        one for one in state.elements if one.box.contains(x_px, y_px) and not one.has(ElementState.OFFSCREEN)
    ]  # fmt: skip
    free = [one for one in hits if not one.cover] or hits
    return min(free, key=lambda one: one.box.area_css_px2, default=None)


def texts_at(action: Action, state: ScreenState) -> list[str]:
    """What is written at the places an action presses, where no control is listed."""
    if not isinstance(action, Click | DoubleClick | MouseDown | MouseUp) or getattr(action, "button", "left") != "left":
        return []
    free = [place for place in places_of(action) if at_place(state, *place) is None]
    return [block.text for block in state.texts for place in free if block.box.contains(*place)]


def set_off(action: Action, state: ScreenState) -> tuple[Element, ...]:
    """The controls the action presses."""
    match action:
        case Click() | MouseDown() | MouseUp() if action.button is not MouseButton.LEFT:
            return ()
        case Click() | ClickElement() | DoubleClick() | TripleClick() | MouseDown() | MouseUp():
            return tuple(one for one in aimed_at(action, state) if one.role in PRESSED)
        case Drag() | SelectText():
            start, end = at_place(state, action.x1_px, action.y1_px), at_place(state, action.x2_px, action.y2_px)
            return _dragged(start, end, is_drag=isinstance(action, Drag))
        case DragElement():
            ends = aimed_at(action, state)
            return _dragged(ends[0] if ends else None, ends[1] if len(ends) > 1 else None, is_drag=True)
    pressed = enter_like(action, state)
    return tuple(_entered(pressed, state, _focus(action, state))) if pressed else ()


def enter_like(action: Action, state: ScreenState) -> tuple[str, ...]:
    """The keys of an action when it presses Enter or the blank, () when it does not. Typed characters count."""
    match action:
        case PressKey():
            keys = _keys(action.key)
        case KeyDown():
            keys = _keys(action.key)
        case Hotkey():
            keys = _keys("+".join(action.keys))
        case TypeText():
            keys = ("Enter",) if "\n" in action.text else ("Space",) if " " in action.text else ()
        case Fill() if state.surface is SurfaceKind.DESKTOP and "\n" in action.text:
            keys = ("Enter",)
        case _:
            keys = ()
    return keys if keys and keys[-1] in {"Enter", "Space"} else ()


def keys_of(action: Action) -> tuple[str, ...]:
    """The keys an action presses together, by their one name; () for other actions and unknown keys."""
    match action:
        case PressKey() | KeyDown():
            return _keys(action.key)
        case Hotkey():
            return _keys("+".join(action.keys))
        case _:
            return ()


def places_of(action: Action) -> list[tuple[float, float]]:
    """The places an action names, in the state's pixels."""
    names = (("x_px", "y_px"), ("x1_px", "y1_px"), ("x2_px", "y2_px"))
    found = [(getattr(action, x, None), getattr(action, y, None)) for x, y in names]
    return [(x, y) for x, y in found if x is not None and y is not None]


def _dragged(start: Element | None, end: Element | None, *, is_drag: bool) -> tuple[Element, ...]:
    if start is not None and end is not None and start.key == end.key:
        return (start,) if start.role in PRESSED else ()
    if not is_drag:
        return ()
    moved = start if start is not None and start.role == "slider" else None
    return tuple(one for one in (moved, end) if one is not None)


def _focus(action: Action, state: ScreenState) -> Element | None:
    ref = action.target_ref
    return state.find(ref) if ref is not None else state.element(state.focus) if state.focus else None


def _entered(keys: tuple[str, ...], state: ScreenState, element: Element | None) -> Iterable[Element]:
    if element is None:
        return _default_buttons(state) if keys[-1] == "Enter" else ()
    if element.role in PRESSED:
        return (element,)
    if keys[-1] == "Space" or element.role == "searchbox" or element.input_type == "search":
        return ()
    if element.has(ElementState.MULTILINE) and not _SENDING & set(keys):
        return ()
    buttons = [one for one in state.elements if one.role == "button"]
    form = [one for one in buttons if is_same_form(one, element)]
    form = [one for one in form if one.sends_to] or form
    return [*form, *(one for one in _default_buttons(state) if one not in form)]


def _default_buttons(state: ScreenState) -> list[Element]:
    """The buttons of a dialog of the desktop that has the focus: Enter presses its default one."""
    window = state.active_window
    if window is None or not window.is_dialog:
        return []
    return [one for one in state.elements if one.role == "button" and one.window == window.id]


def _keys(chord: str) -> tuple[str, ...]:
    try:
        return split_chord(chord)
    except ActionError:
        return ()
