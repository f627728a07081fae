"""What the places of nodes tell: the order they are read in, what names a field, what scrolls. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from operative_app.core.screen import Box, Element, ElementState, ScrollContainer, TextBlock
from operative_app.surfaces.desktop.atspi_element import role_of
from operative_app.surfaces.desktop.atspi_nodes import Node
from operative_app.surfaces.desktop.atspi_roles import COLLECTIONS, FIELDS, Role

MOST_LABEL = 50
BESIDE_PX = 160.0
ABOVE_PX = 26.0
TOUCH_PX = 4.0


def in_reading_order(nodes: Sequence[Node]) -> Sequence[Node]:
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


def scroll_container(pane: Node, box: Box) -> ScrollContainer | None:
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
        label=held.name or held.label or role_of(held) or "scrolled part",
        box=box,
        above_css_px=max(above, 0),
        below_css_px=max(below, 0),
        left_css_px=max(left, 0),
        right_css_px=max(right, 0),
    )


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all; without size when there are none."""
    if not boxes:
        return Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)
    left, top = min(one.x_css_px for one in boxes), min(one.y_css_px for one in boxes)
    right, bottom = max(one.right_css_px for one in boxes), max(one.bottom_css_px for one in boxes)
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def may_be_label(text: str, element: Element) -> bool:
    """Whether a text may name a field: short, no sentence; that of a large field says so by a colon."""
    if text.endswith(":"):
        return True
    return len(text) <= MOST_LABEL and not text.endswith((".", "!", "…")) and not element.has(ElementState.MULTILINE)


def text_beside(box: Box, texts: Iterable[TextBlock]) -> str:
    """The text on the left in the same line, else the one right above."""
    best, best_px = "", BESIDE_PX
    for text in texts:
        one = text.box
        gap = box.x_css_px - one.right_css_px
        is_level = one.y_css_px < box.bottom_css_px and box.y_css_px < one.bottom_css_px
        if is_level and -TOUCH_PX <= gap < best_px:
            best, best_px = text.text, gap
    if best:
        return best
    best_px = ABOVE_PX
    for text in texts:
        one = text.box
        gap = box.y_css_px - one.bottom_css_px
        is_over = one.x_css_px < box.right_css_px and abs(one.x_css_px - box.x_css_px) < BESIDE_PX / 2
        if is_over and -TOUCH_PX <= gap < best_px:
            best, best_px = text.text, gap
    return best


def text_right_of(box: Box, texts: Iterable[TextBlock]) -> str:
    best, best_px = "", BESIDE_PX / 4
    for text in texts:
        gap = text.box.x_css_px - box.right_css_px
        is_level = text.box.y_css_px < box.bottom_css_px and box.y_css_px < text.box.bottom_css_px
        if is_level and -TOUCH_PX <= gap < best_px:
            best, best_px = text.text, gap
    return best


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


def _extent(node: Node) -> Box | None:
    """Its box, or that around all it holds."""
    if node.box is not None:
        return node.box
    found = [box for box in (_extent(child) for child in node.children) if box is not None]
    return around(found) if found else None


def _share_a_line(one: Box, other: Box) -> bool:
    shared = min(one.bottom_css_px, other.bottom_css_px) - max(one.y_css_px, other.y_css_px)
    return shared >= min(one.height_css_px, other.height_css_px) / 2


def _top_of(box: Box | None) -> float:
    return box.y_css_px if box is not None else 0.0


def _left_of(box: Box | None) -> float:
    return box.x_css_px if box is not None else 0.0
