"""The planner port: what the loop asks a planner, and what a planner can answer.

Two adapters stand behind it, the built-in planner and a model; the loop cannot tell them apart. A planner touches
nothing: it reads ScreenStates and returns values. All coroutines run on the agent thread and may be cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from operative_app.actions.declare import Action, Postcondition
from operative_app.core.plan import Plan, Task
from operative_app.core.requests import HandOffKind
from operative_app.core.run import Outcome, RunRequest
from operative_app.core.screen import ElementRef, Picture, ScreenState
from operative_app.core.secrets import SavedSecret


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step already tried in this run: what, on which screen, how it came out, what changed.

    Attributes:
        words: The action as it may be told: without what was typed into a password field. "" for the action's own.
    """

    step: int
    task_id: str
    action: Action
    outcome: Outcome
    before: ScreenState
    after: ScreenState | None
    difference: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to a model and its answer, told as soon as it came.

    Attributes:
        purpose: The role that asked: planning, decision, perception, recovery, history_summary, final_summary.
        cost: In US dollars; None when the price is not known.
        sent, received: Exactly what went over the wire, keys masked, pictures as their hash and size.
        fault: Why the answer could not be used, "" when it could.
        snapshot: What was understood: route, reasoning, whether goal and task are achieved, confidence …
        notices: Sentences for the person, such as that the model does not see pictures.
    """

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
    snapshot: Mapping[str, object] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def _untold(_: object) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run's memory, given with every question.

    Attributes:
        history: All steps so far, oldest first.
        wishes: What the person typed during the run, oldest first; the last one is their newest wish. After the last
            task the planner is asked once more about wishes it has not seen; only a Revise counts then.
        words: What people answered to questions, refusals and hand-offs, oldest first, as sentences.
        secrets: The saved secrets that can be used on this surface: `{{secret:name}}` in a field's text stands for one.
        notes: What happened while the person had control, oldest first, as sentences.
        cleaned: Gives a text back without what must not be told to anybody; for all that leaves this process.
        nearly_used: The run's limits besides steps of which most is used, each with what is left, in words.
        attempts: How often the present task was already tried and failed.
        picture: What the present state looks like, for planners that see; None when there is none.
        tell: Takes each exchange with a model; returns at once, agent thread.
        warn: Takes a sentence for the person, about the run; returns at once, agent thread.
        tell_waiting: Takes a sentence while an endpoint is waited for; returns at once, agent thread.
    """

    request: RunRequest
    history: Sequence[StepRecord] = ()
    wishes: Sequence[str] = ()
    words: Sequence[str] = ()
    notes: Sequence[str] = ()
    secrets: Sequence[SavedSecret] = ()
    cleaned: Callable[[str], str] = str
    nearly_used: Sequence[tuple[str, str]] = ()
    attempts: int = 0
    picture: Picture | None = None
    tell: Callable[[Exchange], None] = _untold
    warn: Callable[[str], None] = _untold
    tell_waiting: Callable[[str], None] = _untold

    def of_task(self, task_id: str) -> list[StepRecord]:
        return [record for record in self.history if record.task_id == task_id]


@dataclass(frozen=True, slots=True)
class Decomposed:
    """A plan for the goal. `say` is a sentence or two for the chat: what will be done and what is not part of it."""

    plan: Plan
    say: str = ""


@dataclass(frozen=True, slots=True)
class CannotInterpret:
    """The goal, or a part of it, is not understood; nothing is executed.

    Attributes:
        part: The words not understood, as typed.
        hint: How to write it instead; may be empty.
    """

    part: str
    say: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The goal is a question that needs nothing to be looked up or done; nothing is opened."""

    answer: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to take the step: actions done in order, re-checked between. Variants are tried in turn: A, B, C."""

    actions: tuple[Action, ...]
    name: str = "A"


