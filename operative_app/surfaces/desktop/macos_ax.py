"""Controls of programs on macOS, by the accessibility API (AX) through pyobjc. A bounded walk over one window."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any, Final

from operative_app.core.errors import StaleReference
from operative_app.core.screen import Box, Element, ElementState, TextBlock, Window
from operative_app.surfaces.desktop.ports import WindowTree

MOST_NODES: Final = 2_000
READ_S: Final = 1.5
_ROLES: Final = {
    "AXButton": "button", "AXCheckBox": "checkbox", "AXComboBox": "combobox", "AXPopUpButton": "combobox",
    "AXTextField": "textbox", "AXTextArea": "textbox", "AXLink": "link", "AXRow": "row", "AXCell": "cell",
    "AXMenuItem": "menuitem", "AXMenuBarItem": "menuitem", "AXMenuButton": "button", "AXRadioButton": "radio",
    "AXSlider": "slider", "AXIncrementor": "spinbutton", "AXDisclosureTriangle": "button",
}  # fmt: skip


class AxAccessibility:
    """`ports.Accessibility`, on a worker thread, one call at a time."""

    def __init__(self) -> None:
        self._nodes: dict[str, Any] = {}

    async def read(self, window: Window) -> WindowTree:
        return await asyncio.to_thread(self._read, window)

    async def text_of(self, key: str) -> str:
        node = self._node(key)
        is_secret = attribute(node, "AXSubrole") == "AXSecureTextField"
        return "" if is_secret else await asyncio.to_thread(_text, node)

    async def set_text(self, key: str, text: str) -> bool:
        from ApplicationServices import AXUIElementSetAttributeValue

        return bool(AXUIElementSetAttributeValue(self._node(key), "AXValue", text) == 0)

    async def focused(self) -> Element | None:
        from ApplicationServices import AXUIElementCreateSystemWide

        node = attribute(AXUIElementCreateSystemWide(), "AXFocusedUIElement")
        return self._element(node, "focus", 0) if node is not None else None

    async def close(self) -> None:
        self._nodes.clear()

    def _read(self, window: Window) -> WindowTree:
        from ApplicationServices import AXUIElementCreateApplication

        self._nodes.clear()
        program = AXUIElementCreateApplication(window.pid)
        tops = [one for one in children(program, "AXWindows") if title_of(one) == window.title]
        bar = attribute(program, "AXMenuBar")
        elements: list[Element] = []
        texts: list[TextBlock] = []
        count, end_s = 0, time.monotonic() + READ_S
        for node, path in _walk([*tops[:1], *([bar] if bar is not None else [])]):
            count += 1
            if count > MOST_NODES or time.monotonic() > end_s:
                break
            if attribute(node, "AXRole") == "AXStaticText":
                texts.append(TextBlock(text=_text(node), box=_box(node)))
            elif (element := self._element(node, path, window.id)) is not None:
                elements.append(element)
        is_cut = count > MOST_NODES or time.monotonic() > end_s
        return WindowTree(
            elements=tuple(elements),
            texts=tuple(text for text in texts if text.text),
            focus=next((one.key for one in elements if one.has(ElementState.FOCUSED)), ""),
            is_poor=not tops or not elements,
            left_out=(f"A part of “{window.title}” was not looked at.",) if is_cut else (),
        )

    def _element(self, node: Any, path: str, window_id: int) -> Element | None:
        kind = str(attribute(node, "AXRole") or "")
        role = _ROLES.get(kind)
        if role is None:
            return None
        key = f"ax:{hash(node)}"
        self._nodes[key] = node
        is_secret = attribute(node, "AXSubrole") == "AXSecureTextField"
        return Element(
            key=key,
            role=role,
            name=title_of(node) or str(attribute(node, "AXDescription") or ""),
            value="" if is_secret else _text(node),
            states=frozenset(_states(node, kind, is_secret=is_secret)),
            box=_box(node),
            path=path,
            window=window_id,
        )

    def _node(self, key: str) -> Any:
        node = self._nodes.get(key)
        if node is None:
            raise StaleReference("What was to be used is not there any more.")
        return node


def attribute(node: Any, name: str) -> Any:
    """An attribute's value, None when it has none."""
    from ApplicationServices import AXUIElementCopyAttributeValue

    fault, value = AXUIElementCopyAttributeValue(node, name, None)
    return value if fault == 0 else None


def children(node: Any, name: str = "AXChildren") -> list[Any]:
    found = attribute(node, name)
    if found is None:
        return []
    return list(found) if isinstance(found, (list, tuple)) or hasattr(found, "count") else [found]


def title_of(node: Any) -> str:
    return str(attribute(node, "AXTitle") or "")


def press(node: Any, action: str) -> bool:
    """Have a control do one of its actions; whether it did."""
    from ApplicationServices import AXUIElementPerformAction

    return bool(AXUIElementPerformAction(node, action) == 0)


def _walk(tops: list[Any]) -> Iterator[tuple[Any, str]]:
    waiting = [(top, str(attribute(top, "AXRole") or "")) for top in reversed(tops)]
    while waiting:
        node, path = waiting.pop()
        yield node, path
        below = [(child, f"{path}/{attribute(child, 'AXRole')}[{place}]") for place, child in enumerate(children(node))]
        waiting.extend(reversed(below))


def _text(node: Any) -> str:
    value = attribute(node, "AXValue")
    return value if isinstance(value, str) else ""


def _states(node: Any, kind: str, *, is_secret: bool) -> Iterator[ElementState]:
    from ApplicationServices import AXUIElementIsAttributeSettable

    if attribute(node, "AXEnabled") is False:
        yield ElementState.DISABLED
    if attribute(node, "AXFocused"):
        yield ElementState.FOCUSED
    if is_secret:
        yield ElementState.PASSWORD
    if kind in {"AXTextField", "AXTextArea", "AXComboBox"}:
        _, is_settable = AXUIElementIsAttributeSettable(node, "AXValue", None)
        yield ElementState.EDITABLE if is_settable else ElementState.READONLY
    if kind == "AXTextArea":
        yield ElementState.MULTILINE
    if kind in {"AXCheckBox", "AXRadioButton"}:
        yield ElementState.CHECKED if attribute(node, "AXValue") else ElementState.UNCHECKED
    if attribute(node, "AXSelected"):
        yield ElementState.SELECTED


def _box(node: Any) -> Box:
    from ApplicationServices import AXValueGetValue, kAXValueCGPointType, kAXValueCGSizeType

    place, size = attribute(node, "AXPosition"), attribute(node, "AXSize")
    if place is None or size is None:
        return Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)
    _, point = AXValueGetValue(place, kAXValueCGPointType, None)
    _, extent = AXValueGetValue(size, kAXValueCGSizeType, None)
    return Box(x_css_px=point.x, y_css_px=point.y, width_css_px=extent.width, height_css_px=extent.height)
