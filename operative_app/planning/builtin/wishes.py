# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""What the person typed during the run becomes a change of the plan: added, put in place of another task, left out.

A wish is read like a goal. Words of correction (“no, …”, “… instead”) put what they say in the place of the task that
can only be meant; “skip this” and “do not …” leave tasks out; what is not understood leaves the plan as it is, and the
answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from operative_app.core.errors import NotUnderstood
from operative_app.core.plan import OPEN, Plan, Task, TaskStatus
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.planning.builtin import clauses
from operative_app.planning.builtin.decomposing import decompose
from operative_app.planning.builtin.grammar import Read, read_clauses, read_goal, read_instruction
from operative_app.planning.builtin.instruction import (
    AddTo,
    Choose,
    Enter,
    Finish,
    Instruction,
    Leave,
    OpenAddress,
    Press,
    Provide,
    Search,
    Submit,
    sentence,
)
from operative_app.planning.builtin.words import similarity, tokens
from operative_app.planning.port import Revise, RunContext

_CORRECTION = re.compile(
    r"^(?:(?:(?:no|nope|wait)\s*[,.:;!–-]|(?:sorry|oops|actually|rather|instead|hmm|i meant?|i mean|correction|change of plan|on second thoughts?)\b)[\s,.:;!–-]*)+",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"[\s,]*\b(?:instead|rather)\b(?:\s+of\s+(?P<old>\S.*?))?[\s.!]*$", re.IGNORECASE)
_NOT_BUT = re.compile(r"^(?P<new>\S.*?),?\s+(?:and )?not\s+(?:the\s+)?(?P<old>\S.*)$", re.IGNORECASE)
_MAKE_IT = re.compile(
    r"^(?:please\s+)?(?:make|change|switch|turn|set)\s+(?:it|that|this)\s*(?:to|into|be)?\s+(?P<new>\S.*)$",
    re.IGNORECASE,
)
_THIS = r"(?:\s+(?:this|that|it|the (?:present|current|last) (?:task|step|one)|this (?:task|step|one)))?"
_SKIP = re.compile(
    rf"^(?:(?:please\s+)?(?:skip|leave out|omit|drop|forget(?: about)?|never ?mind(?: about)?|leave)\b(?P<this>{_THIS})(?P<what>\s+\S.*)?)$",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:no|without)\s+(?:the\s+)?(?P<what>\S.*)$", re.IGNORECASE)
