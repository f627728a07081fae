"""Folds the events of one run into what a report shows, in words; knows nothing of HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Literal, assert_never

from operative_app.core.events import (
    CheckpointSaved,
    Event,
    ModelAsked,
    Notice,
    Observed,
    OversightChanged,
    PlanChanged,
    RecoveryTried,
    RequestClosed,
    RequestRaised,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.presentation.spending import NOTHING, Ledger, Spent, spent_on_tasks
from operative_app.presentation.words import (
    CAUSE_WORDS,
    OUTCOME_WORDS,
    STATE_WORDS,
    SURFACE_WORDS,
    TASK_SIGNS,
    TASK_WORDS,
    clock,
    count,
    duration,
    duration_ms,
    event_line,
    plain,
    plain_lines,
)

Tone = Literal["", "ok", "warn", "bad"]

_STATE_TONES: dict[RunState, Tone] = {
    RunState.DONE: "ok",
    RunState.NOT_VERIFIED: "warn",
    RunState.FAILED: "bad",
}
_OUTCOME_TONES: dict[OutcomeStatus, Tone] = {
    OutcomeStatus.DONE: "ok",
    OutcomeStatus.UNVERIFIED: "warn",
    OutcomeStatus.REFUSED: "warn",
    OutcomeStatus.FAILED: "bad",
}
_TASK_TONES: dict[TaskStatus, Tone] = {
    TaskStatus.DONE: "ok",
    TaskStatus.UNVERIFIED: "warn",
    TaskStatus.FAILED: "bad",
}


@dataclass(slots=True)
class ReportStep:
    """One attempt of a step. `seen` is the observation it was taken on, `taken` the hash of a picture it took."""

    started: StepStarted
    seen: Observed | None
    number: int
    anchor: str
    time: str
    action: str
    task: str = ""
    why: str = ""
    page: str = ""
    outcome: str = "cut off"
    tone: Tone = "warn"
    detail: str = ""
    value: str = ""
    duration: str = ""
    tokens: str = ""
    cost: str = ""
    recoveries: list[str] = field(default_factory=list)
    part_of: int = 0
    taken: str = ""

    def as_fields(self) -> dict[str, object]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of the talk or of the changes; `step` 0 when it belongs to none."""

    text: str
    step: int = 0
    time: str = ""


@dataclass(frozen=True, slots=True)
class ReportTask:
    goal: str
    status: str
    sign: str
    tone: Tone
    by_human: bool
    result: str
    spent: str
    subtasks: list[ReportTask]


@dataclass(slots=True)
class ReportModel:
    goal: str = "A run"
    state: str = "Interrupted"
    tone: Tone = "warn"
    facts: list[str] = field(default_factory=list)
    reason: str = "The program ended in the middle of this run."
    answer: str = ""
    changes: list[ReportLine] = field(default_factory=list)
    plan: list[ReportTask] = field(default_factory=list)
    talk: list[ReportLine] = field(default_factory=list)
    steps: list[ReportStep] = field(default_factory=list)
    last_seen: Observed | None = None


def report_model(events: Sequence[Event]) -> ReportModel:
    """Fold the events of one run, in their order."""
    fold = _Fold(events[0].time_s if events else 0.0)
    for event in events:
        fold.add(event)
    return fold.close()


