"""The closing sentences: what was done, what was not."""

from __future__ import annotations

from collections.abc import Iterable

from operative_app.core.plan import Plan, Task, TaskStatus

_MOST_NAMED = 4


def summarize(plan: Plan) -> str:
    """Two or three short sentences; values that were read are quoted."""
    leaves = list(plan.leaves())
    done = [task for task in leaves if task.status is TaskStatus.DONE]
    unsure = [task for task in leaves if task.status is TaskStatus.UNVERIFIED]
    failed = [task for task in leaves if task.status is TaskStatus.FAILED]
    skipped = [task for task in leaves if task.status is TaskStatus.SKIPPED]
    still_open = [task for task in leaves if task.is_open]
    sentences: list[str] = []
    if leaves and len(done) == len(leaves):
        sentences.append("Everything is done." if len(leaves) > 1 else f"Done: {_named(done)}.")
    elif done:
        sentences.append(f"{len(done)} of {len(leaves)} tasks are done.")
    elif not unsure:
        sentences.append("Nothing was done.")
    values = [f"{_subject(task)}: “{task.result}”" for task in done if task.result and _is_reading(task)]
    if values:
        sentences.append(f"{'; '.join(values)}.")
    confirmed = [task.result for task in done if task.goal.startswith("Finish:") and task.result]
    if confirmed:
        sentences.append(f"The page says: “{confirmed[-1].rstrip('.')}”.")
    if unsure:
        sentences.append(f"Done, but not confirmed by the page: {_named(unsure)}.")
    sentences += [f"Failed: {task.goal}{_because(task)}" for task in failed[:_MOST_NAMED]]
    if skipped:
        sentences.append(f"Skipped: {_named(skipped)}.")
    if still_open:
        sentences.append(f"Not done: {_named(still_open)}.")
    return " ".join(sentences)


def _named(tasks: Iterable[Task]) -> str:
    names = [task.goal for task in tasks]
    shown = "; ".join(names[:_MOST_NAMED])
    return f"{shown}; and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def _because(task: Task) -> str:
    return f" ({task.result.rstrip('.')})." if task.result else "."


def _is_reading(task: Task) -> bool:
    return task.goal.startswith(("Tell ", "Count ", "Check that "))


def _subject(task: Task) -> str:
    words = task.goal.split(" ", 1)[-1].strip('“”" ')
    return words[:1].upper() + words[1:]
