"""What changed between two observations, as short text for people, planners and post-condition checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from operative_app.core.screen import Element, ElementState, ScreenState, TextBlock, shorten

_MOVES = frozenset({ElementState.OFFSCREEN, ElementState.FOCUSED})
"""States that come and go by scrolling and focus alone; told apart from changes of the page itself."""

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

    What changes by itself does not count: restless places, and clocks that went on as time did.

    Args:
        pressed: What was clicked. That it has the focus afterwards is no effect, unless it takes text.
    """
    before, after = _at_rest(before, after, pressed)
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
    if after.url == before.url or _same_document(before.url, after.url):
        yield from _element_changes(before, after)
        yield from _text_changes(before, after)
        reordered = (
            new for old, new in zip(before.tables, after.tables, strict=False)
            if old.rows != new.rows and sorted(old.rows) == sorted(new.rows)
        )  # fmt: skip
        yield from (f"the rows of “{table.caption or 'the table'}” stand in another order" for table in reordered)
    if after.scroll != before.scroll:
        yield f"scrolled to {after.scroll.y_css_px:.0f} px"
    if after.focus != before.focus and after.focus:
        focused = after.element(after.focus)
        previous = before.element(before.focus) if before.focus else None
        if focused is not None and (previous is None or previous.fingerprint != focused.fingerprint):
            yield f"focus is on {focused.label}"


def _page_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    if after.url != before.url:
        yield f"address is now {after.url}"
    if after.title != before.title:
        yield f"title is now “{after.title}”"
    opened = [tab for tab in after.tabs if tab.id not in {old.id for old in before.tabs}]
    closed = [tab for tab in before.tabs if tab.id not in {new.id for new in after.tabs}]
    yield from (f"new tab “{tab.title or tab.url}”" for tab in opened)
    yield from (f"tab “{tab.title or tab.url}” closed" for tab in closed)
    if after.modal != before.modal:
        yield f"dialog “{after.modal}” opened" if after.modal else f"dialog “{before.modal}” closed"
    yield from (f"{dialog.kind}: “{dialog.message}”" for dialog in after.dialogs if dialog not in before.dialogs)
    yield from (f"download “{file.name}” {file.state}" for file in after.downloads if file not in before.downloads)
    if after.file_chooser and not before.file_chooser:
        yield "the page asks for a file"


def _same_document(before_url: str, after_url: str) -> bool:
    return before_url.split("#")[0] == after_url.split("#")[0]


def _element_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    old = {element.fingerprint: element for element in before.elements}
    new = {element.fingerprint: element for element in after.elements}
    for fingerprint, element in new.items():
        earlier = old.get(fingerprint)
        if earlier is None:
            yield f"{element.label} appeared"
            continue
        if element.value != earlier.value:
            yield f"{element.label} now shows “{shorten(element.value, 60)}”"
        states = _lasting(element) ^ _lasting(earlier)
        if states:
            gained = [str(state) for state in sorted(_lasting(element) & states)]
            gained = gained or [f"no longer {state}" for state in sorted(states)]
            yield f"{element.label} is {', '.join(gained)}"
    for fingerprint, element in old.items():
        if fingerprint not in new:
            yield f"{element.label} went"


def _lasting(element: Element) -> frozenset[ElementState]:
    return element.states - _MOVES


def _text_changes(before: ScreenState, after: ScreenState) -> Iterator[str]:
    old = Counter(block.text for block in before.texts)
    new = Counter(block.text for block in after.texts)
    yield from (f"text “{shorten(text, 80)}” appeared" for text in new - old)
    yield from (f"text “{shorten(text, 80)}” went" for text in old - new)


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
