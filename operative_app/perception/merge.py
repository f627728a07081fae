"""What a program tells and what was read off its picture, as one list without doubles. Pure.

What the program tells is right about roles and states and stays; what was read only adds: names for controls without
one, texts the program does not tell, and, where a line looks like something to press, a control for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from rapidfuzz import fuzz

from operative_app.core.screen import Box, Element, TextBlock, shorten

READ_KEY = "read:"
"""How keys of controls begin that are known from the picture alone."""
READ_ROLE = "clickable"

_SAME_TEXT = 75.0
_MOST_LETTERS = 40
_MOST_WORDS = 6
_SENTENCE_END = re.compile(r"[.!?;,:…]$")
_ONLY_SIGNS = re.compile(r"^[\W_]*$")
_HOLDERS = frozenset({"table", "listbox", "tree", "treegrid", "document", "row", "group"})
"""Controls that hold other things: a line inside them is not their name."""


class Told(Protocol):
    """What the program tells."""

    @property
    def elements(self) -> tuple[Element, ...]: ...

    @property
    def texts(self) -> tuple[TextBlock, ...]: ...


def merge(told: Told, lines: Sequence[TextBlock]) -> tuple[tuple[Element, ...], tuple[TextBlock, ...]]:
    """Controls and texts of a window.

    Args:
        told: What the program tells.
        lines: What was read off the picture, boxes in the same pixels.
    """
    elements = list(told.elements)
    texts = list(told.texts)
    fresh: list[TextBlock] = []
    for line in lines:
        if _ONLY_SIGNS.match(line.text) or any(_is_same(line, text.box, text.text) for text in told.texts):
            continue
        index = _innermost(line.box, elements)
        if index < 0:
            fresh.append(line)
            continue
        element = elements[index]
        if _tells(element, line):
            continue
        if element.name or element.value or _is_field(element):
            if not _is_field(element) or element.value:
                fresh.append(line)
            else:
                elements[index] = element.model_copy(update={"text": line.text})
        else:
            elements[index] = element.model_copy(update={"name": shorten(line.text, 120), "label_source": "text"})
    counts: Counter[str] = Counter()
    for line in fresh:
        if _looks_pressable(line):
            name = _key_part(line.text)
            elements.append(_control(line, name, counts[name]))
            counts[name] += 1
        else:
            texts.append(line)
    return tuple(elements), tuple(texts)


def _control(line: TextBlock, name: str, count: int) -> Element:
    return Element(
        key=f"{READ_KEY}{name}" + (f"#{count + 1}" if count else ""),
        role=READ_ROLE,
        name=shorten(line.text, 120),
        label_source="text",
        text=line.text,
        box=line.box,
        path=f"{READ_KEY}{name}#{count + 1}",
    )


def _key_part(text: str) -> str:
    return re.sub(r"\W+", "-", text.casefold()).strip("-")[:40] or "sign"


def _looks_pressable(line: TextBlock) -> bool:
    text = line.text
    return len(text) <= _MOST_LETTERS and len(text.split()) <= _MOST_WORDS and not _SENTENCE_END.search(text)


def _innermost(box: Box, elements: Sequence[Element]) -> int:
    """The index of the smallest control that holds the middle of a box, -1 for none."""
    x, y = box.center
    hits = [
        (element.box.area_css_px2, index)
        for index, element in enumerate(elements)
        if element.role not in _HOLDERS and element.box.contains(x, y)
    ]
    return min(hits)[1] if hits else -1


def _tells(element: Element, line: TextBlock) -> bool:
    """Whether a control already says what was read in it."""
    known = [element.name, element.value, element.text, element.description]
    known += [option.label for option in element.options]
    return any(_alike(line.text, one) for one in known if one)


def _is_field(element: Element) -> bool:
    return element.role in {"textbox", "combobox", "spinbutton", "searchbox"}


def _is_same(line: TextBlock, box: Box, text: str) -> bool:
    x, y = line.box.center
    near = Box(
        x_css_px=box.x_css_px - 4,
        y_css_px=box.y_css_px - 4,
        width_css_px=box.width_css_px + 8,
        height_css_px=box.height_css_px + 8,
    )
    return near.contains(x, y) and _alike(line.text, text)


def _alike(read: str, told: str) -> bool:
    """Whether what was read is (a part of) what was told, letters read wrong forgiven."""
    one, other = _folded(read), _folded(told)
    if not one or not other:
        return False
    if len(one) <= 2:
        return one in other
    return fuzz.partial_ratio(one, other) >= _SAME_TEXT if len(one) <= len(other) + 3 else one == other


def _folded(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())
