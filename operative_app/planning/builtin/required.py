"""What a page wants before it takes a form: from the goal where it says it, otherwise asked; nothing is made up.

Seen beforehand (required fields that are empty) and afterwards (fields the page does not accept, its messages).
"""

from __future__ import annotations

import re

from operative_app.actions.mouse import ClickElement
from operative_app.core.errors import NotUnderstood
from operative_app.core.requests import HandOffKind
from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.planning.builtin import advancing, dateparts, fields, obstacles, page
from operative_app.planning.builtin.grammar import read_instruction
from operative_app.planning.builtin.grounding import Purpose, name_likeness
from operative_app.planning.builtin.instruction import Choose, Enter, Provide, Tick
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.slots import place_for
from operative_app.planning.builtin.words import GOOD, fold, similarity
from operative_app.planning.person_only import kind_of_field
from operative_app.planning.port import AskPerson, Decision, GiveUp, HandOver, NotThereYet, TaskDone

_COMMITS = re.compile(
    r"^(?:place|submit|send|confirm|complete|finish|book|reserve|order|buy|pay|purchase|create|register|signup|subscribe"
    r"|join|save|apply|publish|post|request|schedule|rent|hire|donate|absenden|senden|bestellen|buchen|speichern)\b"
)
_ESCAPES = re.compile(r"^(?:clear|reset|cancel|back|previous|close|delete|remove|search|find|filter|abbrechen)\b")
_MARKED = re.compile(r"\*\s*$|^\s*\*|\((?:required|mandatory|pflichtfeld)\)", re.IGNORECASE)


def commits(state: ScreenState, element: Element) -> bool:
    """Whether pressing it hands in what was entered: by its name, or as the only button that submits its form."""
    name = fold(element.name or element.text)
    if element.role not in {"button", "clickable"} or page.is_aside(element) or _ESCAPES.match(name):
        return False
    if _COMMITS.match(name):
        return True
    root = _form_of(element)
    return (
        bool(root)
        and element.input_type == "submit"
        and not any(
            one.input_type == "submit"
            and one.key != element.key
            and one.frame == element.frame
            and _form_of(one) == root
            for one in state.elements
        )
    )


def first_missing(sit: Situation, control: Element) -> Decision | None:
    """What to do about the first empty field that the page requires before the control is pressed; None for none."""
    for one in _scope(sit, control):
        if not _is_required(one) or one.has(ElementState.DISABLED):
            continue
        if one.role in page.TICK_ROLES and not page.is_chosen(one):
            return _said_later(sit, one) or _ask_tick(sit, one)
        if one.role == "radio":
            group = [other for other in sit.state.elements if other.role == "radio" and other.context == one.context]
            if not any(page.is_chosen(other) for other in group):
                return _ask_choice(sit, one, tuple(other.name for other in group), group)
        if page.takes_text(one) and not one.value and one.has(ElementState.PASSWORD):
            return obstacles.sign_in(f"The page asks for “{one.name or 'a password'}”.")
        if (page.takes_text(one) and not one.value) or (page.is_native_select(one) and _is_unset(one)):
            return _said_later(sit, one) or _handed(sit, one) or _asked(sit, one, [])
    return None


def _handed(sit: Situation, element: Element) -> HandOver | None:
    """What only the person fills in is handed over."""
    match kind_of_field(element):
        case HandOffKind.PAYMENT:
            return obstacles.payment(sit.state, element)
        case HandOffKind.SECOND_FACTOR:
            return obstacles.second_factor(sit.state)
        case _:
            return None


def after_press(sit: Situation) -> Decision | None:
    """After a control that hands something in was pressed: done, or what the page wants; None before that."""
    last = sit.last
    if last is None or not isinstance(last.action, ClickElement) or not last.outcome.is_done:
        return None
    pressed = last.before.find(last.action.target)
    if pressed is None or not commits(last.before, pressed):
        return None
    if page.is_waiting(sit.state):
        return NotThereYet("the page is still working")
    is_still_here = any(
        (one.role, one.name, one.frame) == (pressed.role, pressed.name, pressed.frame) for one in sit.state.elements
    )
    asked = complaint(sit) if is_still_here else None
    return asked or TaskDone(f"“{pressed.name or pressed.text}”")


def complaint(sit: Situation) -> Decision | None:
    """What the page does not accept, as a question for exactly that; None when it does not complain."""
    before = sit.last.before if sit.last else None
    said = advancing.complaints(before, sit.state)
    invalid = [one for one in sit.state.elements if one.has(ElementState.INVALID) and page.is_field(one)]
    for one in invalid:
        return _said_later(sit, one) or _asked(sit, one, _said_of(one, said))
    if not said:
        return None
    near = _field_near(sit, said[0])
    return _asked(sit, near, said) if near is not None else GiveUp(f"The page says: “{said[0][:160]}”.")


def _is_required(element: Element) -> bool:
    if element.has(ElementState.REQUIRED):
        return True
    legend = element.context[-1] if element.context and dateparts.part_of(element) else ""
    label = element.name or element.placeholder
    return page.is_field(element) and (_MARKED.search(label) is not None or _MARKED.search(legend) is not None)


