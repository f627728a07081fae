"""Finds what words mean on the screen: names compared, then the region, the kind, and the place on the page.

The ranking in short (see README.md): likeness of the name 0 to 100; the kind asked for; inside an open dialog; in the
region; in the main content; in view. Several equally good ones are told apart only when they would do the same; otherwise the
person is asked.
"""  # noqa: E501 - words and patterns read best on one line

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.planning.builtin import dateparts, page
from operative_app.planning.builtin.instruction import Relation, Target, ordinal_word
from operative_app.planning.builtin.regions import inside
from operative_app.planning.builtin.words import GOOD, SIMILAR, similarity, tokens

_NEAR = 4.0
"""Points within which two candidates count as equally good."""


_BESIDE_CSS_PX = 90.0
"""A loose label is not farther from its field; lines count three times (see `page.distance`)."""


class Purpose(StrEnum):
    """What the element is wanted for."""

    PRESS = "press"
    OPEN = "open"
    FIELD = "field"
    TICK = "tick"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Match:
    element: Element
    score: float


@dataclass(frozen=True, slots=True)
class Grounded:
    """What was found.

    Attributes:
        element: The one meant; None when there is none or several differ.
        rivals: Equally good ones that would do different things; the person must choose.
        similar: Names that are near, for "there is no …; there are …".
    """

    element: Element | None = None
    rivals: tuple[Element, ...] = ()
    similar: tuple[str, ...] = ()


_UNDOING = frozenset(
    "remove delete cancel clear discard reject decline deny revoke withdraw uninstall block unfollow unsubscribe".split()  # noqa: SIM905, E501 - a list of words
)
_ASIDE = frozenset(
    [
        "save",
        "like",
        "share",
        "compare",
        "favourite",
        "favorite",
        "bookmark",
        "wishlist",
        "watch",
        "report",
        "print",
        "rate",
        "follow",
        "hide",
        "add",
        "copy",
    ]
)


_KINDS = {
    "button": {"button", "clickable", "menuitem", "tab", "switch"}, "link": {"link"}, "tab": {"tab"},
    "checkbox": {"checkbox", "switch", "menuitemcheckbox"}, "switch": {"switch", "checkbox"},
    "option": {"radio", "option", "menuitemradio", "checkbox"}, "menu item": {"menuitem", "menuitemradio", "menuitemcheckbox", "option", "link"},  # noqa: E501 - words and patterns read best on one line
    "list": {"combobox", "listbox"}, "slider": {"slider"}, "row": {"row"},
}  # fmt: skip


def ground(state: ScreenState, target: Target, purpose: Purpose, *, suggest: bool = False) -> Grounded:
    """The element that the target means on this screen; with `suggest` also what is like it when there is none."""
    for whole in _whole_phrases(target):
        sure = [match for match in rank(state, whole, purpose) if match.score >= 92]
        if sure:
            return _settled(state, sure, whole)
    matches = rank(state, target, purpose)
    good = [match for match in matches if match.score >= GOOD]
    if good:
        return _settled(state, good, target)
    if purpose is Purpose.FIELD and target.name and target.region is None:
        beside = _by_text_beside(state, target.name)
        if beside is not None:
            return Grounded(beside)
    return Grounded(similar=_similar(state, target, purpose)) if suggest else Grounded()


def rank(state: ScreenState, target: Target, purpose: Purpose) -> list[Match]:
    """Candidates with their points, best first; equal ones in reading order."""
    candidates = [one for one in state.elements if _is_fit(one, purpose)]
    closeness = inside(state, target.region, candidates) if target.region else {}
    found: list[Match] = []
    for element in candidates:
        if target.region and element.key not in closeness:
            continue
        likeness = name_likeness(target.name, element, purpose) if target.name else 80.0
        if likeness < SIMILAR:
            continue
        points = likeness + _bonus(state, element, target, purpose) + closeness.get(element.key, 0.0) * 6
        found.append(Match(element, points))
    return sorted(found, key=lambda match: -match.score)


