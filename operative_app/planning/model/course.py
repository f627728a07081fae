"""What the planner keeps in mind of one run, besides what the loop tells it with every question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from operative_app.core.plan import Plan, Task
from operative_app.core.run import RunRequest
from operative_app.core.screen import ScreenState
from operative_app.planning.model.catalog import Catalog
from operative_app.planning.model.deciding import Decided, is_last
from operative_app.planning.model.evidence import Claimed, Sighting, Verdict, judge, quotes_of
from operative_app.planning.model.given import GivenPasswords
from operative_app.planning.model.numbers import Numbers
from operative_app.planning.model.replies import DecisionReply, PlanReply
from operative_app.planning.model.sight import Sight
from operative_app.planning.model.transcript import Transcript
from operative_app.planning.port import Act, RunContext

GO_ON = "Go on"
"""The answer by which a person agrees to what an endpoint wants them to see; every other one is a no."""

_SAME_CHOICES = 2
_GROWING_CHOICES = 4
_LONGEST_REPLY_ACTIONS = 10
_MANY_TURNS = 15
"""Questions about one task after which the plan may be the trouble; the loop's own ceiling is higher."""


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
        is_small_told: The person was told that the context is too small.
        limits_told: Limits besides steps that were warned of.
        turns: How often each task was asked about.
        troubles: How often each task was asked about after the loop's own retries.
        chosen: How often the same actions were chosen on the same screen.
        limit_tokens: The real context limit as an endpoint's error told it, 0 for none.
        waiting: The screen on which the model said that something is still to come, and what.
        begun: What could be read when the task that is worked on began.
        notes_begun: How often the person had had control when that task began.
        handed: Tasks of the person that were handed over.
        completing: The task whose last actions the model says complete it, without saying what will be seen.
        has_dropped: A new plan left out what was still to be done: the end is compared with the goal.
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
    notes_told: int = 0
    misreads: int = 0
    revisions: int = 0
    limit_tokens: int = 0
    wants_picture: bool = False
    is_near_limit_told: bool = False
    is_small_told: bool = False
    limits_told: set[str] = field(default_factory=set)
    turns: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)
    chosen: Counter[int] = field(default_factory=Counter)
    last_choice: tuple[int, str] = (0, "")
    growing: tuple[str, Counter[str], int] = ("", Counter(), 0)
    waiting: tuple[tuple[str, ...], str] | None = None
    pending: Pending | None = None
    begun: tuple[str, Sighting] | None = None
    notes_begun: int = 0
    handed: set[str] = field(default_factory=set)
    completing: str = ""
    has_dropped: bool = False
    dropped: tuple[str, ...] = ()
    agreed: set[str] = field(default_factory=set)
    asked_checks: tuple[tuple[str, ...], int] = ((), 0)
    answers: set[str] = field(default_factory=set)

    def begin(self, now: Moment) -> None:
        """Note what can be read now, when this is the first question for the task."""
        if self.begun is None or self.begun[0] != now.task.id:
            self.begun = (now.task.id, Sighting.of(now.state, now.sight))
            self.notes_begun = len(now.context.notes)

    def judge(self, evidence: str, reply: DecisionReply, now: Moment) -> Verdict:
        """How the claim that the task is done stands."""
        begun = self.begun[1] if self.begun is not None else None
        claim = Claimed(now.task, evidence, reply.answer, "\n".join(self.said(now.context)), reply.confidence)
        return judge(claim, Sighting.of(now.state, now.sight), begun, now.context.history)

    def said(self, context: RunContext) -> tuple[str, ...]:
        """All words of the person."""
        return (self.request.goal, *context.wishes, *context.words)

    def is_left_to_person(self, now: Moment) -> bool:
        """The task is the person's, and they had no chance to do it yet."""
        return now.task.by_human and now.task.id not in self.handed and len(now.context.notes) <= self.notes_begun

    def is_at_end(self, now: Moment) -> bool:
        """The goal is met with this task, by a plan that is not the first one."""
        return self.has_dropped and is_last(now.plan, now.task)

    def is_condition_met(self, now: Moment) -> bool:
        """The words that the task's condition quotes came with the actions that were to complete it."""
        completing, self.completing = self.completing, ""
        quotes = quotes_of(now.task.done_when)
        if completing != now.task.id or not quotes or self.begun is None or self.begun[0] != now.task.id:
            return False
        seen, last = Sighting.of(now.state, now.sight), now.context.history[-1:]
        is_new = not all(self.begun[1].holds(quote) for quote in quotes)
        return is_new and all(seen.holds(quote) for quote in quotes) and all(one.outcome.is_done for one in last)

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
        before, lines, count = self.growing
        now = Counter(sight.lines)
        self.growing = (words, now, count + 1 if before == words and _grew(lines, now) else 0)

    def take_warnings(self, now: Moment) -> tuple[str, ...]:
        """What is to be warned of now; each is said once, and only while it is true."""
        sight, context = now.sight, now.context
        warnings: list[str] = []
        key, words = self.last_choice
        if key and key == hash((sight.lines, words)):
            warnings.append(
                f"Warning: you chose the same {self.chosen[key]} times on this very screen, and the screen is as it "
                "was. The same again brings nothing: do something of another kind."
            )
        self.last_choice = (0, "")
        words, lines, count = self.growing
        if count == _GROWING_CHOICES - 1 and _grew(lines, Counter(sight.lines)):
            warnings.append(
                f"Warning: you chose the same {_GROWING_CHOICES} times in a row, and the screen only gets longer. "
                "Unless that is what the goal wants, do something of another kind."
            )
        used, limit = _newest_step(context), context.request.max_steps
        if not self.is_near_limit_told and (used >= 0.8 * limit or limit - used <= _LONGEST_REPLY_ACTIONS):
            self.is_near_limit_told = True  # before a reply of many actions can use them up
            warnings.append(f"Warning: {limit - used} of {limit} steps are left. Do what matters most first.")
        for kind, left in context.nearly_used:
            if kind not in self.limits_told:
                self.limits_told.add(kind)
                warnings.append(f"Warning: {left} are left. Do what matters most first.")
        self.turns[now.task.id] += 1
        if now.task.is_open and self.turns[now.task.id] == _MANY_TURNS:
            warnings.append(
                f"Warning: the present task has been worked on for {_MANY_TURNS} turns. If it is done, say so with "
                "what shows it. If what you do does not serve it, or the plan does not fit, say replan, ask or "
                "impossible."
            )
        return tuple(warnings)


def _grew(before: Counter[str], now: Counter[str]) -> bool:
    """Whether lines came and none went."""
    return now.total() > before.total() and not before - now


def _newest_step(context: RunContext) -> int:
    return context.history[-1].step if context.history else 0
