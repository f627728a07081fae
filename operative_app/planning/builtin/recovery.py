"""What to do when a step failed, was refused, or the screen is unexpected. The history says what was tried."""

from __future__ import annotations

import re
from collections.abc import Callable

from operative_app.actions.browser import Fill
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement, Scroll
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import Element
from operative_app.planning.builtin import effects, obstacles, page, required
from operative_app.planning.builtin.grounding import Purpose, ground, rank
from operative_app.planning.builtin.instruction import (
    AddTo,
    CheckShown,
    Choose,
    Count,
    Dismiss,
    Enter,
    Finish,
    GoTo,
    Instruction,
    Press,
    Provide,
    Read,
    Search,
    SignIn,
    Sort,
    Submit,
    Target,
    Tick,
    WaitUntil,
)
from operative_app.planning.builtin.moving import scroll_on
from operative_app.planning.builtin.situation import Situation, as_sentence
from operative_app.planning.builtin.words import GOOD, similarity
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, TaskDone, Trouble, Variant

Decide = Callable[[Situation, Instruction], Decision]


def replan(sit: Situation, instruction: Instruction, trouble: Trouble, decide: Decide) -> Decision:
    """Another way after a refusal or an unexpected screen."""
    if trouble.kind == "refused":
        return _after_refusal(sit, trouble)
    if effects.asks_password(sit.state) and not isinstance(instruction, SignIn):
        return obstacles.sign_in("The page now asks to sign in.")
    if not isinstance(instruction, Enter | Provide) and (code := obstacles.second_factor(sit.state)) is not None:
        return code
    decision = decide(sit, instruction)
    if isinstance(decision, NotThereYet) and sit.state.modal and not isinstance(instruction, Dismiss):
        return obstacles.close_dialog(sit, f"the dialog “{sit.state.modal}” came up and lies over what is needed")
    return decision


def handle_error(sit: Situation, instruction: Instruction, trouble: Trouble, decide: Decide) -> Decision:
    """After the loop's own retries: an alternative not tried yet, an honest end, or words for the person."""
    settled = _settled(sit, instruction, trouble)
    if settled is not None:
        return settled
    if effects.asks_password(sit.state) and not isinstance(instruction, SignIn):
        return obstacles.sign_in("The page asks to sign in before this can be done.")
    if not isinstance(instruction, Enter | Provide) and (code := obstacles.second_factor(sit.state)) is not None:
        return code
    if trouble.kind == "missing":  # what was waited for may have come, or need not be waited for any longer
        again = decide(sit, instruction)
        if not isinstance(again, NotThereYet):
            return again
    if trouble.action is not None and trouble.kind != "missing":
        other = _alternative(sit, instruction, trouble)
        if other is not None:
            return other
    if sit.state.modal and not isinstance(instruction, Dismiss | Provide | Finish) and not _was_closed(sit):
        decision = decide(sit, instruction)
        if isinstance(decision, NotThereYet):
            return obstacles.close_dialog(sit, f"what is needed is not in the dialog “{sit.state.modal}”")
        return decision
    if trouble.kind == "missing" and isinstance(instruction, Press | Tick | Choose | Enter | Read | CheckShown | GoTo):
        further = scroll_on(sit, _wanted(instruction))
        if isinstance(further, Act):
            return further
    return GiveUp(_reason(sit, instruction, trouble))


def _after_refusal(sit: Situation, trouble: Trouble) -> Decision:
    ref = trouble.action.target_ref if trouble.action else None
    target = sit.state.find(ref) if ref else None
    covered = re.search(r"(?i)\b(?:cover|lies over|in front of|on top of|under)", trouble.reason)
    if target is not None and (target.cover or covered):
        if target.cover:
            way = obstacles.clear_the_way(sit, target)
            if way is not None:
                return way
        closer = obstacles.way_out(sit.state, trouble.reason)
        if closer is not None and not sit.has_failed(closer) and sit.times_done(closer) < 2:
            return Act.one(
                ClickElement(target=sit.ref(closer)), why=f"{trouble.reason}; “{closer.name or 'close'}” takes it away"
            )
    words = sit.context.words[-1] if sit.context.words else ""
    said = f" You said: “{words}”." if words and words not in trouble.reason else ""
    what = "It was not allowed: " if trouble.action is not None else ""  # else what was handed over
    return GiveUp(f"{what}{trouble.reason.rstrip('.')}.{said}")


