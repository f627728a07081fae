"""What changed between two observations, as short text for people, planners and post-condition checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from operative_app.core.pairing import Pairing, pair_elements, pair_texts
from operative_app.core.screen import Element, ElementState, ScreenState, TextBlock, shorten

_MOVES = frozenset({ElementState.OFFSCREEN, ElementState.FOCUSED})
"""States that come and go by scrolling and focus alone; told apart from changes of the page itself."""

_OPPOSITES = {
    ElementState.CHECKED: ElementState.UNCHECKED,
    ElementState.UNCHECKED: ElementState.CHECKED,
    ElementState.EXPANDED: ElementState.COLLAPSED,
    ElementState.COLLAPSED: ElementState.EXPANDED,
}
_CLOCK = re.compile(r"\b\d{1,3}:[0-5]\d(?::[0-5]\d)?\b")
_Spot = tuple[str, str, int, int]
"""Where a text stands: frame, role, left and top in CSS pixels."""


def difference(before: ScreenState, after: ScreenState, *, limit: int = 8) -> str:
    """Sentences about what is new, gone or different; "" when nothing is.

    Args:
        limit: How many sentences at most; the rest is counted.
    """
    changes = list(_changes(before, after))
    if len(changes) > limit:
        changes = [*changes[:limit], f"and {len(changes) - limit} more changes"]
    return "; ".join(changes)


def has_changed(before: ScreenState, after: ScreenState, *, pressed: Element | None = None) -> bool:
    """Whether anything a person could see differs: page, texts, elements, values, states, focus, scroll, dialogs.

    What changes by itself does not count: restless places, and clocks that went on as time did. Nor does it that a
    selection went, since every press ends one.

    Args:
        pressed: What was clicked. That it has the focus afterwards is no effect, unless it takes text.
    """
    before, after = _at_rest(before, after, pressed)
    if not after.selection:
        before = before.model_copy(update={"selection": ""})
    if next(_changes(before, after), None) is None:
        return False
    if pressed is None or pressed.has(ElementState.EDITABLE):
        return True
    focused = after.element(after.focus)
    if focused is None or (focused.path, focused.frame) != (pressed.path, pressed.frame):
        return True
    return next(_changes(before, after.model_copy(update={"focus": before.focus})), None) is not None


def _changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    yield from _page_changes(before, after)
    yield from _window_changes(before, after)
    if after.url == before.url or is_same_document(before.url, after.url):
        yield from _element_changes(before, after)
        yield from _text_changes(before, after)
        reordered = (
            new for old, new in zip(before.tables, after.tables, strict=False)
            if old.rows != new.rows and sorted(old.rows) == sorted(new.rows)
        )  # fmt: skip
        yield from (f"the rows of “{table.caption or 'the table'}” stand in another order" for table in reordered)
        yield from _scroll_changes(before, after)
    if after.selection != before.selection:
        yield f"“{shorten(after.selection, 60)}” is selected" if after.selection else "nothing is selected any more"
    if after.focus != before.focus and after.focus:
        focused = after.element(after.focus)
        previous = before.element(before.focus) if before.focus else None
        if focused is not None and (previous is None or previous.fingerprint != focused.fingerprint):
            yield f"focus is on {focused.label}"


def _page_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    if after.has_crashed and not before.has_crashed:
        yield "the page crashed"
    if after.url != before.url:
        yield f"address is now {after.url}"
    if after.title != before.title:
        yield f"title is now “{after.title}”"
    opened = [tab for tab in after.tabs if tab.id not in {old.id for old in before.tabs}]
    closed = [tab for tab in before.tabs if tab.id not in {new.id for new in after.tabs}]
    yield from (f"new tab “{tab.title or tab.url}”" for tab in opened)
    yield from (f"tab “{tab.title or tab.url}” closed" for tab in closed)
    front, front_before = after.active_tab, before.active_tab
    if front is not None and front_before is not None and front.id != front_before.id and front not in opened:
        yield f"tab “{front.title or front.url}” is in front"
    if after.modal != before.modal:
        yield f"dialog “{after.modal}” opened" if after.modal else f"dialog “{before.modal}” closed"
    yield from (f"{dialog.kind}: “{dialog.message}”" for dialog in after.dialogs if dialog not in before.dialogs)
    yield from (f"{dialog.kind} “{dialog.message}” is gone" for dialog in before.dialogs if dialog not in after.dialogs)
    yield from (f"download “{file.name}” {file.state}" for file in after.downloads if file not in before.downloads)
    if bool(after.file_chooser) != bool(before.file_chooser):
        yield "the page asks for a file" if after.file_chooser else "the page no longer asks for a file"


def _window_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    old = {window.id: window for window in before.windows}
    new = {window.id: window for window in after.windows}
    for number, window in new.items():
        name = window.title or window.app
        earlier = old.get(number)
        if earlier is None:
            yield f"window “{name}” opened"
            continue
        if window.title != earlier.title:
            yield f"window “{earlier.title or earlier.app}” is now called “{name}”"
        if window.is_minimized != earlier.is_minimized:
            yield f"window “{name}” is {'minimized' if window.is_minimized else 'no longer minimized'}"
    for number, window in old.items():
        if number not in new:
            yield f"window “{window.title or window.app}” closed"
    front, front_before = after.active_window, before.active_window
    if front is not None and front.id in old and (front_before is None or front.id != front_before.id):
        yield f"window “{front.title or front.app}” is in front"


def _scroll_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    if after.scroll.y_css_px != before.scroll.y_css_px or after.scroll == before.scroll:
        words = f"scrolled to {after.scroll.y_css_px:.0f} px"
    else:
        words = f"scrolled sideways to {after.scroll.x_css_px:.0f} px"
    if after.scroll != before.scroll:
        yield words
    old = {one.key: one for one in before.scrollers}
    for one in after.scrollers:
        earlier = old.get(one.key)
        if earlier is None:
            continue
        if one.above_css_px != earlier.above_css_px:
            yield f"{one.label} scrolled to {one.above_css_px:.0f} px"
        elif one.left_css_px != earlier.left_css_px:
            yield f"{one.label} scrolled sideways to {one.left_css_px:.0f} px"


def is_same_document(before_url: str, after_url: str) -> bool:
    """Whether two addresses differ in the part after the “#” at most."""
    return before_url.split("#")[0] == after_url.split("#")[0]


