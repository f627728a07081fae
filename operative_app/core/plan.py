"""The plan: a tree of tasks, edited as values.

Every edit makes a new Plan; the old one stays valid, so that undo is keeping the old one. A task that was once started
is never moved before or taken away behind the engine's back: `edit` refuses with a sentence (PlanEditRefused).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated, Literal, assert_never
from uuid import uuid4

from pydantic import Field

from operative_app.core.errors import OperativeError
from operative_app.core.taking import TaughtStep
from operative_app.core.values import Value


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    ACTIVE = "active"
    WAITING = "waiting"
    DONE = "done"
    UNVERIFIED = "unverified"
    FAILED = "failed"
    SKIPPED = "skipped"


OPEN = frozenset({TaskStatus.PENDING, TaskStatus.ACTIVE, TaskStatus.WAITING})


class Checkpoint(Value):
    """What is needed to come back to a task's border: page addresses, scroll, form values; or a picture and tree.

    `forms` maps an element's label to the value it held (never of password fields). `tabs` are the addresses of the
    open tabs, `tab_ids` their ids in the same order, `active_tab` the id of the one in front; without ids tabs stay as
    they are.
    """

    step: int
    url: str = ""
    tabs: tuple[str, ...] = ()
    tab_ids: tuple[int, ...] = ()
    active_tab: int = 0
    scroll_y_css_px: float = 0
    forms: tuple[tuple[str, str], ...] = ()
    screenshot: str = ""


class Grants(Value):
    """What a task may touch: what accepting the plan allows. What is outside is asked about.

    Attributes:
        sites: Names of sites as `safety.sites.site_name` gives them: the part of a host that one owner registers, such
            as "example.co.uk"; an address of this computer or network with its port.
        folders: Absolute folders, and single files, that may be read and written.
        apps: Names of programs; "command:cp" for a program that may be run as a command.
        kinds: Kinds of effect (`safety.risk_words.Kind`) that need no further question.
    """

    sites: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __or__(self, other: Grants) -> Grants:
        """What either allows, each once."""
        return Grants.model_validate({name: _merged(own, getattr(other, name)) for name, own in self})

    def __and__(self, other: Grants) -> Grants:
        """What both allow."""
        return Grants.model_validate(
            {name: tuple(one for one in own if one in getattr(other, name)) for name, own in self}
        )


def _merged(own: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *more)))


def new_task_id() -> str:
    return uuid4().hex[:12]


class Task(Value):
    """A node of the plan.

    Attributes:
        goal: What is to be done, in words; planners read it anew when it is edited.
        done_when: The completion condition in words, "" when the planner judges by the action's effect alone.
        by_human: The person does this one (sign-in, file choice, CAPTCHA); the agent hands over.
        actions: Labels of the actions carried out for it (leaf level).
        alternatives: Words for the variants tried when the first way fails.
        breakpoint: The run pauses before this task.
        taught: What the person did for it, when they showed the agent how.
        result: What came out of it, for people: a value read, why it failed.
        grants: What it may touch besides what the whole goal may; holds for the tasks below it, too.
    """

    id: str = Field(default_factory=new_task_id)
    goal: str
    subtasks: tuple[Task, ...] = ()
    actions: tuple[str, ...] = ()
    status: TaskStatus = TaskStatus.PENDING
    checkpoint: Checkpoint | None = None
    done_when: str = ""
    by_human: bool = False
    alternatives: tuple[str, ...] = ()
    breakpoint: bool = False
    edited_by_user: bool = False
    taught: tuple[TaughtStep, ...] = ()
    result: str = ""
    grants: Grants = Grants()

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    def walk(self) -> Iterator[Task]:
        """This task and all below it, in order."""
        yield self
        for subtask in self.subtasks:
            yield from subtask.walk()


class PlanEditRefused(OperativeError):
    """The plan cannot be changed in that way; the message says why."""


class RenameTask(Value):
    kind: Literal["rename"] = "rename"
    task_id: str
    goal: str


class AddTask(Value):
    """Add a task. `parent_id` "" means the top level; `index` counts among its siblings, -1 means last."""

    kind: Literal["add"] = "add"
    goal: str
    parent_id: str = ""
    index: int = -1
    task_id: str = Field(default_factory=new_task_id)
    by_human: bool = False


class DeleteTask(Value):
    kind: Literal["delete"] = "delete"
    task_id: str


class SkipTask(Value):
    """Skip an open task, or (`skip` false) take a skipped one back into the plan."""

    kind: Literal["skip"] = "skip"
    task_id: str
    skip: bool = True


class MoveTask(Value):
    """Move a task. `index` is its place among the new siblings after it was taken out, -1 means last."""

    kind: Literal["move"] = "move"
    task_id: str
    parent_id: str = ""
    index: int = -1


class SetBreakpoint(Value):
    kind: Literal["breakpoint"] = "breakpoint"
    task_id: str
    on: bool = True


PlanEdit = Annotated[
    RenameTask | AddTask | DeleteTask | SkipTask | MoveTask | SetBreakpoint, Field(discriminator="kind")
]


class Plan(Value):
    """A goal and its tree of tasks."""

    goal: str
    tasks: tuple[Task, ...] = ()

    def walk(self) -> Iterator[Task]:
        for task in self.tasks:
            yield from task.walk()

    def leaves(self) -> Iterator[Task]:
        return (task for task in self.walk() if not task.subtasks)

    def task(self, task_id: str) -> Task | None:
        return next((task for task in self.walk() if task.id == task_id), None)

    def parent(self, task_id: str) -> Task | None:
        return next((task for task in self.walk() if any(sub.id == task_id for sub in task.subtasks)), None)

    def grants_of(self, task_id: str) -> Grants:
        """What a task may touch: its own grants and those of the tasks around it."""
        granted, task = Grants(), self.task(task_id)
        while task is not None:
            granted, task = task.grants | granted, self.parent(task.id)
        return granted

    def next_open_leaf(self) -> Task | None:
        """The first leaf still to be done; a skipped parent closes its whole subtree."""
        return _first_open_leaf(self.tasks)

    @property
    def is_complete(self) -> bool:
        return self.next_open_leaf() is None

    def with_task(self, task_id: str, change: Callable[[Task], Task]) -> Plan:
        """A plan in which `change` was applied to one task; parents' statuses follow their subtasks.

        Raises:
            PlanEditRefused: There is no such task.
        """
        if self.task(task_id) is None:
            raise PlanEditRefused("That task is no longer in the plan.")
        return Plan(goal=self.goal, tasks=tuple(_change(task, task_id, change) for task in self.tasks))

    def with_before(self, task_id: str, task: Task) -> Plan:
        """A plan with one more task right before another one; at the end when that is not in the plan."""
        parent = self.parent(task_id)
        siblings = parent.subtasks if parent is not None else self.tasks
        index = next((place for place, one in enumerate(siblings) if one.id == task_id), -1)
        if parent is None:
            return Plan(goal=self.goal, tasks=_inserted(self.tasks, task, index))
        changed = _inserted(parent.subtasks, task, index)
        return self.with_task(parent.id, lambda one: one.model_copy(update={"subtasks": changed}))

    def with_status(self, task_id: str, status: TaskStatus, *, result: str | None = None) -> Plan:
        def change(task: Task) -> Task:
            return task.model_copy(update={"status": status} | ({} if result is None else {"result": result}))

        return self.with_task(task_id, change)

    def edit(self, edit: PlanEdit) -> Plan:
        """Apply a person's or a planner's edit.

        Raises:
            PlanEditRefused: The task is unknown, already started or finished, or the text is empty.
        """
        match edit:
            case RenameTask():
                goal = _checked_goal(edit.goal)
                self._open_task(edit.task_id, "renamed", may_be_active=False)
                return self.with_task(
                    edit.task_id, lambda task: task.model_copy(update={"goal": goal, "edited_by_user": True})
                )
            case AddTask():
                task = Task(
                    id=edit.task_id,
                    goal=_checked_goal(edit.goal),
                    by_human=edit.by_human,
                    edited_by_user=True,
                )
                return self._insert(task, edit.parent_id, edit.index)
            case DeleteTask():
                self._open_task(edit.task_id, "deleted", may_be_active=False)
                return self._without(edit.task_id)
            case SkipTask():
                return self._skip(edit.task_id, skip=edit.skip)
            case MoveTask():
                task = self._open_task(edit.task_id, "moved", may_be_active=False)
                if edit.parent_id and any(sub.id == edit.parent_id for sub in task.walk()):
                    raise PlanEditRefused("A task cannot be moved into itself.")
                return self._without(edit.task_id)._insert(task, edit.parent_id, edit.index)
            case SetBreakpoint():
                self._open_task(edit.task_id, "given a breakpoint", may_be_active=True)
                return self.with_task(edit.task_id, lambda task: task.model_copy(update={"breakpoint": edit.on}))
            case _:
                assert_never(edit)

    def _open_task(self, task_id: str, verb: str, *, may_be_active: bool) -> Task:
        task = self.task(task_id)
        if task is None:
            raise PlanEditRefused("That task is no longer in the plan.")
        allowed = OPEN if may_be_active else frozenset({TaskStatus.PENDING, TaskStatus.SKIPPED})
        if task.status not in allowed:
            raise PlanEditRefused(f"“{task.goal}” was already started and cannot be {verb}.")
        return task

    def _insert(self, task: Task, parent_id: str, index: int) -> Plan:
        if not parent_id:
            tasks = _inserted(self.tasks, task, index)
            return _checked_order(Plan(goal=self.goal, tasks=tuple(_with_derived_status(one) for one in tasks)))
        parent = self.task(parent_id)
        if parent is None:
            raise PlanEditRefused("The task it should go under is no longer in the plan.")
        if not parent.is_open:
            raise PlanEditRefused(f"“{parent.goal}” is already finished; add the task after it instead.")
        if not parent.subtasks and parent.status is not TaskStatus.PENDING:
            raise PlanEditRefused(f"“{parent.goal}” was already started and cannot be split.")
        return _checked_order(
            self.with_task(
                parent_id,
                lambda one: one.model_copy(update={"subtasks": _inserted(one.subtasks, task, index)}),
            )
        )

    def _without(self, task_id: str) -> Plan:
        return Plan(goal=self.goal, tasks=_removed(self.tasks, task_id))

    def _skip(self, task_id: str, *, skip: bool) -> Plan:
        task = self.task(task_id)
        if task is None:
            raise PlanEditRefused("That task is no longer in the plan.")
        if skip and not task.is_open:
            raise PlanEditRefused(f"“{task.goal}” is already finished.")
        if not skip and task.status is not TaskStatus.SKIPPED:
            raise PlanEditRefused(f"“{task.goal}” was not skipped.")
        old, new = (OPEN, TaskStatus.SKIPPED) if skip else (frozenset({TaskStatus.SKIPPED}), TaskStatus.PENDING)

        def change(one: Task) -> Task:
            return one.model_copy(
                update={
                    "status": new if one.status in old else one.status,
                    "subtasks": tuple(change(sub) for sub in one.subtasks),
                }
            )

        return _checked_order(self.with_task(task_id, change))


def _first_open_leaf(tasks: tuple[Task, ...]) -> Task | None:
    for task in tasks:
        if task.status is TaskStatus.SKIPPED:
            continue
        if task.subtasks:
            leaf = _first_open_leaf(task.subtasks)
            if leaf is not None:
                return leaf
        elif task.is_open:
            return task
    return None


def _checked_goal(goal: str) -> str:
    folded = " ".join(goal.split())
    if not folded:
        raise PlanEditRefused("A task needs some words that say what is to be done.")
    return folded


def _inserted(tasks: tuple[Task, ...], task: Task, index: int) -> tuple[Task, ...]:
    place = len(tasks) if index < 0 or index > len(tasks) else index
    return (*tasks[:place], task, *tasks[place:])


def _checked_order(plan: Plan) -> Plan:
    """An open task must not stand before one that was started: the engine never goes back."""
    seen_open: Task | None = None
    for leaf in plan.leaves():
        if leaf.status in {TaskStatus.ACTIVE, TaskStatus.WAITING, TaskStatus.DONE} and seen_open is not None:
            raise PlanEditRefused(f"“{seen_open.goal}” cannot go before “{leaf.goal}”, which was already started.")
        if leaf.status is TaskStatus.PENDING and seen_open is None:
            seen_open = leaf
    return plan


def _removed(tasks: tuple[Task, ...], task_id: str) -> tuple[Task, ...]:
    kept: list[Task] = []
    for task in tasks:
        if task.id == task_id:
            continue
        subtasks = _removed(task.subtasks, task_id)
        if task.subtasks and not subtasks:
            continue  # a parent whose last subtask went has nothing left to do
        kept.append(_with_derived_status(task.model_copy(update={"subtasks": subtasks})))
    return tuple(kept)


def _change(task: Task, task_id: str, change: Callable[[Task], Task]) -> Task:
    if task.id == task_id:
        return _with_derived_status(change(task))
    if not task.subtasks:
        return task
    return _with_derived_status(
        task.model_copy(update={"subtasks": tuple(_change(sub, task_id, change) for sub in task.subtasks)})
    )


def _with_derived_status(task: Task) -> Task:
    if not task.subtasks:
        return task
    return task.model_copy(update={"status": derived_status([sub.status for sub in task.subtasks])})


def derived_status(statuses: list[TaskStatus]) -> TaskStatus:
    """A parent's status from its subtasks'."""
    present = set(statuses)
    for status in (TaskStatus.WAITING, TaskStatus.ACTIVE):
        if status in present:
            return status
    if TaskStatus.PENDING in present:
        started = present & {TaskStatus.DONE, TaskStatus.UNVERIFIED, TaskStatus.FAILED}
        return TaskStatus.ACTIVE if started else TaskStatus.PENDING
    for status in (TaskStatus.FAILED, TaskStatus.UNVERIFIED, TaskStatus.DONE):
        if status in present:
            return status
    return TaskStatus.SKIPPED
