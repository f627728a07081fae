"""Plans from replies, and plans as lines for a model: four parts become tasks that can be carried out and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from operative_app.core.errors import SettingsError
from operative_app.core.plan import Grants, Plan, Task, TaskStatus
from operative_app.planning.model.replies import PlanReply, TaskReply
from operative_app.safety.addresses import completed_url
from operative_app.safety.site_names import site_name

MOST_TASKS = 60
_MOST_WORDS = 400
_MOST_GRANTS = 12
_WORDS = {
    TaskStatus.PENDING: "open",
    TaskStatus.ACTIVE: "open",
    TaskStatus.WAITING: "open",
    TaskStatus.DONE: "done",
    TaskStatus.UNVERIFIED: "done, not verified",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "left out",
}


def plan_of(goal: str, reply: PlanReply) -> Plan:
    """The core of the work, then the form of the result, then the check, as one tree."""
    tasks = [*tasks_of(reply.tasks), *tasks_of(reply.output)]
    check = " ".join(reply.check.split())
    if check:
        tasks.append(Task(goal=check if check.casefold().startswith("check") else f"Check: {check}", done_when=check))
    return Plan(goal=goal, tasks=tuple(tasks[:MOST_TASKS]))


def tasks_of(replies: Sequence[TaskReply]) -> tuple[Task, ...]:
    """Tasks with what is below them; one without words or with a single task below it is that task."""
    tasks: list[Task] = []
    for one in replies:
        goal = " ".join(one.goal.split())[:_MOST_WORDS]
        below = tasks_of(one.tasks)
        grants = _grants_of(one)
        if not goal or len(below) == 1:
            tasks.extend(task.model_copy(update={"grants": grants | task.grants}) for task in below)
        else:
            done_when = " ".join(one.done_when.split())[:_MOST_WORDS]
            is_by_human = one.by_human and not below
            tasks.append(Task(goal=goal, subtasks=below, done_when=done_when, by_human=is_by_human, grants=grants))
    return tuple(tasks)


def _grants_of(reply: TaskReply) -> Grants:
    """What the model says the task touches; whether that counts is for the engine to say."""
    sites: list[str] = []
    for typed in reply.sites[:_MOST_GRANTS]:
        with suppress(SettingsError):
            sites.append(site_name(completed_url(typed)))
    return Grants(
        sites=tuple(dict.fromkeys(site for site in sites if site)),
        folders=tuple(one for one in reply.folders[:_MOST_GRANTS] if one.startswith(("/", "~/")) and one.strip("/~. ")),
        apps=tuple(one for one in reply.apps[:_MOST_GRANTS] if len(one) > 1 and not one.startswith("command:")),
    )


def revised(plan: Plan, tasks: tuple[Task, ...]) -> Plan:
    """The plan with what is finished as it was, and `tasks` in place of all that was still to be done.

    Open tasks whose words stay the same stay themselves, so that what was noted about them is kept.
    """
    open_ones = {" ".join(one.goal.casefold().split()): one for one in plan.leaves() if one.is_open}
    kept = tuple(
        open_ones.get(" ".join(one.goal.casefold().split()), one) if not one.subtasks else one for one in tasks
    )
    return Plan(goal=plan.goal, tasks=(*_finished(plan.tasks), *kept))


def drops(before: Plan, after: Plan) -> bool:
    """Whether something that was still to be done is not in the new plan by its words."""
    kept = {" ".join(one.goal.casefold().split()) for one in after.leaves()}
    return any(" ".join(one.goal.casefold().split()) not in kept for one in before.leaves() if one.is_open)


def _finished(tasks: tuple[Task, ...]) -> Iterator[Task]:
    """What is no longer open, in its place in the tree."""
    for one in tasks:
        if one.subtasks:
            below = tuple(_finished(one.subtasks))
            if below:
                yield one.model_copy(update={"subtasks": below})
        elif not one.is_open:
            yield one


def numbered(plan: Plan) -> dict[str, int]:
    """The numbers by which a model names tasks: the leaves in their order, from 1."""
    return {task.id: place for place, task in enumerate(plan.leaves(), start=1)}


def plan_lines(plan: Plan, *, with_status: bool = False) -> str:
    """The tree in lines, leaves numbered; without states it stays the same while it is carried out."""
    numbers = numbered(plan)
    return "\n".join(_lines(plan.tasks, numbers, "", with_status=with_status))


def _lines(tasks: tuple[Task, ...], numbers: dict[str, int], indent: str, *, with_status: bool) -> Iterator[str]:
    for task in tasks:
        if task.subtasks:
            yield f"{indent}- {task.goal}"
            yield from _lines(task.subtasks, numbers, f"{indent}  ", with_status=with_status)
            continue
        words = f"{indent}{numbers[task.id]}. {task.goal}"
        if task.by_human:
            words += " (the person does this)"
        if task.done_when and task.done_when != task.goal:
            words += f" [done when: {task.done_when}]"
        if with_status:
            words += f" – {_WORDS[task.status]}{f': {task.result}' if task.result else ''}"
        yield words
