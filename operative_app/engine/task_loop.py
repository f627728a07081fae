"""One task at a time: ask the planner, do what it says, climb the recovery ladder when it does not work.

The ladder of multi_step_planning.txt: retry with back-off → alternative variant → re-plan → escalate to the person.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never

from operative_app.actions.browser import GetText, Navigate
from operative_app.actions.declare import Action, EffectKind
from operative_app.actions.masking import told
from operative_app.core.errors import ActionError, SurfaceClosed, SurfaceError
from operative_app.core.events import CheckpointSaved, Notice, NoticeLevel, RecoveryTried, Rung, Said
from operative_app.core.plan import Checkpoint, RenameTask, Task, TaskStatus
from operative_app.core.ports import Surface
from operative_app.core.requests import (
    FilesChosen,
    HandOffRequest,
    HumanDone,
    QuestionRequest,
    Reply,
)
from operative_app.core.run import OutcomeStatus, done
from operative_app.core.screen import ElementRef, ScreenState
from operative_app.engine.attempt import Attempt, HumanNeeded, StepResult
from operative_app.engine.batch import change_under
from operative_app.engine.desk import Answered, RequestDesk
from operative_app.engine.dialogs import answer_dialogs
from operative_app.engine.eyes import Eyes
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.memory import Memory
from operative_app.engine.pace import Pace
from operative_app.engine.plan_book import PlanBook
from operative_app.engine.stepper import Stepper
from operative_app.planning.port import (
    Act,
    AskPerson,
    Decision,
    GiveUp,
    HandOver,
    Misread,
    NotThereYet,
    Planner,
    Revise,
    RollBack,
    StepRecord,
    TaskDone,
    Trouble,
)

TRY_AGAIN, SKIP_IT, STOP_HERE = "Try again", "Skip this task", "Stop here"

_LOOK = GetText()
"""Stands in for the action where a person acted and only the screens are compared."""


class TaskOutcome(StrEnum):
    """What the run does after a task was worked on."""

    GO_ON = "go_on"
    FAILED = "failed"
    LIMIT = "limit"
    STOPPED = "stopped"


@dataclass(slots=True)
class _Turns:
    """What was tried for the present task since it became active."""

    task_id: str
    turns: int = 0
    failures: int = 0
    hand_offs: int = 0
    dialogs: int = 0
    crashes: int = 0
    roll_backs: int = 0
    missing_since_s: float | None = None
    missing_looks: int = 0
    seen: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a step did not work.

    Attributes:
        ends_variants: No other variant is tried: the person decided, or the screen is not the one they were made for.
        is_counted: It counts as a failed try of the task.
    """

    trouble: Trouble
    ends_variants: bool = False
    is_counted: bool = True


