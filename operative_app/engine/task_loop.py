"""One task at a time: ask the planner, do what it says, climb the recovery ladder when it does not work.

The ladder of multi_step_planning.txt: retry with back-off → alternative variant → re-plan → escalate to the person.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never

from operative_app.actions.browser import Navigate, WaitFor
from operative_app.actions.declare import Action, EffectKind, Reversibility
from operative_app.actions.finding import ScrollToFind
from operative_app.actions.masking import told
from operative_app.actions.mouse import Scroll
from operative_app.core.errors import ActionError, SurfaceClosed, SurfaceError
from operative_app.core.events import CheckpointSaved, Notice, NoticeLevel, RecoveryTried, Rung, Said
from operative_app.core.plan import Checkpoint, RenameTask, Task, TaskStatus
from operative_app.core.ports import Surface
from operative_app.core.requests import QuestionRequest, Reply
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import ScreenState
from operative_app.engine.attempt import Attempt, HumanNeeded, StepResult
from operative_app.engine.batch import change_under
from operative_app.engine.desk import Answered, RequestDesk
from operative_app.engine.dialogs import answer_dialogs
from operative_app.engine.ending import sentence
from operative_app.engine.eyes import Eyes
from operative_app.engine.growing import Growing
from operative_app.engine.hand_off import HandOffs
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


class TaskOutcome(StrEnum):
    """What the run does after a task was worked on."""

    GO_ON = "go_on"
    FAILED = "failed"
    IMPOSSIBLE = "impossible"
    LIMIT = "limit"
    STOPPED = "stopped"


@dataclass(slots=True)
class _Turns:
    """What was tried for the present task since it became active."""

    task_id: str
    hand_offs: HandOffs
    turns: int = 0
    failures: int = 0
    dialogs: int = 0
    crashes: int = 0
    roll_backs: int = 0
    has_gone_back: bool = False
    cannot_words: int = 0
    missing_since_s: float | None = None
    missing_looks: int = 0
    seen: Counter[int] = field(default_factory=Counter)
    growing: Growing = field(default_factory=Growing)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a task's border was like, as far as going back restores it; `step` is the newest step before it."""

    step: int
    url: str
    tabs: tuple[str, ...]
    values: tuple[tuple[str, str], ...]

    @staticmethod
    def of(state: ScreenState, step: int) -> _Look:
        values = tuple((one.name, one.value) for one in state.elements if one.value)
        return _Look(step, state.url, tuple(tab.url for tab in state.tabs), values)


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
        hear: Callable[[str], None],
    ) -> None:
        self._hear = hear
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
        self._begun: Checkpoint | None = None
        self._border_look: _Look | None = None
        self._committed_step = 0

    async def carry_out(self, task: Task) -> TaskOutcome:
        """Work on a task until it ends, or the plan was changed so that another one comes first."""
        turns = _Turns(task.id, self._hand_offs())
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
            if self._begun is None and not state.dialogs and not state.has_crashed:
                self._begun = await self._border() or Checkpoint(step=self._stepper.steps, url=state.url)
                self._border_look = _Look.of(state, self._stepper.steps)
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

    def _hand_offs(self) -> HandOffs:
        return HandOffs(
            surface=self._surface,
            stepper=self._stepper,
            eyes=self._eyes,
            hub=self._hub,
            desk=self._desk,
            tries=self._limits.hand_off_tries,
        )

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
        checkpoint = await self._border(task.id)
        if checkpoint is None:
            return
        state = self._eyes.last
        if state is not None:
            checkpoint = checkpoint.model_copy(update={"screenshot": state.screenshot})
            self._border_look = _Look.of(state, self._stepper.steps)
        self._book.set_checkpoint(task.id, checkpoint)
        self._hub.emit(CheckpointSaved, task_id=task.id, step=self._stepper.steps, url=checkpoint.url)

    async def _border(self, task_id: str = "") -> Checkpoint | None:
        """How to come back here; None, and a notice, when the surface cannot say so."""
        try:
            return await self._surface.checkpoint(self._stepper.steps)
        except ActionError as error:
            self._hub.emit(Notice, task_id=task_id, text=f"No checkpoint was saved: {error}")
            return None

    async def _decide(self, state: ScreenState, task: Task, turns: _Turns, trouble: Trouble | None) -> Decision:
        plan, context = self._book.plan, self._memory.context(turns.failures, self._eyes.picture)
        self._wishes_told = len(context.wishes)
        current = plan.task(task.id) or task
        if trouble is None:
            return await self._planner.select_action(state, plan, current, context)
        if trouble.kind in {"refused", "unexpected", "rolled back"}:
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
                return await self._hand_over(decision, task, turns)
            case Revise():
                self._revise(decision, task)
                return None, None
            case RollBack(reason=reason):
                return None, await self._roll_back(reason, task, turns)
            case Misread(reason=reason):
                turns.failures += 1
                await self._stepper.note_misread(task.id, reason)
                return None, Trouble("failed", f"the reply could not be used: {reason}")
            case GiveUp(reason=reason, is_impossible=True):
                return await self._escalate(task, reason, is_impossible=True), None
            case GiveUp(reason=reason, may_begin_anew=may_begin_anew):
                if may_begin_anew and self._may_go_back(state, task, turns):
                    once_more = f"{sentence(reason)} Once more from where the task began."
                    return None, await self._roll_back(once_more, task, turns)
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
            newest = max(here, key=lambda checkpoint: checkpoint.step)
            await self._surface.restore(
                newest.model_copy(update={"tab_ids": ()})
            )  # later tabs are none of its business
        except SurfaceClosed:
            raise
        except SurfaceError as error:
            self._hub.emit(Notice, task_id=task.id, level=NoticeLevel.WARNING, text=str(error))

    async def _roll_back(self, reason: str, task: Task, turns: _Turns) -> Trouble | None:
        """Put back what the last task border was like: tabs, address, scroll and form; without one, the beginning.

        Then the rest is planned anew.
        """
        turns.roll_backs += 1
        if turns.roll_backs > self._limits.roll_backs:
            turns.failures += 1
            return Trouble("failed", f"going back was tried {self._limits.roll_backs} times and did not help")
        self._recovery(task, Rung.ROLL_BACK, reason)
        saved = [one.checkpoint for one in self._book.plan.walk() if one.checkpoint is not None]
        checkpoint = max(saved, key=lambda one: one.step, default=None)
        try:
            await self._surface.restore(checkpoint or self._begun or Checkpoint(step=0))
        except SurfaceClosed:
            raise
        except (SurfaceError, ActionError) as error:
            turns.failures += 1
            return Trouble("failed", str(error))
        finally:
            self._eyes.blink()
        return Trouble("rolled back", reason)

    def _may_go_back(self, state: ScreenState, task: Task, turns: _Turns) -> bool:
        """Whether the task is begun anew from its border, once, before the person is asked.

        Only when the screen is another one, by steps of the task, none of which committed anybody to anything.
        """
        border = self._border_look
        if turns.has_gone_back or turns.roll_backs or border is None:
            return False
        has_acted = any(one.step > border.step for one in self._memory.context().of_task(task.id))
        if not has_acted or self._committed_step > border.step or _Look.of(state, border.step) == border:
            return False
        turns.has_gone_back = True
        return True

    # Act, with the first two rungs.

    async def _act(self, decision: Act, state: ScreenState, task: Task, turns: _Turns) -> Trouble | None:
        if self._is_stuck(decision, state, turns):
            return Trouble("stuck", f"the same action was tried again and again and {turns.growing.what}")
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
                is_doubted=decision.is_risky,
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
            attempt = replace(attempt, action=result.action)  # a person may have changed it
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
        moves_on = any(isinstance(one, Scroll | ScrollToFind | WaitFor) for one in decision.variants[0].actions)
        grown = turns.growing.note("" if moves_on else words, state)
        return turns.seen[seen] > self._limits.same_turns or grown > self._limits.growing_turns

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
        is_final = result.is_risky or result.action.spec.reversibility is Reversibility.IRREVERSIBLE
        if (is_final and result.outcome.status is not OutcomeStatus.REFUSED) or _is_unknown(result):
            self._committed_step = result.step
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
                if text not in decision.choices:  # words of a choice are the planner's
                    self._hear(text)
                return None
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"A question waits for an answer and nobody is there: {decision.question}")
            case None:
                return None
            case _:
                return await self._escalate(task, "the question was not answered")

    async def _hand_over(
        self, decision: HandOver, task: Task, turns: _Turns
    ) -> tuple[TaskOutcome | None, Trouble | None]:
        """Let a person act; what came of it was looked at.

        What they say when they cannot do it may name another way: the planner hears it once before they are asked.
        """
        self._book.set_status(task.id, TaskStatus.WAITING)
        try:
            back = await turns.hand_offs.hand_over(decision, task.id, lambda: self.save_checkpoint(task))
        except HumanNeeded:
            await self.save_checkpoint(task)  # nothing of what was reached is lost
            raise
        if back.word and not turns.cannot_words:
            turns.cannot_words += 1
            self._memory.words.append(back.word)
            return None, Trouble("refused", back.refusal)
        if back.refusal:
            return await self._escalate(task, f"{back.refusal}{f': {back.word}' if back.word else ''}"), None
        if back.is_done and decision.completes_task:
            await self._finish(task, TaskDone(result="done by you", is_verified=back.is_verified))
            return TaskOutcome.GO_ON, None
        return None, None

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

    async def _escalate(self, task: Task, reason: str, *, is_impossible: bool = False) -> TaskOutcome | None:
        """Report to the person with context and ask for guidance; without one the task has failed, or is impossible."""
        self._recovery(task, Rung.ESCALATE, reason)
        self._book.set_status(task.id, TaskStatus.WAITING)
        goal = (self._book.plan.task(task.id) or task).goal
        text = f"I could not do “{goal}”: {sentence(reason)} What now? You can also type what to do instead."
        if is_impossible:
            text = f"This cannot be done: {sentence(reason)} It is about “{goal}”. What else shall I try? Type it, or:"
        choices = (TRY_AGAIN, SKIP_IT, STOP_HERE)
        request = QuestionRequest(task_id=task.id, text=text, choices=choices, is_optional=is_impossible)
        detail = f"“{goal}” {'cannot' if is_impossible else 'could not'} be done"
        outcome = await self._follow_guidance(await self._desk.ask(request, detail=detail), task, reason)
        is_end = outcome in {TaskOutcome.FAILED, TaskOutcome.STOPPED}
        return TaskOutcome.IMPOSSIBLE if is_impossible and is_end else outcome

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


def _is_unknown(result: StepResult) -> bool:
    """Whether it may have been done without that being seen, or a person had control meanwhile."""
    is_half_unseen = result.is_half_done and result.outcome.status is OutcomeStatus.UNVERIFIED
    return result.is_interrupted or is_half_unseen


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
