"""From one node to what is said of it: its role here, name, value and states. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from operative_app.core.screen import Box, Element, ElementState, shorten
from operative_app.surfaces.desktop.atspi_nodes import Node
from operative_app.surfaces.desktop.atspi_roles import (
    CHECKED_ROLES,
    COLLECTIONS,
    CONTROLS,
    DOCUMENTS,
    FIELDS,
    METERS,
    TEXTS,
    VALUED,
    Role,
    State,
)

MOST_NAME = 300
NAMED_INSIDE = frozenset({"listitem", "treeitem", "row", "button", "tab", "menuitem"})
"""What is named by the texts in it when it has no name itself."""
_SELECTED_ROLES = frozenset({"tab", "listitem", "cell", "row", "treeitem", "icon", "option"})
_STATES: tuple[tuple[State, ElementState], ...] = (
    (State.FOCUSED, ElementState.FOCUSED),
    (State.BUSY, ElementState.BUSY),
    (State.REQUIRED, ElementState.REQUIRED),
    (State.INVALID_ENTRY, ElementState.INVALID),
    (State.MULTISELECTABLE, ElementState.MULTISELECT),
)


def element_of(node: Node, window_id: int = 0) -> Element:
    """One node by itself; without a box it is nowhere."""
    nowhere = Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)
    role = CONTROLS.get(node.role) or COLLECTIONS.get(node.role) or "group"
    return element_from(node, role, node.box or nowhere, window_id)


def role_of(node: Node) -> str:
    """What it is called when it can be acted on or tells a value; "" for the rest."""
    if node.role in CONTROLS:
        if node.role in {Role.TABLE_CELL, Role.ICON} and not (node.name or can_be_checked(node)):
            return ""
        if node.row >= 0 and node.role == Role.TABLE_CELL and node.parent is not None and is_list(node.parent):
            return "listitem"
        return CONTROLS[node.role]
    if node.role in COLLECTIONS:
        if not node.has(State.FOCUSABLE):
            return ""
        is_plain = any(one.row >= 0 for one in node.children) and is_list(node)
        return "listbox" if is_plain else COLLECTIONS[node.role]
    if node.role in DOCUMENTS:
        return "document" if node.has(State.FOCUSABLE) or node.value else ""
    if node.role == Role.IMAGE:
        return "img" if node.name or node.description else ""
    return METERS.get(node.role, "")


def element_from(node: Node, role: str, box: Box, window_id: int) -> Element:
    """What is said of a node; its path, context and place in lists are added by who knows the tree."""
    name, value, source = _name_and_value(node, role)
    return Element(
        key=node.key or node.ref.key,
        role=role,
        name=shorten(name, MOST_NAME),
        label_source=source,
        value=value,
        description=shorten(node.description, MOST_NAME) if node.description != name else "",
        tag=role_name(node.role),
        states=frozenset(_states(node, role)),
        box=box,
        options=node.options,
        window=window_id,
    )


def _name_and_value(node: Node, role: str) -> tuple[str, str, str]:
    """Name, value, and where the name is from."""
    name, value = node.name.strip(), node.value
    if role == "combobox":
        chosen = next((one.label for one in node.options if one.is_selected), "")
        is_choice = any(one.label == name for one in node.options)
        if is_choice or node.label or not node.options:  # its name is what is chosen in it
            name, value = "", name
        value = value or chosen
    if role == "textbox" and node.role != Role.PASSWORD_TEXT and name and name == value:
        name = ""
    if node.role == Role.PASSWORD_TEXT:
        value = ""
    if name:
        return name.rstrip(": ") if node.role in FIELDS or node.role in VALUED else name, value, "accessible"
    if node.label:
        return node.label.rstrip(": "), value, "accessible"
    if role in NAMED_INSIDE and (inside := _name_from_inside(node)):
        return inside, value, "text"
    return node.description, value, "title" if node.description else ""


def _name_from_inside(node: Node) -> str:
    """The texts in a row or button that has no name itself."""
    found = [one.name.strip() for one in node.walk() if one is not node and one.role in TEXTS and one.name.strip()]
    return " ".join(found[:3])


def _states(node: Node, role: str) -> Iterator[ElementState]:
    for state, meaning in _STATES:
        if node.has(state):
            yield meaning
    if not (node.has(State.ENABLED) or node.has(State.SENSITIVE)):
        yield ElementState.DISABLED
    if role in {"textbox", "spinbutton"} or node.role in DOCUMENTS:
        if node.has(State.EDITABLE) and not node.has(State.READ_ONLY):
            yield ElementState.EDITABLE
        elif node.role != Role.TERMINAL:
            yield ElementState.READONLY
        if node.has(State.MULTI_LINE):
            yield ElementState.MULTILINE
        if node.role == Role.PASSWORD_TEXT:
            yield ElementState.PASSWORD
    elif role == "combobox" and node.has(State.EDITABLE):
        yield ElementState.EDITABLE
    if can_be_checked(node):
        if node.has(State.INDETERMINATE):
            yield ElementState.MIXED
        else:
            yield ElementState.CHECKED if node.has(State.CHECKED) else ElementState.UNCHECKED
    elif role == "button" and (node.has(State.CHECKED) or node.has(State.PRESSED)):
        yield ElementState.PRESSED
    if role in _SELECTED_ROLES and node.has(State.SELECTED):
        yield ElementState.SELECTED
    if node.role == Role.MENU or role == "combobox" or node.has(State.HAS_POPUP):
        yield ElementState.POPUP
    if node.has(State.EXPANDED) or (node.role == Role.MENU and any(one.has(State.SHOWING) for one in node.children)):
        yield ElementState.EXPANDED
    elif node.has(State.EXPANDABLE) or node.has(State.COLLAPSED):
        yield ElementState.COLLAPSED


def can_be_checked(node: Node) -> bool:
    role = CONTROLS.get(node.role, "")
    return role in CHECKED_ROLES or (role in {"cell", "listitem", "treeitem"} and node.has(State.CHECKABLE))


def is_list(table: Node) -> bool:
    """Whether a table is a plain list: one column, without a header."""
    return not table.headers and all(cell.column <= 0 for cell in table.children if cell.row >= 0)


def role_name(role: int) -> str:
    try:
        return Role(role).name.lower().replace("_", " ")
    except ValueError:
        return f"role {role}"