def _settled(sit: Situation, instruction: Instruction, trouble: Trouble) -> Decision | None:
    """Ends that are as good as they get: done, though the page does not say so."""
    last = sit.last
    pressed = (
        last is not None
        and isinstance(last.action, ClickElement)
        and last.outcome.status in {OutcomeStatus.DONE, OutcomeStatus.UNVERIFIED}
    )
    if isinstance(instruction, Finish) and pressed and last is not None:
        name = last.action.target_ref.fingerprint.name if last.action.target_ref else ""
        return TaskDone(f"“{name}” was pressed; the page did not confirm it", is_verified=False)
    is_press = isinstance(instruction, Press | Submit | AddTo | GoTo | Sort | Dismiss)
    if is_press and trouble.kind == "missing" and isinstance(required.after_press(sit), NotThereYet):
        return TaskDone(f"it was pressed; {trouble.reason}", is_verified=False)  # looking around would press it again
    if isinstance(instruction, Enter | Provide):
        value = instruction.value
        holding = [
            one for one in sit.state.elements if page.is_field(one) and one.value and similarity(value, one.value) >= 90
        ]
        if holding and any(sit.times_done(one) for one in holding):
            field = holding[0]
            has_gone = isinstance(trouble.action, ClickElement) and sit.state.find(trouble.action.target) is None
            if has_gone and sit.times_done(field, Fill) < 2:
                return Act.one(
                    Fill(target=sit.ref(field), text=value), why="the suggestion went before it could be chosen"
                )
            came = "the suggestions for it went before one could be chosen" if has_gone else "no suggestion came for it"
            return TaskDone(f"“{field.name}” holds “{field.value}”; {came}", is_verified=False)
    return None


def _alternative(sit: Situation, instruction: Instruction, trouble: Trouble) -> Decision | None:
    """Ways not tried yet for an action that could not be carried out. One that may have had an effect is not repeated."""  # noqa: E501 - words and patterns read best on one line
    action = trouble.action
    ref = action.target_ref if action else None
    if action is None or ref is None:
        return None
    target = sit.state.find(ref)
    tried = {_key(record.action) for record in sit.records}
    variants: list[tuple[Action, ...]] = []
    is_untouched = trouble.outcome is None or trouble.outcome.status in {OutcomeStatus.FAILED, OutcomeStatus.REFUSED}
    if target is not None and target.cover:
        way = obstacles.clear_the_way(sit, target)
        if way is not None:
            return way
    if target is not None and isinstance(action, ClickElement) and is_untouched:
        for key in ("Enter", "Space"):
            press = PressKey(key=key, target=sit.ref(target))
            if _key(press) not in tried:
                variants.append((press,))
        if page.is_in_view(target) is False:
            variants.insert(
                0,
                (
                    Scroll(dy_css_px=round(target.box.center[1] - (sit.state.viewport_height_css_px or 700) / 2)),
                    ClickElement(target=sit.ref(target)),
                ),
            )
    if isinstance(instruction, Press):
        for other in rank(sit.state, instruction.target, Purpose.PRESS)[:4]:
            if (
                other.score >= GOOD
                and (target is None or other.element.key != target.key)
                and not sit.has_failed(other.element)
            ):
                variants.append((ClickElement(target=sit.ref(other.element)),))
                break
    if not variants:
        return None
    return Act(
        tuple(Variant(actions, name) for actions, name in zip(variants, "ABC", strict=False)),
        why=f"{trouble.reason.rstrip('.')}; another way",
        completes_task=not isinstance(instruction, Finish | Provide),
    )


def _key(action: Action) -> tuple[str, str, str]:
    ref = action.target_ref
    return action.name, ref.fingerprint.path if ref else "", getattr(action, "key", "")


def _was_closed(sit: Situation) -> bool:
    return any(isinstance(record.action, PressKey) and record.action.key == "Escape" for record in sit.records)


def _wanted(instruction: Instruction) -> str:
    match instruction:
        case Press(target) | Tick(target):
            return target.name or target.kind
        case Choose(option):
            return option
        case Enter(_, field):
            return field.name if field else "the field"
        case Read(question):
            return question
        case CheckShown(text):
            return text
        case GoTo(place):
            return place
        case _:
            return "it"


