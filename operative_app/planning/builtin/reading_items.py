"""Answers about one of several: the first result, the cheapest flight, the month with the highest revenue."""

from __future__ import annotations

import re

from operative_app.core.screen import ScreenState, Table
from operative_app.planning.builtin import page
from operative_app.planning.builtin.instruction import LAST
from operative_app.planning.builtin.targets import KINDS, SUPERLATIVE, which_of
from operative_app.planning.builtin.words import GOOD, fold, similarity, tokens

SUMS = ("total", "sum", "grand total", "overall", "gesamt", "summe")
_ORDINAL = r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|top|\d+(?:st|nd|rd|th)"
_ONE = re.compile(
    rf"^(?:(?P<what>\S.*?)\s+(?:of|for|in)\s+)?(?:the\s+)?(?P<which>{_ORDINAL}|{SUPERLATIVE})(?:\s+(?P<thing>\S.*))?$",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"^(?P<thing>\S.*?)\s+with\s+the\s+(?P<which>highest|most|largest|biggest|lowest|least|smallest|fewest)\s+(?P<column>\S.*)$",
    re.IGNORECASE,
)
_MOST = 160
"""Characters of an item that are told at most."""


def answer_of_item(state: ScreenState, question: str) -> tuple[str, str] | None:
    """The value and where it stands; None when the question is not of this kind or the page does not show it."""
    extreme = _EXTREME.match(question)
    if extreme:
        found = (_extreme_row(table, extreme) for table in state.tables)
        return next((one for one in found if one), None)
    one = _ONE.match(question)
    if one is None:
        return None
    ordinal, superlative = which_of(one["which"])
    thing, what = one["thing"] or "", one["what"] or ""
    if superlative is None and state.tables and (KINDS.get(thing.casefold()) == "row" or _is_of_table(state, thing)):
        return _row_answer(state.tables[0], ordinal, what)
    items = page.items_of(state, page.result_elements(state))
    if not _is_kind(thing):
        wanted = [token.rstrip("s") for token in tokens(thing)]
        items = [item for item in items if all(token in fold(item.text) for token in wanted)]
        called = [item for item in items if fold(item.element.name).startswith(" ".join(wanted))]
        items = called or items
    chosen = page.pick(items, ordinal, superlative)
    if chosen is None:
        return None
    if fold(what) in {"price", "cost", "fare", "prices"}:
        value = page.price_text(chosen.text)
        return (value, chosen.element.name) if value else None
    if fold(what) in {"", "name", "title"}:
        name = chosen.element.name
        is_title = what or (len(name) > 12 and not page.price_text(chosen.text))
        return (name if is_title else _short(chosen.text), one["which"])
    return None


def answer_of_row(state: ScreenState, question: str) -> tuple[str, str] | None:
    """“Swiss franc sell rate”: words without a preposition that name a row, a column and what the table is about.

    Without a column in the words the whole row is told.
    """
    words = [token for token in tokens(question) if token not in {"of", "for", "in", "the", "a", "an", "at", "on"}]
    for table in state.tables:
        around = {one.rstrip("s") for text in (table.caption, *table.context) for one in tokens(text)}
        for row in table.rows:
            labels = {one.rstrip("s") for cell in row[:2] for one in tokens(cell)}
            if not row or not any(word.rstrip("s") in {one.rstrip("s") for one in tokens(row[0])} for word in words):
                continue
            rest = [word for word in words if word.rstrip("s") not in labels]
            shared = {
                place: sum(word.rstrip("s") in {one.rstrip("s") for one in tokens(header)} for word in rest)
                for place, header in enumerate(table.headers)
                if 0 < place < len(row)
            }
            most = max(shared.values(), default=0)
            columns = [place for place, count in shared.items() if count and count == most]
            said = {one.rstrip("s") for place in columns for one in tokens(table.headers[place])}
            missing = [word for word in rest if word.rstrip("s") not in said | around]
            if missing or not {one.rstrip("s") for one in tokens(row[0])} <= {word.rstrip("s") for word in words}:
                continue
            if len(columns) == 1:
                return row[columns[0]], f"{row[0]} / {table.headers[columns[0]]}"
            pairs = (
                f"{header} {cell}" for header, cell in zip(table.headers[1:], row[1:], strict=False) if cell.strip()
            )
            return ", ".join(pairs) or " ".join(row[1:]), row[0]
    return None


def _is_kind(thing: str) -> bool:
    words = thing.casefold()
    return (
        not words or words in KINDS or words.rstrip("s") in KINDS or words.split()[-1] in {"result", "flight", "offer"}
    )


def _is_of_table(state: ScreenState, thing: str) -> bool:
    return thing.casefold() in {"entry", "line"} or any(
        similarity(thing, one.headers[0]) >= GOOD for one in state.tables if one.headers and thing
    )


def _row_answer(table: Table, ordinal: int, what: str) -> tuple[str, str] | None:
    rows = [row for row in table.rows if row and fold(row[0]) not in SUMS]
    place = len(rows) - 1 if ordinal == LAST else ordinal - 1
    if not 0 <= place < len(rows):
        return None
    column = _column(table, what) if what else -1
    if what and column < 0:
        return None
    value = rows[place][column] if what else " | ".join(cell for cell in rows[place] if cell.strip())
    return value, rows[place][0]


def _extreme_row(table: Table, asked: re.Match[str]) -> tuple[str, str] | None:
    column = _column(table, asked["column"])
    if column < 0:
        return None
    rows = [
        (number, row)
        for row in table.rows
        if len(row) > column and fold(row[0]) not in SUMS and (number := page.number_of(row[column])) is not None
    ]
    if not rows:
        return None
    is_high = asked["which"].casefold() in {"highest", "most", "largest", "biggest"}
    _, row = (max if is_high else min)(rows, key=lambda pair: pair[0])
    return f"{row[0]} ({row[column]})", table.headers[column]


def _column(table: Table, words: str) -> int:
    scored = [(similarity(words, header), place) for place, header in enumerate(table.headers)]
    score, place = max(scored, default=(0.0, -1))
    return place if score >= GOOD else -1


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _MOST else folded[: _MOST - 1] + "…"
