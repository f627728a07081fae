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

from operative_app.core.screen import Box, Element, ElementState, ScreenState
from operative_app.perception.describe import describe
from operative_app.planning.model.numbers import Numbers

LARGE_CHARS = 6000
"""Up to this length a screen is shown whole."""

MAX_CHARS = 24_000
_DIFFERENCE_SHARE = 0.6
_NAMED_LEFT_OUT = 40
_MOST_LINES_COMPARED = 1500
_MOST_NAMED_ALIKE = 12

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
    elements = tuple(one for one in numbered if _matters(one, state, wanted))
    texts = tuple(one for one in state.texts if _is_near(one.box, state) or wanted & set(_words(one.text)))
    text = describe(state.model_copy(update={"elements": elements, "texts": texts}), max_chars=max_chars)
    kept = {one.key for one in elements}
    dropped = [one for one in numbered if one.key not in kept]
    dropped_texts = len(state.texts) - len(texts)
    lines = [*text.splitlines(), *_left_out(dropped, dropped_texts)]
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


def _matters(element: Element, state: ScreenState, wanted: set[str]) -> bool:
    return (
        _is_near(element.box, state)
        or element.is_new
        or element.has(ElementState.FOCUSED)
        or element.has(ElementState.INVALID)
        or element.has(ElementState.EDITABLE)
        or bool(state.modal and state.modal in element.context)
        or bool(wanted & set(_element_words(element)))
    )


def _is_near(box: Box, state: ScreenState) -> bool:
    """In the viewport, or less than half of one away."""
    view = state.viewport
    reach = view.height_css_px / 2
    return box.bottom_css_px >= view.y_css_px - reach and box.y_css_px <= view.bottom_css_px + reach


def _element_words(element: Element) -> Iterable[str]:
    return _words(" ".join((element.name, element.text, element.placeholder, element.value, *element.context[-2:])))


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _COMMON]


def _left_out(elements: list[Element], texts: int) -> Iterable[str]:
    if not elements and not texts:
        return
    kinds = Counter(one.role for one in elements).most_common()
    counted = [f"{count} x {role}" for role, count in kinds] + ([f"{texts} x text"] if texts else [])
    yield f"! out of sight and not shown: {', '.join(counted)}; ask with “show”, or scroll"
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
    """Case, white space, quotation marks and dashes do not count when words are looked up."""
    plain = text.casefold().translate(_PLAIN)
    return " ".join(plain.split())


_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "\u00a0": " ", "…": ""})
