"""A ScreenState as compact text, for people, tests and models.

One line for each control, with its mark; texts between them where they stand; what was left out at the end. All of it
comes from the page and is to be read as data: it is without characters that cannot be seen, and no text of a page makes
a line of its own or one that looks like a line for a control.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from operative_app.core.outside import harmless_line, quoted
from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    ScreenState,
    ScrollContainer,
    SurfaceKind,
    Table,
    TextBlock,
    shorten,
)
from operative_app.perception.merge import READ_KEY

_QUIET = frozenset({ElementState.EDITABLE, ElementState.OFFSCREEN, ElementState.MULTILINE})
_PLACED_ROLES = frozenset({"canvas", "dropzone", "separator"})
_MAX_TEXT = 300
_READ = "(read off the picture)"
_MAX_ROWS = 30
_GAP_CHARS = 36
_OUT_OF_SIGHT = "out of sight"
_SCROLLER_CHARS = 26
_MOST_GAPS = 4
_LIKE_OURS = re.compile(r"^\s*(?:[-=+]\s*)?\[\s*(?:\d+|–)\s*\]|^\s*[!=+](?:\s|$)")
"""How lines for controls, hints and changes begin."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with how far what it tells lies from what is in sight, in pixels of the state."""

    text: str
    distance_px: float


