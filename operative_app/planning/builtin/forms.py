"""Known task shapes, page by page: give what is asked for, go on, stop at the goal's own button."""

from __future__ import annotations

from operative_app.actions.mouse import ClickElement
from operative_app.core.errors import NotUnderstood
from operative_app.core.screen import Element, ElementState, Fingerprint
from operative_app.planning.builtin import advancing, effects, fields, obstacles, page, required
from operative_app.planning.builtin.effects import PageMovedOn
from operative_app.planning.builtin.grammar import read_instruction
from operative_app.planning.builtin.instruction import Finish, Provide, ordinal_word
from operative_app.planning.builtin.pressing import quantity
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.slots import OPTIONAL, Place, name_parts, place_for
from operative_app.planning.builtin.words import fold
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, StepRecord, TaskDone

_MOST_PAGES = 12


def provide(sit: Situation, instruction: Provide) -> Decision:
    """Give the detail where the page asks for it; go on when it does not, after the other details it does ask for."""
    slot, value = instruction.slot, instruction.value
    place = _place(sit, slot, value)
    if place is not None:
        return _put(sit, place, value)
    parts = name_parts(sit.state, value) if slot in {"passenger", "guest", "name", "full name"} else []
    for element, text in parts:
        if element.value != text:
            return fields.set_value(sit, element, text, completes=False)
    if parts:
        return TaskDone(f"“{value}” is entered as first and last name")
    if value.isdigit():
        stepped = quantity(sit, slot, int(value))
        if stepped is not None:
            return stepped
    finish = _finish_of(sit)
    if finish is None:
        return NotThereYet(f"the page does not ask for “{slot}”")
    for other in _open_details(sit):
        place = _place(sit, other.slot, other.value)
        if place is not None:
            step = _put(sit, place, other.value, completes=False)
            if not isinstance(step, TaskDone):
                return step
    if slot in OPTIONAL and _asks_nothing_more(sit, finish):
        return TaskDone(f"the page does not ask for the {slot}", is_verified=True)
    return advance(sit, finish, is_last=False, missing=slot)


def finish(sit: Situation, instruction: Finish) -> Decision:
    """Press the control with the verb, going on from page to page to reach it; done when the page confirms."""
    last = sit.last
    if last is not None and isinstance(last.action, ClickElement) and last.after is not None:
        pressed = last.before.find(last.action.target)
        was_last = pressed is not None and advancing.carries(pressed, instruction.verb, instruction.object) > 0
        if was_last:
            done = _after_last(sit, instruction)
            if done is not None:
                return done
    return advance(sit, instruction, is_last=True)


def advance(sit: Situation, goal: Finish, *, is_last: bool, missing: str = "") -> Decision:
    """The control that leads on, or a question for what the page wants first."""
    state = sit.state
    if len(sit.records) > _MOST_PAGES * 3:
        return GiveUp(f"After {len(sit.records)} steps the page still did not come to “{goal.verb} {goal.object}”.")
    if effects.asks_password(state):
        return obstacles.sign_in("The page asks to sign in before it goes on.")
    if (code := obstacles.second_factor(state)) is not None:
        return code
    control = _control(sit, goal, is_last=is_last)
    if isinstance(control, GiveUp):
        return control
    if control is None:
        if page.is_waiting(state):
            return NotThereYet("the page is still loading")
        what = f"asks for “{missing}”" if missing else f"carries “{goal.verb} {goal.object}”".replace(" ”", "”")
        return NotThereYet(f"nothing on the page {what}, and no control leads on")
    asked = required.first_missing(sit, control)
    if asked is not None:
        return asked
    if control.has(ElementState.DISABLED):
        return NotThereYet(f"“{control.name}” is disabled")
    blocked = obstacles.clear_the_way(sit, control)
    if blocked:
        return blocked
    return Act.one(
        ClickElement(target=sit.ref(control)),
        why=f"“{control.name}” leads on" if not is_last else f"“{control.name}” leads to “{goal.verb} {goal.object}”",
        expect=(PageMovedOn(),),
    )


def _control(sit: Situation, goal: Finish, *, is_last: bool) -> Element | GiveUp | None:
    state = sit.state
    pressed_here = _pressed_in_vain(sit)
    last = advancing.last_control(state, goal.verb, goal.object)
    forward = [one for _, one in advancing.forward_controls(state) if one.fingerprint not in pressed_here]
    if not is_last:  # the goal's own button is for the end; in a list it only picks a row
        forward = [
            one
            for one in forward
            if one.list_index >= 0 or one.row >= 0 or not advancing.carries(one, goal.verb, goal.object)
        ]
    has_form = any(page.is_field(one) and not page.is_aside(one) and one.role != "searchbox" for one in state.elements)
    if is_last and last is not None and last.fingerprint not in pressed_here:
        return _of_list(sit, last, goal)
    if forward and (has_form or not _entry(sit, goal, pressed_here) or forward[0].list_index >= 0):
        return _of_list(sit, forward[0], goal)
    entry = _entry(sit, goal, pressed_here)
    if entry is not None and (not has_form or is_last):
        return _of_list(sit, entry, goal)
    if forward:
        return _of_list(sit, forward[0], goal)
    if entry is not None and not (last is not None and entry.key == last.key):
        return entry
    return None


