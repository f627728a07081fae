"""Controls of programs on Windows, by UI Automation (COM) through comtypes.

A walk in the control view, bounded in nodes and time. Keys are runtime ids, which stay while the control stays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any, Final

from operative_app.core.errors import StaleReference, SurfaceMissing
from operative_app.core.screen import Box, Element, ElementState, TextBlock, Window
from operative_app.surfaces.desktop.ports import WindowTree

MOST_NODES: Final = 2_000
READ_S: Final = 1.5
_ROLES: Final = {
    50000: "button", 50002: "checkbox", 50003: "combobox", 50004: "textbox", 50005: "link", 50007: "listitem",
    50011: "menuitem", 50013: "radio", 50015: "slider", 50016: "spinbutton", 50019: "tab", 50024: "treeitem",
    50029: "cell", 50030: "textbox", 50031: "button",
}  # fmt: skip
_TEXT: Final = 50020
_VALUE, _TOGGLE, _EXPAND, _SELECTION_ITEM = 10002, 10015, 10005, 10010


class UiaAccessibility:
    """`ports.Accessibility`. COM objects are used on a worker thread, one call at a time."""

    def __init__(self) -> None:
        self._nodes: dict[str, Any] = {}
        self._client: Any = None

    async def read(self, window: Window) -> WindowTree:
        return await asyncio.to_thread(self._read, window)

    async def text_of(self, key: str) -> str:
        return await asyncio.to_thread(self._text, key)

    async def set_text(self, key: str, text: str) -> bool:
        return await asyncio.to_thread(self._set_text, key, text)

    async def focused(self) -> Element | None:
        return await asyncio.to_thread(self._focused)

    async def close(self) -> None:
        self._nodes.clear()
        self._client = None

    def _automation(self) -> Any:
        if self._client is None:
            try:
                import comtypes.client
            except ImportError as error:
                raise SurfaceMissing("UI Automation needs the package comtypes, which is not installed.") from error
            comtypes.CoInitialize()
            module = comtypes.client.GetModule("UIAutomationCore.dll")
            self._client = comtypes.client.CreateObject(
                "{ff48dba4-60ef-4201-aa87-54103eef594e}", interface=module.IUIAutomation
            )
        return self._client

    def _read(self, window: Window) -> WindowTree:
        client = self._automation()
        self._nodes.clear()
        elements: list[Element] = []
        texts: list[TextBlock] = []
        count = 0
        end_s = time.monotonic() + READ_S
        for node, path in self._walk(client, client.ElementFromHandle(window.id)):
            count += 1
            if count > MOST_NODES or time.monotonic() > end_s:
                break
            if node.CurrentControlType == _TEXT:
                texts.append(TextBlock(text=node.CurrentName or "", box=_box(node)))
            elif (element := self._element(node, path, window.id)) is not None:
                elements.append(element)
        is_cut = count > MOST_NODES or time.monotonic() > end_s
        return WindowTree(
            elements=tuple(elements),
            texts=tuple(text for text in texts if text.text),
            focus=next((one.key for one in elements if one.has(ElementState.FOCUSED)), ""),
            is_poor=not elements,
            left_out=(f"A part of “{window.title}” was not looked at.",) if is_cut else (),
        )

    def _walk(self, client: Any, top: Any) -> Iterator[tuple[Any, str]]:
        walker = client.ControlViewWalker
        waiting = [(top, "window")]
        while waiting:
            node, path = waiting.pop()
            yield node, path
            below: list[tuple[Any, str]] = []
            child = walker.GetFirstChildElement(node)
            while child:
                below.append((child, f"{path}/{child.CurrentControlType}[{len(below)}]"))
                child = walker.GetNextSiblingElement(child)
            waiting.extend(reversed(below))

    def _element(self, node: Any, path: str, window_id: int) -> Element | None:
        role = _ROLES.get(node.CurrentControlType)
        if role is None:
            return None
        key = "uia:" + ".".join(map(str, node.GetRuntimeId()))
        self._nodes[key] = node
        is_secret = bool(node.CurrentIsPassword)
        return Element(
            key=key,
            role=role,
            name=node.CurrentName or "",
            value="" if is_secret else _value(node),
            states=frozenset(_states(node, role)),
            box=_box(node),
            path=path,
            window=window_id,
        )

    def _node(self, key: str) -> Any:
        node = self._nodes.get(key)
        if node is None:
            raise StaleReference("What was to be used is not there any more.")
        return node

    def _text(self, key: str) -> str:
        node = self._node(key)
        return "" if node.CurrentIsPassword else _value(node)

    def _set_text(self, key: str, text: str) -> bool:
        pattern = _pattern(self._node(key), _VALUE, "IUIAutomationValuePattern")
        if pattern is None or pattern.CurrentIsReadOnly:
            return False
        pattern.SetValue(text)
        return True

    def _focused(self) -> Element | None:
        return self._element(self._automation().GetFocusedElement(), "focus", 0)


def _pattern(node: Any, number: int, interface: str) -> Any:
    from comtypes.gen import UIAutomationClient

    found = node.GetCurrentPattern(number)
    return found.QueryInterface(getattr(UIAutomationClient, interface)) if found else None


def _value(node: Any) -> str:
    pattern = _pattern(node, _VALUE, "IUIAutomationValuePattern")
    return str(pattern.CurrentValue or "") if pattern is not None else ""


def _states(node: Any, role: str) -> Iterator[ElementState]:
    if not node.CurrentIsEnabled:
        yield ElementState.DISABLED
    if node.CurrentHasKeyboardFocus:
        yield ElementState.FOCUSED
    if node.CurrentIsOffscreen:
        yield ElementState.OFFSCREEN
    if node.CurrentIsPassword:
        yield ElementState.PASSWORD
    value = _pattern(node, _VALUE, "IUIAutomationValuePattern")
    if role == "textbox" and value is not None:
        yield ElementState.READONLY if value.CurrentIsReadOnly else ElementState.EDITABLE
    toggle = _pattern(node, _TOGGLE, "IUIAutomationTogglePattern")
    if toggle is not None:
        yield (ElementState.UNCHECKED, ElementState.CHECKED, ElementState.MIXED)[toggle.CurrentToggleState]
    expand = _pattern(node, _EXPAND, "IUIAutomationExpandCollapsePattern")
    if expand is not None and expand.CurrentExpandCollapseState in {0, 1}:
        yield ElementState.EXPANDED if expand.CurrentExpandCollapseState else ElementState.COLLAPSED
    chosen = _pattern(node, _SELECTION_ITEM, "IUIAutomationSelectionItemPattern")
    if chosen is not None and chosen.CurrentIsSelected:
        yield ElementState.SELECTED


def _box(node: Any) -> Box:
    area = node.CurrentBoundingRectangle
    return Box(
        x_css_px=area.left,
        y_css_px=area.top,
        width_css_px=max(0, area.right - area.left),
        height_css_px=max(0, area.bottom - area.top),
    )
