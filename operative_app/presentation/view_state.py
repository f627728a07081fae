"""Folds the events of a run into what a window shows. Qt-free; one owner, one thread.

Live runs and past ones go the same way: a past run is its recorded events folded from the first to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from operative_app.core.events import (
    CheckpointSaved,
    Event,
    ModelAsked,
    Notice,
    NoticeLevel,
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
from operative_app.core.plan import Plan, TaskStatus
from operative_app.core.requests import ApprovalRequest, Approve, Request
from operative_app.core.run import DEFAULT_MAX_STEPS, Oversight, RunRequest, RunState
from operative_app.core.screen import shorten
from operative_app.core.taking import TakeOverKind
from operative_app.presentation.chat import ChatLine, LineKind
from operative_app.presentation.controls import ACTIVE
from operative_app.presentation.spending import NOTHING, Ledger, Spent, spent_on_tasks
from operative_app.presentation.timeline import Attempt, Frame, StepRow, Target, frame_of
from operative_app.presentation.words import RUNG_WORDS, count, duration, plain

_SHOWN_PARAMETER = 500
_CLOSED_TASKS = frozenset({TaskStatus.DONE, TaskStatus.UNVERIFIED, TaskStatus.FAILED})


@dataclass(slots=True)
class Changes:
    """What folding changed since it was last asked for; numbers index `ViewState.chat` and `ViewState.rows`."""

    run: bool = False
    plan: bool = False
    timeline: bool = False
    requests: bool = False
    chat: set[int] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)


class ViewState:
    """The state of one window: the run under way (or the last one) and the chat of all runs since it was cleared.

    Attributes:
        run_id: "" before the first run.
        state: Where the run stands; READY before the first one.
        detail: What is being done or waited for, in words.
        plan: None while there is none.
        rows: The step log; its last row may be a step that waits for an approval.
        frames: The timeline.
        requests: What waits for an answer, oldest first.
        ledger: What a model was asked, and what it took.
        has_fresh_marks: The marks of the last frame still fit the live picture: nothing was done since.
    """

    def __init__(self) -> None:
        self.chat: list[ChatLine] = []
        self._changes = Changes()
        self._ended: set[str] = set()
        self._begin("", None)

    def _begin(self, run_id: str, request: RunRequest | None) -> None:
        self.run_id = run_id
        self.request = request
        self.planner = ""
        self.state = RunState.READY
        self.detail = ""
        self.take_over: TakeOverKind | None = None
        self.plan: Plan | None = None
        self.can_undo = False
        self.can_redo = False
        self.oversight: Oversight | None = None
        self.rows: list[StepRow] = []
        self.frames: list[Frame] = []
        self.requests: list[Request] = []
        self.ledger = Ledger()
        self.started_at_s = 0.0
        self.ended_at_s = 0.0
        self.has_fresh_marks = False
        self._row_of: dict[int, int] = {}
        self._frame_of: dict[int, int] = {}
        self._running: Target | None = None
        self._changes = Changes(run=True, plan=True, timeline=True, requests=True, chat=self._changes.chat)

    @classmethod
    def of(cls, events: Iterable[Event]) -> ViewState:
        """The state after these events."""
        state = cls()
        for event in events:
            state.fold(event)
        return state

    def take_changes(self) -> Changes:
        """What changed since the last call."""
        changes, self._changes = self._changes, Changes()
        return changes

    def clear(self) -> None:
        """Forget the chat and the last run, for a new beginning. Does nothing while a run is under way."""
        if self.is_active:
            return
        self.chat.clear()
        self._changes = Changes()
        self._begin("", None)

    def add_notice(self, text: str, level: NoticeLevel, time_s: float) -> None:
        """Add a notice that no run told, to the chat."""
        number = len(self.chat)
        self.chat.append(ChatLine(number, LineKind.NOTICE, "", time_s, text=text, level=level))
        self._changes.chat.add(number)

    # What is derived

    @property
    def is_active(self) -> bool:
        """A run exists and is not over."""
        return self.state in ACTIVE

    @property
    def max_steps(self) -> int:
        return self.request.max_steps if self.request else DEFAULT_MAX_STEPS

    @property
    def step(self) -> int:
        """The number of the last step, 0 before the first."""
        return self.rows[-1].step if self.rows else 0

    @property
    def spent_on_tasks(self) -> dict[str, Spent]:
        """What a model took for each task of the plan, its subtasks included."""
        of_task: dict[str, Spent] = {}
        for row in self.rows:
            if not row.spent.is_nothing:
                of_task[row.task_id] = of_task.get(row.task_id, NOTHING) + row.spent
        return spent_on_tasks(self.plan.tasks, of_task) if self.plan is not None and of_task else {}

    @property
    def asking_task_ids(self) -> frozenset[str]:
        """The tasks something is asked for just now."""
        return frozenset(
            request.task_id for request in self.requests if request.kind != "plan_review" and request.task_id
        )

    @property
    def progress(self) -> tuple[int, int]:
        """Finished tasks and all that count: those of the top level, or the leaves when there is only one of them."""
        if self.plan is None:
            return 0, 0
        tasks = list(self.plan.tasks) if len(self.plan.tasks) > 1 else list(self.plan.leaves())
        counted = [task for task in tasks if task.status is not TaskStatus.SKIPPED]
        return sum(1 for task in counted if task.status in _CLOSED_TASKS), len(counted)

    @property
    def live_target(self) -> Target | None:
        """What is aimed at now: the action that waits for an approval, else the one being carried out."""
        for request in self.requests:
            if isinstance(request, ApprovalRequest) and request.box is not None:
                return Target(request.box, request.mark, f"next: {plain(request.label)}, waiting for you")
        return self._running

    def elapsed_s(self, now_s: float) -> float:
        """Seconds since the run began; stands still after its end."""
        if not self.started_at_s:
            return 0.0
        return max(0.0, (self.ended_at_s or now_s) - self.started_at_s)

    def frame(self, observation: int) -> Frame | None:
        index = self._frame_of.get(observation)
        return None if index is None else self.frames[index]

    def frame_index(self, observation: int) -> int:
        """The place of an observation in `frames`, -1 when it has none."""
        return self._frame_of.get(observation, -1)

    def row(self, step: int) -> StepRow | None:
        index = self._row_of.get(step)
        return None if index is None else self.rows[index]

    # Folding

    def fold(self, event: Event) -> None:
        """Take in the next event.

        An event of another run than the one begun last changes nothing, but an end without a beginning is shown: the
        record could not be written from the first event on.
        """
        if isinstance(event, RunStarted):
            self._on_started(event)
            return
        is_end_alone = isinstance(event, RunFinished) and event.run_id not in self._ended and not self.is_active
        if not self.run_id or (is_end_alone and event.run_id != self.run_id):
            self._begin(event.run_id, None)
        elif event.run_id != self.run_id:
            return
        self.ledger.fold(event)
        match event:
            case StateChanged():
                self.state, self.detail, self.take_over = event.state, event.detail, event.take_over
                self._changes.run = True
            case PlanChanged():
                self.plan = event.plan
                self.can_undo, self.can_redo = event.can_undo, event.can_redo
                self._changes.plan = True
            case Observed():
                self._on_observed(event)
            case StepStarted():
                self._on_step_started(event)
            case StepFinished():
                self._on_step_finished(event)
            case RecoveryTried():
                words = f"{RUNG_WORDS[event.rung]}: {plain(event.reason)}"
                words += f" (after {duration(event.wait_s)})" if event.wait_s else ""
                self._change_row(event.step, lambda row: replace(row, recovery=(*row.recovery, words)))
            case CheckpointSaved():
                self._changes.plan = True
            case ModelAsked():
                self._changes.run = True  # what it took stands with the step it led to
            case RequestRaised():
                self._on_request(event)
            case RequestClosed():
                self._close_request(event.request_id, event)
            case Said():
                self._on_said(event)
            case OversightChanged():
                self.oversight = event.oversight
                self._changes.run = True
            case Notice():
                self._add(LineKind.NOTICE, event, text=event.text, level=event.level)
            case RunFinished():
                self._on_finished(event)
            case _:
                assert_never(event)

    def _on_started(self, event: RunStarted) -> None:
        self._begin(event.run_id, event.request)
        self.state = RunState.PLANNING
        self.planner = event.planner
        self.oversight = event.request.oversight
        self.started_at_s = event.time_s
        self._add(LineKind.GOAL, event, text=event.request.goal)

    def _on_observed(self, event: Observed) -> None:
        self._frame_of[event.observation] = len(self.frames)
        self.frames.append(frame_of(event))
        self.has_fresh_marks = True
        self._changes.timeline = True
        if self.rows and not self.rows[-1].is_waiting and event.observation > self.rows[-1].before:
            row = self.rows[-1]
            changes = event.difference or row.changes
            self._set_row(len(self.rows) - 1, replace(row, after=event.observation, changes=changes))

    def _on_step_started(self, event: StepStarted) -> None:
        self._drop_waiting_row()
        attempt = Attempt(event.attempt, event.variant, event.label)
        earlier = self.row(event.step)
        row = StepRow(
            step=event.step,
            time_s=earlier.time_s if earlier else event.time_s,
            label=event.label,
            action=event.action,
            task_id=event.task_id,
            task=self._task_goal(event.task_id),
            target=event.target,
            why=event.why,
            spent=self.ledger.spent_on(event.step),
            is_asked=bool(self.ledger.asked_for(event.step).exchanges),
            duration_ms=earlier.duration_ms if earlier else 0,
            parameters=tuple((name, _words(value)) for name, value in event.parameters.items()),
            before=event.observation,
            attempts=(*(earlier.attempts if earlier else ()), attempt),
            recovery=earlier.recovery if earlier else (),
            part_of=event.part_of,
        )
        if earlier:
            self._set_row(self._row_of[event.step], row)
        else:
            self._append_row(row)
        self.has_fresh_marks = False
        self._running = Target(event.box, event.mark, f"now: {plain(event.label)}") if event.box else None
        self._changes.timeline = True
        index = self.frame_index(event.observation)
        if index >= 0 and event.box is not None:
            target = Target(event.box, event.mark, f"step {event.step}: {plain(event.label)}")
            self.frames[index] = replace(self.frames[index], target=target, step=event.step)

    def _on_step_finished(self, event: StepFinished) -> None:
        self._running = None
        self._changes.run = self._changes.timeline = True

        def finish(row: StepRow) -> StepRow:
            attempts = row.attempts
            if attempts:
                last = replace(attempts[-1], status=event.status, detail=event.detail, duration_ms=event.duration_ms)
                attempts = (*attempts[:-1], last)
            return replace(
                row,
                status=event.status,
                is_waiting=False,
                detail=event.detail,
                value=event.value,
                picture=event.picture,
                duration_ms=row.duration_ms + event.duration_ms,
                spent=self.ledger.spent_on(event.step),
                is_asked=bool(self.ledger.asked_for(event.step).exchanges),
                attempts=attempts,
            )

        if self.row(event.step) is None:  # refused before it was started: it still belongs into the log
            task = self._task_goal(event.task_id)
            label = event.detail or "Not carried out"
            self._drop_waiting_row()
            self._append_row(StepRow(event.step, event.time_s, label, task_id=event.task_id, task=task))
        self._change_row(event.step, finish)

    def _on_request(self, event: RequestRaised) -> None:
        request = event.request
        self.requests.append(request)
        self._changes.requests = self._changes.timeline = self._changes.plan = True
        self._add(LineKind.CARD, event, request=request, is_open=True)
        if isinstance(request, ApprovalRequest):
            self._drop_waiting_row()
            task_id = event.task_id or request.task_id
            waiting = StepRow(
                step=self.step + 1,
                time_s=event.time_s,
                label=request.label,
                action=request.action,
                task_id=task_id,
                task=self._task_goal(task_id),
                why=request.reason,
                is_waiting=True,
                before=self.frames[-1].observation if self.frames else 0,
            )
            self._append_row(waiting)

    def _close_request(self, request_id: str, event: RequestClosed) -> None:
        closed = [request for request in self.requests if request.id == request_id]
        self.requests = [request for request in self.requests if request.id != request_id]
        self._changes.requests = self._changes.timeline = self._changes.plan = True
        for line in reversed(self.chat):
            if line.request is not None and line.request.id == request_id and line.is_open:
                self._set_line(
                    replace(line, is_open=False, answer=event.answer, closed_by=event.by, closed_at_s=event.time_s)
                )
                break
        if closed and isinstance(closed[0], ApprovalRequest) and not isinstance(event.answer, Approve):
            self._drop_waiting_row()

    def _on_said(self, event: Said) -> None:
        last = self.chat[-1] if self.chat else None
        is_goal_again = (
            event.role == "person"
            and last is not None
            and last.kind is LineKind.GOAL
            and last.run_id == event.run_id
            and last.text.strip() == event.text.strip()
        )
        if not is_goal_again:
            kind = LineKind.PERSON if event.role == "person" else LineKind.AGENT
            self._add(kind, event, text=event.text, step=event.step)

    def _on_finished(self, event: RunFinished) -> None:
        self.state, self.detail = event.state, ""
        self._ended.add(event.run_id)
        self.ended_at_s = self.started_at_s + event.duration_s if event.duration_s else event.time_s
        self._running = None
        self._drop_waiting_row()
        for request in list(self.requests):
            withdrawn = RequestClosed(
                run_id=event.run_id,
                sequence=event.sequence,
                time_s=event.time_s,
                request_id=request.id,
                by="stop" if event.state is RunState.STOPPED else "engine",
            )
            self._close_request(request.id, withdrawn)
        last = self.chat[-1] if self.chat else None
        if last is not None and last.kind is LineKind.AGENT and last.text == event.reason and not last.step:
            self._changes.chat.add(self.chat.pop().number)  # the same words stand in the summary
        note = f"{count(event.steps, 'step')} · {duration(event.duration_s)}" if event.steps else ""
        self._add(
            LineKind.SUMMARY,
            event,
            text=event.reason,
            state=event.state,
            facts=event.answer,
            note=note,
            spent=self.ledger.spent.words,
            step=event.stopped.step if event.stopped is not None and event.stopped.step else self.step,
            stopped=event.stopped,
        )
        self._changes.run = self._changes.timeline = True

    # Rows and lines

    def _task_goal(self, task_id: str) -> str:
        task = self.plan.task(task_id) if self.plan and task_id else None
        return task.goal if task else ""

    def _append_row(self, row: StepRow) -> None:
        self._row_of[row.step] = len(self.rows)
        self.rows.append(row)
        self._changes.rows.add(len(self.rows) - 1)
        self._changes.run = True

    def _set_row(self, index: int, row: StepRow) -> None:
        self.rows[index] = row
        self._changes.rows.add(index)

    def _change_row(self, step: int, change: Callable[[StepRow], StepRow]) -> None:
        index = self._row_of.get(step)
        if index is not None:
            self._set_row(index, change(self.rows[index]))

    def _drop_waiting_row(self) -> None:
        if self.rows and self.rows[-1].is_waiting:
            gone = self.rows.pop()
            self._row_of.pop(gone.step, None)
            self._changes.rows.add(len(self.rows))
            self._changes.run = True

    def _add(self, kind: LineKind, event: Event, **parts: Any) -> None:
        number = len(self.chat)
        self.chat.append(ChatLine(number, kind, event.run_id, event.time_s, **parts))
        self._changes.chat.add(number)

    def _set_line(self, line: ChatLine) -> None:
        self.chat[line.number] = line
        self._changes.chat.add(line.number)


def _words(value: Any) -> str:
    """A parameter as people read it; a reference to an element by its label."""
    if isinstance(value, dict):
        label = value.get("label")
        if isinstance(label, str) and label:
            return shorten(label, _SHOWN_PARAMETER)
        return shorten(", ".join(f"{key}: {_words(part)}" for key, part in value.items()), _SHOWN_PARAMETER)
    if isinstance(value, list | tuple):
        return shorten(", ".join(_words(part) for part in value), _SHOWN_PARAMETER)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shorten(str(value), _SHOWN_PARAMETER)
