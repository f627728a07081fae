"""Reading a ScreenState: roles, places on the page, dialogs, items of lists, numbers people compare."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from operative_app.core.screen import Box, Element, ElementState, ScreenState, TextBlock
from operative_app.planning.builtin.instruction import Superlative
from operative_app.planning.builtin.words import fold, similarity

FIELD_ROLES = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "listbox", "slider", "color"})
TICK_ROLES = frozenset({"checkbox", "switch", "menuitemcheckbox"})
CHOICE_ROLES = frozenset(
    {"radio", "option", "menuitemradio", "checkbox", "tab", "switch", "menuitemcheckbox", "treeitem"}
)
PRESS_ROLES = frozenset(
    {"button", "link", "menuitem", "clickable", "tab", "option", "gridcell", "treeitem", "row", "listitem", "article", "cell",  # noqa: E501 - words and patterns read best on one line
     "menuitemradio", "menuitemcheckbox", "radio", "checkbox", "switch", "image", "img"}
)  # fmt: skip

_AMOUNT = r"(\d[\d.,']*)"
_PRICES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"[€$£¥₹]{_AMOUNT}",
        rf"{_AMOUNT}\s?(?:[€$£¥₹]|(?:eur|usd|gbp|chf|kr|euro|dollars?)\b)",
        rf"(?:[€$£¥₹]|\b(?:eur|usd|gbp|chf|kr))\s{_AMOUNT}",
    )
)
"""Ways of writing a price, the surest first: “£39.50”, “18,00 €”, “EUR 18”."""
_DURATION = re.compile(r"(\d+)\s?h(?:ours?|rs?)?(?:\s?(\d+)\s?m(?:in)?)?|(\d+)\s?min", re.I)
_RATING = re.compile(r"(\d(?:[.,]\d)?)\s?(?:/\s?5|stars?|★|out of 5)", re.I)
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


def is_chosen(element: Element) -> bool:
    """Whether a choice is on: checked, selected or pressed."""
    return bool(element.states & {ElementState.CHECKED, ElementState.SELECTED, ElementState.PRESSED})


def is_enabled(element: Element) -> bool:
    return not element.has(ElementState.DISABLED)


def takes_text(element: Element) -> bool:
    return element.has(ElementState.EDITABLE) and not element.has(ElementState.READONLY)


def is_native_select(element: Element) -> bool:
    return element.tag == "select"


def is_dropdown(element: Element) -> bool:
    """A custom control that opens a list of choices when clicked."""
    if is_native_select(element) or (element.has(ElementState.EDITABLE) and not element.has(ElementState.READONLY)):
        return False
    if element.role == "combobox" or element.role == "listbox":
        return True
    return element.role in {"button", "clickable", "textbox"} and bool(
        element.states & {ElementState.POPUP, ElementState.COLLAPSED, ElementState.EXPANDED}
    )


def is_field(element: Element) -> bool:
    return element.role in FIELD_ROLES or is_native_select(element) or is_dropdown(element) or element.input_type in {
        "date", "time", "datetime-local", "month", "week", "color", "range",
    }  # fmt: skip


def tags_of(element: Element) -> tuple[str, ...]:
    """Tag names from the frame's root to the element."""
    return tuple(part.split("[")[0] for part in re.split(r"[>/]", element.path) if part)


def is_aside(element: Element) -> bool:
    """Whether it belongs to the page's frame (header, navigation, footer) instead of its content."""
    tags = tags_of(element)[:-1]
    if "main" in tags or "dialog" in tags:
        return "nav" in tags and "main" in tags
    if {"nav", "footer", "aside"} & set(tags):
        return True
    if "header" in tags:
        return not {"article", "section", "li"} & set(tags)
    return bool({"navigation", "footer", "header"} & {text.casefold() for text in element.context})


def is_in_modal(state: ScreenState, element: Element) -> bool:
    return bool(state.modal) and (state.modal in element.context or "dialog" in tags_of(element))


def is_in_view(element: Element) -> bool:
    return not element.has(ElementState.OFFSCREEN)


def is_inside(inner: Element, outer: Element) -> bool:
    return inner.frame == outer.frame and inner.path.startswith(outer.path + ">")