class TaskLoop:
    """Works on tasks of one run. Owned by the agent thread."""

    def __init__(
        self,
        *,
        planner: Planner,
        surface: Surface,
        stepper: Stepper,
        eyes: Eyes,
        hub: EventHub,
        desk: RequestDesk,
        pace: Pace,
        book: PlanBook,
        memory: Memory,
        limits: Limits,
        answers: list[str],
    ) -> None:
        self._planner = planner
        self._surface = surface
        self._stepper = stepper
        self._eyes = eyes
        self._hub = hub
        self._desk = desk
        self._pace = pace
        self._book = book
        self._memory = memory
        self._limits = limits
        self._answers = answers
        self._wishes_told = 0
        self._begun_url = ""

    async def carry_out(self, task: Task) -> TaskOutcome:
        """Work on a task until it ends, or the plan was changed so that another one comes first."""
        turns = _Turns(task.id)
        trouble: Trouble | None = None
        if task.breakpoint and task.status is TaskStatus.PENDING:
            self._pace.pause()
        while True:
            if await self._pace.gate():
                self._eyes.blink()
            current = self._book.plan.next_open_leaf()
            if current is None or current.id != task.id:
                return TaskOutcome.GO_ON
            if self._stepper.is_at_limit:
                return TaskOutcome.LIMIT
            self._book.set_status(task.id, TaskStatus.ACTIVE)
            state = await self._eyes.state(self._stepper.steps)
            self._begun_url = self._begun_url or state.url
            if state.dialogs and turns.dialogs < self._limits.dialogs_in_a_row:
                turns.dialogs += len(state.dialogs)
                await answer_dialogs(self._surface, state, self._stepper.policy, self._desk, self._hub, task.id)
                self._eyes.blink()
                continue
            if state.has_crashed and turns.crashes < self._limits.reopenings:
                turns.crashes += 1
                trouble = None
                await self._reopen(state, task)
                continue
            turns.turns += 1
            if state.dialogs:
                turns.dialogs = 0
                trouble = Trouble("failed", "the page opens one box after the other")
                outcome = await self._escalate(task, trouble.reason)
            elif state.has_crashed:
                turns.crashes = 0
                trouble = Trouble("failed", "the page crashed again and again")
                outcome = await self._escalate(task, trouble.reason)
            elif turns.turns > self._limits.turns_per_task:
                trouble = Trouble("failed", f"it did not come to an end within {self._limits.turns_per_task} turns")
                outcome = await self._escalate(task, trouble.reason)
            else:
                limit = asyncio.timeout(self._stepper.time_left_s)
                try:
                    async with limit:
                        decision = await self._decide(state, task, turns, trouble)
                except TimeoutError:
                    if not limit.expired():
                        raise
                    return TaskOutcome.LIMIT
                outcome, trouble = await self._follow(decision, state, task, turns)
            if outcome is not None:
                return outcome

    async def hear_late_wishes(self) -> bool:
        """Let the planner answer what was typed while the last task was carried out; True when it answered anything."""
        plan = self._book.plan
        late, last = len(self._memory.wishes) - self._wishes_told, next(reversed(list(plan.leaves())), None)
        if late <= 0 or last is None:
            return False
        state = await self._eyes.state(self._stepper.steps)
        is_answered = False
        for _ in range(late):
            decision = await self._planner.select_action(state, self._book.plan, last, self._memory.context())
            if not isinstance(decision, Revise):
                break
            self._revise(decision, last)
            is_answered = True
        self._wishes_told += late
        return is_answered

    async def save_checkpoint(self, task: Task) -> None:
        """Note how to come back here; a surface that cannot say so is no fault of the task."""
        try:
            checkpoint = await self._surface.checkpoint(self._stepper.steps)
        except ActionError as error:
            self._hub.emit(Notice, task_id=task.id, text=f"No checkpoint was saved: {error}")
            return
        state = self._eyes.last
        if state is not None:
            checkpoint = checkpoint.model_copy(update={"screenshot": state.screenshot})
        self._book.set_checkpoint(task.id, checkpoint)
        self._hub.emit(CheckpointSaved, task_id=task.id, step=self._stepper.steps, url=checkpoint.url)

    async def _decide(self, state: ScreenState, task: Task, turns: _Turns, trouble: Trouble | None) -> Decision:
        plan, context = self._book.plan, self._memory.context(turns.failures, self._eyes.picture)
        self._wishes_told = len(context.wishes)
        current = plan.task(task.id) or task
        if trouble is None:
            return await self._planner.select_action(state, plan, current, context)
        if trouble.kind in {"refused", "unexpected"}:
            self._recovery(task, Rung.REPLAN, trouble.reason)
            return await self._planner.replan(state, plan, current, trouble, context)
        return await self._planner.handle_error(state, plan, current, trouble, context)

    async def _follow(
        self, decision: Decision, state: ScreenState, task: Task, turns: _Turns
    ) -> tuple[TaskOutcome | None, Trouble | None]:
        """Do what the planner decided. The outcome ends the work on the task, the trouble is for the next turn."""
        if not isinstance(decision, NotThereYet):
            turns.missing_since_s, turns.missing_looks = None, 0
        match decision:
            case Act():
                return None, await self._act(decision, state, task, turns)
            case TaskDone():
                await self._finish(task, decision)
                return TaskOutcome.GO_ON, None
            case NotThereYet(what=what):
                return None, await self._wait_for(what, task, turns)
            case AskPerson():
                return await self._ask(decision, task), None
            case HandOver():
                return await self._hand_over(decision, task, turns), None
            case Revise():
                self._revise(decision, task)
                return None, None
            case RollBack(reason=reason):
                return None, await self._roll_back(reason, task, turns)
            case Misread(reason=reason):
                turns.failures += 1
                await self._stepper.note_misread(task.id, reason)
                return None, Trouble("failed", f"the reply could not be used: {reason}")
            case GiveUp(reason=reason):
                return await self._escalate(task, reason), None
            case _:
                assert_never(decision)

    async def _reopen(self, state: ScreenState, task: Task) -> None:
        """Open a crashed page again and put back what is known to have been filled in there."""
        self._hub.emit(Notice, task_id=task.id, level=NoticeLevel.WARNING, text=f"The page {state.url} crashed.")
        result = await self._stepper.take(Attempt(Navigate(url=state.url), task.id, why="The page crashed"))
        saved = [one.checkpoint for one in self._book.plan.walk() if one.checkpoint is not None]
        here = [checkpoint for checkpoint in saved if checkpoint.url == state.url]
        if not result.outcome.is_done or not here:
            return
        self._eyes.blink()
        try:
            await self._surface.restore(max(here, key=lambda checkpoint: checkpoint.step))
        except SurfaceClosed:
            raise
        except SurfaceError as error:
            self._hub.emit(Notice, task_id=task.id, level=NoticeLevel.WARNING, text=str(error))

    async def _roll_back(self, reason: str, task: Task, turns: _Turns) -> Trouble | None:
        """Put back what the last task border was like: tabs, address, scroll and form; without one, the start page."""
        turns.roll_backs += 1
        if turns.roll_backs > self._limits.roll_backs:
            turns.failures += 1
            return Trouble("failed", f"going back was tried {self._limits.roll_backs} times and did not help")
        self._recovery(task, Rung.ROLL_BACK, reason)
        saved = [one.checkpoint for one in self._book.plan.walk() if one.checkpoint is not None]
        checkpoint = max(saved, key=lambda one: one.step, default=None)
        try:
            await self._surface.restore(checkpoint or Checkpoint(step=0, url=self._begun_url))
        except SurfaceClosed:
            raise
        except (SurfaceError, ActionError) as error:
            turns.failures += 1
            return Trouble("failed", str(error))
        finally:
            self._eyes.blink()
        return None

    # Act, with the first two rungs.

    async def _act(self, decision: Act, state: ScreenState, task: Task, turns: _Turns) -> Trouble | None:
        if self._is_stuck(decision, state, turns):
            return Trouble("stuck", "the same action was tried again and again and the screen stayed the same")
        failure: _Failure | None = None
        tried: list[str] = []
        for place, variant in enumerate(decision.variants):
            if place:
                self._recovery(task, Rung.ALTERNATIVE, failure.trouble.reason if failure is not None else "")
            tried.append(" then ".join(told(action, state).words for action in variant.actions))
            failure = await self._try_variant(decision, place, state, task)
            if failure is None:
                if decision.completes_task:
                    await self._finish(task, TaskDone(result=decision.result))
                return None
            if failure.ends_variants:
                break
        if failure is None or failure.trouble.kind in {"interrupted", "limit"}:
            return None
        trouble = failure.trouble
        turns.failures += failure.is_counted
        return Trouble(trouble.kind, trouble.reason, trouble.action, trouble.outcome, tuple(tried))

    async def _try_variant(self, decision: Act, place: int, state: ScreenState, task: Task) -> _Failure | None:
        variant = decision.variants[place]
        last = len(variant.actions) - 1
        for index, action in enumerate(variant.actions):
            if index and (change := await self._change_under(state, variant.actions[index:])):
                left = " then ".join(told(one, state).words for one in variant.actions[index:])
                reason = f"the rest of the step was not done, because {change}: {left}"
                return _Failure(Trouble("unexpected", reason, action), ends_variants=True, is_counted=False)
            attempt = Attempt(
                action=action,
                task_id=task.id,
                why=decision.why,
                variant=variant.name if variant.name != "A" or not place else "ABC"[min(place, 2)],
                expect=decision.expect if index == last else (),
                is_followed=index < last,
            )
            failure = await self._try(attempt, task)
            if failure is not None:
                return failure
            if index < last and await self._pace.gate():
                self._eyes.blink()
        return None

    async def _change_under(self, planned: ScreenState, rest: Sequence[Action]) -> str:
        return change_under(planned, await self._eyes.state(self._stepper.steps), rest)

    async def _try(self, attempt: Attempt, task: Task) -> _Failure | None:
        """One action with retries; None when its effect was seen."""
        for number in range(1, self._limits.action_attempts + 1):
            if self._stepper.is_at_limit:
                return _Failure(Trouble("limit", "the limit of this run was reached"), ends_variants=True)
            result = await self._stepper.take(replace(attempt, number=number))
            self._remember(result, task)
            if result.outcome.is_done:
                return None
            trouble = _trouble(result)
            is_last = number == self._limits.action_attempts
            if is_last or not result.is_repeatable or trouble.kind == "interrupted":
                is_end = result.is_half_done or trouble.kind in {"refused", "interrupted"}
                return _Failure(trouble, ends_variants=is_end)
            wait_s = self._limits.wait_before(number + 1)
            self._recovery(task, Rung.RETRY, result.outcome.detail, attempt=number + 1, wait_s=wait_s)
            await asyncio.sleep(wait_s)
            self._eyes.blink()
            if await self._pace.gate():
                return _Failure(Trouble("interrupted", "it was paused meanwhile"), ends_variants=True)
        raise AssertionError("unreachable: the last attempt returns")

    def _is_stuck(self, decision: Act, state: ScreenState, turns: _Turns) -> bool:
        """The same action decided on the same screen again and again, also with others between."""
        words = " then ".join(action.words for action in decision.variants[0].actions)
        controls = tuple((one.name, one.value, one.states) for one in state.elements)
        seen = hash((state.url, words, state.scroll, state.all_text, controls))
        turns.seen[seen] += 1
        return turns.seen[seen] > self._limits.same_turns

    def _remember(self, result: StepResult, task: Task) -> None:
        self._memory.add(
            StepRecord(
                step=result.step,
                task_id=task.id,
                action=result.action,
                outcome=result.outcome,
                before=result.before,
                after=result.after,
                difference=result.difference,
                words=result.words,
            )
        )
        if result.outcome.is_done and result.action.spec.effect is not EffectKind.READ:
            self._book.note_action(task.id, result.words)

    # Waiting, asking, handing over.

    async def _wait_for(self, what: str, task: Task, turns: _Turns) -> Trouble | None:
        now = time.monotonic()
        if turns.missing_since_s is None:
            turns.missing_since_s = now
        waited_s = now - turns.missing_since_s
        if waited_s >= self._limits.appear_ceiling_s:
            turns.missing_since_s, turns.missing_looks = None, 0
            turns.failures += 1
            return Trouble("missing", f"{what}, not within {self._limits.appear_ceiling_s:g} s")
        turns.turns -= 1  # waiting is no turn
        turns.missing_looks += 1
        wait_s = min(self._limits.wait_before(turns.missing_looks + 1), self._limits.appear_ceiling_s - waited_s)
        if turns.missing_looks == 1:
            self._recovery(task, Rung.RETRY, what, wait_s=wait_s)
        await asyncio.sleep(wait_s)
        self._eyes.blink()
        return None

    async def _ask(self, decision: AskPerson, task: Task) -> TaskOutcome | None:
        self._book.set_status(task.id, TaskStatus.WAITING)
        request = QuestionRequest(task_id=task.id, text=decision.question, choices=decision.choices)
        answered = await self._desk.ask(request, detail=decision.question)
        match answered.answer:
            case Reply(text=text):
                self._memory.words.append(text)
                self._hub.emit(Said, role="person", text=text)
                return None
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"A question waits for an answer and nobody is there: {decision.question}")
            case None:
                return None
            case _:
                return await self._escalate(task, "the question was not answered")

    async def _hand_over(self, decision: HandOver, task: Task, turns: _Turns) -> TaskOutcome | None:
        """Let a person act, then look at what came of it."""
        turns.hand_offs += 1
        self._book.set_status(task.id, TaskStatus.WAITING)
        before = await self._eyes.state(self._stepper.steps)
        request = HandOffRequest(
            task_id=task.id,
            why=decision.why,
            reason=decision.reason,
            instructions=decision.instructions,
            target=decision.target,
            accepts=decision.accepts,
            screenshot=before.screenshot,
        )
        answered = await self._desk.ask(request, detail=decision.instructions, while_open=self._surface.show_to_person)
        self._eyes.blink()
        match answered.answer:
            case HumanDone():
                pass
            case FilesChosen(paths=paths):
                if decision.target is None or not await self._give_files(decision.target, paths, task):
                    return None
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"A person is needed: {decision.instructions} {decision.reason}".strip())
            case None:
                return None  # withdrawn by a take-over: the person is at it already
            case other:
                word = getattr(other, "word", "").strip()
                return await self._escalate(task, f"you could not do it{f': {word}' if word else ''}")
        return await self._check_hand_off(decision, before, task, turns)

    async def _check_hand_off(
        self, decision: HandOver, before: ScreenState, task: Task, turns: _Turns
    ) -> TaskOutcome | None:
        """What the person did is observed and verified, not believed."""
        await self._surface.settle()
        after = await self._eyes.look(self._stepper.steps)
        missing = [fault for one in decision.done_when if (fault := one.check(_LOOK, before, after, done()))]
        if missing:
            if turns.hand_offs >= self._limits.hand_off_tries:
                return await self._escalate(task, missing[0])
            self._hub.emit(Said, role="agent", text=f"It does not look finished yet: {missing[0]}.")
            return None
        if decision.completes_task:
            await self._finish(task, TaskDone(result="done by you"))
            return TaskOutcome.GO_ON
        return None

    async def _give_files(self, target: ElementRef, paths: tuple[str, ...], task: Task) -> bool:
        """Hand files the person chose to the page's file control; a step of its own in the record."""
        fault = await self._stepper.give_files(target, paths, task.id)
        if fault:
            self._hub.emit(Said, role="agent", text=f"The file could not be given to the page: {fault}.")
        return not fault

    # Ends.

    async def _finish(self, task: Task, end: TaskDone) -> None:
        status = TaskStatus.DONE if end.is_verified else TaskStatus.UNVERIFIED
        self._book.set_status(task.id, status, result=end.result or None)
        if end.answer:
            self._answers.append(end.answer)
            self._hub.emit(Said, task_id=task.id, role="agent", text=end.answer, step=self._stepper.steps)
        await self.save_checkpoint(task)

    def _give_up(self, task: Task, reason: str) -> None:
        self._book.set_status(task.id, TaskStatus.FAILED, result=reason)

    async def _escalate(self, task: Task, reason: str) -> TaskOutcome | None:
        """Report to the person with context and ask for guidance; without one the task has failed."""
        self._recovery(task, Rung.ESCALATE, reason)
        self._book.set_status(task.id, TaskStatus.WAITING)
        goal = (self._book.plan.task(task.id) or task).goal
        request = QuestionRequest(
            task_id=task.id,
            text=f"I could not do “{goal}”: {sentence(reason)} What now? You can also type what to do instead.",
            choices=(TRY_AGAIN, SKIP_IT, STOP_HERE),
        )
        answered = await self._desk.ask(request, detail=f"“{goal}” could not be done")
        return await self._follow_guidance(answered, task, reason)

    async def _follow_guidance(self, answered: Answered, task: Task, reason: str) -> TaskOutcome | None:
        self._eyes.blink()
        match answered.answer:
            case Reply(text=text) if text.strip() == SKIP_IT:
                self._book.set_status(task.id, TaskStatus.SKIPPED, result=reason)
                return TaskOutcome.GO_ON
            case Reply(text=text) if text.strip() == STOP_HERE:
                self._give_up(task, reason)
                return TaskOutcome.STOPPED
            case Reply(text=text) if text.strip() == TRY_AGAIN:
                self._memory.forget_refusals(task.id)
                self._book.set_status(task.id, TaskStatus.PENDING)
                return TaskOutcome.GO_ON
            case Reply(text=text) if text.strip():
                self._memory.words.append(text)
                self._hub.emit(Said, role="person", text=text)
                self._book.set_status(task.id, TaskStatus.PENDING)
                self._book.edit(RenameTask(task_id=task.id, goal=text))
                return TaskOutcome.GO_ON
            case None if answered.by == "take over":
                return None
            case _:
                self._give_up(task, reason)
                return TaskOutcome.FAILED

    def _revise(self, revised: Revise, task: Task) -> None:
        self._book.revise(revised.plan, by="planner", reason=revised.reason)
        self._hub.emit(Said, task_id=task.id, role="agent", text=revised.reason)

    def _recovery(self, task: Task, rung: Rung, reason: str, *, attempt: int = 1, wait_s: float = 0) -> None:
        self._hub.emit(
            RecoveryTried,
            task_id=task.id,
            step=self._stepper.steps,
            rung=rung,
            reason=reason,
            attempt=attempt,
            wait_s=wait_s,
        )


def _trouble(result: StepResult) -> Trouble:
    detail = result.outcome.detail
    match result.outcome.status:
        case _ if result.is_interrupted:
            kind = "interrupted"
        case OutcomeStatus.REFUSED if not result.is_repeatable:
            kind = "refused"
        case OutcomeStatus.UNVERIFIED:
            kind = "unexpected"
        case _ if result.is_half_done:
            kind = "unexpected"
        case _:
            kind = "failed"
    return Trouble(kind, detail, result.action, result.outcome)


def sentence(text: str) -> str:
    """A reason as a sentence."""
    words = text.strip() or "no reason was given"
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."
