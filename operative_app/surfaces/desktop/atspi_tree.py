"""From the nodes of a window to what is said of it: controls, texts, tables, focus. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from operative_app.core.screen import Box, Element, ElementState, ScrollContainer, Table, TextBlock, Window, shorten
from operative_app.surfaces.desktop.atspi_nodes import Node
from operative_app.surfaces.desktop.atspi_places import Correction, clipped, correction
from operative_app.surfaces.desktop.atspi_roles import (
    CHECKED_ROLES,
    CLIPS,
    COLLECTIONS,
    CONTROLS,
    DOCUMENTS,
    DRAWN,
    FIELDS,
    MENUS,
    METERS,
    NAMING,
    TEXTS,
    Role,
    State,
)
from operative_app.surfaces.desktop.ports import WindowTree

MOST_OUT = 200
MOST_NAME = 300
MOST_LABEL = 50
POOR_COUNT = 3
"""With fewer controls and texts than this a window tells nearly nothing."""
POOR_SHARE = 0.5
"""Of a window's area that is drawn by the program itself, to count as telling nothing."""
BESIDE_PX = 160.0
ABOVE_PX = 26.0

_SELECTED_ROLES = frozenset({"tab", "listitem", "cell", "row", "treeitem", "icon", "option"})
_STATES: tuple[tuple[State, ElementState], ...] = (
    (State.FOCUSED, ElementState.FOCUSED),
    (State.BUSY, ElementState.BUSY),
    (State.REQUIRED, ElementState.REQUIRED),
    (State.INVALID_ENTRY, ElementState.INVALID),
    (State.MULTISELECTABLE, ElementState.MULTISELECT),
)


def window_tree(
    window: Window,
    tops: Sequence[Node],
    *,
    content: Box | None = None,
    modal: str = "",
    left_out: Iterable[str] = (),
) -> WindowTree:
    """What a window shows.

    Args:
        window: The window, as the window system knows it.
        tops: Its node first; then menus and lists of choices that stand beside it.
        content: Where the window is without its frame, when that is known.
        modal: Title of a modal dialog of the same program, "" when none is open.
        left_out: What could not be read.
    """
    fix = correction(tops[0].box, window.box, content) if tops else Correction()
    maker = _Maker(window, fix)
    for top in tops:
        maker.add(top)
    maker.name_by_neighbours()
    focus = _focus(maker.elements)
    own_modal = tops[0].name if tops and tops[0].has(State.MODAL) else ""
    return WindowTree(
        elements=tuple(maker.elements),
        texts=tuple(maker.texts),
        tables=tuple(maker.tables),
        scrollers=tuple(maker.scrollers),
        focus=focus,
        selection=maker.selection,
        modal=modal or own_modal,
        asks_for_file=any(node.role == Role.FILE_CHOOSER for top in tops[:1] for node in top.walk()),
        is_poor=maker.is_poor(),
        left_out=tuple(left_out),
    )


def element_of(node: Node, window_id: int = 0) -> Element:
    """One node by itself; without a box it is nowhere."""
    nowhere = Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)
    role = CONTROLS.get(node.role) or COLLECTIONS.get(node.role) or "group"
    return _element(node, role, node.box or nowhere, window_id)


@dataclass(slots=True)
class _Place:
    """What a node takes over from what it is in."""

    path: str
    context: tuple[str, ...] = ()
    area: Box | None = None
    scroller: str = ""


