"""Filling fields: real editing, native values for dates and the like, choices of lists."""

from __future__ import annotations

import re
from typing import Any

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.surfaces.browser.aiming import aim
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.following import Acts
from operative_app.surfaces.browser.pointer import Pointer
from operative_app.surfaces.browser.tab import Node, Tab
from operative_app.surfaces.browser.typewriter import Guard, type_text, typeable

_FORMS = {
    "date": "2027-03-09",
    "time": "17:30",
    "datetime-local": "2027-04-05T17:30",
    "month": "2027-03",
    "week": "2027-W10",
    "color": "#2f6fed",
    "range": "a number within its limits",
}
_WHY_NOT = {
    "gone": "is no longer on the page",
    "none": "does not take text",
    "select": "is a list; choose one of its options instead",
    "disabled": "is disabled",
    "readonly": "is read-only",
}


async def fill(tab: Tab, pointer: Pointer, acts: Acts, node: Node, text: str) -> str:
    """Replace the field's content; returns what it holds afterwards.

    Args:
        acts: Are told of each press and key before it is sent, since most fields need none: others are a person's.

    Raises:
        ActionError: It takes no text, or not this one; the sentence says which form it wants.
    """
    clean = typeable(text)
    way = await tab.on(node, "fillWay")
    match way["way"]:
        case "value":
            return await _set_value(tab, node, str(way["type"]), clean)
        case "keys":
            return await _edit(tab, pointer, acts, node, clean, way)
        case "gone":
            raise StaleReference(f"{node.label} {_WHY_NOT['gone']}.")
        case other:
            raise RefusedAction(f"{node.label} {_WHY_NOT[str(other)]}.")


async def _set_value(tab: Tab, node: Node, kind: str, text: str) -> str:
    value = text.strip()
    if kind == "datetime-local":
        value = re.sub(r"^(\d{4}-\d{2}-\d{2})\s+(\d{2}:\d{2})", r"\1T\2", value)
    if kind == "color":
        value = value.lower()
    await tab.on(node, "reveal")
    try:
        result = await tab.on(node, "setValue", value)
    except DialogWaits:  # the page asks about the value that was set
        return value
    if result["isRefused"] or (value and not result["held"]):
        raise ActionError(f"{node.label} does not take “{text}”; it wants the form {_FORMS[kind]}.")
    return str(result["held"])


async def _edit(tab: Tab, pointer: Pointer, acts: Acts, node: Node, text: str, way: dict[str, Any]) -> str:
    await tab.on(node, "reveal")
    if not await tab.on(node, "takeHold"):
        await pointer.move(tab, point := await aim(tab, node))
        acts.will_send(presses=1)
        await tab.border.call(tab.page.mouse.click(point.x_css_px, point.y_css_px), crash=tab.crash)
        if not await tab.on(node, "takeHold"):
            raise ActionError(f"{node.label} does not take the focus.")
    guard = Guard(tab)
    try:
        await guard.begin()
        await _type_over(tab, acts, node, text, is_line=bool(way.get("isLine")), is_rich=bool(way.get("isRich")))
        held = await tab.on(node, "heldBy")
        if held == "" and text.strip() and await tab.on(node, "takeHold"):
            # Some fields listen to keys alone.
            await type_text(tab, acts, text, 0, is_in_front=lambda: True)
            held = await tab.on(node, "heldBy")
    except DialogWaits:
        return text
    finally:
        guard.end()
    if held is None:
        raise StaleReference(f"{node.label} went while it was filled.")
    return str(held)


async def _type_over(tab: Tab, acts: Acts, node: Node, text: str, *, is_line: bool, is_rich: bool) -> None:
    keyboard = tab.page.keyboard

    async def work() -> None:
        if not text:
            acts.will_send(keys=1)
            await keyboard.press("Delete")
        elif is_rich and "\n" in text:
            for number, line in enumerate(text.split("\n")):
                await tab.border.wait_until_free()
                if number:
                    acts.will_send(keys=1)
                    await keyboard.press("Enter")
                if line:
                    await keyboard.insert_text(line)
        elif is_line and len(text) > 1 and "\n" not in text:
            # The last character as a key: suggestions often wait for one.
            await keyboard.insert_text(text[:-1])
            if await tab.on(node, "hasHold"):
                acts.will_send(keys=1)
                await keyboard.type(text[-1])
            elif await tab.on(node, "takeHold"):  # the page moved the focus: nothing may be typed elsewhere
                await keyboard.insert_text(text)
        else:
            await keyboard.insert_text(text)

    await tab.border.call(work(), deadline_s=10.0, crash=tab.crash)


async def select_option(tab: Tab, node: Node, label: str) -> str:
    """Choose in a native list; returns the chosen label."""
    try:
        result = await tab.on(node, "choose", label)
    except DialogWaits:  # the page asks about what was chosen
        return label
    match result["status"]:
        case "ok":
            return str(result["label"])
        case "gone":
            raise StaleReference(f"{node.label} is no longer on the page.")
        case "none":
            raise RefusedAction(f"{node.label} is no native list; open it and click the choice.")
        case "disabled":
            raise RefusedAction(f"{node.label} is disabled.")
        case "barred":
            raise RefusedAction(f"“{label}” in {node.label} cannot be chosen now.")
        case "missing":
            choices = ", ".join(f"“{choice}”" for choice in result["choices"]) or "nothing"
            raise ActionError(f"{node.label} has no “{label}”; it offers {choices}.")
        case _:
            raise ActionError(f"{node.label} went back to “{result['shown']}”.")
