"""A ScreenState as compact text, for people, tests and models.

One line for each control, with its mark; texts between them where they stand; what was left out at the end. All of it
comes from the page and is to be read as data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator

from operative_app.core.screen import Box, Element, ElementState, ScreenState, Table, TextBlock, shorten

_QUIET = frozenset({ElementState.EDITABLE, ElementState.OFFSCREEN, ElementState.MULTILINE})
_MAX_TEXT = 300
_MAX_ROWS = 30


def describe(state: ScreenState, *, max_chars: int = 24_000) -> str:
    """The state in lines.

    Args:
        max_chars: Where to cut; a last line says that it was cut.
    """
    lines = [*_head(state), *_body(state)]
    lines += [line for index, table in enumerate(state.tables) for line in _table(index, table)]
    lines += [f"! {sentence}" for sentence in state.left_out]
    text = "\n".join(lines)
    if len(text) <= max_chars:
        return text
    kept = text[:max_chars].rsplit("\n", 1)[0]
    return f"{kept}\n! the rest of the page is left out here ({len(text) - len(kept)} characters)"


def describe_element(element: Element) -> str:
    """One control in one line: [3] button “Select” in “Fibre 500” (disabled)."""
    parts = [f"[{element.mark}]" if element.mark else "[–]", element.role]
    if element.name:
        parts.append(f"“{shorten(element.name, 100)}”")
    elif element.text:
        parts.append(f"“{shorten(element.text, 100)}”")
    if element.value and element.value != element.name:
        parts.append(f"= “{shorten(element.value, 100)}”")
    if element.placeholder and element.placeholder != element.name and not element.value:
        parts.append(f"placeholder “{shorten(element.placeholder, 60)}”")
    if element.input_type in {"date", "time", "month", "week", "datetime-local", "email", "number", "file"}:
        parts.append(f"<{element.input_type}>")
    inside = [part for part in element.context[-3:] if part != element.name]
    if inside:
        parts.append("in " + " > ".join(f"“{shorten(part, 50)}”" for part in inside))
    states = sorted(str(one) for one in element.states - _QUIET)
    if element.has(ElementState.OFFSCREEN):
        states.append("scroll to see")
    if element.is_new:
        states.append("new")
    if states:
        parts.append(f"({', '.join(states)})")
    if element.options:
        parts.append("options: " + ", ".join(_option_words(element)))
    if element.cover:
        parts.append(f"covered by {element.cover}")
    if element.description:
        parts.append(f"— {shorten(element.description, 80)}")
    return " ".join(parts)


def _option_words(element: Element) -> list[str]:
    shown = [f"“{shorten(option.label, 40)}”" for option in element.options[:20]]
    if len(element.options) > 20:
        shown.append(f"and {len(element.options) - 20} more")
    return shown


def _head(state: ScreenState) -> Iterator[str]:
    yield f"{state.title or 'Untitled'} – {state.url}"
    if len(state.tabs) > 1:
        for tab in state.tabs:
            yield f"tab {tab.id}{' (in front)' if tab.is_active else ''}: {shorten(tab.title or tab.url, 80)}"
    for dialog in state.dialogs:
        yield f"! {dialog.kind} waits for an answer: “{dialog.message}”"
    if state.modal:
        yield f"dialog open: “{state.modal}”"
    if state.file_chooser:
        yield "the page asks for a file"
    for file in state.downloads:
        yield f"download “{file.name}”: {file.state}{f', {file.path}' if file.path else ''}"
    if state.is_loading:
        yield "still loading"
    below = state.scroll.height_css_px - state.scroll.y_css_px - state.viewport_height_css_px
    if state.scroll.y_css_px > 1 or below > 1:
        yield f"scrolled {state.scroll.y_css_px:.0f} px, {max(below, 0):.0f} px below"


def _body(state: ScreenState) -> Iterator[str]:
    """Controls and texts merged in the order of the document.

    Both come in that order; which goes first is told by what they belong to (the same card, the same section) and else
    by their places.
    """
    titles = {element.context[-1] for element in state.elements if element.context}
    has_tables = bool(state.tables)
    texts = deque(block for block in state.texts if not (has_tables and block.role == "cell"))
    controls = deque(state.elements)
    group: tuple[str, ...] = ()
    while texts or controls:
        if texts and (not controls or _is_text_next(texts[0], controls[0], group, titles)):
            block = texts.popleft()
            group = _group(block.context, block.text, titles)
            yield _text(block)
        else:
            element = controls.popleft()
            group = _group(element.context, element.name, titles)
            yield describe_element(element)


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
    text = shorten(block.text, _MAX_TEXT)
    match block.role:
        case "heading":
            return f"{'#' * max(block.level, 1)} {text}"
        case "alert" | "status":
            return f"{block.role}: {text}"
        case "listitem":
            return f"- {text}"
        case _:
            return text


def _table(index: int, table: Table) -> Iterator[str]:
    yield f"table {index}{f' “{table.caption}”' if table.caption else ''}:"
    if table.headers:
        yield " | ".join(table.headers)
    for row in table.rows[:_MAX_ROWS]:
        yield " | ".join(shorten(cell, 60) for cell in row)
    if len(table.rows) > _MAX_ROWS:
        yield f"… and {len(table.rows) - _MAX_ROWS} more rows"
