"""From what a goal asks for to a plan tree, whose leaves are sentences the grammar reads back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from operative_app.core.plan import Plan, Task
from operative_app.planning.builtin.grammar import Read as Clause
from operative_app.planning.builtin.instruction import (
    AddTo,
    Choose,
    ChooseFile,
    Enter,
    FillForm,
    Finish,
    FormGoal,
    Gesture,
    GoTo,
    Instruction,
    Leave,
    OpenAddress,
    PersonDoes,
    Press,
    Provide,
    Read,
    Search,
    Several,
    SignIn,
    Submit,
    Target,
    sentence,
)
from operative_app.planning.builtin.words import fold
from operative_app.planning.port import Decomposed

_BUYING = frozenset({"order", "buy", "purchase"})
_COMMITTING = frozenset(
    {"place", "order", "buy", "purchase", "pay", "book", "reserve", "submit", "complete", "confirm", "finish"}
)


@dataclass(slots=True)
class _Notes:
    """What the chat should be told about the plan."""

    sites: list[str] = field(default_factory=list)
    yours: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)


def decompose(goal: str, clauses: Sequence[Clause]) -> Decomposed:
    """The plan for clauses that were all understood."""
    notes = _Notes()
    leaves = [one.meaning.what for one in clauses if isinstance(one.meaning, Leave)]
    notes.left += [_as_noun(what) for what in leaves]
    tasks: list[Task] = []
    for place, clause in enumerate(clauses):
        later = [one.meaning for one in clauses[place + 1 :]]
        match clause.meaning:
            case Leave():
                continue
            case FormGoal() as meaning:
                tasks.append(_form_task(clause.words, meaning, later, leaves, notes))
                if meaning.verb == "search" and meaning.preference is not None:
                    tasks.append(_leaf(Read(f"{meaning.preference} {meaning.object}"), notes))
            case FillForm(pairs):
                steps = [_leaf(Enter(value, Target(label)), notes) for label, value in pairs]
                tasks.append(Task(goal=_title(clause.words), subtasks=tuple(steps)))
            case Several(steps):
                tasks += [_leaf(step, notes) for step in steps]
            case meaning:
                tasks.append(_leaf(meaning, notes))
    if not leaves and isinstance(clauses[-1].meaning, GoTo) and fold(clauses[-1].meaning.place) == "checkout":
        notes.left.append("placing the order")
    return Decomposed(Plan(goal=" ".join(goal.split()), tasks=tuple(tasks)), _say(tasks, notes))


def _form_task(words: str, goal: FormGoal, later: Sequence[object], leaves: Sequence[str], notes: _Notes) -> Task:
    steps = _order_steps(goal) if goal.verb in _BUYING else _detail_steps(goal)
    if any(isinstance(one, AddTo) and not one.item for one in later):
        steps = [step for step in steps if not isinstance(step, AddTo)]
    is_barred = goal.verb != "search" and any(_bars(what, goal.verb) for what in leaves)
    comes_later = any(
        isinstance(one, Finish | Submit)
        or (isinstance(one, GoTo) and fold(one.place) == "checkout")
        or (isinstance(one, FormGoal) and one.object == "order")
        for one in later
    )
    if not is_barred and not (goal.verb in _BUYING and comes_later):
        steps.append(_finish_of(goal))
    if (
        goal.verb in {"book", "reserve", "rent"}
        and goal.preference is None
        and not goal.ordinal
        and any(slot in {"origin", "destination"} for slot, _ in goal.slots)
    ):
        notes.assumed.append(f"Which {goal.object} to take was not said: I take the first one offered.")
    if goal.verb in _BUYING and not is_barred and comes_later and any(isinstance(one, GoTo) for one in later):
        notes.left.append("placing the order")
    return Task(goal=_title(words), subtasks=tuple(_leaf(step, notes) for step in steps))


def _detail_steps(goal: FormGoal) -> list[Instruction]:
    steps: list[Instruction] = []
    if goal.verb in {"convert", "transform"}:
        what = goal.object.casefold() if re.fullmatch(r"[A-Za-z ]+", goal.object) else goal.object
        steps.append(
            ChooseFile(what if re.search(r"file|photo|image|picture|document", what) else f"{what} file".strip())
        )
    steps += [Provide(slot, value) for slot, value in goal.slots]
    steps += [Provide("option", option) for option in goal.options]
    return steps


def _order_steps(goal: FormGoal) -> list[Instruction]:
    steps: list[Instruction] = [Press(Target(goal.item, superlative=goal.preference), Gesture.OPEN)]
    steps += [Choose(option) for option in goal.options]
    quantity = [Enter(value, Target("quantity")) for slot, value in goal.slots if slot == "quantity"]
    steps += quantity
    steps.append(AddTo("cart" if goal.verb in {"buy", "purchase"} else "order"))
    steps += [Provide(slot, value) for slot, value in goal.slots if slot != "quantity"]
    return steps


def _finish_of(goal: FormGoal) -> Finish:
    if goal.verb in _BUYING:
        return Finish("place", "order")
    thing = goal.object.casefold() if re.fullmatch(r"[A-Za-z -]+", goal.object) else goal.object
    if goal.verb == "search":  # what is found is told, not taken
        return Finish(goal.verb, thing)
    return Finish(goal.verb, thing, goal.preference, goal.ordinal)


def _leaf(instruction: Instruction, notes: _Notes) -> Task:
    is_own = isinstance(instruction, SignIn) and bool(instruction.secret)
    by_human = isinstance(instruction, SignIn | ChooseFile | PersonDoes) and not is_own
    done_when = ""
    alternatives: tuple[str, ...] = ()
    match instruction:
        case OpenAddress(url):
            notes.sites.append(_site(url))
        case SignIn(secret):
            if not secret:
                notes.yours.append("sign in")
            done_when = "the sign-in form is gone"
        case ChooseFile(what):
            notes.yours.append(f"choose the {what}")
            done_when = "the page holds the file"
        case PersonDoes(what):
            notes.yours.append(what)
        case Search():
            done_when, alternatives = "the page shows something else", ("press the search button",)
        case Press(_, Gesture.OPEN):
            alternatives = ("press Enter on it", "open its address")
        case Finish(verb, thing):
            done_when = f"the page confirms: {verb} {thing}".rstrip()
        case AddTo(container):
            done_when = f"the page shows that it is in the {container}"
        case GoTo(place):
            done_when = f"“{place}” is open"
        case _:
            pass
    return Task(goal=sentence(instruction), by_human=by_human, done_when=done_when, alternatives=alternatives)


def _say(tasks: Sequence[Task], notes: _Notes) -> str:
    count = len(tasks)
    number = "one task" if count == 1 else f"{count} tasks"
    sites = list(dict.fromkeys(notes.sites))
    sentences = [f"I will do this in {number}{' on ' + ' and '.join(sites) if sites else ''}."]
    if notes.yours:
        sentences.append(f"You {' and '.join(dict.fromkeys(notes.yours))} yourself.")
    sentences += notes.assumed
    if notes.left:
        left = " and ".join(dict.fromkeys(notes.left))
        sentences.append(f"{left[:1].upper()}{left[1:]} is not part of it.")
    return " ".join(sentences)


def _bars(what: str, verb: str) -> bool:
    first = re.sub(r"ing$", "", fold(what).split(" ", 1)[0])
    stems = {one[:4] for one in _COMMITTING} | {verb[:4]}
    return any(first.startswith(stem) for stem in stems)


def _as_noun(what: str) -> str:
    first, _, rest = what.partition(" ")
    if first.casefold().endswith("ing"):
        return what
    stem = first.casefold().removesuffix("e")
    stem = stem + stem[-1] if re.fullmatch(r"submit|get|put|set|stop", stem) else stem
    return f"{stem}ing {rest}".strip()


def _site(url: str) -> str:
    shown = re.sub(r"^[a-z]+://(?:www\.)?", "", url, flags=re.IGNORECASE)
    return shown.split("/")[0].removeprefix("practice:")


def _title(words: str) -> str:
    folded = " ".join(words.split())
    return folded[:1].upper() + folded[1:]