def number_of(text: str) -> float | None:
    """The number in “1,299.00” or “1.299,00 €”; None when there is none."""
    found = re.search(r"\d[\d.,' ]*", text)
    if not found:
        return None
    digits = found[0].replace("'", "").replace(" ", "").rstrip(".,")
    decimal = re.search(r"[.,](\d{1,2})$", digits)
    whole = re.sub(r"[.,]", "", digits[: decimal.start()] if decimal else digits)
    return float(whole or 0) + (float("0." + decimal[1]) if decimal else 0.0)


def price_in(text: str) -> float | None:
    found = next((found for pattern in _PRICES if (found := pattern.search(text))), None)
    return number_of(found[1]) if found else None


def price_text(text: str) -> str:
    """The first price in a text as it stands there; "" when there is none."""
    found = next((found for pattern in _PRICES if (found := pattern.search(text))), None)
    return found[0].strip() if found else ""


def measure_in(text: str, what: Superlative) -> float | None:
    """The number by which a superlative compares items."""
    match what:
        case Superlative.CHEAPEST | Superlative.DEAREST:
            return price_in(text)
        case Superlative.SHORTEST | Superlative.LONGEST:
            found = _DURATION.search(text)
            return None if not found else float(found[3]) if found[3] else int(found[1]) * 60 + int(found[2] or 0)
        case Superlative.BEST:
            found = _RATING.search(text)
            return number_of(found[1]) if found else None
        case Superlative.NEWEST | Superlative.OLDEST:
            found = _ISO.search(text)
            return float("".join(found.groups())) if found else None
        case Superlative.EARLIEST | Superlative.LATEST:
            found = _CLOCK.search(text)
            return float(int(found[1]) * 60 + int(found[2])) if found else None


LARGEST = frozenset(
    {Superlative.DEAREST, Superlative.LONGEST, Superlative.NEWEST, Superlative.BEST, Superlative.LATEST}
)


@dataclass(frozen=True, slots=True)
class Item:
    """One of several alike: the control that stands for it and all text that belongs to it."""

    element: Element
    text: str


def items_of(state: ScreenState, elements: Iterable[Element]) -> list[Item]:
    """The elements as items, each with the texts of its row or card."""
    chosen = list(elements)
    return [Item(one, _text_of(state, one, chosen)) for one in chosen]


def result_elements(state: ScreenState) -> list[Element]:
    """The controls that stand for the items of the page's main list: links first, in reading order."""
    groups: dict[tuple[str, str, str], list[Element]] = {}
    for element in state.elements:
        if element.role not in {"link", "button", "clickable", "option", "row", "article", "listitem"} or is_aside(
            element
        ):
            continue
        if not is_enabled(element) or not (element.name or element.text):
            continue
        if state.modal and not is_in_modal(state, element):
            continue
        kind = "link" if element.role == "link" else element.role
        groups.setdefault((element.frame, kind, _shape(element.path)), []).append(element)
    best: list[Element] = []
    best_worth = 0.0
    for (_, kind, _), members in groups.items():
        by_item: dict[object, Element] = {}
        for member in members:
            by_item.setdefault(member.list_index if member.list_index >= 0 else _card(member.path), member)
        distinct = list(by_item.values())
        if distinct[0].list_index < 0 and len(distinct) < 2:
            continue
        names = {fold(one.name) for one in distinct}
        worth = (
            float(min(len(distinct), 6))
            + (3 if kind == "link" else 0)
            + (4 if len(names) > 1 or len(distinct) == 1 else 0)
        )
        worth += min(sum(one.box.area_css_px2 for one in distinct) / len(distinct) / 20_000, 3)
        worth -= 8 if _is_service(distinct) else 0
        worth += 3 if any(re.search(r"h[1-6]\[", one.path) for one in distinct) else 0
        if worth > best_worth:
            best, best_worth = distinct, worth
    return best


