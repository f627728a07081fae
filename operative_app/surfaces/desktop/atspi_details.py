"""What costs a question of its own about each node: boxes, texts, values, labels, choices, the cells of tables."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Coroutine
from math import ceil
from typing import Any

from operative_app.core.screen import Box, Option
from operative_app.surfaces.desktop.atspi_connection import (
    ACCESSIBLE,
    COMPONENT,
    SCREEN,
    TABLE,
    TABLE_CELL,
    TEXT,
    VALUE,
    AtspiConnection,
    Ref,
    Round,
)
from operative_app.surfaces.desktop.atspi_nodes import MOST_OPTIONS, Node, Skeleton, bits_of
from operative_app.surfaces.desktop.atspi_roles import (
    CLIPS,
    COLLECTIONS,
    CONTROLS,
    DOCUMENTS,
    DRAWN,
    FIELDS,
    LABELLED_BY,
    METERS,
    SCROLLED,
    TEXTS,
    TOP_LEVEL,
    VALUED,
    Role,
    State,
)

MOST_TEXT = 4_000
MOST_ROWS = 80
MOST_CELLS = 600
HEADER_ROW = -1
MOST_INNER = 6
"""How deep, and how many in a row, the parts of a list's row are looked at for its name."""
MOST_COLUMNS = 20
PROBES = 8
PROBE_STEP_PX = 9
_BOXED = frozenset(
    {*CONTROLS, *COLLECTIONS, *TEXTS, *METERS, *SCROLLED, *DRAWN, *DOCUMENTS, *TOP_LEVEL, Role.SCROLL_BAR, Role.IMAGE}
)
_LABELLED = frozenset({*FIELDS, *VALUED, Role.COMBO_BOX, Role.LIST, Role.TABLE, Role.TREE, Role.TREE_TABLE})
_NAMES_BY_VALUE = frozenset({Role.COMBO_BOX})


