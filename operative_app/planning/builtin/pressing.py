"""Decides the next step for instructions that press, choose, tick, open, add, submit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from operative_app.actions.browser import Navigate
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement, DoubleClick, Hover, RightClick
from operative_app.core.screen import Element, ElementState
from operative_app.planning.builtin import fields, page, required
from operative_app.planning.builtin.effects import NoCaptcha
from operative_app.planning.builtin.grounding import Purpose, ground, rank
from operative_app.planning.builtin.instruction import (
    Choose,
    Enter,
    Gesture,
    Press,
    Region,
    Relation,
    Target,
    Tick,
)
from operative_app.planning.builtin.obstacles import clear_the_way
from operative_app.planning.builtin.regions import covers
from operative_app.planning.builtin.situation import Situation, find
from operative_app.planning.builtin.words import GOOD, fold, similarity, tokens
from operative_app.planning.port import Act, AskPerson, Decision, GiveUp, NotThereYet, TaskDone, Variant

_GESTURES: dict[Gesture, type[ClickElement] | type[DoubleClick] | type[RightClick] | type[Hover]] = {
    Gesture.PRESS: ClickElement,
    Gesture.OPEN: ClickElement,
    Gesture.DOUBLE: DoubleClick,
    Gesture.RIGHT: RightClick,
    Gesture.HOVER: Hover,
}
_CARTS = ("cart", "basket", "bag", "trolley")


def press(sit: Situation, instruction: Press) -> Decision:
    target = instruction.target
    is_item = target.kind in {"result", "row", "item", "product"} and not target.name
    if is_item and (target.region is None or target.region.relation is Relation.FOR):
        return _press_item(sit, target, instruction.gesture)
    purpose = Purpose.OPEN if instruction.gesture is Gesture.OPEN else Purpose.PRESS
    found = find(sit, target, purpose)
    if isinstance(found.otherwise, AskPerson) and purpose is Purpose.OPEN:
        fitting = _fitting_what_follows(sit, ground(sit.state, target, purpose).rivals)
        if fitting is not None:
            return use(sit, fitting, instruction.gesture, why="it is the one that has what is to be chosen next")
    if found.element is None:
        opener = menu_for(sit, target)
        return opener or found.otherwise or NotThereYet("it is not on the page")
    return use(sit, found.element, instruction.gesture)


def _fitting_what_follows(sit: Situation, rivals: Sequence[Element]) -> Element | None:
    """Of several, the one whose words hold a choice that comes later in the plan: “512 GB”."""
    for task in sit.plan.leaves():
        found = re.match(r"^Choose [“\"](?P<option>[^”\"]+)[”\"]", task.goal) if task.is_open else None
        if found:
            fits = [one for one in rivals if covers(_spaced(found["option"]), _spaced(f"{one.name} {one.text}"))]
            if len(fits) == 1:
                return fits[0]
    return None


def _spaced(text: str) -> str:
    """“512GB” as “512 GB”."""
    return re.sub(r"(?<=\d)(?=[A-Za-z])", " ", text)


def use(
    sit: Situation, element: Element, gesture: Gesture = Gesture.PRESS, *, why: str = "", is_choice: bool = False
) -> Decision:
    """Use an element as the gesture says; what lies over it goes first, and what its form needs."""
    name = element.name or element.text or element.role
    if element.has(ElementState.DISABLED) and gesture is not Gesture.HOVER:
        return NotThereYet(f"“{name}” is disabled")
    is_commit = gesture in {Gesture.PRESS, Gesture.OPEN} and not is_choice and required.commits(sit.state, element)
    missing = required.first_missing(sit, element) if is_commit else None
    if missing is not None:
        return missing
    blocked = clear_the_way(sit, element)
    if blocked:
        return blocked
    ref = sit.ref(element)
    action = _GESTURES[gesture](target=ref)
    variants: list[tuple[Action, ...]] = [(action,)]
    if element.role == "link" and gesture in {Gesture.PRESS, Gesture.OPEN}:
        variants.append((PressKey(key="Enter", target=ref),))
        if element.href.startswith(("http://", "https://")):
            variants.append((Navigate(url=element.href),))
    return Act(
        tuple(Variant(actions, name) for actions, name in zip(variants, "ABC", strict=False)),
        why=why or f"“{name}” is what the task names",
        expect=(NoCaptcha(),),
        completes_task=not is_commit,
        result=f"“{name}”",
    )


def _press_item(sit: Situation, target: Target, gesture: Gesture) -> Decision:
    elements = page.result_elements(sit.state)
    if not elements:
        none = page.nothing_found(sit.state)
        if none and not page.is_waiting(sit.state):
            return GiveUp(f"There is nothing to open: the page says “{none[:120]}”.")
        return NotThereYet("there is no list of results on the page yet")
    if page.is_waiting(sit.state) and sit.context.attempts == 0:
        return NotThereYet("the results are still loading")
    items = page.items_of(sit.state, elements)
    if target.region is not None:
        words = target.region.name
        items = [item for item in items if covers(words, item.text)]
        if not items:
            return NotThereYet(f"no item for “{words}” is on the page")
        if len(items) > 1 and not target.ordinal and target.superlative is None:
            question = f"There are {len(items)} for “{words}”."
            answer = sit.answer_to(question)
            named = [item for item in items if answer and similarity(answer, item.element.name) >= GOOD]
            if len(named) != 1:
                return AskPerson(f"{question} Which one do you mean?", tuple(item.element.name for item in items))
            items = named
    chosen = page.pick(items, target.ordinal, target.superlative)
    if chosen is None:
        if target.superlative:
            return GiveUp(f"The items do not show what is needed to find the {target.superlative} one.")
        return GiveUp(f"There are only {len(items)} items on the page.")
    return use(sit, chosen.element, gesture, why=f"it is the one meant among {len(items)}")


def choose(sit: Situation, instruction: Choose) -> Decision:
    """Choose an option: in the named field, or wherever the page offers it."""
    option, state = instruction.option, sit.state
    if instruction.field:
        named = fields.find_field(sit, Target(instruction.field, region=instruction.region))
        if named:
            return fields.set_value(sit, named[0], option)
        region = Region(Relation.IN, instruction.field)
        grounded = ground(state, Target(option, region=region), Purpose.CHOICE)
        if grounded.element is not None:
            return _take(sit, grounded.element)
        whole = ground(state, Target(f"{option} for {instruction.field}"), Purpose.PRESS)
        if whole.element is not None:
            return use(sit, whole.element)
    target = Target(option, region=instruction.region)
    selects = _selects_offering(sit, option)
    opened = fields.match_option(sit, option, fields.open_options(sit))
    candidates = [match for match in rank(state, target, Purpose.CHOICE) if match.score >= GOOD]
    choices = [
        match
        for match in candidates
        if match.element.role in page.CHOICE_ROLES or match.element.has(ElementState.PRESSED)
    ]
    if (
        choices
        and (not candidates or choices[0].score >= candidates[0].score - 12)
        and (not opened or choices[0].element == opened)
    ):
        found = find(sit, replace(target, kind="option"), Purpose.CHOICE)
        return _take(sit, found.element) if found.element else found.otherwise or NotThereYet(option)
    if opened is not None:
        return _take(sit, opened)
    if selects:
        return fields.set_value(sit, selects[0], option)
    if candidates:
        found = find(sit, target, Purpose.CHOICE)
        return _take(sit, found.element) if found.element else found.otherwise or NotThereYet(option)
    negated = re.match(r"(?i)^(?:no|without)\s+(?P<what>\S.*)$", option)
    if negated:
        off = ground(state, Target(negated["what"]), Purpose.TICK)
        if off.element is not None:
            return fields.tick(sit, off.element, on=False)
    closed = [
        one for one in state.elements
        if page.is_dropdown(one) and one.has(ElementState.COLLAPSED) and not page.is_aside(one) and not sit.times_done(one)  # noqa: E501 - words and patterns read best on one line
    ]  # fmt: skip
    if closed and len(closed) <= 5 and not instruction.field:
        return Act.one(ClickElement(target=sit.ref(closed[0])), why=f"“{option}” may be in the list “{closed[0].name}”")
    where = f" for “{instruction.field}”" if instruction.field else ""
    return NotThereYet(f"the choice “{option}”{where} is not on the page")


def _take(sit: Situation, element: Element) -> Decision:
    if element.role in page.TICK_ROLES:
        return fields.tick(sit, element, on=True)
    if element.role == "link" or (element.role in {"button", "clickable"} and not element.has(ElementState.PRESSED)):
        if page.is_chosen(element):
            return TaskDone(f"“{element.name}” is chosen already")
        return use(sit, element, is_choice=True)
    return fields.choose(sit, element)


def _selects_offering(sit: Situation, option: str) -> list[Element]:
    scored = [
        (similarity(option, best.label), one)
        for one in sit.state.elements
        if page.is_native_select(one) and (best := fields.best_option(one.options, option))
    ]
    if sit.state.modal:
        scored = [pair for pair in scored if page.is_in_modal(sit.state, pair[1])] or scored
    return [one for _, one in sorted(scored, key=lambda pair: -pair[0])]


def tick(sit: Situation, instruction: Tick) -> Decision:
    found = find(sit, instruction.target, Purpose.TICK)
    if found.element is not None:
        return fields.tick(sit, found.element, on=instruction.on)
    if isinstance(found.otherwise, NotThereYet) and instruction.on:
        pressed = ground(sit.state, instruction.target, Purpose.PRESS).element
        if pressed is not None and pressed.role not in {"link"}:
            return use(sit, pressed, is_choice=True)
    return found.otherwise or NotThereYet("it is not on the page")


def enter(sit: Situation, instruction: Enter) -> Decision:
    if instruction.field is None:
        focused = sit.state.element(sit.state.focus)
        if focused is None or not page.is_field(focused):
            return NotThereYet("no field has the focus; say into which field the text goes")
        return fields.set_value(sit, focused, instruction.value)
    target = replace(instruction.field, kind="") if instruction.field.name else instruction.field
    target = replace(target, kind="") if target.kind == "field" else target
    found = find(sit, target, Purpose.FIELD)
    if found.element is not None:
        return fields.set_value(sit, found.element, instruction.value)
    region = Region(Relation.IN, target.name)
    option = ground(sit.state, Target(instruction.value, region=region), Purpose.CHOICE)
    if (
        option.element is not None
        and option.element.role in page.CHOICE_ROLES
        and isinstance(found.otherwise, NotThereYet)
    ):
        return _take(sit, option.element)
    if isinstance(found.otherwise, NotThereYet) and instruction.value.isdigit():
        stepped = quantity(sit, target.name, int(instruction.value))
        if stepped is not None:
            return stepped
    return found.otherwise or NotThereYet("the field is not on the page")


def quantity(sit: Situation, label: str, wanted: int) -> Decision | None:
    """A number shown as text between a minus and a plus button."""
    for up in (wanted > 1, wanted <= 1):
        for button in sit.state.elements:
            if not fields.is_stepper(button, up=up) or (sit.state.modal and not page.is_in_modal(sit.state, button)):
                continue
            numbers = [
                block
                for block in sit.state.texts
                if re.fullmatch(r"(?:\D{1,30}\s)?\d{1,3}", block.text.strip())
                and page.distance(block.box, button.box) < 120
            ]
            if not numbers:
                continue
            named = similarity(label, " ".join((button.name, *button.context)))
            if named < 50 and not any(word in fold(" ".join((button.name, *button.context))) for word in tokens(label)):
                continue
            nearest = min(numbers, key=lambda block: page.distance(block.box, button.box))
            return fields.step_from(sit, nearest.box, nearest.frame, int(re.sub(r"\D", "", nearest.text)), wanted)
    return None


def menu_for(sit: Situation, target: Target) -> Decision | None:
    """Open a closed menu named in the words, or the page's own menu, once each, when the target is not in sight."""
    if not target.name:
        return None
    for one in sit.state.elements:
        is_menu = one.has(ElementState.POPUP) or one.has(ElementState.COLLAPSED)
        if (
            not is_menu
            or one.has(ElementState.EXPANDED)
            or page.is_native_select(one)
            or one.role in {"combobox", "textbox", "searchbox"}
        ):
            continue
        if (
            re.fullmatch(
                r"(?:main |site |open |toggle )*(?:menu|navigation|more|more actions|actions|options|account)(?: menu| options)?",  # noqa: E501 - words and patterns read best on one line
                fold(one.name),
            )
            and not sit.times_done(one)
            and not one.has(ElementState.DISABLED)
        ):
            if sit.context.attempts == 0 and page.is_waiting(sit.state):
                return None
            gesture: Action = (
                Hover(target=sit.ref(one)) if one.role == "menuitem" else ClickElement(target=sit.ref(one))
            )
            return Act.one(gesture, why=f"“{target.name}” may be in the menu “{one.name}”")
    return None