def pick(items: list[Item], ordinal: int, superlative: Superlative | None) -> Item | None:
    """The item meant; None when there is none like it, or no number to compare by."""
    if superlative is not None:
        measured = [(value, item) for item in items if (value := measure_in(item.text, superlative)) is not None]
        if not measured:
            return None
        choose = max if superlative in LARGEST else min
        return choose(measured, key=lambda pair: pair[0])[1]
    if ordinal < 0:
        return items[-1] if items else None
    index = max(ordinal, 1) - 1
    return items[index] if index < len(items) else None


def distance(one: Box, other: Box) -> float:
    """CSS pixels between two boxes' edges; what lies in the same line counts as nearer."""
    dx = max(one.x_css_px - other.right_css_px, other.x_css_px - one.right_css_px, 0)
    dy = max(one.y_css_px - other.bottom_css_px, other.y_css_px - one.bottom_css_px, 0)
    return float(dx + dy * 3)


def anchors(state: ScreenState, words: str, least: float) -> list[Box]:
    """Boxes of the texts and controls that read like the words, the best kind only."""
    return [box for _, box in named_anchors(state, words, least)]


def named_anchors(state: ScreenState, words: str, least: float) -> list[tuple[str, Box]]:
    """The same, each with what it says."""
    scored = [(similarity(words, block.text), block.text, block.box) for block in state.texts if len(block.text) < 200]
    scored += [(similarity(words, one.name), one.name, one.box) for one in state.elements if one.name]
    best = max((score for score, _, _ in scored), default=0.0)
    return [(text, box) for score, text, box in scored if score >= max(least, best - 3)] if best >= least else []


def unread(state: ScreenState) -> str:
    """Why nothing of the page could be read, "" otherwise. Of such a page nothing can be said to be missing."""
    is_empty = not state.elements and not state.texts and not state.tables
    return state.left_out[0] if is_empty and state.left_out else ""


def is_waiting(state: ScreenState) -> bool:
    """Whether the page shows that something is still coming."""
    if state.is_loading or any(one.has(ElementState.BUSY) for one in state.elements):
        return True
    pattern = r"(?i)^(?:loading|please wait|searching|looking for|one moment|just a moment|working|processing)\b.{0,40}(?:…|\.\.\.)$"  # noqa: E501 - words and patterns read best on one line
    return any(re.match(pattern, block.text) for block in state.texts)


_NOTHING = re.compile(
    r"(?i)\b(?:no|0) (?:results?|matches|hits|items|products)\b|nothing (?:was )?found|keine (?:ergebnisse|treffer)"
)


def nothing_found(state: ScreenState) -> str:
    """The words with which the page says that its list is empty; "" when it does not."""
    return next((block.text for block in state.texts if _NOTHING.search(block.text)), "")


def alerts(state: ScreenState) -> list[TextBlock]:
    return [block for block in state.texts if block.role in {"alert", "status"} and block.text.strip()]


def _shape(path: str) -> str:
    return re.sub(r"\[\d+\]", "", path)


def _card(path: str) -> str:
    """What holds the element: cards of one kind lie side by side, each with its own."""
    return path.rpartition(">")[0]


def _is_service(elements: list[Element]) -> bool:
    """Pagination, filters, tags: lists, but not of results."""
    names = [fold(one.name) for one in elements]
    if any(re.search(r"(?i)cookie|consent|privacy", text) for one in elements for text in one.context):
        return True
    if all(len(name) <= 2 or name.isdigit() for name in names):
        return True
    return any(name in {"next", "previous", "next page", "home"} for name in names)


def _text_of(state: ScreenState, element: Element, others: list[Element]) -> str:
    if element.table >= 0 and element.row >= 0 and element.table < len(state.tables):
        rows = state.tables[element.table].rows
        if element.row < len(rows):
            return " ".join(rows[element.row])
    own = f"{element.name} {element.text}"
    title = element.context[-1] if element.context else ""
    pieces = [own]
    for block in state.texts:
        if block.frame != element.frame:
            continue
        nearest = min(others, key=lambda one: distance(one.box, block.box))
        is_titled = bool(title) and len(others) > 1 and block.context[-1:] == (title,) and sum(
            one.context[-1:] == (title,) for one in others
        ) == 1  # fmt: skip
        if is_titled or (nearest is element and distance(element.box, block.box) < 700):
            pieces.append(block.text)
    return " ".join(pieces)