def _reason(sit: Situation, instruction: Instruction, trouble: Trouble) -> str:
    """A sentence that names what was looked for and what like it the page offers."""
    if unread := page.unread(sit.state):
        return as_sentence(unread)
    match instruction:
        case Press(target) if target.name:
            return _missing(sit, target, Purpose.PRESS, trouble)
        case Tick(target):
            return _missing(sit, target, Purpose.TICK, trouble)
        case Enter(value, field) if field is not None:
            return _missing(sit, field, Purpose.FIELD, trouble)
        case Choose(option):
            return _missing(sit, Target(option), Purpose.CHOICE, trouble)
        case GoTo(place):
            return _missing(sit, Target(place), Purpose.PRESS, trouble)
        case Read(question):
            return f"I did not find “{question}” on the page. {_readable(sit)}".strip()
        case CheckShown(text, absent):
            return f"“{text}” is {'still' if absent else 'not'} shown on the page."
        case WaitUntil(text, gone):
            return f"“{text}” did not {'go away' if gone else 'appear'} in time."
        case Provide(slot, value):
            return f"The page does not ask for “{slot}”, so “{value}” was not given. {_fields(sit)}".strip()
        case Search():
            return f"I did not find a search field on the page. {_fields(sit)}".strip()
        case AddTo(container):
            return _missing(sit, Target(f"Add to {container}"), Purpose.PRESS, trouble)
        case Submit(verb, thing):
            return _missing(sit, Target(f"{verb} {thing}".strip()), Purpose.PRESS, trouble)
        case Sort(key):
            return _missing(sit, Target(f"sort by {key}"), Purpose.PRESS, trouble)
        case Count(things):
            return f"I did not find {things} to count on the page."
        case Finish(verb, thing):
            return (
                f"I found no control for “{f'{verb} {thing}'.strip()}” and none that leads on. {_buttons(sit)}".strip()
            )
        case _:
            return as_sentence(trouble.reason)


def _missing(sit: Situation, target: Target, purpose: Purpose, trouble: Trouble) -> str:
    grounded = ground(sit.state, target, purpose, suggest=True)
    name = target.name or target.kind
    if grounded.element is not None:
        return (
            f"“{grounded.element.name or name}” is on the page, but it could not be used: {trouble.reason.rstrip('.')}."
        )
    similar = [text for text in grounded.similar if text]
    where = f" {_region(target)}" if target.region else ""
    if not similar and sit.state.url in {"", "about:blank"}:
        files = ", ".join(f"“{one.name}”" for one in sit.state.downloads)
        why = f"the address gave the file {files} and no page" if files else "no page is open"
        return f"There is no “{name}”: {why}."
    if not similar:
        return f"There is no “{name}”{where} on the page. {_buttons(sit)}".strip()
    return f"There is no “{name}”{where} on the page; there {'is' if len(similar) == 1 else 'are'} {', '.join(f'“{text}”' for text in similar)}."  # noqa: E501 - words and patterns read best on one line


def _region(target: Target) -> str:
    region = target.region
    return f"{region.relation} “{region.name}”" if region and region.name else ""


def _fields(sit: Situation) -> str:
    names = [one.name for one in sit.state.elements if page.is_field(one) and one.name][:6]
    return f"Its fields are {', '.join(f'“{name}”' for name in names)}." if names else "It has no fields."


def _buttons(sit: Situation) -> str:
    named: list[Element] = [one for one in sit.state.elements if one.role in {"button", "link"} and one.name]
    named.sort(key=lambda one: (page.is_aside(one), one.role != "button"))
    names = list(dict.fromkeys(one.name for one in named))[:5]
    return f"It offers {', '.join(f'“{name[:40]}”' for name in names)}." if names else ""


def _readable(sit: Situation) -> str:
    for table in sit.state.tables:
        if table.headers:
            rows = ", ".join(f"“{row[0]}”" for row in table.rows[:4] if row)
            return f"A table there has the columns {', '.join(f'“{head}”' for head in table.headers if head)} and rows such as {rows}."  # noqa: E501 - words and patterns read best on one line
    return ""
