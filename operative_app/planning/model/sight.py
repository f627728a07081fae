"""What a model is shown of a screen: lines with element numbers, only what matters, or what is different.

A small screen is shown whole. Of a large one everything visible, every field, what is new and what the task's
words name is shown; the rest is counted, and shown on request. Two descriptions of one page are compared line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from operative_app.core.outside import harmless_line
from operative_app.core.screen import Box, Element, ElementState, ScreenState, TextBlock
from operative_app.perception.describe import describe
from operative_app.planning.model.numbers import Numbers

LARGE_CHARS = 2200
"""Up to this length a screen is shown whole."""

TEXT_CHARS = 1500
"""How much of the plain text of a larger screen is shown; its controls are shown in any case."""

_TEXT_LINE_CHARS = 240

MAX_CHARS = 24_000
_DIFFERENCE_SHARE = 0.6
_NAMED_LEFT_OUT = 40
_MOST_LINES_COMPARED = 1500
_MOST_NAMED_ALIKE = 12
_MOST_NEW = 12
"""What is new is shown wherever it stands, unless it is a whole list."""

_LOUD = frozenset({"heading", "status", "alert", "dialog"})
_CUT = " …"

_WORD = re.compile(r"\w{3,}", re.UNICODE)
_NUMBER = re.compile(r"^\[(\d+)\] ")
_COMMON = frozenset(
    word
    for line in (
        "the and for with from then into that this you your are not all any can",
        "page open click press enter type",
    )
    for word in line.split()
)
"""Words that name nothing in particular."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One screen in lines, as shown to a model.

    Attributes:
        left_out: How many elements and texts were not shown.
    """

    observation: int
    page: str
    lines: tuple[str, ...]
    left_out: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def see(
    state: ScreenState, numbers: Numbers, words: Iterable[str], *, is_all: bool = False, max_chars: int = MAX_CHARS
) -> Sight:
    """The state in lines.

    Args:
        words: Goal, task and wishes; what they name is shown also when it is out of sight.
        is_all: Leave nothing out but for the length.
    """
    numbered = numbers.numbered(state)
    page = state.url.split("#")[0] or (state.active_window.title if state.active_window else "")
    if is_all or _least_length(state) <= LARGE_CHARS:
        whole = describe(state.model_copy(update={"elements": numbered}), max_chars=max_chars)
        if is_all or len(whole) <= min(LARGE_CHARS, max_chars):
            return Sight(state.observation, page, tuple(whole.splitlines()))
    wanted = _telling(words, numbered)
    view = state.viewport
    is_news = sum(one.is_new for one in numbered) <= _MOST_NEW
    elements = tuple(one for one in numbered if (one.is_new and is_news) or _matters(one, state, view, wanted))
    texts = _telling_texts(state, view, wanted)
    text = describe(state.model_copy(update={"elements": elements, "texts": texts}), max_chars=max_chars)
    kept = {one.key for one in elements}
    dropped = [one for one in numbered if one.key not in kept]
    dropped_texts = len(state.texts) - len(texts)
    is_cut = any(one.text.endswith(_CUT) for one in texts)
    lines = [*text.splitlines(), *_left_out(dropped, dropped_texts, is_cut=is_cut)]
    return Sight(state.observation, page, tuple(lines), len(dropped) + dropped_texts)


def changes(before: Sight, after: Sight) -> str | None:
    """What is different, in lines; None when the whole is needed: another page, or the difference is hardly shorter."""
    if before.page != after.page or max(len(before.lines), len(after.lines)) > _MOST_LINES_COMPARED:
        return None
    if before.lines == after.lines:
        return "The screen is exactly as it was."
    lines = list(_changed_lines(before.lines, after.lines))
    text = "\n".join(lines)
    return text if len(text) <= _DIFFERENCE_SHARE * len(after.text) else None


def find(state: ScreenState, numbers: Numbers, what: str, *, max_chars: int) -> str:
    """Everything on the state that the words name, shown or not."""
    wanted = set(_words(what))
    elements = tuple(one for one in numbers.numbered(state) if wanted & set(_element_words(one)))
    texts = tuple(one for one in state.texts if wanted & set(_words(one.text)))
    if not elements and not texts:
        return f"Nothing on this screen is called “{what}”. It may come by scrolling, or be on another page."
    return describe(state.model_copy(update={"elements": elements, "texts": texts}), max_chars=max_chars)


def _changed_lines(old: tuple[str, ...], new: tuple[str, ...]) -> Iterable[str]:
    """Lines that came, with where they stand; elements that changed; what went."""
    removed: list[str] = []
    added: list[tuple[str, str]] = []
    for tag, first, last, start, end in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag in {"replace", "delete"}:
            removed.extend(old[first:last])
        if tag in {"replace", "insert"}:
            added.extend((new[start - 1] if start else "", line) for line in new[start:end])
            start = end
    returned = Counter(line for _, line in added) & Counter(removed)
    numbers_before = {found[1] for line in removed if (found := _NUMBER.match(line))}
    numbers_after = {found[1] for _, line in added if (found := _NUMBER.match(line))}
    for _, line in added:
        if returned[line]:
            continue  # it only stands elsewhere now
        found = _NUMBER.match(line)
        yield f"= {line}" if found and found[1] in numbers_before else f"+ {line}"
    gone = sorted(numbers_before - numbers_after, key=int)
    if gone:
        yield f"- {', '.join(f'[{number}]' for number in gone)} went"
    yield from (f"- {line}" for line in removed if not (returned[line] or _NUMBER.match(line)))


def _telling(words: Iterable[str], elements: tuple[Element, ...]) -> set[str]:
    """The words that tell something apart here: what names a good part of all elements names none."""
    wanted = {word for text in words for word in _words(text)}
    counts = Counter(word for one in elements for word in wanted.intersection(_element_words(one)))
    most = max(_MOST_NAMED_ALIKE, len(elements) // 10)
    return {word for word in wanted if counts[word] <= most}


def _least_length(state: ScreenState) -> int:
    """What a whole description takes at least, in characters: enough to tell that a screen is large."""
    elements = sum(min(len(one.name), 100) + len(one.role) for one in state.elements)
    return elements + 8 * len(state.elements) + sum(min(len(one.text), 300) for one in state.texts)


def _matters(element: Element, state: ScreenState, view: Box, wanted: set[str]) -> bool:
    return (
        _is_near(element, state, view)
        or element.has(ElementState.FOCUSED)
        or element.has(ElementState.INVALID)
        or element.has(ElementState.EDITABLE)
        or bool(state.modal and state.modal in element.context)
        or bool(wanted & set(_element_words(element)))
    )


def _is_near(one: Element | TextBlock, state: ScreenState, view: Box) -> bool:
    """In the viewport, or less than half of one away; of what scrolls by itself, what can be seen in it."""
    box = one.box
    reach = view.height_css_px / 2
    if not (box.bottom_css_px >= view.y_css_px - reach and box.y_css_px <= view.bottom_css_px + reach):
        return False
    scroller = next((inner for inner in state.scrollers if inner.key == one.scroller), None) if one.scroller else None
    if scroller is None:
        return True
    room = scroller.box.height_css_px / 2
    return box.bottom_css_px >= scroller.box.y_css_px - room and box.y_css_px <= scroller.box.bottom_css_px + room


def _telling_texts(state: ScreenState, view: Box, wanted: set[str]) -> tuple[TextBlock, ...]:
    """The texts that matter most, in their order, as much as there is room for; long ones are cut."""

    def rank(place: int) -> tuple[bool, bool, bool, int]:
        one = state.texts[place]
        is_named = bool(wanted & set(_words(one.text)))
        return not is_named, one.role not in _LOUD, not _is_near(one, state, view), place

    room = TEXT_CHARS
    kept: dict[int, TextBlock] = {}
    for place in sorted(range(len(state.texts)), key=rank):
        one = state.texts[place]
        if not _is_near(one, state, view) and not wanted & set(_words(one.text)):
            continue
        if len(one.text) > _TEXT_LINE_CHARS:
            one = one.model_copy(update={"text": one.text[: _TEXT_LINE_CHARS - len(_CUT)] + _CUT})
        if len(one.text) <= room:
            kept[place] = one
            room -= len(one.text) + 1
    return tuple(kept[place] for place in sorted(kept))


def _element_words(element: Element) -> Iterable[str]:
    return _words(" ".join((element.name, element.text, element.placeholder, element.value, *element.context[-2:])))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _COMMON]


def _left_out(elements: list[Element], texts: int, *, is_cut: bool) -> Iterable[str]:
    """What was left out, and how to get the rest."""
    if is_cut or texts:
        yield "! texts are shortened or left out here; ask with “show” for words or “all”, or read them with get_text"
    if not elements and not texts:
        return
    kinds = Counter(one.role for one in elements).most_common()
    counted = [f"{count} x {role}" for role, count in kinds] + ([f"{texts} x text"] if texts else [])
    yield f"! not shown: {', '.join(counted)}; ask with “show”, or scroll"
    if len(elements) <= _NAMED_LEFT_OUT:
        yield "  " + ", ".join(f"[{one.mark}] {(one.name or one.text or one.role)[:24]}" for one in elements)


def texts_of(state: ScreenState) -> Iterable[str]:
    """Every text a person could read on the state, for looking up what is claimed to be there."""
    yield state.title
    yield state.url
    yield from (block.text for block in state.texts)
    for element in state.elements:
        yield from (element.name, element.value, element.text, element.description, *element.context)
        yield from (option.label for option in element.options if option.is_selected)
        yield from (str(one) for one in element.states)
    for table in state.tables:
        yield table.caption
        yield " ".join(table.headers)
        yield from (" ".join(row) for row in table.rows)
    yield from (tab.title for tab in state.tabs)
    yield from (window.title for window in state.windows)
    yield from (dialog.message for dialog in state.dialogs)
    yield from (f"{file.name} {file.state} {file.path}" for file in state.downloads)


def is_shown(state: ScreenState, quote: str) -> bool:
    """Whether the words can be read on the state: within one text, or over neighbouring ones."""
    wanted = folded(quote)
    if not wanted:
        return False
    texts = [folded(text) for text in texts_of(state) if text]
    return any(wanted in text for text in texts) or wanted in " ".join(texts)


def folded(text: str) -> str:
    """What does not count when words are looked up: case, white space, quotation marks, dashes, what cannot be seen.

    A text and how it stands in a fence are the same.
    """
    return " ".join(harmless_line(text).casefold().translate(_PLAIN).split())


_PLAIN = str.maketrans(
    {**dict.fromkeys('“”"…'), **dict.fromkeys("‘’", "'"), **dict.fromkeys("–—", "-"), "\u2039": "<", "\u203a": ">"}
)
