"""A small loop around a planner and a real browser: observe, decide, act, look again. It stands in for the engine."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from operative_app.actions.browser import Navigate, NewTab
from operative_app.actions.declare import Action, Postcondition, run_on
from operative_app.core.errors import ActionError
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.run import Outcome, OutcomeStatus, RunRequest, done
from operative_app.core.screen import ElementRef, Picture, ScreenState
from operative_app.core.secrets import Revealed
from operative_app.planning.port import (
    Act,
    AskPerson,
    Decision,
    Decomposed,
    GiveUp,
    HandOver,
    Misread,
    NotThereYet,
    Planner,
    Revise,
    RollBack,
    RunContext,
    StepRecord,
    TaskDone,
    Trouble,
)
from operative_app.surfaces.browser.surface import ManagedBrowser

MOST_TURNS = 90
MOST_WAITS = 30
FEW_WAITS = 3
MOST_ATTEMPTS = 2
FIRST_WAIT_S = 0.1
EFFECT_WAITS_S = (0.1, 0.2, 0.4, 1.0, 2.0, 4.0)

Human = Callable[[ManagedBrowser, ScreenState, HandOver], Awaitable[None]]


async def nobody(browser: ManagedBrowser, state: ScreenState, handover: HandOver) -> None:
    raise AssertionError(f"nobody was expected to be needed: {handover.reason}")


@dataclass
class Ctx:
    """What an action may use here: it looks again by itself, parts of composites are simply carried out."""

    browser: ManagedBrowser
    state: ScreenState

    async def look(self) -> ScreenState:
        await self.browser.settle()
        self.state = (await self.browser.observe(with_picture=False)).state
        return self.state

    async def perform(self, part: Action) -> Outcome:
        outcome = await run_on(part, self.browser, self)
        await self.look()
        return outcome

    async def reveal(self, text: str, target: ElementRef | None = None) -> Revealed:
        return Revealed(text)

    def keep_picture(self, picture: Picture) -> str:
        return hashlib.sha256(picture.data).hexdigest()


@dataclass
class Drive:
    """One run.

    Attributes:
        answers: A piece of a question, and the answer to it.
        resolve: Turns addresses into ones that load.
        is_hopeless: What the goal names is not there, so that nothing is waited for long.
    """

    planner: Planner
    browser: ManagedBrowser
    goal: str
    human: Human = nobody
    answers: Mapping[str, str] = field(default_factory=dict)
    resolve: Callable[[str], str] = lambda url: url
    is_hopeless: bool = False

    def __post_init__(self) -> None:
        self.plan = Plan(goal=self.goal)
        self.say = ""
        self.history: list[StepRecord] = []
        self.words: list[str] = []
        self.answer: list[str] = []
        self.questions: list[str] = []
        self.handovers: list[HandOver] = []
        self.log: list[str] = []
        self.state: ScreenState | None = None

    @property
    def failures(self) -> list[str]:
        return [f"{task.goal}: {task.result}" for task in self.plan.leaves() if task.status is TaskStatus.FAILED]

    @property
    def statuses(self) -> dict[str, TaskStatus]:
        return {task.goal: task.status for task in self.plan.leaves()}

    async def run(self) -> Drive:
        made = await self.planner.decompose(self.goal, None, self._context(0))
        if not isinstance(made, Decomposed):
            raise AssertionError(f"not understood: {made}")  # noqa: TRY004 - the test fails, no type is wrong
        self.plan, self.say = made.plan, made.say
        for task in list(self.plan.leaves()):
            await self._do(task)
            if self.plan.task(task.id).status is TaskStatus.FAILED:  # type: ignore[union-attr]
                break
        self.state = (await self.browser.observe(with_picture=False)).state
        return self

    async def _do(self, task: Task) -> None:
        waits = attempts = 0
        trouble: Trouble | None = None
        for _ in range(MOST_TURNS):
            state = (await self.browser.observe(with_picture=False)).state
            context = self._context(attempts)
            if trouble is None:
                decision = await self.planner.select_action(state, self.plan, task, context)
            elif trouble.kind == "refused":
                decision = await self.planner.replan(state, self.plan, task, trouble, context)
            else:
                decision = await self.planner.handle_error(state, self.plan, task, trouble, context)
            self.log.append(f"{task.goal[:50]} → {describe(decision)}")
            trouble = None
            match decision:
                case TaskDone(result, answer, is_verified):
                    if answer:
                        self.answer.append(answer)
                    self._end(task, TaskStatus.DONE if is_verified else TaskStatus.UNVERIFIED, result)
                    return
                case GiveUp(reason):
                    self._end(task, TaskStatus.FAILED, reason)
                    return
                case NotThereYet(what):
                    waits += 1
                    if waits > (FEW_WAITS if self.is_hopeless else MOST_WAITS):
                        waits, trouble = 0, Trouble("missing", what)
                        continue
                    await asyncio.sleep(FIRST_WAIT_S * 2 ** min(waits, 4))  # the loop's back-off: something may come
                case AskPerson(question):
                    self.questions.append(question)
                    reply = next(
                        (text for piece, text in self.answers.items() if piece.casefold() in question.casefold()), None
                    )
                    if reply is None:
                        self._end(task, TaskStatus.FAILED, f"asked: {question} {decision.choices}")
                        return
                    self.words.append(reply)
                case HandOver():
                    self.handovers.append(decision)
                    await self.human(self.browser, state, decision)
                    await self.browser.settle()
                    if decision.completes_task:
                        self._end(task, TaskStatus.DONE, "")
                        return
                case Act():
                    failure = await self._act(task, decision, state)
                    if failure is None and decision.completes_task:
                        self._end(task, TaskStatus.DONE, decision.result)
                        return
                    if failure is not None:
                        attempts += 1
                        if failure.kind == "refused" or attempts > MOST_ATTEMPTS:
                            trouble = failure
                case Revise() | RollBack() | Misread():
                    raise AssertionError("the built-in planner does not revise plans")
        self._end(task, TaskStatus.FAILED, "too many turns")

    async def _act(self, task: Task, decision: Act, state: ScreenState) -> Trouble | None:
        trouble: Trouble | None = None
        for variant in decision.variants:
            trouble = None
            for action in variant.actions:
                trouble = await self._step(task, self._resolved(action), decision.expect, action is variant.actions[-1])
                if trouble:
                    break
            if trouble is None or trouble.outcome is None or trouble.outcome.status is OutcomeStatus.UNVERIFIED:
                return trouble
        return trouble

    async def _step(
        self, task: Task, action: Action, expect: tuple[Postcondition, ...], is_last: bool
    ) -> Trouble | None:
        before = (await self.browser.observe(with_picture=False)).state
        for condition in action.spec.pre:
            missing = condition.check(action, before)
            if missing:
                return Trouble("failed", missing, action, Outcome(status=OutcomeStatus.REFUSED, detail=missing))
        try:
            outcome = await run_on(action, self.browser, Ctx(self.browser, before))
        except ActionError as error:
            outcome = Outcome(status=OutcomeStatus.FAILED, detail=str(error))
        await self.browser.settle()
        after = (await self.browser.observe(with_picture=False)).state
        if outcome.is_done:
            checks = (*action.spec.post, *(expect if is_last else ()))
            lacking = _lacking(checks, action, before, after, outcome)
            for wait_s in EFFECT_WAITS_S:  # a late effect gets a few more looks, as the loop gives them
                if not lacking:
                    break
                await asyncio.sleep(wait_s)
                after = (await self.browser.observe(with_picture=False)).state
                lacking = _lacking(checks, action, before, after, outcome)
            outcome = (
                Outcome(status=OutcomeStatus.UNVERIFIED, detail=lacking[0])
                if lacking
                else done(outcome.detail, value=outcome.value)
            )
        self.history.append(StepRecord(len(self.history) + 1, task.id, action, outcome, before, after))
        self.log.append(f"    {action.words} – {outcome.status} {outcome.detail}")
        return None if outcome.is_done else Trouble("failed", outcome.detail, action, outcome)

    def _resolved(self, action: Action) -> Action:
        if isinstance(action, Navigate | NewTab):
            return action.model_copy(update={"url": self.resolve(action.url)})
        return action

    def _context(self, attempts: int) -> RunContext:
        return RunContext(RunRequest(goal=self.goal), tuple(self.history), (), tuple(self.words), attempts=attempts)

    def _end(self, task: Task, status: TaskStatus, result: str) -> None:
        self.plan = self.plan.with_status(task.id, status, result=result)


def _lacking(
    checks: Sequence[Postcondition], action: Action, before: ScreenState, after: ScreenState, outcome: Outcome
) -> list[str]:
    """The effects that are not seen, in words."""
    return [words for check in checks if (words := check.check(action, before, after, outcome))]


def describe(decision: Decision) -> str:
    if isinstance(decision, Act):
        return f"Act[{' | '.join(', '.join(action.words for action in one.actions) for one in decision.variants)}] {decision.why}"  # noqa: E501
    return repr(decision)[:260]