def _element_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    pairing: Pairing[Element] = pair_elements(before.elements, after.elements)
    for element in pairing.gained:
        yield f"{element.label} appeared"
    for earlier, element in pairing.same:
        if element.name != earlier.name:
            yield f"{earlier.label} is now called “{shorten(element.name, 60)}”"
        if element.value != earlier.value:
            yield _value_words(element)
        if states := _state_words(earlier, element):
            yield f"{element.label} is {states}"
        if element.cover != earlier.cover and not (element.states | earlier.states) & {ElementState.OFFSCREEN}:
            yield f"{element.label} is {f'covered by {element.cover}' if element.cover else 'no longer covered'}"
        if [one.label for one in element.options] != [one.label for one in earlier.options]:
            yield f"{element.label} has other choices"
    for element in pairing.lost:
        yield f"{element.label} went"


def _value_words(element: Element) -> str:
    if element.value:
        return f"{element.label} now shows “{shorten(element.value, 60)}”"
    return f"{element.label} is now empty"


def _state_words(earlier: Element, element: Element) -> str:
    new, old = element.states - _MOVES, earlier.states - _MOVES
    gained = sorted(new - old)
    lost = sorted(state for state in old - new if _OPPOSITES.get(state) not in gained)
    return ", ".join([*(str(state) for state in gained), *(f"no longer {state}" for state in lost)])


def _text_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    pairing: Pairing[TextBlock] = pair_texts(before.texts, after.texts)
    for earlier, block in pairing.same:
        yield f"text “{shorten(earlier.text, 60)}” is now “{shorten(block.text, 60)}”"
    for words, blocks in (("appeared", pairing.gained), ("went", pairing.lost)):
        counts = Counter(block.text for block in blocks)
        yield from (f"text “{shorten(text, 80)}” {words}" for text in counts)


def _at_rest(before: ScreenState, after: ScreenState, pressed: Element | None) -> tuple[ScreenState, ScreenState]:
    """Both states without what changes by itself."""
    kept = (pressed.path, pressed.frame) if pressed is not None else None
    restless = {(one.path, one.frame) for state in (before, after) for one in state.elements if one.is_restless}
    restless.discard(kept or ("", ""))
    spots = {_spot(text) for state in (before, after) for text in state.texts if text.is_restless}
    spots |= _clocks(before, after)
    if not restless and not spots:
        return before, after
    return _without(before, restless, spots), _without(after, restless, spots)


def _without(state: ScreenState, elements: set[tuple[str, str]], spots: set[_Spot]) -> ScreenState:
    return state.model_copy(
        update={
            "elements": tuple(one for one in state.elements if (one.path, one.frame) not in elements),
            "texts": tuple(one for one in state.texts if not one.is_restless and _spot(one) not in spots),
        }
    )


def _spot(text: TextBlock) -> _Spot:
    return text.frame, text.role, round(text.box.x_css_px), round(text.box.y_css_px)


def _clocks(before: ScreenState, after: ScreenState) -> set[_Spot]:
    """Where a clock or a countdown stands that moved no further than time did."""
    elapsed_s = max(0.0, after.observed_at_s - before.observed_at_s)
    old = {_spot(text): text.text for text in before.texts if _CLOCK.search(text.text)}
    found: set[_Spot] = set()
    for text in after.texts:
        spot = _spot(text)
        earlier = old.get(spot, text.text)
        if earlier == text.text or _CLOCK.sub("", earlier) != _CLOCK.sub("", text.text):
            continue
        shown = zip(_CLOCK.findall(earlier), _CLOCK.findall(text.text), strict=False)
        if all(abs(_units(one) - _units(other)) <= elapsed_s + 2 for one, other in shown):
            found.add(spot)
    return found


def _units(clock: str) -> int:
    """A reading in its smallest unit: "1:02:03" in seconds, "12:30" in minutes or seconds, whichever it shows."""
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total
