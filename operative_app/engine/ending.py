"""How a run ended: its state, why, and what a person is told of what was done and what was not."""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.errors import StoreError
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.run import EndCause, RunState, Stopped
from operative_app.core.screen import SurfaceKind
from operative_app.engine.budget import Spending
from operative_app.planning.port import CannotInterpret


@dataclass(frozen=True, slots=True)
class End:
    """One run's end.

    Attributes:
        reason: In whole sentences.
        is_recorded: False when the store itself failed.
        stopped: What a stop found under way.
    """

    state: RunState
    cause: EndCause
    reason: str
    is_recorded: bool = True
    stopped: Stopped | None = None


def done(reason: str) -> End:
    return End(RunState.DONE, EndCause.GOAL_MET, reason)


def failed(cause: EndCause, reason: str) -> End:
    return End(RunState.FAILED, cause, reason)


def stopped_by_person(reason: str, stopped: Stopped | None = None) -> End:
    return End(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, reason, stopped=stopped)


def store_failed(error: StoreError) -> End:
    reason = f"{error} Nothing more was done: an action without a record is not carried out."
    return End(RunState.FAILED, EndCause.STORE_FAILED, reason, is_recorded=False)


def by_fault(error: Exception) -> End:
    what = f"{type(error).__name__}: {error}".strip(": ")
    reason = f"The run ended by a fault of the program ({what}). Nothing more was done; see the step log."
    return failed(EndCause.ERROR, reason)


def not_understood(answer: CannotInterpret) -> End:
    return failed(EndCause.NOT_UNDERSTOOD, f"{answer.say} {answer.hint}".strip())


def plan_done(plan: Plan, summary: str, surface: SurfaceKind) -> End:
    """Nothing of the plan is left; done only when every task was seen to be."""
    doubtful = [task.goal for task in plan.leaves() if task.status is TaskStatus.UNVERIFIED]
    if not doubtful:
        return done(summary or "Done.")
    where = "screen" if surface is SurfaceKind.DESKTOP else "page"
    reason = f"{summary} Not verified: {_named(doubtful)}. Look at the {where} to make sure.".strip()
    return End(RunState.NOT_VERIFIED, EndCause.NOT_VERIFIED, reason)


def at_limit(plan: Plan, spending: Spending) -> End:
    left = _open_goals(plan)
    named = f"Not done: {_named(left)}." if left else "Nothing was begun."
    reason = f"Stopped {spending.words}. {named} Raise the limit to go on."
    return failed(spending.cause or EndCause.BUDGET, reason)


def task_failed(plan: Plan, task: Task) -> End:
    task = plan.task(task.id) or task
    reason = f"“{task.goal}” could not be done: {sentence(task.result)}"
    if left := _open_goals(plan):
        reason += f" Not done either: {_named(left)}."
    return failed(EndCause.TASK_FAILED, reason)


def impossible(plan: Plan, task: Task) -> End:
    """That it cannot be done, why, and what was done before that was found out."""
    task = plan.task(task.id) or task
    tried = [one.goal for one in plan.leaves() if one.status in {TaskStatus.DONE, TaskStatus.UNVERIFIED}]
    named = {"It is about": [task.goal], "Done before": tried, "Not done": _open_goals(plan)}
    parts = (f"{words}: {_named(goals)}." for words, goals in named.items() if goals)
    return failed(EndCause.IMPOSSIBLE, " ".join((f"This cannot be done: {sentence(task.result)}", *parts)))


def sentence(text: str) -> str:
    """A reason as a sentence."""
    words = text.strip() or "no reason was given"
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _open_goals(plan: Plan) -> list[str]:
    return [task.goal for task in plan.leaves() if task.is_open]


def _named(goals: list[str]) -> str:
    return "; ".join(f"“{goal}”" for goal in goals)
