"""`ports.Accessibility` on Linux: AT-SPI over D-Bus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from operative_app.core.errors import StaleReference, SurfaceError
from operative_app.core.screen import Box, Element, Window
from operative_app.surfaces.desktop.atspi_connection import (
    ACCESSIBLE,
    EDITABLE_TEXT,
    TABLE,
    VALUE,
    AtspiConnection,
    Ref,
    Round,
)
from operative_app.surfaces.desktop.atspi_details import HEADER_ROW, DetailReader
from operative_app.surfaces.desktop.atspi_element import element_of
from operative_app.surfaces.desktop.atspi_nodes import Node, NodeReader, Skeleton, bits_of
from operative_app.surfaces.desktop.atspi_roles import DOCUMENTS, FIELDS, POPUPS, TOP_LEVEL, Role, State, has
from operative_app.surfaces.desktop.atspi_tree import window_tree
from operative_app.surfaces.desktop.ports import WindowTree

READ_S = 3.0
FIRST_ANSWER_S = 1.0
"""A program that has not named its windows by then hangs."""
ASK_S = 1.0
MOST_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class _Top:
    """A top-level object of a program."""

    ref: Ref
    name: str
    role: int
    states: int
    box: Box | None


class AtspiAccessibility:
    """Reads what programs tell of their windows. Owned by the agent thread's loop; connects on first use.

    Args:
        content_box: Where a window's content is on the screen, by the window's number. Blocks for a short time.
        budget_s: After this a reading ends with what there is.
    """

    def __init__(self, content_box: Callable[[int], Box | None] | None = None, *, budget_s: float = READ_S) -> None:
        self._content_box = content_box
        self._budget_s = budget_s
        self._connection: AtspiConnection | None = None
        self._nodes: NodeReader | None = None
        self._details: DetailReader | None = None
        self._opening = asyncio.Lock()

    async def read(self, window: Window) -> WindowTree:
        """What a window shows; bounded in nodes and time. What could not be read is said in `left_out`."""
        try:
            connection, nodes, details = await self._connected()
        except SurfaceError as error:
            return WindowTree(is_poor=True, left_out=(str(error),))
        first = Round(min(self._budget_s, FIRST_ANSWER_S))
        tops = await self._tops(connection, window, first)
        own = _own_of(tops, window)
        if own is None:
            return WindowTree(is_poor=True, left_out=(_silent(window, is_slow=first.is_over),))
        moment = Round(self._budget_s)
        beside = [top.ref for top in tops if _is_popup(top, own)]
        modal = next((top.name for top in tops if has(top.states, State.MODAL) and _is_shown(top)), "")
        skeleton = await nodes.skeleton([own.ref, *beside], moment)
        await details.fill(skeleton, moment)
        _complete(skeleton, own)
        content = await asyncio.to_thread(self._content_box, window.id) if self._content_box else None
        return window_tree(
            window, skeleton.tops, content=content, modal=modal, left_out=_left_out(window, skeleton, moment)
        )

    async def text_of(self, key: str) -> str:
        """The whole text or value of an element read before, "" for a password field.

        Raises:
            StaleReference: It is gone.
        """
        connection, _, details = await self._connected()
        answer = await Round(ASK_S).all([self._text(connection, details, key)])
        if answer[0] is None:
            raise StaleReference("What was to be read is not there any more.")
        return answer[0]

    async def set_text(self, key: str, text: str) -> bool:
        """Put a text into a field at once, where the program allows it; False where it does not."""
        connection, _, _ = await self._connected()
        answer = await Round(ASK_S).all([_put(connection, Ref.of_key(key), text)])
        return bool(answer[0])

    async def focused(self) -> Element | None:
        """What has the keyboard focus now, in any program; None when nothing tells."""
        try:
            connection, _, details = await self._connected()
        except SurfaceError:
            return None
        moment = Round(ASK_S)
        last = connection.last_focus
        if last is not None:
            found = (await moment.all([self._if_focused(connection, details, last)]))[0]
            if found is not None and found.role != "tab":  # of a tab and its content Qt names the tab
                return found
        return (await moment.all([self._search_focus(connection)]))[0]

    async def close(self) -> None:
        """Disconnect. Idempotent, bounded."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _connected(self) -> tuple[AtspiConnection, NodeReader, DetailReader]:
        async with self._opening:
            connection = self._connection
            if connection is None or not connection.is_open or self._nodes is None or self._details is None:
                self._connection = connection = await AtspiConnection.open()
                self._nodes, self._details = NodeReader(connection), DetailReader(connection)
            return connection, self._nodes, self._details

    # --- windows ---

    async def _tops(self, connection: AtspiConnection, window: Window, moment: Round) -> list[_Top]:
        """The top-level objects of the program a window belongs to."""
        programs = (await moment.all([connection.programs()]))[0] or []
        pids = await moment.each([one.bus for one in programs], connection.pid)
        mine = [one for one, pid in zip(programs, pids, strict=True) if window.pid and pid == window.pid]
        answers = await moment.each(mine or programs, lambda root: _top_level(connection, root))
        groups = [group for group in answers if group]
        if not mine:  # its number is of another name space, or unknown: the title tells
            groups = [group for group in groups if any(top.name == window.title for top in group)][:1]
        return [top for group in groups for top in group]

    async def _search_focus(self, connection: AtspiConnection) -> Element | None:
        moment = Round(ASK_S)
        groups = await moment.each(await connection.programs(), lambda root: _top_level(connection, root))
        active = [top.ref for group in groups for top in group or () if has(top.states, State.ACTIVE)]
        if not active or self._nodes is None or self._details is None:
            return None
        skeleton = await self._nodes.skeleton(active[:1], moment)
        focused = [node for node in skeleton.walk() if node.has(State.FOCUSED)]
        fields = [node for node in focused if node.role in FIELDS or node.role in DOCUMENTS]
        if not focused:
            return None
        node = (fields or focused)[-1]
        node.children = []
        await self._details.fill(Skeleton(tops=[node]), moment)
        return element_of(node)

    async def _if_focused(self, connection: AtspiConnection, details: DetailReader, ref: Ref) -> Element | None:
        """The element that got the focus last, if it still has it."""
        states, role, name = await asyncio.gather(
            connection.ask(ref, ACCESSIBLE, "GetState"),
            connection.ask(ref, ACCESSIBLE, "GetRole"),
            connection.get(ref, ACCESSIBLE, "Name"),
        )
        bits = bits_of(states)
        if role is None or not has(bits, State.FOCUSED):
            return None
        node = Node(ref=ref, role=int(role), states=bits, name=str(name or ""))
        await details.fill(Skeleton(tops=[node]), Round(ASK_S))
        return element_of(node)

    async def _text(self, connection: AtspiConnection, details: DetailReader, key: str) -> str | None:
        """None when the object is gone."""
        ref, place = _ref_and_place(key)
        if place is not None:
            row, column = place
            if row == HEADER_ROW:
                found = await connection.ask(ref, TABLE, "GetColumnHeader", "i", column)
            else:
                found = await connection.ask(ref, TABLE, "GetAccessibleAt", "ii", row, column)
            if found is None or Ref(*found).is_null:
                return None
            return str(await connection.get(Ref(*found), ACCESSIBLE, "Name") or "")
        role = await connection.ask(ref, ACCESSIBLE, "GetRole")
        if role is None:
            return None
        if role == Role.PASSWORD_TEXT:
            return ""
        text = await details.text(ref, MOST_TEXT)
        if text or role in FIELDS or role in DOCUMENTS:
            return text
        value = await connection.get(ref, VALUE, "CurrentValue")
        return str(await connection.get(ref, ACCESSIBLE, "Name") or "") or ("" if value is None else f"{value:g}")


