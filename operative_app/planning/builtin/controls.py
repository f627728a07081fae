"""Decides the next step for the controls every page has: sending a form, sorting a list, closing what is in the way."""

from __future__ import annotations

import re
from dataclasses import replace

from operative_app.actions.mouse import ClickElement
from operative_app.core.screen import Element
from operative_app.planning.builtin import fields, page
from operative_app.planning.builtin.effects import PageMovedOn
from operative_app.planning.builtin.grounding import Purpose, ground, rank
from operative_app.planning.builtin.instruction import (
    Dismiss,
    Region,
    Relation,
    Sort,
    Submit,
    Target,
)
from operative_app.planning.builtin.obstacles import close_dialog, rank_of, way_out
from operative_app.planning.builtin.pressing import use
from operative_app.planning.builtin.situation import Situation, find
from operative_app.planning.builtin.words import GOOD, fold, similarity, tokens
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, TaskDone

_SUBMITS = ("submit", "send", "save", "confirm", "apply", "ok", "done", "continue", "absenden", "senden", "speichern")


_MOST_TURNS = 3
"""Presses of a column's head: up, down, and once more where the first only chooses the column."""

_SAME_VERB = {
    "save": ("save", "update", "apply", "speichern", "enregistrer"),
    "send": ("send", "submit", "senden", "absenden", "envoyer"),
    "submit": ("submit", "send", "absenden", "senden"),
    "confirm": ("confirm", "ok", "yes", "bestätigen"),
    "apply": ("apply", "save", "ok", "anwenden"),
    "publish": ("publish", "post"),
    "post": ("post", "publish", "send"),
}


def submit(sit: Situation, instruction: Submit) -> Decision:
    """Press the control with the verb, with its object when said; otherwise the one that sends the form."""
    verb, thing = instruction.verb, instruction.object
    if thing:
        grounded = ground(sit.state, Target(f"{verb} {thing}"), Purpose.PRESS)
        if grounded.element is not None and page.is_enabled(grounded.element):
            return use(sit, grounded.element)
    verbs = (*_SAME_VERB.get(verb, (verb,)), *(() if verb in {"save", "apply"} else _SUBMITS))
    for name in dict.fromkeys(verbs):
        region = Region(Relation.FOR, thing) if thing else None
        for target in (Target(name, "button", region=region), Target(name, "button")):
            matches = [
                match for match in rank(sit.state, target, Purpose.PRESS)
                if match.score >= GOOD and match.element.role in {"button", "clickable", "menuitem"} and tokens(match.element.name)[:1] and similarity(name, match.element.name) >= 74  # noqa: E501 - words and patterns read best on one line
            ]  # fmt: skip
            if matches:
                found = find(sit, target, Purpose.PRESS)
                return use(sit, found.element) if found.element else found.otherwise or NotThereYet(name)
    only = [
        one
        for one in sit.state.elements
        if one.role == "button"
        and (one.input_type == "submit" or "form" in page.tags_of(one))
        and not page.is_aside(one)
    ]
    if len(only) == 1:
        return use(sit, only[0], why="it is the only button of the form")
    return NotThereYet(f"there is no control to {verb} {thing or 'the form'}")


def sort(sit: Situation, instruction: Sort) -> Decision:
    """Choose the order in a list of orders, or press the column heading."""
    key = instruction.key
    sorters = [
        one
        for one in sit.state.elements
        if page.is_field(one)
        and re.search(r"\b(?:sort|order|sortier)", fold(f"{one.name} {one.description} {one.value}"))
    ]
    for one in sorters:
        if page.is_native_select(one):
            scored = sorted(one.options, key=lambda option: -_fits_order(option.label, key, instruction.descending))
            if scored and _fits_order(scored[0].label, key, instruction.descending) >= GOOD:
                return fields.set_value(sit, one, scored[0].label)
            continue
        options = fields.open_options(sit)
        best = max(options, key=lambda option: _fits_order(option.name, key, instruction.descending), default=None)
        if best is not None and _fits_order(best.name, key, instruction.descending) >= GOOD:
            return Act.one(ClickElement(target=sit.ref(best)), why=f"sorts by {key}", completes_task=True)
        if sit.times_done(one) < 2:
            return Act.one(ClickElement(target=sit.ref(one)), why="the orders are seen when the list is open")
    header = _header(sit, key)
    if header is not None:
        return _sort_table(sit, header, instruction.descending)
    for name in (key, f"sort by {key}"):
        grounded = ground(sit.state, Target(name, "button"), Purpose.PRESS)
        if grounded.element is not None and grounded.element.role in page.PRESS_ROLES:
            return use(sit, grounded.element)
    return NotThereYet(f"nothing on the page sorts by “{key}”")


