"""The one way in: commands for the agent thread.

Every method may be called from any thread, returns at once and never raises because of the run's state: what comes of
a command is told by events (a refused plan edit is a Notice).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from operative_app.core.errors import SettingsError
from operative_app.core.plan import PlanEdit
from operative_app.core.requests import Answer
from operative_app.core.run import Oversight, RunRequest
from operative_app.safety.sites import SiteRules


@dataclass(frozen=True, slots=True)
class Start:
    run_id: str
    request: RunRequest


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    request_id: str
    answer: Answer
    by: str = "person"


@dataclass(frozen=True, slots=True)
class Pause:
    pass


@dataclass(frozen=True, slots=True)
class Resume:
    """Goes on; also after a take-over, with a fresh look at the screen."""


@dataclass(frozen=True, slots=True)
class StepOnce:
    """Take one step, then pause."""


@dataclass(frozen=True, slots=True)
class TakeOver:
    """The person drives from now on; the agent lets go and waits for `Resume`.

    With `is_teaching` what they click and type becomes steps of the plan; else nothing of it is recorded.
    """

    is_teaching: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """`reason` is a sentence without its full stop; `taken` is called once nothing acts on the surface any more."""

    reason: str = ""
    taken: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    edit: PlanEdit


@dataclass(frozen=True, slots=True)
class UndoPlanEdit:
    pass


@dataclass(frozen=True, slots=True)
class RedoPlanEdit:
    pass


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class SetOversight:
    oversight: Oversight


@dataclass(frozen=True, slots=True)
class SaveCheckpoint:
    pass


Command = (
    Start
    | AnswerRequest
    | Pause
    | Resume
    | StepOnce
    | TakeOver
    | Stop
    | EditPlan
    | UndoPlanEdit
    | RedoPlanEdit
    | Say
    | SetOversight
    | SaveCheckpoint
)


class RunControl:
    """Thread-safe commands for the engine; one run at a time.

    Args:
        post: Hands a command to the agent thread; must return at once.
    """

    def __init__(self, post: Callable[[Command], None]) -> None:
        self._post = post

    def start(self, request: RunRequest) -> str:
        """Begin a run; returns its id at once.

        Raises:
            SettingsError: The goal is empty, or a site pattern is none. Nothing is started.
        """
        if not request.goal.strip():
            raise SettingsError("Type what should be done first; the goal is empty.")
        SiteRules.read(request.allow, request.deny)
        run_id = uuid4().hex[:12]
        self._post(Start(run_id, request))
        return run_id

    def answer(self, request_id: str, answer: Answer, *, by: str = "person") -> None:
        """Answer an open request; the first answer wins, later ones are ignored."""
        self._post(AnswerRequest(request_id, answer, by))

    def pause(self) -> None:
        """Pause before the next action; one under way is finished first."""
        self._post(Pause())

    def resume(self) -> None:
        """Go on after a pause or a take-over."""
        self._post(Resume())

    def step(self) -> None:
        """Take one step, then pause."""
        self._post(StepOnce())

    def take_over(self, *, is_teaching: bool = False) -> None:
        """Cancel what is under way, release everything and leave the surface to the person.

        Args:
            is_teaching: What they click and type becomes steps of the plan; else nothing of it is recorded.
        """
        self._post(TakeOver(is_teaching))

    def stop(self, reason: str = "", *, taken: Callable[[], None] | None = None) -> None:
        """End the run at once, whatever it waits for.

        Args:
            reason: Why, a sentence without its full stop; "" when it was asked for in the window.
            taken: Called on the agent thread once nothing of the run acts on its surface any more, also when nothing
                runs; must be quick.
        """
        self._post(Stop(reason, taken))

    def edit_plan(self, edit: PlanEdit) -> None:
        self._post(EditPlan(edit))

    def undo_plan_edit(self) -> None:
        self._post(UndoPlanEdit())

    def redo_plan_edit(self) -> None:
        self._post(RedoPlanEdit())

    def say(self, text: str) -> None:
        """A word from the person during the run; it reaches the next decision."""
        self._post(Say(text))

    def set_oversight(self, oversight: Oversight) -> None:
        self._post(SetOversight(oversight))

    def save_checkpoint(self) -> None:
        self._post(SaveCheckpoint())