async def _top_level(connection: AtspiConnection, root: Ref) -> list[_Top]:
    refs = await connection.refs(root, ACCESSIBLE, "GetChildren")
    details = DetailReader(connection)
    found = []
    for ref, (name, role, states, box) in zip(
        refs,
        await asyncio.gather(
            *(
                asyncio.gather(
                    connection.get(ref, ACCESSIBLE, "Name"),
                    connection.ask(ref, ACCESSIBLE, "GetRole"),
                    connection.ask(ref, ACCESSIBLE, "GetState"),
                    details.box(ref),
                )
                for ref in refs
            )
        ),
        strict=True,
    ):
        found.append(_Top(ref=ref, name=str(name or ""), role=int(role or 0), states=bits_of(states), box=box))
    return found


async def _put(connection: AtspiConnection, ref: Ref, text: str) -> bool:
    """Qt claims success of everything, buttons included: so only what says that it can be edited."""
    if not has(bits_of(await connection.ask(ref, ACCESSIBLE, "GetState")), State.EDITABLE):
        return False
    return bool(await connection.ask(ref, EDITABLE_TEXT, "SetTextContents", "s", text))


def _own_of(tops: Sequence[_Top], window: Window) -> _Top | None:
    """The object that is the window: by its title, its place, and whether it is in front."""

    def score(top: _Top) -> float:
        points = 4.0 * (top.name == window.title) + 2.0 * (top.role in TOP_LEVEL) + _is_shown(top)
        points += has(top.states, State.ACTIVE) == window.is_active
        if top.box is not None:
            away = abs(top.box.center[0] - window.box.center[0]) + abs(top.box.center[1] - window.box.center[1])
            points += 2.0 if away < 60 else 0.0
        return points

    titled = [top for top in tops if top.name == window.title]
    likely = titled or [top for top in tops if top.role in TOP_LEVEL and not (_is_nameless_popup(top))]
    return max(likely or tops, key=score, default=None)


def _is_popup(top: _Top, own: _Top) -> bool:
    return top.ref != own.ref and _is_shown(top) and _is_nameless_popup(top)


def _is_nameless_popup(top: _Top) -> bool:
    return top.role in POPUPS and not top.name


def _is_shown(top: _Top) -> bool:
    return has(top.states, State.SHOWING)


def _complete(skeleton: Skeleton, own: _Top) -> None:
    """What was learnt of the window's object before."""
    node = skeleton.tops[0]
    node.box = node.box or own.box
    node.name = node.name or own.name
    node.states = node.states or own.states


def _ref_and_place(key: str) -> tuple[Ref, tuple[int, int] | None]:
    """The object of a key; for a cell its table, and row and column."""
    of_table, _, place = key.partition("@")
    row, _, column = place.partition(",")
    return Ref.of_key(of_table), (int(row), int(column)) if place else None


def _silent(window: Window, *, is_slow: bool) -> str:
    name = window.title or window.app or "The window"
    return f"“{name}” does not answer; it may hang." if is_slow else f"“{name}” does not tell what it shows."


def _left_out(window: Window, skeleton: Skeleton, moment: Round) -> list[str]:
    if moment.is_over:
        return [f"“{window.title}” answers slowly: what is said of it is not complete."]
    return [f"“{window.title}” has more parts than were looked at."] if skeleton.is_cut else []