@dataclass(slots=True)
class _Maker:
    """Collects while the nodes are gone through."""

    window: Window
    fix: Correction
    elements: list[Element] = field(default_factory=list)
    texts: list[TextBlock] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    scrollers: list[ScrollContainer] = field(default_factory=list)
    selection: str = ""
    out_count: int = 0
    drawn_px2: float = 0.0

    def add(self, top: Node) -> None:
        waiting = [(top, _Place(path=_role_name(top.role)))]
        while waiting:
            node, place = waiting.pop()
            inner = self._enter(node, place, is_top=node is top)
            counts: dict[int, int] = {}
            below = []
            for child in _in_reading_order([*node.headers, *node.children]):
                index = counts[child.role] = counts.get(child.role, -1) + 1
                path = f"{place.path}/{_role_name(child.role)}[{index}]"
                if child.row >= 0:
                    path = f"{place.path}/{_role_name(child.role)}[{child.row},{child.column}]"
                below.append((child, _Place(path, inner.context, inner.area, inner.scroller)))
            waiting.extend(reversed(below))

    def _enter(self, node: Node, place: _Place, *, is_top: bool) -> _Place:
        """Note what a node is; returns the place for what it holds."""
        box = self.fix.of(node.box) if node.box is not None else None
        shown = clipped(box, place.area) if box is not None else None
        if box is not None and not is_top:
            self._note(node, place, box, shown)
        if node.has(State.FOCUSED) and node.selection:
            self.selection = node.selection
        context = place.context
        if node.name and node.role in NAMING and not is_top and node.name not in context:
            context = (*context, shorten(node.name, 80))
        area, scroller = place.area, place.scroller
        if node.role in MENUS:
            area = None  # an open menu hangs out of what it belongs to
        elif node.role in CLIPS and box is not None:
            area = shown
            found = _scroller(node, shown) if shown is not None else None
            if found is not None and found.key != scroller:
                self.scrollers.append(found)
                scroller = found.key
        if node.role in COLLECTIONS and node.children and node.children[0].row >= 0:
            self._table(node, context)
        return _Place(place.path, context, area, scroller)

    def _note(self, node: Node, place: _Place, box: Box, shown: Box | None) -> None:
        is_out = shown is None
        if node.is_out and not is_out:
            return  # hidden for another reason than scrolling
        if node.role in DRAWN and shown is not None:
            self.drawn_px2 += shown.area_css_px2
        role = _role(node)
        if role and not (is_out and self.out_count >= MOST_OUT):
            self.out_count += is_out
            element = _element(node, role, shown or box, self.window.id)
            self.elements.append(
                element.model_copy(
                    update={
                        "path": place.path,
                        "context": tuple(part for part in place.context if part != element.name),
                        "scroller": place.scroller,
                        "states": element.states | ({ElementState.OFFSCREEN} if is_out else frozenset()),
                        **self._in_table(node),
                    }
                )
            )
        elif node.role in TEXTS and node.name.strip() and shown is not None:
            text = TextBlock(text=node.name.strip(), role=TEXTS[node.role], box=shown, context=place.context)
            self.texts.append(text)

    def _in_table(self, node: Node) -> dict[str, object]:
        """Where a cell is: `row` counts the rows in sight, `list_index` all."""
        table = node.parent
        if node.row < 0 or table is None or not table.children:
            return {}
        if _is_list(table):
            return {"list_index": node.row}
        first = min(cell.row for cell in table.children)
        around = [one.name for one in table.headers if one.column == node.column]
        heads = [cell.name for cell in table.children if cell.row == node.row and cell.column == 0 and cell is not node]
        context = tuple(shorten(name, 80) for name in [*around, *heads] if name)
        place: dict[str, object] = {
            "table": len(self.tables) - 1,
            "row": node.row - first,
            "column": node.column,
            "list_index": node.row,
        }
        return {**place, "context": context} if context else place

    def _table(self, node: Node, context: tuple[str, ...]) -> None:
        if _is_list(node):
            return
        rows: dict[int, dict[int, Node]] = {}
        for cell in node.children:
            if cell.row >= 0:
                rows.setdefault(cell.row, {})[cell.column] = cell
        headers = {header.column: header.name for header in node.headers}
        width = max([*headers, *(column for row in rows.values() for column in row)], default=-1) + 1
        ordered = [rows[row] for row in sorted(rows)]
        self.tables.append(
            Table(
                caption=node.name or node.label,
                headers=tuple(headers.get(column, "") for column in range(width)) if headers else (),
                rows=tuple(tuple(row[at].name if at in row else "" for at in range(width)) for row in ordered),
                boxes=tuple(_around([self.fix.of(cell.box) for cell in row.values() if cell.box]) for row in ordered),
                context=context,
            )
        )

    def name_by_neighbours(self) -> None:
        """Give fields without a name that of the text beside or above them."""
        for index, element in enumerate(self.elements):
            if element.name or element.role in {"cell", "listitem", "columnheader"}:
                continue
            is_tick = element.role in CHECKED_ROLES
            labels = [text for text in self.texts if _is_label(text.text, element)]
            name = (_right_of if is_tick else _beside)(element.box, labels).rstrip(": ")
            if name:
                found = {"name": shorten(name, MOST_NAME), "label_source": "nearby"}
                self.elements[index] = element.model_copy(update=found)

    def is_poor(self) -> bool:
        told = sum(1 for one in self.elements if one.name or one.value or one.has(ElementState.EDITABLE))
        if told + len(self.texts) < POOR_COUNT:
            return not any(one.has(ElementState.EDITABLE) for one in self.elements)
        return self.drawn_px2 > POOR_SHARE * self.window.box.area_css_px2