def name_likeness(name: str, element: Element, purpose: Purpose = Purpose.PRESS) -> float:
    """How well the element is called by the name, 0 to 100."""
    best = similarity(name, element.name) if element.name else 0.0
    if element.text and element.text != element.name and purpose is not Purpose.FIELD:
        best = max(best, similarity(name, element.text) * 0.98)
    if element.placeholder and element.placeholder != element.name:
        best = max(best, similarity(name, element.placeholder) * 0.94)
    if element.description:
        best = max(best, similarity(name, element.description) * 0.9)
    if (
        best < GOOD
        and purpose in {Purpose.PRESS, Purpose.OPEN}
        and element.context
        and element.role in page.PRESS_ROLES
    ):
        best = max(best, similarity(name, element.context[-1]) * 0.8)
    if best < GOOD and purpose is Purpose.FIELD and element.context and dateparts.part_of(element) == "day":
        best = max(best, similarity(name, element.context[-1]) * 0.98)
    if best < GOOD and purpose is Purpose.FIELD and element.context and not element.name:
        best = max(best, similarity(name, element.context[-1]) * 0.9)
    return best


def label_of(state: ScreenState, element: Element) -> str:
    """The element in words that tell it from its like: “Edit” in “Billing”."""
    around = [text for text in element.context if text and text != element.name][-2:]
    name = element.name or element.text or element.role
    return f"{name} – {' / '.join(around)}" if around else name


def _is_fit(element: Element, purpose: Purpose) -> bool:
    match purpose:
        case Purpose.FIELD:
            return page.is_field(element)
        case Purpose.TICK:
            return element.role in page.TICK_ROLES or (element.role in {"radio", "button", "clickable"} and bool(
                element.role == "radio" or element.has(ElementState.PRESSED) or element.has(ElementState.CHECKED) or element.has(ElementState.UNCHECKED)  # noqa: E501 - words and patterns read best on one line
            ))  # fmt: skip
        case Purpose.CHOICE:
            return element.role in page.PRESS_ROLES
        case _:
            return True


def _bonus(state: ScreenState, element: Element, target: Target, purpose: Purpose) -> float:
    points = 0.0
    if target.kind in _KINDS:
        points += 4 if element.role in _KINDS[target.kind] else -10
    if state.modal:
        points += 6 if page.is_in_modal(state, element) else -20
    if purpose is Purpose.OPEN:
        points += 2 if element.role == "link" else 0
    elif purpose is Purpose.PRESS:
        points += 2 if element.role in {"button", "menuitem"} else 0
    if purpose in {Purpose.PRESS, Purpose.OPEN} and element.role in {"textbox", "searchbox", "spinbutton", "combobox"}:
        points -= 6
    if purpose in {Purpose.PRESS, Purpose.OPEN} and _does_something_else(element, target, purpose):
        points -= 30
    points += 0 if page.is_aside(element) else 1.5
    points -= 3 if element.has(ElementState.DISABLED) else 0
    return points


def _does_something_else(element: Element, target: Target, purpose: Purpose) -> bool:
    """“Remove Margherita” is not what “Margherita” means, and opening a thing is not saving it for later."""
    words = tokens(element.name)
    if len(words) < 2 or not target.name:
        return False
    if element.role not in {"button", "clickable", "menuitem", "checkbox", "switch"}:
        return False
    said = tokens(target.name)
    if words[0] in said or not set(said) & set(words[1:]):
        return False
    return words[0] in _UNDOING or (purpose is Purpose.OPEN and words[0] in _ASIDE)