def describe(state: ScreenState, *, max_chars: int = 24_000) -> str:
    """The state in lines.

    Args:
        max_chars: Where to cut: what lies farthest from what is in sight goes first, and lines say how much went where.
    """
    head = [harmless_line(line) for line in _head(state)]
    tail = [harmless_line(line) for index, table in enumerate(state.tables) for line in _table(index, table)]
    tail += [harmless_line(f"! {sentence}") for sentence in (*state.left_out, *state.held_back)]
    body = _told_once(state)
    length = sum(len(line) + 1 for line in (*head, *tail)) + sum(len(line.text) + 1 for line in body)
    if length <= max_chars:
        return "\n".join([*head, *(line.text for line in body), *tail])
    room = max_chars - sum(len(line) + 1 for line in head)
    tail = list(_as_many(tail, max(room // 3, 200)))
    room -= sum(len(line) + 1 for line in tail)
    return "\n".join([*head, *_nearest(body, room), *tail])


def describe_element(element: Element, state: ScreenState | None = None) -> str:
    """One control in one line: [3] button “Select” in “Fibre 500” (disabled).

    Args:
        state: Where it was seen; tells on which side of what is in sight it lies, and shortens addresses of its site.
    """
    parts = [f"[{element.mark}]" if element.mark else "[–]", element.role]
    if element.name:
        parts.append(_quoted(element.name, 100))
        if element.label_source == "markup":
            parts.append("(called so only in the markup)")
    elif element.text:
        parts.append(_quoted(element.text, 100))
    if element.key.startswith(READ_KEY):
        parts.append(_READ)
    if element.value and element.value != element.name:
        parts.append(f"= {_quoted(element.value, 100)}")
    if element.placeholder and element.placeholder != element.name and not element.value:
        parts.append(f"placeholder {_quoted(element.placeholder, 60)}")
    if element.input_type in {"date", "time", "month", "week", "datetime-local", "email", "number", "file"}:
        parts.append(f"<{element.input_type}>")
    if element.href:
        parts.append(f"→ {shorten(_short_address(element.href, state), 80)}")
    inside = [part for part in element.context[-3:] if part != element.name]
    if inside:
        parts.append("in " + " > ".join(_quoted(part, 50) for part in inside))
    if element.frame:
        parts.append(f"frame {element.frame}")
    if element.role in _PLACED_ROLES:
        parts.append(_words_of(element.box))
    states = sorted(_STATE_WORDS.get(one, str(one)) for one in element.states - _QUIET)
    if element.has(ElementState.OFFSCREEN):
        states.append(_way_to_see(element, state))
    if element.is_new:
        states.append("new")
    if states:
        parts.append(f"({', '.join(states)})")
    if element.options:
        parts.append("options: " + ", ".join(_option_words(element)))
    if element.cover:
        parts.append(f"covered by {shorten(element.cover, 100)}")
    if element.description:
        parts.append(f"hint {_quoted(element.description, 80)}")
    return harmless_line(" ".join(parts))


def _quoted(text: str, limit: int) -> str:
    return quoted(shorten(harmless_line(text), limit))


_STATE_WORDS = {ElementState.DROP_TARGET: "things can be dropped here", ElementState.SCROLLABLE: "scrolls"}


def _way_to_see(element: Element, state: ScreenState | None) -> str:
    """On which side of what is in sight it lies, and of what that scrolls by itself."""
    if state is None:
        return _OUT_OF_SIGHT
    scroller = next((one for one in state.scrollers if one.key == element.scroller), None)
    if scroller is None or not _is_apart(element.box, scroller.box):
        return _side(element.box, state.viewport)
    return f"{_side(element.box, scroller.box)} in {shorten(scroller.label, _SCROLLER_CHARS)}"


def _is_apart(box: Box, view: Box) -> bool:
    return (
        box.bottom_css_px <= view.y_css_px
        or box.y_css_px >= view.bottom_css_px
        or box.right_css_px <= view.x_css_px
        or box.x_css_px >= view.right_css_px
    )


def _side(box: Box, view: Box) -> str:
    if not view.area_css_px2 or not _is_apart(box, view):
        return _OUT_OF_SIGHT
    if box.bottom_css_px <= view.y_css_px:
        return "above"
    if box.y_css_px >= view.bottom_css_px:
        return "below"
    return "to the left" if box.right_css_px <= view.x_css_px else "to the right"


def _short_address(address: str, state: ScreenState | None) -> str:
    """Without the site when it is the site of the page."""
    if state is None:
        return address
    site = "/".join(state.url.split("/")[:3])
    return address[len(site) :] if len(site) > 8 and address.startswith(site + "/") else address


def _words_of(box: Box) -> str:
    return f"at {box.x_css_px:.0f},{box.y_css_px:.0f} {box.width_css_px:.0f}×{box.height_css_px:.0f}"


# --- cutting to a length ---------------------------------------------------------------------------------------------


def _nearest(body: Sequence[_Line], room_chars: int) -> Iterator[str]:
    """The lines nearest to what is in sight that find room, in their order; gaps say how many lines are left out."""
    kept: set[int] = set()
    for place in sorted(range(len(body)), key=lambda place: body[place].distance_px):
        room_chars -= len(body[place].text) + 1
        if room_chars < _MOST_GAPS * _GAP_CHARS:
            break
        kept.add(place)
    starts = sum(place not in kept and (place - 1 in kept or place == 0) for place in range(len(body)))
    gap = 0
    for place, line in enumerate(body):
        if place in kept:
            if gap and starts <= _MOST_GAPS:
                yield f"! {gap} lines are left out here"
                gap = 0
            yield line.text
        else:
            gap += 1
    if gap:
        yield f"! {gap} lines are left out here"


def _as_many(lines: Sequence[str], room_chars: int) -> Iterator[str]:
    for number, line in enumerate(lines):
        room_chars -= len(line) + 1
        if room_chars < 0:
            yield f"! {len(lines) - number} lines are left out here"
            return
        yield line


def _option_words(element: Element) -> list[str]:
    shown = [_quoted(option.label, 40) for option in element.options[:20]]
    if len(element.options) > 20:
        shown.append(f"and {len(element.options) - 20} more")
    return shown


def _head(state: ScreenState) -> Iterator[str]:
    if state.surface is SurfaceKind.DESKTOP:
        yield from _windows(state)
    else:
        yield f"{shorten(state.title, 200) or 'Untitled'} – {shorten(state.url, 500)}"
    if len(state.tabs) > 1:
        for tab in state.tabs:
            yield f"tab {tab.id}{' (in front)' if tab.is_active else ''}: {shorten(tab.title or tab.url, 80)}"
    if state.has_crashed:
        yield "! the page crashed: nothing can be done there until it is opened again"
    for dialog in state.dialogs:
        yield f"! {dialog.kind} waits for an answer: {_quoted(dialog.message, 500)}"
    if state.modal:
        yield f"dialog open: {_quoted(state.modal, 100)}"
    if state.file_chooser:
        yield "the page asks for a file"
    for file in state.downloads:
        yield f"download {_quoted(file.name, 120)}: {file.state}{f', {file.path}' if file.path else ''}"
    if state.is_loading:
        yield "still loading"
    if state.held:
        yield f"held down: {', '.join(sorted(state.held))}"
    if state.selection:
        yield f"selected: {_quoted(state.selection, 100)}"
    yield from _scrolling(state)


def _windows(state: ScreenState) -> Iterator[str]:
    yield f"Desktop – {state.title}" if state.title else "Desktop"
    for window in state.windows:
        told = [window.app] if window.app and window.app not in window.title else []
        told += ["in front"] if window.is_active else []
        told += ["dialog"] if window.is_dialog else []
        told += ["minimized"] if window.is_minimized else []
        words = f" ({', '.join(told)})" if told else ""
        yield f"window {_quoted(window.title or window.app, 80)}{words}"


def _scrolling(state: ScreenState) -> Iterator[str]:
    """What lies out of sight of the page and of the parts that scroll by themselves."""
    at = state.scroll
    below = at.height_css_px - at.y_css_px - state.viewport_height_css_px
    right = at.width_css_px - at.x_css_px - state.viewport_width_css_px
    sides = {"above": at.y_css_px, "below": below, "left": at.x_css_px, "right": right}
    if at.height_css_px and _sides(sides):
        yield f"the page goes on: {_sides(sides)}"
    for one in state.scrollers:
        if not _is_apart(one.box, state.viewport) or not state.viewport_width_css_px:
            yield f"scrolls by itself: {shorten(one.label, 80)} {_words_of(one.box)}: {_sides(_sides_of(one))}"


def _sides_of(one: ScrollContainer) -> dict[str, float]:
    return {
        "above": one.above_css_px,
        "below": one.below_css_px,
        "left": one.left_css_px,
        "right": one.right_css_px,
    }


def _sides(sides: dict[str, float]) -> str:
    return ", ".join(f"{length:.0f} px more {side}" for side, length in sides.items() if length >= 2)


@dataclass(frozen=True, slots=True)
class _Told:
    """The lines of the body of a state that was told, with that state."""

    state: ScreenState
    body: tuple[_Line, ...]

    def is_of(self, state: ScreenState) -> bool:
        """Whether the very same things are in a state, at the same places: it was looked at again unchanged."""
        known = self.state
        return (
            known.elements is state.elements
            and known.texts is state.texts
            and known.scrollers is state.scrollers
            and bool(known.tables) == bool(state.tables)
            and (known.url, known.focus, known.viewport) == (state.url, state.focus, state.viewport)
        )


_last: _Told | None = None
"""Any thread: it is only ever replaced."""


def _told_once(state: ScreenState) -> tuple[_Line, ...]:
    """The body of the state, from the last time when it is the same."""
    global _last
    known = _last
    if known is None or not known.is_of(state):
        _last = known = _Told(state, tuple(_body(state)))
    return known.body


def _body(state: ScreenState) -> Iterator[_Line]:
    """Controls and texts merged in the order of the document.

    Both come in that order; which goes first is told by what they belong to (the same card, the same section) and else
    by their places.
    """
    titles = {element.context[-1] for element in state.elements if element.context}
    has_tables = bool(state.tables)
    texts = deque(block for block in state.texts if not (has_tables and block.role == "cell"))
    controls = deque(state.elements)
    group: tuple[str, ...] = ()
    view = state.viewport
    while texts or controls:
        if texts and (not controls or _is_text_next(texts[0], controls[0], group, titles)):
            block = texts.popleft()
            group = _group(block.context, block.text, titles)
            yield _Line(_text(block), _distance(block.box, view))
        else:
            element = controls.popleft()
            group = _group(element.context, element.name, titles)
            distance_px = 0.0 if element.key == state.focus else _distance(element.box, view)
            yield _Line(describe_element(element, state), distance_px)


def _distance(box: Box, view: Box) -> float:
    """How far above or below what is in sight, in pixels of the state."""
    return max(0.0, box.y_css_px - view.bottom_css_px, view.y_css_px - box.bottom_css_px)


def _is_text_next(block: TextBlock, element: Element, group: tuple[str, ...], titles: Container[str]) -> bool:
    text_belongs = _group(block.context, block.text, titles) == group
    element_belongs = _group(element.context, element.name, titles) == group
    if text_belongs != element_belongs:
        return text_belongs
    return _place(block.box) <= _place(element.box)


def _group(context: tuple[str, ...], own: str, titles: Container[str]) -> tuple[str, ...]:
    """What a line belongs to; the title of a card belongs to its card."""
    return (*context, own) if own in titles else context


def _place(box: Box) -> tuple[float, float]:
    return box.y_css_px // 12, box.x_css_px


def _text(block: TextBlock) -> str:
    text = shorten(harmless_line(block.text), _MAX_TEXT)
    if _LIKE_OURS.match(text):
        return f"text: {text}"
    match block.role:
        case "heading":
            return f"{'#' * max(block.level, 1)} {text}"
        case "alert" | "status":
            return f"{block.role}: {text}"
        case "listitem":
            return f"- {text}"
        case "read":
            return f"{_READ} {text}"
        case _:
            return text


def _table(index: int, table: Table) -> Iterator[str]:
    yield f"table {index}{f' {_quoted(table.caption, 100)}' if table.caption else ''}:"
    if table.headers:
        yield _row(table.headers)
    for row in table.rows[:_MAX_ROWS]:
        yield _row(row)
    if len(table.rows) > _MAX_ROWS:
        yield f"… and {len(table.rows) - _MAX_ROWS} more rows"


def _row(cells: Sequence[str]) -> str:
    row = " | ".join(shorten(harmless_line(cell), 60) for cell in cells)
    return f"row: {row}" if _LIKE_OURS.match(row) else row