def _focus(elements: Iterable[Element]) -> str:
    """The key of what gets what is typed: of several (some programs say so of a tab and its content) the field."""
    focused = [one for one in elements if one.has(ElementState.FOCUSED)]
    fields = [one for one in focused if one.role in {"textbox", "spinbutton", "combobox", "document"}]
    return (fields or focused)[-1].key if focused else ""


def _role(node: Node) -> str:
    """What it is called when it can be acted on or tells a value; "" for the rest."""
    if node.role in CONTROLS:
        if node.role in {Role.TABLE_CELL, Role.LIST_ITEM, Role.ICON} and not (node.name or _can_be_checked(node)):
            return ""
        if node.row >= 0 and node.role == Role.TABLE_CELL and node.parent is not None and _is_list(node.parent):
            return "listitem"
        return CONTROLS[node.role]
    if node.role in COLLECTIONS:
        is_list = any(one.row >= 0 for one in node.children) and _is_list(node)
        return ("listbox" if is_list else COLLECTIONS[node.role]) if node.has(State.FOCUSABLE) else ""
    if node.role in DOCUMENTS:
        return "document" if node.has(State.FOCUSABLE) or node.value else ""
    if node.role == Role.IMAGE:
        return "img" if node.name or node.description else ""
    return METERS.get(node.role, "")