def _whole_phrases(target: Target) -> Iterable[Target]:
    """The name together with its region, in case both are one name: the button “Search for flights”."""
    region = target.region
    if target.ordinal and target.name:
        yield replace(target, name=f"{ordinal_word(target.ordinal)} {target.name}", ordinal=0)
    if region is None or not region.name or not target.name or region.relation is Relation.ROW:
        return
    joined = {Relation.FOR: ("for ", ""), Relation.IN: ("in ",), Relation.UNDER: ("under ",)}.get(region.relation, ())
    for between in joined:
        yield replace(target, name=f"{target.name} {between}{region.name}", region=None)


def _settled(state: ScreenState, matches: list[Match], target: Target) -> Grounded:
    best = matches[0].score
    if target.superlative or target.ordinal:
        least = best - (12 if target.name else 100)
        order = {element.key: place for place, element in enumerate(state.elements)}
        alike = sorted((match.element for match in matches if match.score >= least), key=lambda one: order[one.key])
        alike = _without_nested(alike)
        chosen = page.pick(page.items_of(state, alike), target.ordinal, target.superlative)
        if chosen:
            return Grounded(chosen.element)
        return Grounded(similar=tuple(dict.fromkeys(label_of(state, one) for one in alike))[:4])
    near = _without_nested([match.element for match in matches if match.score >= best - _NEAR])
    if len(near) > 1:
        near = _narrowed(state, near, {match.element.key: match.score for match in matches})
    return Grounded(near[0]) if len(near) == 1 else Grounded(rivals=tuple(near))


def _narrowed(state: ScreenState, elements: list[Element], scores: dict[str, float]) -> list[Element]:
    """Take away rivals by rules a person would apply without asking."""
    exact = [one for one in elements if scores[one.key] >= scores[elements[0].key] - 0.1]
    names = {one.name.casefold() for one in elements}
    if len(exact) == 1 and len(names) > 1:
        return exact
    for keep in (
        lambda one: page.is_in_modal(state, one),
        lambda one: not one.has(ElementState.DISABLED),
        lambda one: not page.is_aside(one),
        lambda one: one.list_index < 0 and one.row < 0,
    ):
        kept = [one for one in elements if keep(one)]
        if kept:
            elements = kept
        if len(elements) == 1:
            return elements
    if len({one.href for one in elements}) == 1 and elements[0].href:
        return [next((one for one in elements if page.is_in_view(one)), elements[0])]
    if len({(one.role, one.name, one.context, one.href) for one in elements}) == 1 and not elements[0].context:
        return [next((one for one in elements if page.is_in_view(one)), elements[0])]
    return elements


def _by_text_beside(state: ScreenState, name: str) -> Element | None:
    """The field whose label is loose text before or above it."""
    fields = [
        one for one in state.elements if page.is_field(one) and not (state.modal and not page.is_in_modal(state, one))
    ]
    labels = [block for block in state.texts if len(block.text) < 80 and similarity(name, block.text) >= 85]
    pairs = [
        (page.distance(label.box, one.box), place, one) for label in labels for place, one in enumerate(fields)
        if one.box.center[1] >= label.box.y_css_px - 4 and one.frame == label.frame
    ]  # fmt: skip
    away, _, nearest = min(pairs, default=(_BESIDE_CSS_PX, 0, None))
    return nearest if away < _BESIDE_CSS_PX else None


def _without_nested(elements: list[Element]) -> list[Element]:
    """Of two where one lies inside the other, the inner one."""
    return [one for one in elements if not any(page.is_inside(other, one) for other in elements)]


def _similar(state: ScreenState, target: Target, purpose: Purpose) -> tuple[str, ...]:
    if not target.name:
        return ()
    scored: dict[str, float] = {}
    for element in state.elements:
        name = element.name or element.text
        if not name or (purpose in {Purpose.FIELD, Purpose.TICK} and not _is_fit(element, purpose)):
            continue
        scored[name] = max(scored.get(name, 0.0), similarity(target.name, name))
    best = sorted(scored, key=lambda name: -scored[name])[:3]
    return tuple(re.sub(r"\s+", " ", name)[:40] for name in best if scored[best[0]] < 40 or scored[name] >= 30)