class _Fold:
    def __init__(self, began_s: float) -> None:
        self.model = ReportModel()
        self._began_s = began_s
        self._goals: dict[str, str] = {}
        self._anchors: set[str] = set()
        self._seen: Observed | None = None
        self._plan: Plan | None = None
        self._ledger = Ledger()

    def add(self, event: Event) -> None:
        self._ledger.fold(event)
        match event:
            case RunStarted():
                self.model.goal = plain(event.request.goal)
                began = datetime.fromtimestamp(event.time_s).astimezone()
                self.model.facts = [
                    f"{began:%Y-%m-%d %H:%M}",
                    f"{SURFACE_WORDS[event.request.surface]}, planner {plain(event.planner)}",
                ]
            case PlanChanged():
                self._goals |= {task.id: plain(task.goal) for task in event.plan.walk()}
                self._plan = event.plan
            case Observed():
                self._observed(event)
            case StepStarted():
                self._step(event)
            case StepFinished():
                self._finished_step(event)
            case RecoveryTried():
                if self.model.steps:
                    self.model.steps[-1].recoveries.append(event_line(event))
            case Said() | RequestRaised() | RequestClosed() | Notice() | OversightChanged():
                step = event.step if isinstance(event, Said) and event.step else 0
                self.model.talk.append(ReportLine(event_line(event), step, self._time(event)))
            case RunFinished():
                self._finished_run(event)
            case StateChanged() | CheckpointSaved() | ModelAsked():
                pass  # where the run stood in between shows in its steps and requests
            case _:
                assert_never(event)

    def _time(self, event: Event) -> str:
        return clock(event.time_s - self._began_s)

    def _observed(self, event: Observed) -> None:
        if self.model.steps and event.difference:
            step = self.model.steps[-1].number
            self.model.changes.append(ReportLine(plain(event.difference), step))
        if event.screenshot:
            self.model.last_seen = event
        self._seen = event

    def _step(self, event: StepStarted) -> None:
        seen = self._seen
        self.model.steps.append(
            ReportStep(
                started=event,
                seen=seen,
                number=event.step,
                anchor=self._anchor(event.step),
                time=self._time(event),
                action=plain(event.label),
                task=self._goals.get(event.task_id, ""),
                why=plain(event.why),
                page=plain(f"{seen.title} {seen.url}") if seen else "",
                part_of=event.part_of,
            )
        )

    def _anchor(self, number: int) -> str:
        anchor, attempt = f"step-{number}", 1
        while anchor in self._anchors:
            attempt += 1
            anchor = f"step-{number}-attempt-{attempt}"
        self._anchors.add(anchor)
        return anchor

    def _finished_step(self, event: StepFinished) -> None:
        step = next((one for one in reversed(self.model.steps) if one.number == event.step), None)
        if step is None:
            return
        step.outcome = OUTCOME_WORDS[event.status]
        step.tone = _OUTCOME_TONES[event.status]
        step.detail = plain(event.detail)
        step.value = plain_lines(event.value)
        step.taken = event.picture
        step.duration = duration_ms(event.duration_ms)
        spent = self._ledger.spent_on_attempt(event.step)
        step.tokens = f"{spent.tokens:,}" if spent.tokens else ""
        step.cost = spent.cost_words

    def _finished_run(self, event: RunFinished) -> None:
        self.model.state = STATE_WORDS[event.state]
        self.model.tone = _STATE_TONES.get(event.state, "")
        self.model.reason = plain(event.reason) or CAUSE_WORDS[event.cause]
        self.model.answer = plain_lines(event.answer)
        self.model.facts += [count(event.steps, "step"), duration(event.duration_s)]

    def close(self) -> ReportModel:
        """What only the whole run tells: what it and its tasks took."""
        if spent := self._ledger.spent.words:
            self.model.facts.append(spent)
        of_task: dict[str, Spent] = {}
        for number, task_id in {step.number: step.started.task_id for step in self.model.steps}.items():
            of_task[task_id] = of_task.get(task_id, NOTHING) + self._ledger.spent_on(number)
        if self._plan is not None:
            self.model.plan = _tasks(self._plan, spent_on_tasks(self._plan.tasks, of_task))
        return self.model


def _tasks(plan: Plan, spent: Mapping[str, Spent]) -> list[ReportTask]:
    def one(task: Task) -> ReportTask:
        return ReportTask(
            goal=plain(task.goal),
            status=TASK_WORDS[task.status],
            sign=TASK_SIGNS[task.status],
            tone=_TASK_TONES.get(task.status, ""),
            by_human=task.by_human,
            result=plain(task.result),
            spent=spent[task.id].words,
            subtasks=[one(subtask) for subtask in task.subtasks],
        )

    return [one(task) for task in plan.tasks]