class DetailReader:
    """Fills in the nodes of a skeleton. Owned by the loop of its connection."""

    def __init__(self, connection: AtspiConnection) -> None:
        self._connection = connection

    async def fill(self, skeleton: Skeleton, moment: Round) -> None:
        """Boxes and values of all nodes, then the cells in sight of tables that did not tell theirs."""
        nodes = list(skeleton.walk())
        by_ref = {node.ref: node for node in nodes}
        questions: list[Coroutine[Any, Any, None]] = []
        for node in nodes:
            if node.role in _BOXED or (skeleton.is_walked and node.role in CLIPS):
                questions.append(self._fill_box(node))
            if node.is_out:
                continue
            questions += self._more(node, by_ref)
        await moment.all(questions)
        await moment.each([node for node in nodes if node.is_partial and node.box], self._fill_cells)

    def _more(self, node: Node, by_ref: dict[Ref, Node]) -> list[Coroutine[Any, Any, None]]:
        questions = []
        if node.role in FIELDS - {Role.PASSWORD_TEXT} or node.role in DOCUMENTS:
            questions.append(self._fill_text(node))
        if node.role in VALUED:
            questions.append(self._fill_value(node))
        if node.role == Role.SCROLL_BAR:
            questions.append(self._fill_scroll(node))
        if node.role in _LABELLED and (not node.name or node.role in _NAMES_BY_VALUE):
            questions.append(self._fill_label(node, by_ref))
        if node.role in CONTROLS and not node.name and not node.description and node.role not in FIELDS:
            questions.append(self._fill_description(node))
        if node.role == Role.COMBO_BOX and not node.options:
            questions.append(self._fill_options(node))
        return questions

    async def _fill_box(self, node: Node) -> None:
        node.box = await self.box(node.ref)

    async def box(self, ref: Ref) -> Box | None:
        """Where an object is, in screen pixels as the program says; None when it is nowhere."""
        extents = await self._connection.ask(ref, COMPONENT, "GetExtents", "u", SCREEN)
        if not extents or extents[2] <= 0 or extents[3] <= 0:
            return None
        return Box(x_css_px=extents[0], y_css_px=extents[1], width_css_px=extents[2], height_css_px=extents[3])

    async def _fill_text(self, node: Node) -> None:
        node.value = await self.text(node.ref, MOST_TEXT)
        if node.role == Role.SPIN_BUTTON and not node.value:
            await self._fill_value(node)
        if node.has(State.FOCUSED):
            node.selection = await self._selection(node.ref)

    async def text(self, ref: Ref, most: int) -> str:
        """The text of an object, the first `most` characters of it."""
        count = await self._connection.get(ref, TEXT, "CharacterCount")
        if not count:
            return ""
        return str(await self._connection.ask(ref, TEXT, "GetText", "ii", 0, min(int(count), most)) or "")

    async def _selection(self, ref: Ref) -> str:
        if not await self._connection.ask(ref, TEXT, "GetNSelections"):
            return ""
        ends = await self._connection.call(ref.bus, ref.path, TEXT, "GetSelection", "i", 0)
        if not ends or ends[1] <= ends[0]:
            return ""
        last = min(int(ends[1]), int(ends[0]) + MOST_TEXT)
        return str(await self._connection.ask(ref, TEXT, "GetText", "ii", int(ends[0]), last) or "")

    async def _fill_value(self, node: Node) -> None:
        value = await self._connection.get(node.ref, VALUE, "CurrentValue")
        node.value = "" if value is None else f"{float(value):g}"

    async def _fill_scroll(self, node: Node) -> None:
        names = ("MinimumValue", "CurrentValue", "MaximumValue")
        least, now, greatest = await gather(*(self._connection.get(node.ref, VALUE, name) for name in names))
        if now is not None and least is not None and greatest is not None:
            node.scroll = (float(least), float(now), float(greatest))

    async def _fill_description(self, node: Node) -> None:
        node.description = str(await self._connection.get(node.ref, ACCESSIBLE, "Description") or "")

    async def _fill_label(self, node: Node, by_ref: dict[Ref, Node]) -> None:
        relations = await self._connection.ask(node.ref, ACCESSIBLE, "GetRelationSet")
        labels = [Ref(*one) for kind, targets in relations or () if kind == LABELLED_BY for one in targets]
        names = []
        for ref in labels[:3]:
            known = by_ref.get(ref)
            names.append(known.name if known else str(await self._connection.get(ref, ACCESSIBLE, "Name") or ""))
        node.label = " ".join(name for name in names if name)

    async def _fill_options(self, node: Node) -> None:
        """The choices of a combo box, from the list it opens."""
        for holder in await self._connection.refs(node.ref, ACCESSIBLE, "GetChildren"):
            role = await self._connection.ask(holder, ACCESSIBLE, "GetRole")
            if role not in {Role.LIST, Role.LIST_BOX, Role.MENU, Role.TABLE, Role.TREE}:
                continue
            refs = (await self._connection.refs(holder, ACCESSIBLE, "GetChildren"))[:MOST_OPTIONS]
            labels = await gather(*(self._connection.get(ref, ACCESSIBLE, "Name") for ref in refs))
            node.options = tuple(Option(label=str(one), is_selected=one == node.name) for one in labels if one)
            return

    # --- tables ---

    async def _fill_cells(self, table: Node) -> None:
        """The cells in sight: what is at the table's upper edge, and then down to its lower one."""
        connection, box = self._connection, table.box
        if box is None:
            return
        rows, columns = await gather(*(connection.get(table.ref, TABLE, name) for name in ("NRows", "NColumns")))
        table.rows, table.columns = int(rows or 0), int(columns or 0)
        if not table.rows or not table.columns:
            await self._fill_rows(table, box)
            return
        across = range(min(table.columns, MOST_COLUMNS))
        table.headers = [one for one in await gather(*(self._header(table, column) for column in across)) if one]
        row, height_px = await self._first_row(table, box)
        lower_px = box.y_css_px
        while row < table.rows and lower_px < box.bottom_css_px and len(table.children) < MOST_CELLS:
            wanted = min(ceil((box.bottom_css_px - lower_px) / height_px), MOST_ROWS, table.rows - row)
            places = [(below, column) for below in range(row, row + wanted) for column in across]
            cells = [cell for cell in await gather(*(self._cell(table, *place) for place in places)) if cell]
            shown = [cell for cell in cells if cell.box is not None and _touches(cell.box, box)]
            if not shown:
                return
            table.children += shown
            lower_px = max(cell.box.bottom_css_px for cell in shown if cell.box is not None)
            row += wanted

    async def _fill_rows(self, holder: Node, box: Box) -> None:
        """What a list holds that is no table: rows made of other controls."""
        refs = (await self._connection.refs(holder.ref, ACCESSIBLE, "GetChildren"))[:MOST_CELLS]
        rows = [Node(ref=ref, parent=holder) for ref in refs]
        await gather(*(self._fill_item(row) for row in rows))
        shown = [row for row in rows if row.has(State.SHOWING) and row.box is not None and _touches(row.box, box)]
        for row, names in zip(
            shown, await gather(*(self._names_in(row.ref, MOST_INNER) for row in shown)), strict=True
        ):
            row.name = row.name or " ".join(names)
        holder.children += shown

    async def _names_in(self, ref: Ref, depth: int) -> list[str]:
        """Names of what is inside an object, the outer ones first."""
        refs = (await self._connection.refs(ref, ACCESSIBLE, "GetChildren"))[:MOST_INNER]
        names = await gather(*(self._connection.get(one, ACCESSIBLE, "Name") for one in refs))
        roles = await gather(*(self._connection.ask(one, ACCESSIBLE, "GetRole") for one in refs))
        found = [str(name).strip() for name, role in zip(names, roles, strict=True) if name and role in TEXTS]
        if found or depth == 0:
            return list(dict.fromkeys(found))[:3]
        below = await gather(*(self._names_in(one, depth - 1) for one in refs))
        return [name for names in below for name in names][:3]

    async def _first_row(self, table: Node, box: Box) -> tuple[int, float]:
        """The first row in sight, and how high a row is there."""
        x = box.x_css_px + min(PROBE_STEP_PX, box.width_css_px / 2)
        heights = [box.y_css_px + 2 + step * PROBE_STEP_PX for step in range(PROBES)]
        inside = [y for y in heights if y < box.bottom_css_px]
        for ref in await gather(*(self._at(table.ref, x, y) for y in inside)):
            if ref is None or ref == table.ref:
                continue
            row, place = await gather(self._row_of(table, ref), self.box(ref))
            if row >= 0 and place is not None:
                return row, max(place.height_css_px, 4.0)
        first = await self._cell(table, 0, 0)
        return 0, first.box.height_css_px if first is not None and first.box is not None else 20.0

    async def _at(self, ref: Ref, x_px: float, y_px: float) -> Ref | None:
        found = await self._connection.ask(
            ref, COMPONENT, "GetAccessibleAtPoint", "iiu", round(x_px), round(y_px), SCREEN
        )
        return None if found is None or Ref(*found).is_null else Ref(*found)

    async def _row_of(self, table: Node, cell: Ref) -> int:
        place = await self._connection.get(cell, TABLE_CELL, "Position")
        if isinstance(place, (list, tuple)) and len(place) == 2:
            return int(place[0])
        index = await self._connection.ask(cell, ACCESSIBLE, "GetIndexInParent")
        if index is None or index < 0:
            return -1
        row = await self._connection.ask(table.ref, TABLE, "GetRowAtIndex", "i", int(index))
        return -1 if row is None else int(row)

    async def _header(self, table: Node, column: int) -> Node | None:
        found = await self._connection.ask(table.ref, TABLE, "GetColumnHeader", "i", column)
        if found is None or Ref(*found).is_null:
            return None
        node = Node(ref=Ref(*found), role=Role.TABLE_COLUMN_HEADER, parent=table, column=column)
        node.key = f"{table.ref.key}@{HEADER_ROW},{column}"
        await self._fill_item(node)
        return node if node.name and node.has(State.SHOWING) else None

    async def _cell(self, table: Node, row: int, column: int) -> Node | None:
        found = await self._connection.ask(table.ref, TABLE, "GetAccessibleAt", "ii", row, column)
        if found is None or Ref(*found).is_null:
            return None
        cell = Node(ref=Ref(*found), role=Role.TABLE_CELL, parent=table, row=row, column=column)
        cell.key = f"{table.ref.key}@{row},{column}"
        await self._fill_item(cell)
        if not cell.name:
            await self._fill_compound(cell)
        return cell

    async def _fill_compound(self, cell: Node) -> None:
        """A cell of an icon and texts, or of a tick: they are inside it."""
        refs = (await self._connection.refs(cell.ref, ACCESSIBLE, "GetChildren"))[:MOST_COLUMNS]
        parts = [Node(ref=ref) for ref in refs]
        await gather(*(self._fill_item(part) for part in parts))
        cell.name = " ".join(dict.fromkeys(part.name.strip() for part in parts if part.name.strip()))
        for part in parts:
            if part.has(State.CHECKABLE) or part.role == Role.CHECK_BOX:
                cell.states |= part.states | 1 << State.CHECKABLE

    async def _fill_item(self, node: Node) -> None:
        states, role, name, box = await gather(
            self._connection.ask(node.ref, ACCESSIBLE, "GetState"),
            self._connection.ask(node.ref, ACCESSIBLE, "GetRole"),
            self._connection.get(node.ref, ACCESSIBLE, "Name"),
            self.box(node.ref),
        )
        node.states, node.name, node.box = bits_of(states), str(name or ""), box
        if role is not None:
            node.role = int(role)


def _touches(one: Box, other: Box) -> bool:
    return (
        one.x_css_px < other.right_css_px
        and other.x_css_px < one.right_css_px
        and one.y_css_px < other.bottom_css_px
        and other.y_css_px < one.bottom_css_px
    )
