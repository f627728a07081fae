"""The plan of a run with its edits, undo and redo; every change is told."""

from __future__ import annotations

from collections.abc import Callable

from operative_app.core.events import PlanChanged
from operative_app.core.plan import Checkpoint, Grants, Plan, PlanEdit, PlanEditRefused, Task, TaskStatus
from operative_app.core.taking import TaughtStep
from operative_app.engine.hub import EventHub

_STARTED = frozenset(TaskStatus) - {TaskStatus.PENDING, TaskStatus.SKIPPED}


class PlanBook:
    """Owned by the agent thread.

    Undo takes back people's edits and the planner's revisions, never what was carried out meanwhile: statuses of tasks
    that both plans have are kept, and an edit that would bring back or remove a started task is refused.
    """

    def __init__(self, hub: EventHub, goal: str) -> None:
        self._hub = hub
        self._undo: list[Plan] = []
        self._redo: list[Plan] = []
        self.plan = Plan(goal=goal)

    def replace(self, plan: Plan, *, by: str, reason: str = "") -> None:
        """The first plan, or one that has nothing to do with the present one; there is nothing to undo then."""
        self.plan = _with_states_of(plan, self.plan)
        self._undo.clear()
        self._redo.clear()
        self._tell(by, reason)

    def revise(self, plan: Plan, *, by: str, reason: str = "") -> None:
        """A changed plan from the planner, which people can take back. Tasks that were started keep their state.

        What tasks may touch stays as it is: a planner has seen pages by now, and only the person widens.
        """
        changed = _with_states_of(_without_new_grants(plan, self.plan), self.plan)
        if changed == self.plan:
            return
        self._undo.append(self.plan)
        self._redo.clear()
        self.plan = changed
        self._tell(by, reason)

    def edit(self, edit: PlanEdit) -> None:
        """Apply a person's edit; raises PlanEditRefused."""
        changed = self.plan.edit(edit)
        self._undo.append(self.plan)
        self._redo.clear()
        self.plan = changed
        self._tell("person", edit.kind)

    def undo(self) -> None:
        """Take back the last edit; raises PlanEditRefused."""
        self._swap(self._undo, self._redo, "undo")

    def redo(self) -> None:
        """Do it again; raises PlanEditRefused."""
        self._swap(self._redo, self._undo, "redo")

    def set_status(self, task_id: str, status: TaskStatus, *, result: str | None = None) -> None:
        """The engine's word on a task; ignored when the task is gone."""
        task = self.plan.task(task_id)
        if task is None or (task.status is status and result is None):
            return
        self.plan = self.plan.with_status(task_id, status, result=result)
        self._tell("engine", status.value)

    def widen(self, task_id: str, more: Grants) -> None:
        """The person allowed more for a task; told at once, so that the record shows it."""
        self._change(task_id, lambda task: task.model_copy(update={"grants": task.grants | more}))
        named = (*more.sites, *more.folders, *more.apps, *more.kinds)
        self._tell("person", f"allowed: {', '.join(named)}")

    def note_action(self, task_id: str, label: str) -> None:
        """Add a carried-out action to its task; told with the next change."""
        self._change(task_id, lambda task: task.model_copy(update={"actions": (*task.actions, label)}))

    def add_taught(self, steps: tuple[TaughtStep, ...]) -> Task:
        """Add what a person showed as a finished task, before the one that is next."""
        goal = f"You showed: {len(steps)} step{'s' if len(steps) != 1 else ''}"
        labels = tuple(step.label for step in steps)
        task = Task(goal=goal, by_human=True, status=TaskStatus.DONE, actions=labels, taught=steps)
        following = self.plan.next_open_leaf()
        self.plan = self.plan.with_before(following.id if following is not None else "", task)
        self._tell("person", "taught")
        return task

    def set_checkpoint(self, task_id: str, checkpoint: Checkpoint) -> None:
        self._change(task_id, lambda task: task.model_copy(update={"checkpoint": checkpoint}))
        self._tell("engine", "checkpoint")

    def _change(self, task_id: str, change: Callable[[Task], Task]) -> None:
        if self.plan.task(task_id) is not None:
            self.plan = self.plan.with_task(task_id, change)

    def _swap(self, source: list[Plan], target: list[Plan], reason: str) -> None:
        if not source:
            raise PlanEditRefused(f"There is nothing to {reason}.")
        wanted = source[-1]
        kept = {task.id for task in wanted.leaves()}
        lost = next((task for task in self.plan.leaves() if task.status in _STARTED and task.id not in kept), None)
        if lost is not None:
            raise PlanEditRefused(f"“{lost.goal}” was started meanwhile; {reason} would lose it.")
        source.pop()
        target.append(self.plan)
        self.plan = _with_states_of(wanted, self.plan)
        self._tell("person", reason)

    def _tell(self, by: str, reason: str) -> None:
        self._hub.emit(
            PlanChanged,
            plan=self.plan,
            by=by,
            reason=reason,
            can_undo=bool(self._undo),
            can_redo=bool(self._redo),
        )


def _without_new_grants(plan: Plan, current: Plan) -> Plan:
    for task in plan.walk():
        known = current.task(task.id)
        grants = known.grants if known is not None else Grants()
        if grants != task.grants:
            plan = plan.with_task(task.id, lambda one, grants=grants: one.model_copy(update={"grants": grants}))  # type: ignore[misc]
    return plan


def _with_states_of(plan: Plan, current: Plan) -> Plan:
    """`plan` with what was carried out so far, and what people allowed, taken over from `current`."""
    for task in current.walk():
        same = plan.task(task.id)
        if same is not None and (more := same.grants | task.grants) != same.grants:
            plan = plan.with_task(task.id, lambda one, more=more: one.model_copy(update={"grants": more}))  # type: ignore[misc]
    for task in current.leaves():
        same = plan.task(task.id)
        if same is None or same.subtasks or task.status not in _STARTED:
            continue
        if task.is_open and same.status is TaskStatus.SKIPPED:
            continue  # an open task may be given up, a finished one stays what it is
        kept = {
            "status": task.status,
            "result": task.result,
            "actions": task.actions,
            "checkpoint": task.checkpoint,
            "goal": task.goal,
        }
        plan = plan.with_task(task.id, lambda one, kept=kept: one.model_copy(update=kept))  # type: ignore[misc]
    return plan
