"""Dates that a page asks for in three controls: day, month, year."""

from __future__ import annotations

from datetime import date

from operative_app.core.screen import Element, ScreenState
from operative_app.planning.builtin import page
from operative_app.planning.builtin.words import fold

_NAMES = {
    "day": ("day", "tag", "dd", "jour"),
    "month": ("month", "monat", "mm", "mois"),
    "year": ("year", "jahr", "yyyy", "annee"),
}  # fmt: skip
_PART = {name: part for part, names in _NAMES.items() for name in names}


def parts_around(state: ScreenState, element: Element) -> dict[str, Element]:
    """The controls for day, month and year that `element` is one of; empty when it is not one of three."""
    if part_of(element) == "":
        return {}
    found: dict[str, Element] = {}
    alike = [one for one in state.elements if one.frame == element.frame and one.context == element.context]
    for one in sorted(alike, key=lambda one: page.distance(one.box, element.box)):
        part = part_of(one)
        if part and part not in found:
            found[part] = one
    return found if len(found) == len(_NAMES) else {}


def part_of(element: Element) -> str:
    """Which part of a date the control asks for; "" for none."""
    if not (page.takes_text(element) or page.is_field(element)):
        return ""
    return _PART.get(fold(element.name or element.placeholder).rpartition(" ")[2], "")


def value_of(part: str, day: date, element: Element) -> str:
    """The part as this control takes it: a list's own label for the month, otherwise the number."""
    if part == "month" and element.options:
        labels = [option.label for option in element.options]
        full, short = f"{day:%B}", f"{day:%b}"
        return next((label for label in labels if label in {full, short}), _padded(labels, day.month))
    number = {"day": day.day, "month": day.month, "year": day.year}[part]
    return _padded([option.label for option in element.options], number)


def _padded(labels: list[str], number: int) -> str:
    return f"{number:02d}" if f"{number:02d}" in labels else str(number)
