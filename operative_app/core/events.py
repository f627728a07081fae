"""What the engine tells: frozen events in one discriminated union, in order of `sequence` within a run.

The record, the window, the command line and the tests read the same events. None ever holds a secret.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from operative_app.core.plan import Plan
from operative_app.core.requests import Answer, Request
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunRequest, RunState, Stopped
from operative_app.core.screen import Box
from operative_app.core.taking import TakeOverKind
from operative_app.core.values import Value


class NoticeLevel(StrEnum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Rung(StrEnum):
    """The rungs of the recovery ladder (multi_step_planning.txt)."""

    RETRY = "retry"
    ALTERNATIVE = "alternative"
    REPLAN = "replan"
    ROLL_BACK = "roll_back"
    ESCALATE = "escalate"


class EventBase(Value):
    """Common to all events. `time_s` is Unix time in seconds; `task_id` "" when none is meant."""

    run_id: str
    sequence: int
    time_s: float
    task_id: str = ""


class RunStarted(EventBase):
    kind: Literal["run_started"] = "run_started"
    request: RunRequest
    planner: str


class StateChanged(EventBase):
    """`detail` says in words what is being done or waited for; `take_over` how a person has control."""

    kind: Literal["state_changed"] = "state_changed"
    state: RunState
    detail: str = ""
    take_over: TakeOverKind | None = None


class PlanChanged(EventBase):
    """The whole plan after a change; `by` is planner, person or engine."""

    kind: Literal["plan_changed"] = "plan_changed"
    plan: Plan
    by: str = "engine"
    reason: str = ""
    can_undo: bool = False
    can_redo: bool = False


class MarkSeen(Value):
    """One numbered mark of an observation, enough for the live view and the step details."""

    mark: int
    label: str
    box: Box


class Observed(EventBase):
    """A ScreenState was taken. `screenshot` is the content hash of its plain picture ("" for none)."""

    kind: Literal["observed"] = "observed"
    step: int
    observation: int
    url: str
    title: str
    screenshot: str = ""
    pixel_ratio: float = 1.0
    marks: tuple[MarkSeen, ...] = ()
    element_count: int = 0
    left_out: tuple[str, ...] = ()
    difference: str = ""
    duration_ms: float = 0


class StepStarted(EventBase):
    """An action is about to be carried out; recorded before anything is touched.

    `part_of` is the number of the composite action's step this one belongs to, 0 for a step of its own.
    """

    kind: Literal["step_started"] = "step_started"
    step: int
    action: str
    label: str
    target: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    box: Box | None = None
    mark: int = 0
    why: str = ""
    variant: str = "A"
    attempt: int = 1
    observation: int = 0
    screenshot: str = ""
    part_of: int = 0


class StepFinished(EventBase):
    """`picture` is the content hash of a picture the action itself took, "" for other actions."""

    kind: Literal["step_finished"] = "step_finished"
    step: int
    status: OutcomeStatus
    detail: str = ""
    value: str = ""
    picture: str = ""
    duration_ms: float = 0
    tokens: int = 0


class ModelAsked(EventBase):
    """A model was asked and answered, or could not be.

    Attributes:
        step: The last step taken before.
        purpose: planning, decision, recovery, perception, history_summary or final_summary.
        cost: In US dollars; None when the price is not known.
        sent, received: What went over the wire, keys masked, pictures as their hash and size.
        fault: Why the answer could not be used, "" when it could.
        snapshot: What was understood: route, reasoning, goal and task achieved, confidence, last result, solution.
    """

    kind: Literal["model_asked"] = "model_asked"
    step: int
    purpose: str
    model: str = ""
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    duration_ms: float = 0
    sent: str = ""
    received: str = ""
    fault: str = ""
    snapshot: dict[str, Any] = Field(default_factory=dict)


class RecoveryTried(EventBase):
    """One rung of the recovery ladder, with its reason; `wait_s` is the back-off before it."""

    kind: Literal["recovery_tried"] = "recovery_tried"
    step: int
    rung: Rung
    reason: str
    attempt: int = 1
    wait_s: float = 0


class CheckpointSaved(EventBase):
    kind: Literal["checkpoint_saved"] = "checkpoint_saved"
    step: int
    url: str = ""


class RequestRaised(EventBase):
    kind: Literal["request_raised"] = "request_raised"
    request: Request


class RequestClosed(EventBase):
    """`answer` None: withdrawn or expired, `by` says person, policy, time-out, stop or front end."""

    kind: Literal["request_closed"] = "request_closed"
    request_id: str
    answer: Answer | None = None
    by: str = "person"


class Said(EventBase):
    """A line of the chat. `role` is person or agent; `step` links to the step that shows it, 0 for none."""

    kind: Literal["said"] = "said"
    role: Literal["person", "agent"]
    text: str
    step: int = 0


class OversightChanged(EventBase):
    kind: Literal["oversight_changed"] = "oversight_changed"
    oversight: Oversight


class Notice(EventBase):
    """Something the person should know that is no step: a warning, what was left out, an offer."""

    kind: Literal["notice"] = "notice"
    level: NoticeLevel = NoticeLevel.INFO
    text: str


class RunFinished(EventBase):
    """`reason` says what happened, what was not done and what the person can do; `answer` the values asked for.

    `stopped`: for a run that was stopped while it had a surface.
    """

    kind: Literal["run_finished"] = "run_finished"
    state: RunState
    cause: EndCause
    reason: str
    answer: str = ""
    steps: int = 0
    duration_s: float = 0
    url: str = ""
    stopped: Stopped | None = None


Event = Annotated[
    RunStarted
    | StateChanged
    | PlanChanged
    | Observed
    | StepStarted
    | StepFinished
    | ModelAsked
    | RecoveryTried
    | CheckpointSaved
    | RequestRaised
    | RequestClosed
    | Said
    | OversightChanged
    | Notice
    | RunFinished,
    Field(discriminator="kind"),
]

EVENT_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)


def event_json(event: Event) -> str:
    """The event as one line of JSON, which `EVENT_ADAPTER.validate_json` reads back.

    Half surrogate pairs, which pages can hand over and UTF-8 cannot hold, become "?".

    Raises:
        ValueError: A parameter of an action is no JSON value.
    """
    try:
        return EVENT_ADAPTER.dump_json(event).decode()
    except ValueError:  # pydantic's serialization error is one
        text = json.dumps(EVENT_ADAPTER.dump_python(event, mode="json"), ensure_ascii=False)
        return text.encode(errors="replace").decode()
