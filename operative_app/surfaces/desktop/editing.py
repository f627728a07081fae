"""Texts of programs: read whole, put into fields by real editing, read back."""

from __future__ import annotations

import asyncio
from typing import Final

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.ports import MouseButton
from operative_app.core.screen import Element, ElementRef, ElementState, ScreenState
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.targets import READ_KEY, Target, Targets

LONGEST_TYPED: Final = 1_000
"""Characters; a longer text is put in at once where the program allows that."""
READ_BACK_S: Final = 1.5
LOOK_S: Final = 0.05
_SELECTED_BY_CLICK: Final = frozenset({"listitem", "option", "row", "cell", "tab", "treeitem", "gridcell", "icon"})


async def text_of(parts: Parts, element: Element) -> str:
    """The whole text of an element: its value, else what it shows, else its name."""
    if element.has(ElementState.PASSWORD):
        raise RefusedAction(f"{element.label} holds a password.")
    if element.key.startswith(READ_KEY):
        return element.text or element.name
    held = await parts.accessibility.text_of(element.key) or element.value
    is_field = element.role == "textbox" or element.has(ElementState.EDITABLE)
    return held if is_field else held or element.text or element.name


async def window_text(parts: Parts, state: ScreenState) -> str:
    """All text of the active window in reading order; of fields what they hold, whole."""
    lines: list[tuple[float, float, str]] = []
    for element in state.elements:
        if element.has(ElementState.OFFSCREEN) or element.has(ElementState.PASSWORD):
            continue
        is_field = element.has(ElementState.EDITABLE) or bool(element.value)
        text = await text_of(parts, element) if is_field else element.text or element.name
        lines.append((element.box.y_css_px, element.box.x_css_px, text))
    lines += [(block.box.y_css_px, block.box.x_css_px, block.text) for block in state.texts]
    ordered = dict.fromkeys((text.rstrip(), round(y)) for y, _, text in sorted(lines) if text.strip())
    return "\n".join(text for text, _ in ordered)


async def focus(parts: Parts, targets: Targets, ref: ElementRef) -> None:
    """Give an element the keyboard; raises RefusedAction where only pressing it would do that."""
    element, _, tree = await targets.seen(ref)
    if element.has(ElementState.FOCUSED) or tree.focus == element.key:
        return
    if not element.has(ElementState.EDITABLE) and element.role not in _SELECTED_BY_CLICK:
        raise RefusedAction(f"{element.label} cannot get the keyboard without being pressed.")
    target = await targets.element(ref)
    await parts.input.click(target.point, MouseButton.LEFT, 1)


async def fill(parts: Parts, targets: Targets, ref: ElementRef, text: str) -> str:
    """Replace what a field holds; returns what it holds then.

    Raises:
        RefusedAction: It takes no text, or one line only.
        ActionError: The focus went elsewhere meanwhile.
    """
    target = await targets.element(ref)
    element = target.element
    if not element.has(ElementState.EDITABLE) or element.has(ElementState.READONLY):
        raise RefusedAction(f"{element.label} does not take text.")
    if "\n" in text and not element.has(ElementState.MULTILINE):
        raise RefusedAction(f"{element.label} takes one line only.")
    if len(text) > LONGEST_TYPED and await parts.accessibility.set_text(element.key, text):
        return await _read_back(parts, element, text)
    await _type_over(parts, target, text)
    held = await _read_back(parts, element, text)
    is_readable = not element.has(ElementState.PASSWORD)
    if held != text and is_readable and await parts.accessibility.set_text(element.key, text):
        held = await _read_back(parts, element, text)
    return held


async def _type_over(parts: Parts, target: Target, text: str) -> None:
    await parts.input.click(target.point, MouseButton.LEFT, 1)
    await parts.input.press(["Control", "a"])
    if text:
        await parts.input.type_text(text, window_id=target.window.id)
    else:
        await parts.input.press(["Delete"])


async def _read_back(parts: Parts, element: Element, wanted: str) -> str:
    """What the field holds; a program that is still taking the keys gets a moment."""
    if element.has(ElementState.PASSWORD):
        return ""
    loop = asyncio.get_running_loop()
    end = loop.time() + READ_BACK_S
    while True:
        try:
            held = await parts.accessibility.text_of(element.key)
        except ActionError:  # it went with its window
            return wanted
        if held == wanted or loop.time() > end:
            return held
        await asyncio.sleep(LOOK_S)