_TOOLBAR = (
    (re.compile(r"(?i)^(?:please )?(?:stop|abort|quit|halt|cancel)\b(?: (?:it|this|that|now|here|everything|the run|at once|immediately|please))*$"), "Stop"),
    (re.compile(r"(?i)^(?:please )?(?:pause|hold on|hang on|hold it|wait)\b(?: (?:it|this|now|here|the run|a (?:moment|second|minute|bit)|please))*$"), "Pause"),
    (re.compile(r"(?i)^(?:please )?(?:let me (?:do it|take over)|take over|give me (?:control|the mouse))(?: now| please)?$"), "Take over"),
)  # fmt: skip
_SMALL_TALK = re.compile(
    r"(?i)^(?:ok(?:ay)?|yes|yep|thanks?|thank you|thx|good|great|nice|perfect|fine|cool|super|well done|go on|looks good)\b[\w\s,]{0,20}$"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """A task of the plan with what it asks for."""

    task: Task
    what: Instruction


def answer(wish: str, plan: Plan, task: Task, context: RunContext, state: ScreenState, today: date) -> Revise:
    """The plan after the wish, with a sentence that says what became of it.

    Args:
        task: The present task, a leaf of the plan.
    """
    text = clauses.clean(wish) or wish.strip()
    for pattern, button in _TOOLBAR:
        if pattern.match(text):
            return Revise(
                plan, f"You said “{wish}”: press {button} in the toolbar, it works at once. The plan is as it was."
            )
    skipped = _skipping(text, plan, task)
    if skipped is not None:
        return skipped
    bare, old, is_correction = _without_markers(text)
    if is_correction and not bare:
        return _not_understood(plan, wish, "Say what is to be done instead.")
    try:
        read = read_clauses(bare, today, is_desktop=_is_desktop(state))
    except NotUnderstood as fault:
        corrected = _value_only(bare, old, plan, task, context, state, today) if is_correction else None
        if corrected is not None:
            return corrected
        if _SMALL_TALK.match(text):
            return Revise(plan, f"You said “{wish}”. The plan stays as it is.")
        return _not_understood(plan, fault.part or wish, fault.hint)
    if not read:
        return Revise(plan, f"You said “{wish}”. The plan stays as it is.")
    left = [one.meaning.what for one in read if isinstance(one.meaning, Leave)]
    wanted = [one for one in read if not isinstance(one.meaning, Leave)]
    said: list[str] = []
    for what in left:
        plan, names = _without(plan, what, task)
        said.append(f"Left out as you said: {names}." if names else f"Nothing in the plan is “{what}”.")
    if wanted:
        revised = _with_wanted(bare, old, wanted, plan, task, context, state, today, is_correction=is_correction)
        plan = revised.plan
        said.append(revised.reason)
    return Revise(plan, " ".join(said))


def _is_desktop(state: ScreenState) -> bool:
    return state.surface is SurfaceKind.DESKTOP


def _with_wanted(
    words: str,
    old: str,
    read: Sequence[Read],
    plan: Plan,
    task: Task,
    context: RunContext,
    state: ScreenState,
    today: date,
    *,
    is_correction: bool,
) -> Revise:
    made = decompose(words, read).plan.tasks
    if is_correction and len(made) == 1 and not made[0].subtasks:
        what = read_instruction(made[0].goal, today, is_desktop=_is_desktop(state))
        meant = _meant(what, old, plan, task, state, today)
        if meant is not None:
            return _replaced(plan, task, meant, made[0], context, state, today)
    return Revise(_inserted(plan, task.id, made), f"Added as you said: {_names(made)}.")


def _not_understood(plan: Plan, part: str, hint: str) -> Revise:
    rest = f" {hint}" if hint else ""
    return Revise(plan, f"I do not understand “{part}”, so the plan stays as it is.{rest}")


def _without_markers(text: str) -> tuple[str, str, bool]:
    """The wish without words of correction, what it speaks against, and whether there were such words."""
    bare = _CORRECTION.sub("", text)
    plain_no = _NO.match(bare)
    if plain_no and clauses.starts_clause(plain_no["what"]):
        bare = plain_no["what"]
    is_correction = bare != text
    old = ""
    instead = _INSTEAD.search(bare)
    if instead:
        bare, old, is_correction = bare[: instead.start()], instead["old"] or "", True
    contrast = _NOT_BUT.match(bare)
    if contrast and not re.match(r"(?i)do\b|check|verify|make sure|ensure|wait", bare):
        bare, old, is_correction = contrast["new"], contrast["old"], True
    return bare.strip(" ,."), old, is_correction


# Leaving out.


def _skipping(text: str, plan: Plan, task: Task) -> Revise | None:
    plain_no = _NO.match(text)
    if plain_no and not clauses.starts_clause(plain_no["what"]):
        changed, names = _without(plan, plain_no["what"], task)
        return Revise(changed, f"Left out as you said: {names}.") if names else None
    found = _SKIP.match(text)
    if found is None:
        return None
    what = (found["what"] or "").strip()
    if not what or re.fullmatch(r"(?i)(?:task|step|one|please|then|now)", what):
        if not task.is_open:
            return Revise(plan, "Everything is done already; there is nothing to skip.")
        done = plan.with_status(task.id, TaskStatus.SKIPPED, result="skipped as you said")
        return Revise(done, f"Skipped as you said: {_names([task])}.")
    changed, names = _without(plan, re.sub(r"(?i)^(?:the|my|that)\s+", "", what), task)
    if names:
        return Revise(changed, f"Left out as you said: {names}.")
    return Revise(plan, f"Nothing that is still to be done is “{what}”, so the plan stays as it is.")


def _without(plan: Plan, what: str, task: Task) -> tuple[Plan, str]:
    """The plan with the open tasks skipped that the words name, and their names."""
    named = [one for one in plan.leaves() if one.is_open and _names_task(what, one)]
    for one in named:
        plan = plan.with_status(one.id, TaskStatus.SKIPPED, result="left out as you said")
    return plan, _names(named) if named else ""


def _names_task(words: str, task: Task) -> bool:
    """Whether every word, in whatever form of its verb, is in the task's sentence."""
    have = [_root(token) for token in tokens(task.goal)]
    wanted = [
        _root(token)
        for token in tokens(words)
        if token not in {"the", "a", "an", "my", "that", "for", "to", "with", "any"}
    ]
    return bool(wanted) and all(token in have for token in wanted)


def _root(token: str) -> str:
    bare = re.sub(r"(?:ing|ed|e|s)$", "", token) if len(token) > 4 else token.removesuffix("s")
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare


# Correcting.


def _known(plan: Plan, today: date, *, is_desktop: bool) -> list[_Known]:
    found: list[_Known] = []
    for task in plan.leaves():
        try:
            found.append(_Known(task, read_instruction(task.goal, today, is_desktop=is_desktop)))
        except NotUnderstood:
            continue
    return found


def _meant(what: Instruction, old: str, plan: Plan, task: Task, state: ScreenState, today: date) -> _Known | None:
    """The task in whose place the instruction goes: the present one, a later or a finished one; None when unclear."""
    known = _known(plan, today, is_desktop=_is_desktop(state))
    present = next((place for place, one in enumerate(known) if one.task.id == task.id), len(known))
    later = [one for one in known[present:] if one.task.is_open]
    earlier = [
        one for one in reversed(known[: present + 1]) if one.task.status in {TaskStatus.DONE, TaskStatus.UNVERIFIED}
    ]
    for group in (later, earlier):
        alike = [one for one in group if _is_alike(what, one.what)]
        against = [one for one in group if old and _names_task(old, one.task)]
        if len(against) == 1:
            return against[0]
        if len(alike) > 1:
            scored = sorted(alike, key=lambda one: -_kinship(what, one.what))
            best = [one for one in scored if _kinship(what, one.what) == _kinship(what, scored[0].what)]
            alike = best if len(best) == 1 or group is later else best[:1]
        if len(alike) == 1 or (alike and alike[0].task.id == task.id):
            return alike[0]
    return None


def _is_alike(new: Instruction, old: Instruction) -> bool:
    match new, old:
        case Choose(_, field, _), Choose(_, other, _):
            return not field or not other or similarity(field, other) >= 70
        case Enter(_, field), Enter(_, other):
            return field is not None and other is not None and similarity(field.name, other.name) >= 70
        case Press(target), Press(other):
            return target.kind == other.kind or bool(target.ordinal or target.superlative) is bool(
                other.ordinal or other.superlative
            )
        case Provide(slot), Provide(other):
            return slot == other
        case Enter(_, field), Provide(slot):
            return field is not None and similarity(field.name, slot) >= 70
        case Choose(_, field, _), Provide(slot):
            return not field or similarity(field, slot) >= 70
        case _:
            return type(new) is type(old)


def _kinship(new: Instruction, old: Instruction) -> int:
    """How many words two instructions share besides what they are both called: “256 GB” and “512 GB” share one."""
    return len(set(tokens(sentence(new))) & set(tokens(sentence(old))))


def _value_only(
    words: str, old: str, plan: Plan, task: Task, context: RunContext, state: ScreenState, today: date
) -> Revise | None:
    """“the 256 GB one instead”, “make it large”: a value without a verb goes where the task meant had one."""
    made = _MAKE_IT.match(words)
    value = re.sub(
        r"(?i)^(?:the|an?|my|for|with|to|in)\s+|\s+(?:one|please|version|option)$", "", made["new"] if made else words
    )
    if not value or len(value.split()) > 6 or value.split()[0].casefold() in clauses.VERBS:
        return None
    known = _known(plan, today, is_desktop=_is_desktop(state))
    present = next((place for place, one in enumerate(known) if one.task.id == task.id), len(known))
    done = (
        one for one in reversed(known[: present + 1]) if one.task.status in {TaskStatus.DONE, TaskStatus.UNVERIFIED}
    )
    order = [*(one for one in known[present:] if one.task.is_open), *done]
    fitting = [(one, new) for one in order if (new := _with_value(one.what, value)) is not None]
    against = [pair for pair in fitting if old and _names_task(old, pair[0].task)]
    fitting = against or sorted(
        fitting,
        key=lambda pair: -len(set(map(_shape, tokens(value))) & set(map(_shape, tokens(_value_of(pair[0].what))))),
    )
    if not fitting:
        return None
    meant, new = fitting[0]
    return _replaced(plan, task, meant, Task(goal=sentence(new)), context, state, today)


def _shape(token: str) -> str:
    return "#" if token[:1].isdigit() else token


def _value_of(what: Instruction) -> str:
    match what:
        case Choose(option):
            return option
        case Search(query):
            return query
        case Enter(value) | Provide(_, value):
            return value
        case _:
            return ""


def _with_value(what: Instruction, value: str) -> Instruction | None:
    match what:
        case Choose():
            return replace(what, option=value)
        case Search():
            return replace(what, query=value)
        case Enter() | Provide():
            return replace(what, value=value)
        case _:
            return None


def _replaced(
    plan: Plan, task: Task, meant: _Known, new: Task, context: RunContext, state: ScreenState, today: date
) -> Revise:
    """Put the new task in the place of the one meant; one that was done already is done over, with what hangs on it."""
    was = meant.task
    reason = f"Changed as you said: “{new.goal}” instead of “{was.goal}”."
    if was.status in OPEN:
        if was.id != task.id:
            return Revise(plan.with_task(was.id, lambda one: one.model_copy(update={"goal": new.goal})), reason)
        skipped = plan.with_status(was.id, TaskStatus.SKIPPED, result=f"instead: {new.goal}")
        return Revise(_inserted(skipped, was.id, (new,)), reason)
    again = [*_way_back(meant, context, state), new]
    if len(again) > 1:
        again += _hanging_on(plan, meant, task, state, today)
    return Revise(_inserted(plan, task.id, again, before=task.is_open), reason)


def _way_back(meant: _Known, context: RunContext, state: ScreenState) -> list[Task]:
    """The page on which a task was done that led away from it."""
    records = context.of_task(meant.task.id)
    if not records or isinstance(meant.what, OpenAddress) or records[0].before.url == state.url:
        return []
    address = records[0].before.url
    return [Task(goal=sentence(OpenAddress(address)))] if address.startswith(("http://", "https://")) else []


def _hanging_on(plan: Plan, meant: _Known, task: Task, state: ScreenState, today: date) -> list[Task]:
    """What was done between the task meant and the present one, once more; never what commits to something."""
    known = _known(plan, today, is_desktop=_is_desktop(state))
    ids = [one.task.id for one in known]
    start, end = ids.index(meant.task.id) + 1, ids.index(task.id) if task.id in ids else len(ids)
    return [
        Task(goal=one.task.goal)
        for one in known[start:end]
        if one.task.status is TaskStatus.DONE and not isinstance(one.what, Finish | Submit | AddTo | OpenAddress)
    ]


# The tree.


def _inserted(plan: Plan, beside: str, new: Sequence[Task], *, before: bool = False) -> Plan:
    """The plan with tasks right after (or before) one, under the same parent."""

    def among(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
        place = next(index for index, one in enumerate(tasks) if one.id == beside)
        place += 0 if before else 1
        return (*tasks[:place], *new, *tasks[place:])

    parent = plan.parent(beside)
    if parent is None:
        return plan.model_copy(update={"tasks": among(plan.tasks)})
    return plan.with_task(parent.id, lambda one: one.model_copy(update={"subtasks": among(one.subtasks)}))


def _names(tasks: Sequence[Task]) -> str:
    return "; ".join(f"“{task.goal}”" for task in tasks)


def split(plan: Plan, task: Task, today: date, *, is_desktop: bool = False) -> Revise | None:
    """A task whose words ask for several things becomes several, one for each; None when it asks for one."""
    try:
        made = decompose(task.goal, read_goal(task.goal, today, is_desktop=is_desktop)).plan.tasks
    except NotUnderstood:
        return None
    if len(made) == 1:
        made = made[0].subtasks
    if not made:
        return None
    divided = plan.with_task(task.id, lambda one: one.model_copy(update={"subtasks": tuple(made)}))
    return Revise(divided, f"“{task.goal}” is done in {len(made)} tasks: {_names(made)}.")
