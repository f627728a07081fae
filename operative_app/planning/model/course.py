"""What the planner keeps in mind of one run, besides what the loop tells it with every question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from operative_app.core.plan import Plan, Task
from operative_app.core.run import RunRequest
from operative_app.core.screen import ScreenState
from operative_app.planning.model.catalog import Catalog
from operative_app.planning.model.deciding import Decided
from operative_app.planning.model.evidence import Sighting, Verdict, judge
from operative_app.planning.model.given import GivenPasswords
from operative_app.planning.model.numbers import Numbers
from operative_app.planning.model.replies import PlanReply
from operative_app.planning.model.sight import Sight
from operative_app.planning.model.transcript import Transcript
from operative_app.planning.port import Act, RunContext

GO_ON = "Go on"
"""The answer by which a person agrees to what an endpoint wants them to see; every other one is a no."""

_SAME_CHOICES = 2


@dataclass(frozen=True, slots=True)
class Moment:
    """What one question is about: the screen as it is and as it is shown, the plan, the task, the run's memory."""

    state: ScreenState
    sight: Sight
    plan: Plan
    task: Task
    context: RunContext


@dataclass(frozen=True, slots=True)
class Pending:
    """The rest of a reply that named the present task as done: it holds as long as nothing else came."""

    observation: int
    decided: Decided
    said: tuple[int, int]
    last_step: int


@dataclass(slots=True)
class Course:
    """Owned by the agent thread.

    Attributes:
        frame: What was understood of the goal.
        plan: The plan made of it, as the first answer gave it.
        last_step: The newest step the model was told of.
        troubles: How often each task was asked about after the loop's own retries.
        chosen: How often the same actions were chosen on the same screen.
        limit_tokens: The real context limit as an endpoint's error told it, 0 for none.
        waiting: The screen on which the model said that something is still to come, and what.
        begun: What could be read when the task that is worked on began.
        agreed: Checks of an endpoint that the person agreed to.
        asked_checks: The checks the person was asked about last, and how many of their words there were before.
        dropped: Calls of the last reply that could not be read.
    """

    request: RunRequest
    catalog: Catalog
    transcript: Transcript
    numbers: Numbers = field(default_factory=Numbers)
    given: GivenPasswords = field(default_factory=GivenPasswords)
    frame: PlanReply | None = None
    plan: Plan = field(default_factory=lambda: Plan(goal=""))
    last_step: int = 0
    wishes_told: int = 0
    words_told: int = 0
    misreads: int = 0
    revisions: int = 0
    limit_tokens: int = 0
    wants_picture: bool = False
    is_near_limit_told: bool = False
    troubles: Counter[str] = field(default_factory=Counter)
    chosen: Counter[int] = field(default_factory=Counter)
    last_choice: tuple[int, str] = (0, "")
    waiting: tuple[tuple[str, ...], str] | None = None
    pending: Pending | None = None
    begun: tuple[str, Sighting] | None = None
    dropped: tuple[str, ...] = ()
    agreed: set[str] = field(default_factory=set)
    asked_checks: tuple[tuple[str, ...], int] = ((), 0)
    answers: set[str] = field(default_factory=set)

    def begin(self, now: Moment) -> None:
        """Note what can be read now, when this is the first question for the task."""
        if self.begun is None or self.begun[0] != now.task.id:
            self.begun = (now.task.id, Sighting.of(now.state, now.sight))

    def judge(self, evidence: str, answer: str, now: Moment) -> Verdict:
        """How the claim that the task is done stands."""
        begun = self.begun[1] if self.begun is not None else None
        return judge(evidence, answer, now.task, Sighting.of(now.state, now.sight), begun, now.context.history)

    def open_checks(self, checks: tuple[str, ...], context: RunContext) -> tuple[str, ...]:
        """Those of an endpoint's checks that the person has not agreed to; they count as asked about from now on."""
        asked, said = self.asked_checks
        if asked and [one.strip().casefold() for one in context.words[said : said + 1]] == [GO_ON.casefold()]:
            self.agreed.update(asked)
        found = tuple(one for one in checks if one not in self.agreed)
        self.asked_checks = (found, len(context.words))
        return found

    def keep_pending(self, decided: Decided, state: ScreenState, context: RunContext) -> None:
        said = (len(context.wishes), len(context.words))
        self.pending = Pending(state.observation, decided, said, _newest_step(context))

    def take_pending(self, state: ScreenState, context: RunContext) -> Decided | None:
        """The rest of the last reply, when nothing came since it was made."""
        pending, self.pending = self.pending, None
        if pending is None:
            return None
        now = (state.observation, (len(context.wishes), len(context.words)), _newest_step(context))
        return pending.decided if now == (pending.observation, pending.said, pending.last_step) else None

    def is_still_waiting(self, sight: Sight, context: RunContext) -> str:
        """What is still to come, when the screen is as it was when the model said so; "" otherwise."""
        waiting, self.waiting = self.waiting, None
        has_words = len(context.wishes) > self.wishes_told or len(context.words) > self.words_told
        if waiting is None or has_words or waiting[0] != sight.lines:
            return ""
        self.waiting = waiting
        return waiting[1]

    def note_choice(self, act: Act, sight: Sight) -> None:
        words = " then ".join(action.words for action in act.variants[0].actions)
        key = hash((sight.lines, words))
        self.chosen[key] += 1
        self.last_choice = (key, words) if self.chosen[key] == _SAME_CHOICES else (0, "")

    def take_warnings(self, sight: Sight, context: RunContext) -> tuple[str, ...]:
        """What is to be warned of now; each is said once, and only while it is true."""
        warnings: list[str] = []
        key, words = self.last_choice
        if key and key == hash((sight.lines, words)):
            warnings.append(
                f"Warning: you chose the same {self.chosen[key]} times on this very screen, and the screen is as it "
                "was. The same again brings nothing: do something of another kind."
            )
        self.last_choice = (0, "")
        used, limit = _newest_step(context), context.request.max_steps
        if not self.is_near_limit_told and used >= 0.8 * limit:
            self.is_near_limit_told = True
            warnings.append(f"Warning: {used} of {limit} steps are used. Do what matters most first.")
        return tuple(warnings)


def _newest_step(context: RunContext) -> int:
    return context.history[-1].step if context.history else 0