def _header(sit: Situation, key: str) -> Element | None:
    """The control in a table's head that is called like the key."""
    found = [
        match.element for match in rank(sit.state, Target(key, "button"), Purpose.PRESS)
        if match.score >= GOOD and match.element.table >= 0 and match.element.row < 0 and match.element.column >= 0
    ]  # fmt: skip
    return found[0] if found else None


def _sort_table(sit: Situation, header: Element, descending: bool | None) -> Decision:
    """Press the head of the column until the rows stand in the order asked for."""
    rows = [row for row in sit.state.tables[header.table].rows if len(row) > header.column]
    cells = [row[header.column] for row in rows]
    numbers = [page.number_of(cell) for cell in cells]
    order: list[float] | list[str] = (
        [one for one in numbers if one is not None] if None not in numbers else [fold(one) for one in cells]
    )
    pressed = sit.times_done(header)
    is_sorted = order == sorted(order, reverse=bool(descending))
    if is_sorted and (pressed or descending is not None):
        return TaskDone(f"the rows are sorted by “{header.name}”")
    if pressed and descending is None:
        return TaskDone(f"“{header.name}” was pressed")
    if pressed >= _MOST_TURNS:
        return GiveUp(f"The rows do not get into that order by pressing “{header.name}”.")
    return Act.one(ClickElement(target=sit.ref(header)), why=f"the head of the column “{header.name}” sorts the rows")


def dismiss(sit: Situation, instruction: Dismiss) -> Decision:
    """Close a dialog or answer a cookie notice."""
    what = fold(instruction.what)
    is_consent = "cookie" in what
    named = ground(sit.state, Target(instruction.what), Purpose.PRESS)
    verb = what.split()[0] if what else ""
    if is_consent and verb in {"accept", "allow"}:
        for name in ("accept all", "accept", "allow all", "agree", "alle akzeptieren"):
            grounded = ground(sit.state, Target(name, "button"), Purpose.PRESS)
            if grounded.element is not None:
                return use(sit, grounded.element)
    closer = way_out(sit.state, instruction.what)
    if closer is not None and (
        is_consent
        or sit.state.modal
        or (
            rank_of(closer) is not None
            and not (named.element and similarity(instruction.what, named.element.name) >= 90)
        )
    ):
        return use(sit, closer)
    if named.element is not None and not is_consent:
        return use(sit, named.element)
    if is_consent and not sit.state.modal:
        return TaskDone("no cookie notice is shown")
    return replace(close_dialog(sit, f"“{instruction.what}” should go"), completes_task=True, expect=(PageMovedOn(),))


def _fits_order(label: str, key: str, descending: bool | None) -> float:
    likeness = similarity(key, label)
    if likeness < GOOD and fold(key) in {"price", "cost"}:
        likeness = max(likeness, similarity("cheapest", label), similarity("price", label))
    is_descending = re.search(r"(?i)high(?:est)? (?:to|first)|desc|z.?a|newest|↓|expensive", label) is not None
    is_ascending = re.search(r"(?i)low(?:est)?|asc|a.?z|oldest|↑|cheap", label) is not None
    if descending is True:
        return likeness + (6 if is_descending else -12 if is_ascending else 0)
    return likeness + (6 if is_ascending else -6 if is_descending else 0)
