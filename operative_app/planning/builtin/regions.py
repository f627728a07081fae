# ruff: noqa: E501 - conditions read best on one line
"""The part of a page that words such as “in the second row”, “next to”, “under Billing”, “in the dialog” point to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from operative_app.core.screen import Box, Element, ScreenState, Table
from operative_app.planning.builtin import page
from operative_app.planning.builtin.instruction import LAST, Region, Relation
from operative_app.planning.builtin.words import GOOD, has_phrase, similarity, tokens

_REACH_CSS_PX = 900.0
"""Farther than this nothing is near; also the scale by which nearness fades."""

_Lies = Callable[[Box, Box], bool]
"""Whether a box (second) lies as asked to the anchor (first)."""

_TAGS = {"header": ("header",), "footer": ("footer",), "sidebar": ("aside",), "navigation": ("nav",), "form": ("form",)}
_LANDMARKS = {"sidebar": "complementary", "navigation": "navigation", "header": "header", "footer": "footer"}


def inside(state: ScreenState, region: Region, candidates: Sequence[Element]) -> dict[str, float]:
    """Keys of the candidates in the region, each with how surely it is meant, above 0 up to 1."""
    if region.relation is Relation.ROW and region.ordinal:
        numbered = _in_numbered_row(state, region.ordinal, candidates)
        return {one.key: 1.0 for one in numbered} or _named(state, str(region.ordinal), candidates)
    if region.relation is Relation.IN and region.kind and not region.name:
        return {one.key: 1.0 for one in candidates if _is_in_kind(state, one, region.kind)}
    if region.relation in {Relation.IN, Relation.ROW, Relation.FOR}:
        return _named(state, region.name, candidates)
    if region.relation is Relation.UNDER:
        headed = _by_context(region.name, candidates, least=GOOD)
        return headed or _near(
            state, region.name, candidates, lambda anchor, box: box.y_css_px >= anchor.bottom_css_px - 4
        )
    if region.relation is Relation.ABOVE:
        return _near(state, region.name, candidates, lambda anchor, box: box.bottom_css_px <= anchor.y_css_px + 4)
    return _in_heading(state, region.name, candidates) or _near(
        state, region.name, candidates, lambda anchor, box: True
    )


def covers(words: str, text: str) -> bool:
    """Whether the text says all the words, in any order."""
    have = {token.rstrip("s") for token in tokens(text)}
    wanted = [token.rstrip("s") for token in tokens(words) if token not in {"the", "a", "an", "of", "for", "with"}]
    return bool(wanted) and all(token in have for token in wanted)


def _named(state: ScreenState, name: str, candidates: Sequence[Element]) -> dict[str, float]:
    headed = _in_heading(state, name, candidates)
    if headed:
        return headed
    rows = _rows_saying(state, name)
    found = {one.key: 1.0 for one in candidates if (one.table, one.row) in rows}
    if found:
        return found
    for least in (90.0, GOOD):
        found = _by_context(name, candidates, least=least)
        if found:
            return found
    said = {one.key: 0.9 for one in candidates if covers(name, f"{one.name} {one.text}")}
    if said:
        items = [item for one in candidates if one.key in said and (item := _item_around(state, one))]
        inside = [
            one for one in candidates if any(one.frame == frame and one.path.startswith(root) for frame, root in items)
        ]
        return said | {one.key: 1.0 for one in inside}
    joined = {one.key: 0.8 for one in candidates if covers(name, " ".join(one.context))}
    return joined or _near(state, name, candidates, lambda anchor, box: True)


def _in_heading(state: ScreenState, name: str, candidates: Sequence[Element]) -> dict[str, float]:
    """Controls that stand inside the heading itself: “History [edit]”."""
    headings = [block for block in state.texts if block.role == "heading"]
    found: dict[str, float] = {}
    for one in candidates:
        if not re.search(r">h[1-6](?:\[\d+\])?>", one.path):
            continue
        x, y = one.box.center
        around = next(
            (
                block for block in headings
                if block.frame == one.frame and block.box.x_css_px <= x <= block.box.right_css_px and block.box.y_css_px <= y <= block.box.bottom_css_px
            ),
            None,
        )  # fmt: skip
        if around is not None and similarity(name, around.text.replace(one.name, " ")) >= 90:
            found[one.key] = 1.0
    return found


def _item_around(state: ScreenState, element: Element) -> tuple[str, str] | None:
    """Frame and path of the list item around it: the largest part of the page that has controls of this item only."""
    if element.list_index < 0:
        return None
    root, best = element.path, ""
    while ">" in root:
        root = root.rpartition(">")[0]
        places = {
            one.list_index for one in state.elements
            if one.frame == element.frame and one.list_index >= 0 and one.path.startswith(root + ">")
        }  # fmt: skip
        if places != {element.list_index}:
            break
        best = root + ">"
    return (element.frame, best) if best else None


def _rows_saying(state: ScreenState, name: str) -> set[tuple[int, int]]:
    exact: set[tuple[int, int]] = set()
    loose: set[tuple[int, int]] = set()
    for index, table in enumerate(state.tables):
        for row, cells in enumerate(table.rows):
            if any(similarity(name, cell) >= 90 for cell in cells):
                exact.add((index, row))
            elif (
                covers(name, " ".join(cells))
                or any(has_phrase(cell, name) for cell in cells)
                or _says_with_caption(name, cells, table)
            ):
                loose.add((index, row))
    return exact or loose


def _says_with_caption(name: str, cells: tuple[str, ...], table: Table) -> bool:
    """“invoice 4217”: the number is in the row, the word in the caption, the headers or the heading above."""
    numbers = [token for token in tokens(name) if token[0].isdigit()]
    in_row = set(tokens(" ".join(cells)))
    around = " ".join((*cells, table.caption, *table.headers, *table.context))
    return bool(numbers) and all(number in in_row for number in numbers) and covers(name, around)


def _by_context(name: str, candidates: Iterable[Element], *, least: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in candidates:
        likeness = max((similarity(name, text) for text in one.context if text), default=0.0)
        if likeness >= least:
            found[one.key] = likeness / 100
    best = max(found.values(), default=0.0)
    return {key: value for key, value in found.items() if value >= best - 0.06}


def _near(state: ScreenState, name: str, candidates: Sequence[Element], lies: _Lies) -> dict[str, float]:
    found: dict[str, float] = {}
    for anchor in page.anchors(state, name, GOOD):
        for one in candidates:
            if one.box == anchor or similarity(name, one.name) >= 90 or not lies(anchor, one.box):
                continue
            away = page.distance(anchor, one.box)
            if away < _REACH_CSS_PX:
                found[one.key] = max(found.get(one.key, 0.0), 1 / (1 + away / 12))
    return found


def _in_numbered_row(state: ScreenState, ordinal: int, candidates: Sequence[Element]) -> list[Element]:
    in_tables = [one for one in candidates if one.row >= 0]
    if in_tables:
        last = {index: len(table.rows) - 1 for index, table in enumerate(state.tables)}
        return [one for one in in_tables if one.row == (last.get(one.table, -1) if ordinal == LAST else ordinal - 1)]
    listed = [one for one in candidates if one.list_index >= 0 and not page.is_aside(one)]
    if ordinal == LAST:
        highest = max((one.list_index for one in listed), default=-1)
        return [one for one in listed if one.list_index == highest]
    return [one for one in listed if one.list_index == ordinal - 1]


def _is_in_kind(state: ScreenState, element: Element, kind: str) -> bool:
    tags = page.tags_of(element)
    if kind == "dialog":
        return page.is_in_modal(state, element) or "dialog" in tags
    if kind == "table":
        return element.table >= 0 or "table" in tags
    if kind in {"list", "menu"}:
        return element.list_index >= 0
    if kind in {"page", "main content"}:
        return kind == "page" or not page.is_aside(element)
    if set(_TAGS.get(kind, ())) & set(tags):
        return True
    landmark = _LANDMARKS.get(kind)
    return landmark in element.context if landmark else similarity(kind, " ".join(element.context)) >= GOOD