@dataclass(frozen=True, slots=True)
class Act:
    """Do the first variant; when it fails, the next.

    Attributes:
        why: One short sentence for log and details.
        expect: Effects to be seen afterwards besides those the actions declare.
        completes_task: The task is done when the effect is seen; otherwise the planner is asked again.
        result: What to note as the task's result then.
        is_risky: The planner calls it risky: the person is asked. False takes nothing away from what is asked about.
    """

    variants: tuple[Variant, ...]
    why: str = ""
    expect: tuple[Postcondition, ...] = ()
    completes_task: bool = False
    result: str = ""
    is_risky: bool = False

    @staticmethod
    def one(
        *actions: Action, why: str = "", completes_task: bool = False, expect: tuple[Postcondition, ...] = ()
    ) -> Act:
        return Act((Variant(actions),), why=why, completes_task=completes_task, expect=expect)


@dataclass(frozen=True, slots=True)
class TaskDone:
    """The task's end is seen on the screen.

    Attributes:
        result: For the plan, short.
        answer: A value or sentence asked for by the goal; goes to the chat.
        is_verified: False when its effect could not be seen; the task ends "not verified".
    """

    result: str = ""
    answer: str = ""
    is_verified: bool = True


@dataclass(frozen=True, slots=True)
class NotThereYet:
    """What the task needs is not on the screen now; it may come.

    The loop waits with back-off and observes again, up to its ceiling, then asks `handle_error`.

    Attributes:
        what: A clause that says what is missing: "no result has come".
    """

    what: str


@dataclass(frozen=True, slots=True)
class AskPerson:
    """A question only the person can answer; the answer comes back in `RunContext.words`."""

    question: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOver:
    """A person must act (human_in_the_loop of planning_agents.txt)."""

    why: HandOffKind
    reason: str
    instructions: str
    target: ElementRef | None = None
    accepts: tuple[str, ...] = ()
    completes_task: bool = True
    done_when: tuple[Postcondition, ...] = ()


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The task could not be done; `reason` is a sentence for the person.

    Attributes:
        is_impossible: It is not that the ways tried did not work: there is none. The person is told just that.
        may_begin_anew: Ways were used up, and from where the task began the planner may find others: the loop goes
            back there once, where that undoes nothing that counts, before the person is asked. Not for a planner that
            would take the same way again.
    """

    reason: str
    is_impossible: bool = False
    may_begin_anew: bool = False


@dataclass(frozen=True, slots=True)
class Misread:
    """No decision came: what a model replied could not be used, also after it was told why. A failed step.

    Attributes:
        reason: A clause that says what was wrong with it.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class RollBack:
    """Go back to where the task began (its checkpoint), then decide anew; `reason` is a sentence for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class Revise:
    """A new plan for what is still to be done (finished tasks stay as they are)."""

    plan: Plan
    reason: str


Decision = Act | TaskDone | NotThereYet | AskPerson | HandOver | Revise | RollBack | Misread | GiveUp


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the planner is asked again: a refusal, an unexpected screen, or a failure.

    Attributes:
        kind: "refused" (policy or person), "unexpected" (the screen is not what the step expected), "failed",
            "missing", "stuck" (the same action on the same screen again and again), or "rolled back" (the screen is
            again what it was at the last task border; the rest is to be planned anew).
        reason: In words.
    """

    kind: str
    reason: str
    action: Action | None = None
    outcome: Outcome | None = None
    tried: tuple[str, ...] = field(default=())


class Planner(Protocol):
    """Decides; never acts."""

    @property
    def name(self) -> str:
        """How the record and the window call it."""
        ...

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret | Answered:
        """A non-empty plan from the goal and, when a surface is open, the present screen."""
        ...

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        """What to do next for `task`, the first open leaf."""
        ...

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """Another way for the task, or a revised plan, after a refusal or an unexpected screen."""
        ...

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """What to do after the loop's own retries were used up; `GiveUp` escalates to the person."""
        ...

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        """The closing sentences for the chat: what was done, what was not."""
        ...
