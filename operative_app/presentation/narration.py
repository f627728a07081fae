"""A run told line by line, as the terminal and the step log of a record print it."""

from __future__ import annotations

from operative_app.core.events import Event, PlanChanged, RunFinished, StateChanged, StepFinished, StepStarted
from operative_app.core.run import RunState
from operative_app.presentation.spending import Ledger
from operative_app.presentation.stopped import stopped_lines
from operative_app.presentation.words import event_line, finish_line, plain, plan_lines, step_line

_TOLD_STATES = frozenset({RunState.PLANNING, RunState.PAUSED, RunState.TAKEN_OVER, RunState.STOPPING})
"""States that nothing else tells about: the others show in steps, requests and the end."""


class Narration:
    """Turns the events of one run, in their order, into lines.

    A step is one line, told when it has ended; one with parts is also told before the first of them. The plan is told
    when its tasks are others than before, not for each change of a status. What a model took stands with each step and,
    for the whole run, above its end. Not thread-safe: one owner feeds it.
    """

    def __init__(self) -> None:
        self._open: dict[int, StepStarted] = {}
        self._told: set[int] = set()
        self._tasks: list[tuple[str, str]] = []
        self._state = ""
        self._ledger = Ledger()

    def lines(self, event: Event) -> list[str]:
        """The lines this event adds; often none."""
        self._ledger.fold(event)
        match event:
            case StepStarted():
                whole = self._open.get(event.part_of) if event.part_of not in self._told else None
                self._open[event.step] = event
                self._told.add(event.part_of)
                return [] if whole is None else [step_line(whole)]
            case StepFinished():
                started = self._open.pop(event.step, None)
                return self._step(started, event)
            case PlanChanged():
                return self._plan(event)
            case StateChanged():
                line = event_line(event) if event.state in _TOLD_STATES else ""
                is_new, self._state = line != self._state, line
                return [line] if line and is_new else []
            case RunFinished():
                unfinished = [step_line(started) for started in self._open.values()]
                self._open.clear()
                answer = [f"Answer: {plain(event.answer)}"] if event.answer else []
                spent = [f"Model: {self._ledger.spent.words}"] if self._ledger.spent.words else []
                lines = stopped_lines(event.stopped) if event.stopped is not None else []
                return [
                    *unfinished,
                    *spent,
                    finish_line(event),
                    *(f"{title}: {text}" for title, text in lines),
                    *answer,
                ]
            case _:
                line = event_line(event)
                return [line] if line else []

    def _step(self, started: StepStarted | None, finished: StepFinished) -> list[str]:
        spent = self._ledger.spent_on_attempt(finished.step).words
        return [] if started is None else [step_line(started, finished, spent=spent)]

    def _plan(self, event: PlanChanged) -> list[str]:
        tasks = [(task.id, task.goal) for task in event.plan.walk()]
        if tasks == self._tasks:
            return []
        self._tasks = tasks
        title = f"Plan: {plain(event.reason)}" if event.reason else "Plan:"
        return [title, *plan_lines(event.plan)]
