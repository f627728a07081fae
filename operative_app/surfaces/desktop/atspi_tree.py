"""From the nodes of a window to what is said of it: controls, texts, tables, focus. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from operative_app.core.screen import Box, Element, ElementState, ScrollContainer, Table, TextBlock, Window, shorten
from operative_app.surfaces.desktop.atspi_element import (
    MOST_NAME,
    NAMED_INSIDE,
    element_from,
    is_list,
    role_name,
    role_of,
)
from operative_app.surfaces.desktop.atspi_layout import (
    around,
    in_reading_order,
    may_be_label,
    scroll_container,
    text_beside,
    text_right_of,
)
from operative_app.surfaces.desktop.atspi_nodes import Node
from operative_app.surfaces.desktop.atspi_places import Correction, clipped, correction
from operative_app.surfaces.desktop.atspi_roles import (
    CHECKED_ROLES,
    CLIPS,
    COLLECTIONS,
    CONTROLS,
    DRAWN,
    MENUS,
    NAMING,
    TEXTS,
    Role,
    State,
)
from operative_app.surfaces.desktop.ports import WindowTree

MOST_OUT = 200
POOR_COUNT = 3
"""With fewer controls and texts than this a window tells nearly nothing."""
POOR_SHARE = 0.5
"""Of a window's area that is drawn by the program itself, to count as telling nothing."""

_LISTED_ROLES = frozenset({"tab", "listitem", "treeitem", "icon", "menuitem", "menuitemcheckbox", "menuitemradio"})


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


@dataclass(slots=True)
class _Place:
    """What a node takes over from what it is in."""

    path: str
    index: int = -1
    context: tuple[str, ...] = ()
    area: Box | None = None
    scroller: str = ""
    is_named: bool = False


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
        waiting = [(top, _Place(path=role_name(top.role)))]
        while waiting:
            node, place = waiting.pop()
            inner = self._enter(node, place, is_top=node is top)
            counts: dict[str, int] = {}
            below = []
            for child in in_reading_order([*node.headers, *node.children]):
                kind = CONTROLS.get(child.role) or role_name(child.role)
                index = counts[kind] = counts.get(kind, -1) + 1
                at = f"{child.row},{child.column}" if child.row >= 0 else str(index)
                path = f"{place.path}/{role_name(child.role)}[{at}]"
                below.append((child, replace(inner, path=path, index=index)))
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
            found = scroll_container(node, shown) if shown is not None else None
            if found is not None and found.key != scroller:
                self.scrollers.append(found)
                scroller = found.key
        if node.role in COLLECTIONS and node.children and node.children[0].row >= 0:
            self._table(node, context)
        is_named = place.is_named or (role_of(node) in NAMED_INSIDE and not node.name)
        return _Place(place.path, -1, context, area, scroller, is_named)

    def _note(self, node: Node, place: _Place, box: Box, shown: Box | None) -> None:
        is_out = shown is None
        if node.is_out and not is_out:
            return  # hidden for another reason than scrolling
        if node.role in DRAWN and shown is not None:
            self.drawn_px2 += shown.area_css_px2
        role = role_of(node)
        if role and not (is_out and self.out_count >= MOST_OUT):
            self.out_count += is_out
            element = element_from(node, role, shown or box, self.window.id)
            self.elements.append(
                element.model_copy(
                    update={
                        "path": place.path,
                        "context": tuple(part for part in place.context if part != element.name),
                        "scroller": place.scroller,
                        "list_index": place.index if role in _LISTED_ROLES else -1,
                        "states": element.states | ({ElementState.OFFSCREEN} if is_out else frozenset()),
                        **self._in_table(node),
                    }
                )
            )
        elif node.role in TEXTS and node.name.strip() and shown is not None and not place.is_named:
            text = node.name.strip()
            context = tuple(part for part in place.context if part != text)
            self.texts.append(TextBlock(text=text, role=TEXTS[node.role], box=shown, context=context))

    def _in_table(self, node: Node) -> dict[str, object]:
        """Where a cell is: `row` counts the rows in sight, `list_index` all."""
        table = node.parent
        if node.row < 0 or table is None or not table.children:
            return {}
        if is_list(table):
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
        if is_list(node):
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
                boxes=tuple(around([self.fix.of(cell.box) for cell in row.values() if cell.box]) for row in ordered),
                context=context,
            )
        )

    def name_by_neighbours(self) -> None:
        """Give fields without a name that of the text beside or above them."""
        for index, element in enumerate(self.elements):
            if element.name or element.role in {"cell", "listitem", "columnheader"}:
                continue
            is_tick = element.role in CHECKED_ROLES
            labels = [text for text in self.texts if may_be_label(text.text, element)]
            name = (text_right_of if is_tick else text_beside)(element.box, labels).rstrip(": ")
            if name:
                found = {"name": shorten(name, MOST_NAME), "label_source": "nearby"}
                self.elements[index] = element.model_copy(update=found)

    def is_poor(self) -> bool:
        told = sum(1 for one in self.elements if one.name or one.value or one.has(ElementState.EDITABLE))
        if told + len(self.texts) < POOR_COUNT:
            return not any(one.has(ElementState.EDITABLE) for one in self.elements)
        return self.drawn_px2 > POOR_SHARE * self.window.box.area_css_px2


def _focus(elements: Iterable[Element]) -> str:
    """The key of what gets what is typed.

    Of several (Qt says so of a tab and its content, and of what is behind an open menu) a menu's item, else the field.
    """
    focused = [one for one in elements if one.has(ElementState.FOCUSED)]
    items = [one for one in focused if one.role.startswith("menuitem")]
    fields = [one for one in focused if one.role in {"textbox", "spinbutton", "combobox", "document"}]
    return (items or fields or focused)[-1].key if focused else ""