def _scope(sit: Situation, control: Element) -> list[Element]:
    """Fields that belong to the control: those of its own form, when it is in one."""
    root = _form_of(control)
    return [
        one
        for one in sit.state.elements
        if one.frame == control.frame
        and (not root or one.path.startswith(root))
        and not page.is_aside(one)
        and (not sit.state.modal or page.is_in_modal(sit.state, one) or not page.is_in_modal(sit.state, control))
    ]


def _form_of(element: Element) -> str:
    """The path of the form around it; "" when there is none."""
    match = re.match(r"^(.*?>?form\[?\d*\]?)(?=>)", element.path)
    return match[1] if match else ""


def _said_later(sit: Situation, element: Element) -> Decision | None:
    """The value that a later task has for this field: people do not write in the order of the page."""
    for task in sit.plan.leaves():
        if not task.is_open or task.id == sit.task.id:
            continue
        try:
            what = read_instruction(task.goal, sit.today)
        except NotUnderstood:
            continue
        step = _step_for(sit, element, what)
        if step is not None and not isinstance(step, TaskDone | GiveUp):
            return step
    return None


def _step_for(sit: Situation, element: Element, what: object) -> Decision | None:
    match what:
        case Enter(value, field) if field is not None and field.name:
            is_part = dateparts.part_of(element) and similarity(field.name, (element.context or ("",))[-1]) >= GOOD
            is_named = is_part or name_likeness(field.name, element, Purpose.FIELD) >= GOOD
            if is_named and value != element.value:
                return fields.set_value(sit, element, value, completes=False)
        case Provide(slot, value):
            place = place_for(sit.state, slot, value)
            if place is not None and place.element.key == element.key and value != element.value:
                return fields.set_value(sit, element, value, completes=False)
        case Choose(option, field, _):
            fits = not field or name_likeness(field, element, Purpose.FIELD) >= GOOD
            if fits and fields.best_option(element.options, option) is not None:
                return fields.set_value(sit, element, option, completes=False)
        case Tick(target, True):
            if element.role in page.TICK_ROLES and name_likeness(target.name, element, Purpose.TICK) >= GOOD:
                return fields.tick(sit, element, on=True, completes=False)
        case _:
            pass
    return None


def _asked(sit: Situation, element: Element, said: list[str]) -> Decision:
    """Ask for one field; the answer goes into it."""
    name = re.sub(r"\s*\*\s*|(?i:\s*\(required\))", " ", element.name or element.placeholder).strip()
    if page.is_native_select(element):
        labels = tuple(option.label for option in element.options if option.value and not option.is_disabled)[:12]
        return _ask_choice(sit, element, labels, [])
    if element.value:
        question = f"The page does not accept “{element.value}” as “{name}”."
    else:
        question = f"The page needs “{name}”, and the goal does not say it."
    answer = sit.answer_to(question)
    if answer and answer != element.value:
        return fields.set_value(sit, element, answer, completes=False)
    note = f" The page says: “{said[0][:120]}”." if said else ""
    return AskPerson(f"{question}{note} What shall I enter?")


def _ask_choice(sit: Situation, element: Element, labels: tuple[str, ...], group: list[Element]) -> Decision:
    about = element.context[-1] if group and element.context else element.name
    question = f"The page needs a choice for “{about}”."
    answer = sit.answer_to(question)
    if answer:
        chosen = max(group, key=lambda one: similarity(answer, one.name), default=None)
        if chosen is not None and similarity(answer, chosen.name) >= 70:
            return fields.choose(sit, chosen, completes=False)
        if page.is_native_select(element) and fields.best_option(element.options, answer):
            return fields.set_value(sit, element, answer, completes=False)
    return AskPerson(f"{question} Which one shall I take?", labels)


def _ask_tick(sit: Situation, element: Element) -> Decision:
    question = f"The page wants “{element.name}” to be ticked before it goes on."
    answer = sit.answer_to(question)
    if answer:
        if re.match(r"(?i)(?:yes|ok|tick|agree|accept|sure|y)\b", answer):
            return fields.tick(sit, element, on=True, completes=False)
        return GiveUp(f"The page does not go on without “{element.name}”.")
    return AskPerson(f"{question} Shall I tick it?", ("Yes", "No"))


def _is_unset(element: Element) -> bool:
    chosen = next((option for option in element.options if option.is_selected), None)
    return chosen is None or not chosen.value


def _said_of(element: Element, said: list[str]) -> list[str]:
    """The page's words about this field: its own description before a message of the page."""
    return [element.description, *said] if element.description else said


def _field_near(sit: Situation, text: str) -> Element | None:
    boxes = [block.box for block in sit.state.texts if block.text == text]
    empty = [one for one in sit.state.elements if page.takes_text(one) and not one.value and not page.is_aside(one)]
    if not boxes or not empty:
        return None
    nearest = min(empty, key=lambda one: page.distance(one.box, boxes[0]))
    return nearest if page.distance(nearest.box, boxes[0]) < 60 else None
