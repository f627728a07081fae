"""What a program tells of one of its windows, as a tree of nodes: what is shown now, bounded in nodes and time.

GTK programs hand over their whole tree at once (`Cache.GetItems`). Others are walked through, a level at a time, with
many questions in flight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from operative_app.core.screen import Box, Option
from operative_app.surfaces.desktop.atspi_connection import (
    ACCESSIBLE,
    CACHE,
    CACHE_PATH,
    AtspiConnection,
    Ref,
    Round,
)
from operative_app.surfaces.desktop.atspi_roles import COLLECTIONS, LEAVES, NAMELESS, SCROLLED, Role, State, has

MOST_NODES = 2_000
MOST_REMEMBERED = 50_000
MOST_OPTIONS = 60
CACHE_SHARE = 0.5
"""Of the time, for the whole tree at once."""
MANY_ITEMS = 120
"""A table or list with more items is asked for those in sight, not walked through."""
_OPTION_ROLES = frozenset({Role.MENU_ITEM, Role.LIST_ITEM, Role.RADIO_MENU_ITEM, Role.CHECK_MENU_ITEM, Role.TABLE_CELL})


@dataclass(slots=True, eq=False)
class Node:
    """One object of a program.

    Attributes:
        states: The bits of `atspi_roles.State`.
        box: Screen pixels, as the program says.
        label: The name of the label beside it, as the program says.
        value: Its text or number; never that of a password field.
        is_out: Not shown, perhaps because it is scrolled out of sight.
        is_partial: What it holds is not among its children: too many, or made only when asked for.
        row, column: Its place in its table from 0, -1 elsewhere.
        rows, columns: How many a table has in all, -1 when it does not say.
        headers: Column headers of a table.
        scroll: Least, present and greatest value of a scroll bar.
    """

    ref: Ref
    role: int = 0
    states: int = 0
    name: str = ""
    description: str = ""
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    box: Box | None = None
    label: str = ""
    value: str = ""
    selection: str = ""
    options: tuple[Option, ...] = ()
    is_out: bool = False
    is_partial: bool = False
    row: int = -1
    column: int = -1
    rows: int = -1
    columns: int = -1
    headers: list[Node] = field(default_factory=list)
    scroll: tuple[float, float, float] | None = None
    key: str = ""

    def has(self, state: State) -> bool:
        return has(self.states, state)

    def walk(self) -> Iterator[Node]:
        """This one and all below it, in the order of the tree; table headers before the cells."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed([*node.headers, *node.children]))

    def above(self) -> Iterator[Node]:
        """What it is in, from the nearest on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


@dataclass(slots=True)
class Skeleton:
    """Nodes with roles, states and names; boxes and values are not known yet.

    Attributes:
        is_cut: There are more than were looked at.
        is_walked: Read node by node.
    """

    tops: list[Node]
    is_cut: bool = False
    is_walked: bool = False

    def walk(self) -> Iterator[Node]:
        for top in self.tops:
            yield from top.walk()


class NodeReader:
    """Reads the nodes of windows. Owned by the loop of its connection.

    What never changes of an object, its role, is remembered.
    """

    def __init__(self, connection: AtspiConnection) -> None:
        self._connection = connection
        self._roles: dict[Ref, int] = {}
        self._too_large: set[str] = set()

    async def skeleton(self, tops: Sequence[Ref], moment: Round) -> Skeleton:
        """What is shown below top-level objects of one program."""
        cached = await self._cached(tops, moment)
        return cached if cached is not None else await self._walked(tops, moment)

    async def _cached(self, tops: Sequence[Ref], moment: Round) -> Skeleton | None:
        bus = tops[0].bus
        if bus in self._too_large:
            return None
        part = Round(moment.left_s * CACHE_SHARE)
        items = (await part.all([self._connection.ask(Ref(bus, CACHE_PATH), CACHE, "GetItems")]))[0]
        if part.is_over:
            self._too_large.add(bus)
        return built(items, tops) if items else None

    async def _walked(self, tops: Sequence[Ref], moment: Round) -> Skeleton:
        found = Skeleton(tops=[Node(ref=ref) for ref in tops], is_walked=True)
        level, count = found.tops, len(tops)
        while level and not moment.is_over:
            await self._fill_kinds(level, moment)
            for node in level:
                node.is_out = not node.has(State.SHOWING) and _may_be_scrolled_out(node)
            gone = {node for node in level if not node.has(State.SHOWING) and not node.is_out and node.parent}
            for parent in {node.parent for node in gone if node.parent}:
                parent.children = [child for child in parent.children if child not in gone]
            level = [node for node in level if node not in gone]
            await moment.each([node for node in level if node.role not in NAMELESS], self._fill_name)
            parents = [node for node in level if node.role not in LEAVES]
            level = []
            for node, refs in zip(parents, await moment.each(parents, self._children_of), strict=True):
                kept = (refs or [])[: max(0, MOST_NODES - count)]
                found.is_cut |= len(kept) < len(refs or [])
                node.children = [Node(ref=ref, parent=node) for ref in kept]
                count += len(kept)
                level += node.children
        found.is_cut |= moment.is_over
        return found

    async def _fill_kinds(self, nodes: Sequence[Node], moment: Round) -> None:
        """States and roles."""
        unknown = [node for node in nodes if node.ref not in self._roles]
        states = [self._connection.ask(node.ref, ACCESSIBLE, "GetState") for node in nodes]
        roles = [self._connection.ask(node.ref, ACCESSIBLE, "GetRole") for node in unknown]
        answers = await moment.all([*states, *roles])
        if len(self._roles) > MOST_REMEMBERED:
            self._roles.clear()
        for node, role in zip(unknown, answers[len(nodes) :], strict=True):
            if role is not None:
                self._roles[node.ref] = int(role)
        for node, bits in zip(nodes, answers[: len(nodes)], strict=True):
            node.states = bits_of(bits)
            node.role = self._roles.get(node.ref, Role.INVALID)

    async def _fill_name(self, node: Node) -> None:
        node.name = str(await self._connection.get(node.ref, ACCESSIBLE, "Name") or "")

    async def _children_of(self, node: Node) -> list[Ref]:
        if node.role in COLLECTIONS:
            count = await self._connection.get(node.ref, ACCESSIBLE, "ChildCount") or 0
            if node.has(State.MANAGES_DESCENDANTS) or count > MANY_ITEMS:
                node.is_partial = True
                return []
        return await self._connection.refs(node.ref, ACCESSIBLE, "GetChildren")


def built(items: Sequence[Any], tops: Sequence[Ref]) -> Skeleton | None:
    """The nodes of a program's whole tree that are shown below some of its objects; None when those are not in it.

    Args:
        items: The answer of `Cache.GetItems`, in its present or its older form (with lists of children).
        tops: The top-level objects.
    """
    by_ref = {Ref(*item[0]): item for item in items}
    if any(top not in by_ref for top in tops):
        return None
    children: dict[Ref, list[tuple[int, Ref]]] = defaultdict(list)
    for ref, item in by_ref.items():
        index = item[3] if isinstance(item[3], int) else 0
        children[Ref(*item[2])].append((index if index >= 0 else len(by_ref), ref))
    found = Skeleton(tops=[_node(by_ref[top], None) for top in tops])
    waiting, count = list(found.tops), 0
    while waiting:
        node = waiting.pop()
        count += 1
        below = sorted(children.get(node.ref, ()), key=lambda pair: pair[0])
        if node.role == Role.COMBO_BOX and _is_ordered(node.ref, children):
            node.options = tuple(_options(node.ref, by_ref, children))
        node.is_partial = node.role in COLLECTIONS and (
            node.has(State.MANAGES_DESCENDANTS) or not below or len(below) > MANY_ITEMS
        )
        if node.is_partial:
            below = [(index, ref) for index, ref in below if by_ref[ref][-3] == Role.SCROLL_BAR]
        for _, ref in below:
            child = _node(by_ref[ref], node)
            child.is_out = not child.has(State.SHOWING) and _may_be_scrolled_out(child)
            if child.has(State.SHOWING) or child.is_out:
                node.children.append(child)
        if node.role == Role.PANEL and not any(child.name == node.name for child in node.children):
            node.name = ""  # the name of a part of GTK's own code, which nobody sees
        waiting.extend(node.children)
        if count + len(waiting) > MOST_NODES:
            found.is_cut = True
            break
    return found


def bits_of(words: Sequence[int] | None) -> int:
    """The state set of two words as one number."""
    return sum(int(word) << 32 * place for place, word in enumerate(words or ()))


def _node(item: Any, parent: Node | None) -> Node:
    name, role, description, states = item[-4:]
    return Node(ref=Ref(*item[0]), role=role, states=bits_of(states), name=name, description=description, parent=parent)


def _options(
    combo: Ref, by_ref: Mapping[Ref, Any], children: Mapping[Ref, Sequence[tuple[int, Ref]]]
) -> Iterator[Option]:
    """The choices of a closed combo box, which are in the tree although not shown."""
    waiting, found = [combo], 0
    while waiting and found < MOST_OPTIONS:
        ref = waiting.pop(0)
        name, role, _, states = by_ref[ref][-4:]
        if role in _OPTION_ROLES and name:
            found += 1
            bits = bits_of(states)
            is_chosen = has(bits, State.SELECTED) or has(bits, State.CHECKED)
            yield Option(label=name, is_selected=is_chosen, is_disabled=not has(bits, State.SENSITIVE))
        waiting += [below for _, below in sorted(children.get(ref, ()), key=lambda pair: pair[0])]


def _is_ordered(ref: Ref, children: Mapping[Ref, Sequence[tuple[int, Ref]]]) -> bool:
    """Whether everything below an object has a place of its own; what GTK hides often has none."""
    below = children.get(ref, ())
    places = {index for index, _ in below}
    return len(places) == len(below) and all(_is_ordered(one, children) for _, one in below)


def _may_be_scrolled_out(node: Node) -> bool:
    """Whether it counts as visible inside something that shows a part of what it holds. Its box decides later."""
    return node.has(State.VISIBLE) and any(
        above.role in SCROLLED or above.is_out for above in _near(node) if above.role != Role.COMBO_BOX
    )


def _near(node: Node) -> Iterator[Node]:
    for above in node.above():
        if above.role in {Role.COMBO_BOX, Role.MENU, Role.PAGE_TAB_LIST}:
            return
        yield above
