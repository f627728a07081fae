"""Decides the next step for getting to a place of the site, and for putting things into its cart."""

from __future__ import annotations

import re
from dataclasses import replace

from operative_app.actions.mouse import ClickElement
from operative_app.planning.builtin import page
from operative_app.planning.builtin.grounding import Purpose, ground
from operative_app.planning.builtin.instruction import (
    AddTo,
    Choose,
    Enter,
    GoTo,
    Instruction,
    Press,
    Region,
    Relation,
    Target,
    Tick,
)
from operative_app.planning.builtin.obstacles import clear_the_way
from operative_app.planning.builtin.pressing import menu_for, use
from operative_app.planning.builtin.situation import Situation, find
from operative_app.planning.builtin.words import GOOD, fold, similarity
from operative_app.planning.port import Act, Decision, NotThereYet, TaskDone

_CARTS = ("cart", "basket", "bag", "trolley")


def add_to(sit: Situation, instruction: AddTo) -> Decision:
    """Press the control that adds an item; for a named one the control of its card or its own page."""
    containers = _CARTS if instruction.container in _CARTS else (instruction.container, *_CARTS)
    names = [f"add to {one}" for one in (instruction.container, *containers)] + ["add", "add it", "in den warenkorb"]
    region = Region(Relation.FOR, instruction.item) if instruction.item else None
    for name in names:
        target = Target(name, region=region)
        grounded = ground(sit.state, target, Purpose.PRESS)
        elements = [grounded.element] if grounded.element else list(grounded.rivals)
        elements = [
            one
            for one in elements
            if (
                re.search(r"\badd|\bin (?:den|die)\b|ajouter|hinzufugen", fold(one.name or one.text))
                and one.role != "link"
            )
            or similarity(name, one.name) >= 90
        ]
        if len(elements) == 1:
            return use(sit, elements[0])
        if grounded.rivals and len(elements) > 1:
            found = find(sit, target, Purpose.PRESS)
            return use(sit, found.element) if found.element else found.otherwise or NotThereYet(name)
    if instruction.item:
        on_page = any(
            block.role == "heading" and block.level == 1 and similarity(instruction.item, block.text) >= GOOD
            for block in sit.state.texts
        )
        if on_page:
            return add_to(sit, replace(instruction, item=""))
        link = ground(sit.state, Target(instruction.item), Purpose.OPEN)
        if link.element is not None and not sit.times_done(link.element):
            return Act.one(
                ClickElement(target=sit.ref(link.element)), why=f"“{instruction.item}” is added on its own page"
            )
    return NotThereYet(f"there is no control that adds to the {instruction.container}")


def go_to(sit: Situation, instruction: GoTo) -> Decision:
    """Get to a place by the control that names it; a checkout is often behind the cart."""
    place = instruction.place
    if sit.records and is_at(sit, place) and any(record.outcome.is_done for record in sit.records):
        return TaskDone(f"“{sit.state.title}” is open")
    if not sit.records and is_at(sit, place, strict=True):
        return TaskDone(f"“{place}” is open already")
    for name in _ways_to(place):
        grounded = ground(sit.state, Target(name), Purpose.OPEN)
        elements = [grounded.element] if grounded.element else list(grounded.rivals)
        elements = [
            one
            for one in elements
            if one.role in page.PRESS_ROLES
            and not (one.role in {"button", "clickable"} and re.search(r"\badd\b", fold(one.name)))
        ]
        if elements:
            return use(sit, elements[0])
    if fold(place) == "checkout":
        for name in _CARTS:
            cart = ground(sit.state, Target(name), Purpose.OPEN)
            element = cart.element or next(iter(cart.rivals), None)
            if (
                element is not None
                and element.role in page.PRESS_ROLES
                and sit.times_done(element) < 2
                and not re.search(r"\badd\b", fold(element.name))
            ):
                blocked = clear_the_way(sit, element)
                return blocked or Act.one(ClickElement(target=sit.ref(element)), why="the checkout is behind the cart")
    menu = menu_for(sit, Target(place))
    return menu or NotThereYet(f"nothing on the page leads to “{place}”")


def tab_of(sit: Situation, instruction: Instruction) -> Decision | None:
    """Open the tab of the page that has the name of the region the words point to, when it is not open."""
    match instruction:
        case Press(target) | Tick(target):
            region = target.region
        case Enter(_, field):
            region = field.region if field else None
        case Choose(_, _, region):
            pass
        case _:
            return None
    if region is None or not region.name:
        return None
    for one in sit.state.elements:
        if (
            one.role == "tab"
            and not page.is_chosen(one)
            and similarity(region.name, one.name) >= 90
            and not sit.times_done(one)
        ):
            return Act.one(ClickElement(target=sit.ref(one)), why=f"it may be under “{one.name}”")
    return None


def is_at(sit: Situation, place: str, *, strict: bool = False) -> bool:
    """Whether the page itself is the place: by its main heading or title."""
    headings = [block.text for block in sit.state.texts if block.role == "heading" and block.level == 1]
    least = 90 if strict else GOOD
    return (
        any(similarity(place, text) >= least for text in headings)
        or similarity(place, re.split(r"[|·–—:-]", sit.state.title)[0]) >= least
    )


def _ways_to(place: str) -> tuple[str, ...]:
    if fold(place) == "checkout":
        return ("checkout", "proceed to checkout", "go to checkout", "zur kasse", "kasse", "secure checkout")
    if fold(place) in _CARTS:
        return (place, "view cart", "go to cart", "cart", "warenkorb")
    return (place, f"go to {place}")