def _pressed_in_vain(sit: Situation) -> set[Fingerprint]:
    """What was just clicked on this very page without changing it; anything entered since makes it worth another try."""  # noqa: E501 - words and patterns read best on one line
    pressed: set[Fingerprint] = set()
    for record in reversed(_records_of_goal(sit)):
        ref = record.action.target_ref
        if not isinstance(record.action, ClickElement) or ref is None or record.before.url != sit.state.url:
            break
        if record.before.all_text != sit.state.all_text or record.before.modal != sit.state.modal:
            break
        pressed.add(ref.fingerprint)
    return pressed


def _entry(sit: Situation, goal: Finish, pressed_here: set[Fingerprint]) -> Element | None:
    entry = advancing.entry_control(sit.state, goal.verb, goal.object)
    return entry if entry is not None and entry.fingerprint not in pressed_here else None


def _of_list(sit: Situation, control: Element, goal: Finish) -> Element | GiveUp:
    """Of a control that every row has: the row asked for, or the first when none was; never another one."""
    alike = advancing.twins(sit.state, control)
    if len(alike) == 1:
        return control
    items = page.items_of(sit.state, alike)
    chosen = page.pick(items, goal.ordinal or (0 if goal.preference else 1), goal.preference)
    if chosen is not None:
        return chosen.element
    if goal.preference is None and not goal.ordinal:
        return alike[0]
    which = goal.preference or ordinal_word(goal.ordinal)
    return GiveUp(f"I cannot tell which of the {len(alike)} offered is the {which} one; say which to take")


def _records_of_goal(sit: Situation) -> list[StepRecord]:
    parent = sit.plan.parent(sit.task.id)
    ids = {task.id for task in parent.subtasks} if parent else {sit.task.id}
    return [record for record in sit.context.history if record.task_id in ids]


def _after_last(sit: Situation, goal: Finish) -> Decision | None:
    """Judge what came of pressing the verb's control; None when there is more to press."""
    last = sit.last
    if last is None:
        return None
    values = [detail.value for detail in _all_details(sit)]
    words = advancing.confirmation(last.before, sit.state, values[0] if values else "")
    if words:
        return TaskDone(result=words[:160])
    asked = required.complaint(sit)
    if asked is not None:
        return asked
    if page.is_waiting(sit.state):
        return NotThereYet("the page is still working")
    moved = last.before.url != sit.state.url or last.before.modal != sit.state.modal
    again = advancing.last_control(sit.state, goal.verb, goal.object)
    if moved and (again is not None or advancing.forward_controls(sit.state)):
        return None
    return NotThereYet("the page has not confirmed it yet")


def _place(sit: Situation, slot: str, value: str) -> Place | None:
    place = _place_begun(sit, slot, value) or place_for(sit.state, slot, value)
    if place is None or slot != "option":
        return place
    return place if place.is_choice else None


def _place_begun(sit: Situation, slot: str, value: str) -> Place | None:
    """The control worked on before for this detail, though its name may have become the value."""
    for record in reversed(sit.records):
        ref = record.action.target_ref
        if ref is None or record.before.url != sit.state.url:
            continue
        place = place_for(record.before, slot, value)
        if (
            place is not None
            and place.element.path == ref.fingerprint.path
            and place.element.frame == ref.fingerprint.frame
            and not place.is_choice
        ):
            same = next(
                (
                    one
                    for one in sit.state.elements
                    if (one.path, one.frame) == (place.element.path, place.element.frame)
                ),
                None,
            )
            return Place(same, place.score) if same is not None else None
    return None


def _put(sit: Situation, place: Place, value: str, *, completes: bool = True) -> Decision:
    if not place.is_choice:
        return fields.set_value(sit, place.element, value, completes=completes)
    if place.element.role in page.TICK_ROLES:
        return fields.tick(sit, place.element, on=True, completes=completes)
    return fields.choose(sit, place.element, completes=completes)


def _asks_nothing_more(sit: Situation, goal: Finish) -> bool:
    return advancing.last_control(sit.state, goal.verb, goal.object) is not None


def _siblings(sit: Situation) -> list[tuple[bool, object]]:
    parent = sit.plan.parent(sit.task.id)
    found: list[tuple[bool, object]] = []
    for task in parent.subtasks if parent else ():
        try:
            found.append((task.is_open and task.id != sit.task.id, read_instruction(task.goal, sit.today)))
        except NotUnderstood:
            continue
    return found


def _finish_of(sit: Situation) -> Finish | None:
    return next((one for _, one in _siblings(sit) if isinstance(one, Finish)), None)


def _open_details(sit: Situation) -> list[Provide]:
    return [one for is_open, one in _siblings(sit) if is_open and isinstance(one, Provide)]


def _all_details(sit: Situation) -> list[Provide]:
    named = [one for _, one in _siblings(sit) if isinstance(one, Provide)]
    return sorted(named, key=lambda one: fold(one.slot) not in {"name", "title"})
