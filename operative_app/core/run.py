"""Values of one run: what was asked, how it stands, how a step came out."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_validator

from operative_app.core.outside import harmless
from operative_app.core.screen import SurfaceKind
from operative_app.core.values import Value

BUILTIN_PLANNER = "built-in"
"""The name of the planner that needs no model; another planner's is that of its model."""

DEFAULT_MAX_STEPS = 60
DEFAULT_HAND_OFF_MINUTES = 10.0
DEFAULT_ANSWER_MINUTES = 10.0


class Oversight(StrEnum):
    """When the person is asked."""

    EVERY = "every"
    RISKY = "risky"
    NONE = "none"


class RunState(StrEnum):
    """Where a run stands; the wording for people is in `presentation.words`."""

    READY = "ready"
    PLANNING = "planning"
    WORKING = "working"
    WAITING = "waiting"
    PAUSED = "paused"
    TAKEN_OVER = "taken_over"
    STOPPING = "stopping"
    DONE = "done"
    NOT_VERIFIED = "not_verified"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_final(self) -> bool:
        return self in FINAL_STATES


FINAL_STATES = frozenset({RunState.DONE, RunState.NOT_VERIFIED, RunState.FAILED, RunState.STOPPED})


class EndCause(StrEnum):
    """Why a run ended, for exit codes and wording."""

    GOAL_MET = "goal_met"
    NOT_VERIFIED = "not_verified"
    NOT_UNDERSTOOD = "not_understood"
    STEP_LIMIT = "step_limit"
    BUDGET = "budget"
    TASK_FAILED = "task_failed"
    IMPOSSIBLE = "impossible"
    STOPPED_BY_PERSON = "stopped_by_person"
    HUMAN_NEEDED = "human_needed"
    SURFACE_LOST = "surface_lost"
    STORE_FAILED = "store_failed"
    ERROR = "error"


class Budget(Value):
    """What a run may take besides its steps; None is no limit.

    Attributes:
        max_tokens: Sent to models and received, together.
        max_cost: In US dollars; calls whose price is not known count as nothing.
    """

    max_minutes: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class RunRequest(Value):
    """What a front end asks for.

    Attributes:
        goal: Without what shows nothing: it is copied from pages and letters, and the person answers for what they see.
        url: Where to begin; "" goes on from the surface's current page.
        approve_all: Answer approvals with yes (never hand-offs or questions).
        review_plan: Wait for the plan to be accepted before acting.
        cdp_url: Attach to a browser that is already open instead of starting the managed one.
        headless: None lets the application choose: a visible browser when there is a display.
        hand_off_minutes: How long a person has for what only they can do; None takes the engine's own limit.
        answer_minutes: How long a person has to answer approvals and questions; None takes the engine's own limit.
        is_attended: A person can come back to it: a hand-off whose time is over leaves the run paused, not ended.
        allow: Patterns of the only sites that may be touched, as `safety.sites` reads them; None sets no such limit,
            an empty tuple allows nothing.
        deny: Patterns of sites that may not be touched, whatever `allow` says.
    """

    goal: str
    url: str = ""
    surface: SurfaceKind = SurfaceKind.BROWSER
    oversight: Oversight = Oversight.RISKY
    approve_all: bool = False
    review_plan: bool = False
    max_steps: int = Field(default=DEFAULT_MAX_STEPS, ge=1)
    budget: Budget = Budget()
    cdp_url: str = ""
    headless: bool | None = None
    hand_off_minutes: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    answer_minutes: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    is_attended: bool = False
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

    @field_validator("goal")
    @classmethod
    def _as_seen(cls, goal: str) -> str:
        return harmless(goal)


class Stopped(Value):
    """What a stop found under way on the surface, and what was let go of.

    Attributes:
        interrupted: The action in the middle of which it came, whose effect is not known; "" when none was under way.
        step: The number of that action's step, 0 for none.
        held: Names of the keys and buttons that were down when the surface was last seen.
        is_released: All keys and buttons were let go of.
    """

    interrupted: str = ""
    step: int = 0
    held: tuple[str, ...] = ()
    is_released: bool = True


class OutcomeStatus(StrEnum):
    """How an action came out: done and its effect seen; failed; effect not seen; not carried out."""

    DONE = "done"
    FAILED = "failed"
    UNVERIFIED = "unverified"
    REFUSED = "refused"


class Outcome(Value):
    """The result of one action.

    Attributes:
        detail: One sentence for people and planners; for failures it names the reason.
        value: What a reading action read, whole.
        picture: Content hash of a picture the action took and the record keeps, "" when it took none.
    """

    status: OutcomeStatus
    detail: str = ""
    value: str = ""
    picture: str = ""

    @property
    def is_done(self) -> bool:
        return self.status is OutcomeStatus.DONE


def done(detail: str = "", *, value: str = "", picture: str = "") -> Outcome:
    return Outcome(status=OutcomeStatus.DONE, detail=detail, value=value, picture=picture)