def _element(node: Node, role: str, box: Box, window_id: int) -> Element:
    name, value, source = _name_and_value(node, role)
    return Element(
        key=node.key or node.ref.key,
        role=role,
        name=shorten(name, MOST_NAME),
        label_source=source,
        value=value,
        description=shorten(node.description, MOST_NAME) if node.description != name else "",
        tag=_role_name(node.role),
        states=frozenset(_states(node, role)),
        box=box,
        options=node.options,
        window=window_id,
        list_index=_place_in_list(node) if role in {"listitem", "tab", "treeitem", "menuitem", "icon"} else -1,
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
        return name.rstrip(": ") if node.role in FIELDS else name, value, "accessible"
    if node.label:
        return node.label.rstrip(": "), value, "accessible"
    return node.description, value, "title" if node.description else ""


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
    if _can_be_checked(node):
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


def _can_be_checked(node: Node) -> bool:
    role = CONTROLS.get(node.role, "")
    return role in CHECKED_ROLES or (role in {"cell", "listitem", "treeitem"} and node.has(State.CHECKABLE))


def _is_list(table: Node) -> bool:
    """Whether a table is a plain list: one column, without a header."""
    return not table.headers and all(cell.column <= 0 for cell in table.children if cell.row >= 0)


def _place_in_list(node: Node) -> int:
    if node.row >= 0:
        return node.row
    same = [one for one in node.parent.children if one.role == node.role] if node.parent is not None else []
    return same.index(node) if node in same else -1


def _scroller(pane: Node, box: Box) -> ScrollContainer | None:
    """How much lies out of sight in a part that scrolls; None when all is in sight, or it does not scroll."""
    if all(child.role == Role.SCROLL_BAR for child in pane.children):
        return None  # what holds the bar alone
    above, below, left, right = _hidden_rows(pane)
    for bar in _bars(pane):
        if bar.scroll is None or bar.box is None:
            continue
        least, now, greatest = bar.scroll
        if bar.box.height_css_px >= bar.box.width_css_px:
            above, below = now - least, greatest - now
        else:
            left, right = now - least, greatest - now
    if above + below + left + right < 1:
        return None
    held = next((one for one in pane.walk() if one.role in COLLECTIONS or one.role in FIELDS), pane)
    return ScrollContainer(
        key=held.ref.key,
        label=held.name or held.label or _role(held) or "scrolled part",
        box=box,
        above_css_px=max(above, 0),
        below_css_px=max(below, 0),
        left_css_px=max(left, 0),
        right_css_px=max(right, 0),
    )


def _bars(pane: Node) -> Iterator[Node]:
    """The scroll bars of a part; Qt puts each into a box of its own."""
    for child in pane.children:
        if child.role == Role.SCROLL_BAR:
            yield child
        elif child.role == Role.FILLER and child.children and all(one.scroll for one in child.children):
            yield from child.children


def _hidden_rows(table: Node) -> tuple[float, float, float, float]:
    """What a table without scroll bars of its own hides above and below, from the rows in sight."""
    rows = {cell.row: cell.box for cell in table.children if cell.row >= 0 and cell.box is not None}
    if not rows:
        return 0.0, 0.0, 0.0, 0.0
    height_px = sum(box.height_css_px for box in rows.values()) / len(rows)
    return min(rows) * height_px, max(0, table.rows - 1 - max(rows)) * height_px, 0.0, 0.0


def _in_reading_order(nodes: Sequence[Node]) -> Sequence[Node]:
    """Siblings line by line, each from left to right; programs list them as they were made.

    Two stand in one line when they share at least half the height of the lower one.
    """
    boxes = {node: _extent(node) for node in nodes}
    placed = sorted((node for node in nodes if boxes[node]), key=lambda node: _top_of(boxes[node]))
    lines: list[list[Node]] = []
    for node in placed:
        box, first = boxes[node], boxes[lines[-1][0]] if lines else None
        if box is not None and first is not None and _share_a_line(first, box):
            lines[-1].append(node)
        else:
            lines.append([node])
    ordered = [node for line in lines for node in sorted(line, key=lambda node: _left_of(boxes[node]))]
    return [*ordered, *(node for node in nodes if boxes[node] is None)]


def _extent(node: Node) -> Box | None:
    """Its box, or that around all it holds."""
    if node.box is not None:
        return node.box
    found = [box for box in (_extent(child) for child in node.children) if box is not None]
    return _around(found) if found else None


def _share_a_line(one: Box, other: Box) -> bool:
    shared = min(one.bottom_css_px, other.bottom_css_px) - max(one.y_css_px, other.y_css_px)
    return shared >= min(one.height_css_px, other.height_css_px) / 2


def _top_of(box: Box | None) -> float:
    return box.y_css_px if box is not None else 0.0


def _left_of(box: Box | None) -> float:
    return box.x_css_px if box is not None else 0.0


def _role_name(role: int) -> str:
    try:
        return Role(role).name.lower().replace("_", " ")
    except ValueError:
        return f"role {role}"


def _around(boxes: Sequence[Box]) -> Box:
    if not boxes:
        return Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)
    left, top = min(one.x_css_px for one in boxes), min(one.y_css_px for one in boxes)
    right, bottom = max(one.right_css_px for one in boxes), max(one.bottom_css_px for one in boxes)
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def _is_label(text: str, element: Element) -> bool:
    """Whether a text may name a field: short, no sentence; that of a large field says so by a colon."""
    if text.endswith(":"):
        return True
    return len(text) <= MOST_LABEL and not text.endswith((".", "!", "…")) and not element.has(ElementState.MULTILINE)


def _beside(box: Box, texts: Iterable[TextBlock]) -> str:
    """The text on the left in the same line, else the one right above."""
    best, best_px = "", BESIDE_PX
    for text in texts:
        one = text.box
        gap = box.x_css_px - one.right_css_px
        is_level = one.y_css_px < box.bottom_css_px and box.y_css_px < one.bottom_css_px
        if is_level and -4 <= gap < best_px:
            best, best_px = text.text, gap
    if best:
        return best
    best_px = ABOVE_PX
    for text in texts:
        one = text.box
        gap = box.y_css_px - one.bottom_css_px
        is_over = one.x_css_px < box.right_css_px and abs(one.x_css_px - box.x_css_px) < BESIDE_PX / 2
        if is_over and -4 <= gap < best_px:
            best, best_px = text.text, gap
    return best


def _right_of(box: Box, texts: Iterable[TextBlock]) -> str:
    best, best_px = "", BESIDE_PX / 4
    for text in texts:
        gap = text.box.x_css_px - box.right_css_px
        is_level = text.box.y_css_px < box.bottom_css_px and box.y_css_px < text.box.bottom_css_px
        if is_level and -4 <= gap < best_px:
            best, best_px = text.text, gap
    return best
