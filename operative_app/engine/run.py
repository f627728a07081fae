"""One run: observe, think, act, observe again, until the goal is met, a ceiling is hit, or it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar, assert_never

from operative_app.actions.browser import Navigate
from operative_app.actions.registry import Registry
from operative_app.core.errors import ActionError, OperativeError, StoreError, SurfaceError
from operative_app.core.events import (
    Notice,
    NoticeLevel,
    OversightChanged,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
)
from operative_app.core.plan import PlanEdit, PlanEditRefused, Task, TaskStatus
from operative_app.core.ports import Surface, SurfaceProvider
from operative_app.core.requests import Answer, Approve, PlanReviewRequest, Reject, Reply
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunRequest, RunState
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.engine.attempt import Attempt, HumanNeeded
from operative_app.engine.budget import Spending
from operative_app.engine.desk import RequestDesk
from operative_app.engine.eyes import Eyes
from operative_app.engine.gate import AddressResolver
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.memory import Memory
from operative_app.engine.pace import Mode, Pace
from operative_app.engine.plan_book import PlanBook
from operative_app.engine.spoken import SpokenCommand, spoken_command
from operative_app.engine.stepper import Stepper
from operative_app.engine.task_loop import TaskLoop, TaskOutcome, sentence
from operative_app.engine.thinking import Thinking
from operative_app.planning.port import Answered, CannotInterpret, Planner
from operative_app.safety.given_passwords import passwords_in
from operative_app.safety.policy import Policy

_log = logging.getLogger(__name__)
_STOP_WORD_S = 0.2
"""How long after the loss of its surface a run may learn that a person stopped it."""


T = TypeVar("T")


class _TimeIsUpError(Exception):
    """The run's limit of minutes was reached while the planner was asked."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of; put together by the composition root."""

    planner: Planner
    provider: SurfaceProvider
    registry: Registry
    resolve: AddressResolver
    limits: Limits


@dataclass(frozen=True, slots=True)
class _End:
    state: RunState
    cause: EndCause
    reason: str
    is_recorded: bool = True


class Run:
    """Owned by the agent thread: `execute` is its task, the other methods are called between its awaits."""

    def __init__(self, run_id: str, request: RunRequest, parts: Parts, hub: EventHub) -> None:
        self.id = run_id
        self._request = request
        self._parts = parts
        self._hub = hub
        self._begun_s = time.monotonic()
        self._pace = Pace(self._on_pace)
        self._desk = RequestDesk(hub, timeout_s=parts.limits.answer_timeout_s)
        self._spending = Spending(request, self._warn)
        self._thinking = Thinking(hub, self._spending)
        self._memory = Memory(request, self._thinking)
        self._answers: list[str] = []
        self._policy = Policy(oversight=request.oversight)
        self._surface: Surface | None = None
        self._stepper: Stepper | None = None
        self._eyes: Eyes | None = None
        self._wants_checkpoint = False
        self._showing: asyncio.Future[None] | None = None
        hub.begin(run_id)
        hub.conceal(passwords_in(request.goal))
        self._book = PlanBook(hub, request.goal)

    # Commands, between the awaits of `execute`.

    def answer(self, request_id: str, answer: Answer, by: str) -> None:
        if isinstance(answer, Reply):
            self._hub.conceal(passwords_in(answer.text))
        self._desk.answer(request_id, answer, by)

    def pause(self) -> None:
        self._pace.pause()
        if not self._desk.is_waiting:
            self._tell_state(RunState.WORKING, "Pausing after this step")

    def resume(self) -> None:
        if self._pace.mode is Mode.TAKEN_OVER and self._eyes is not None:
            self._eyes.blink()
        self._pace.resume()

    def step(self) -> None:
        self._pace.step()

    def take_over(self) -> None:
        """Let go at once; what is under way is cancelled, open requests are withdrawn."""
        self._pace.take_over()
        self._desk.withdraw_all("take over")
        if self._stepper is not None:
            self._stepper.interrupt()
        if self._surface is not None:
            self._showing = asyncio.ensure_future(self._show_surface(self._surface))

    def edit_plan(self, edit: PlanEdit) -> None:
        self._try_edit(lambda: self._book.edit(edit))

    def undo_plan_edit(self) -> None:
        self._try_edit(self._book.undo)

    def redo_plan_edit(self) -> None:
        self._try_edit(self._book.redo)

    def say(self, text: str) -> None:
        words = text.strip()
        if not words:
            return
        self._hub.conceal(passwords_in(words))
        command = spoken_command(words)
        if command is None and self._desk.reply(words):
            return
        self._hub.emit(Said, role="person", text=words)
        match command:
            case SpokenCommand.PAUSE:
                self.pause()
            case SpokenCommand.STOP:
                return  # the agent ends the run
            case None:
                self._memory.wishes.append(words)
            case _:
                assert_never(command)

    def set_oversight(self, oversight: Oversight) -> None:
        self._policy = self._policy.model_copy(update={"oversight": oversight})
        if self._stepper is not None:
            self._stepper.policy = self._stepper.policy.model_copy(update={"oversight": oversight})
        self._hub.emit(OversightChanged, oversight=oversight)

    def save_checkpoint(self) -> None:
        """Save one before the next decision."""
        self._wants_checkpoint = True

    async def _show_surface(self, surface: Surface) -> None:
        """Who takes over wants to see what they drive; if it cannot be shown, they look for it themselves."""
        with contextlib.suppress(ActionError, SurfaceError):
            await surface.show_to_person()

    def _try_edit(self, edit: Callable[[], None]) -> None:
        try:
            edit()
        except PlanEditRefused as error:
            self._hub.emit(Notice, level=NoticeLevel.WARNING, text=str(error))

    # The task.

    async def execute(self) -> None:
        """Carry out the run; tells how it ended. Never raises but for cancellation, and not before all is let go."""
        try:
            end = await self._guarded()
            if end.cause is EndCause.SURFACE_LOST:  # the stop key ends what acts first; its word comes a moment later
                await asyncio.sleep(_STOP_WORD_S)
        except asyncio.CancelledError:
            end = _End(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, "Stopped. Nothing more was done.")
        letting_go = asyncio.ensure_future(self._let_go())
        while not letting_go.done():
            with contextlib.suppress(asyncio.CancelledError):  # it ends already; a stop must not cut that short
                await asyncio.shield(letting_go)
        self._tell_end(end)

    async def _guarded(self) -> _End:
        """`_carry_out`, with what can go wrong put into words."""
        try:
            return await self._carry_out()
        except _TimeIsUpError:
            return self._at_limit()
        except HumanNeeded as error:
            return _End(RunState.FAILED, EndCause.HUMAN_NEEDED, str(error))
        except StoreError as error:
            return _End(
                RunState.FAILED,
                EndCause.STORE_FAILED,
                f"{error} Nothing more was done: an action without a record is not carried out.",
                is_recorded=False,
            )
        except SurfaceError as error:
            return _End(RunState.FAILED, EndCause.SURFACE_LOST, str(error))
        except OperativeError as error:
            return _End(RunState.FAILED, EndCause.ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - the top of the run's task; it must end with a word
            _log.exception("run %s ended by a fault of the program", self.id)
            what = f"{type(error).__name__}: {error}".strip(": ")
            return _End(
                RunState.FAILED,
                EndCause.ERROR,
                f"The run ended by a fault of the program ({what}). Nothing more was done; see the step log.",
            )

    async def _carry_out(self) -> _End:
        self._hub.emit(RunStarted, request=self._request, planner=self._parts.planner.name)
        self._tell_state(RunState.PLANNING)
        planner, goal = self._parts.planner, self._request.goal
        interpreted = await self._in_time(planner.decompose(goal, None, self._memory.context()))
        if isinstance(interpreted, CannotInterpret):
            return self._not_understood(interpreted)
        if isinstance(interpreted, Answered):
            return self._answered(interpreted)
        surface = self._surface = await self._parts.provider.acquire(self._request)
        eyes = self._eyes = Eyes(surface, self._hub)
        stepper = self._stepper = self._make_stepper(surface, eyes)
        if self._request.url and not await self._open_start(stepper):
            return _End(RunState.FAILED, EndCause.TASK_FAILED, self._start_fault)
        seen = await eyes.state(stepper.steps)
        decomposed = await self._in_time(planner.decompose(goal, seen, self._memory.context(picture=eyes.picture)))
        if isinstance(decomposed, CannotInterpret):
            return self._not_understood(decomposed)
        if isinstance(decomposed, Answered):
            return self._answered(decomposed)
        self._book.replace(decomposed.plan, by="planner")
        if decomposed.say:
            self._hub.emit(Said, role="agent", text=decomposed.say)
        if (self._request.review_plan or self._policy.oversight is Oversight.EVERY) and not self._request.approve_all:
            refusal = await self._review()
            if refusal:
                return _End(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, refusal)
        self._thinking.state = RunState.WORKING
        self._tell_state(RunState.WORKING)
        return await self._work(stepper, eyes, surface)

    async def _in_time(self, asked: Awaitable[T]) -> T:
        """What the planner answers; _TimeIsUpError when the run's limit of minutes comes first."""
        limit = asyncio.timeout(self._spending.time_left_s)
        try:
            async with limit:
                return await asked
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise _TimeIsUpError from error

    async def _work(self, stepper: Stepper, eyes: Eyes, surface: Surface) -> _End:
        loop = TaskLoop(
            planner=self._parts.planner,
            surface=surface,
            stepper=stepper,
            eyes=eyes,
            hub=self._hub,
            desk=self._desk,
            pace=self._pace,
            book=self._book,
            memory=self._memory,
            limits=self._parts.limits,
            answers=self._answers,
        )
        while (task := self._book.plan.next_open_leaf()) is not None or await loop.hear_late_wishes():
            if task is None:
                continue
            if self._wants_checkpoint:
                self._wants_checkpoint = False
                await loop.save_checkpoint(task)
            match await loop.carry_out(task):
                case TaskOutcome.GO_ON:
                    continue
                case TaskOutcome.LIMIT:
                    return self._at_limit()
                case TaskOutcome.FAILED:
                    return self._task_failed(task)
                case TaskOutcome.STOPPED:
                    return _End(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, "Stopped as you said.")
                case outcome:
                    assert_never(outcome)
        return await self._goal_met(eyes.last)

    async def _goal_met(self, state: ScreenState | None) -> _End:
        summary = ""
        if self._spending.cause is not EndCause.BUDGET:  # a used-up budget buys no closing words
            with contextlib.suppress(_TimeIsUpError):
                summary = await self._in_time(
                    self._parts.planner.summarize(self._book.plan, state, self._memory.context())
                )
        open_ends = [task.goal for task in self._book.plan.leaves() if task.status is TaskStatus.UNVERIFIED]
        if open_ends:
            named = "; ".join(f"“{goal}”" for goal in open_ends)
            where = "screen" if self._request.surface is SurfaceKind.DESKTOP else "page"
            reason = f"{summary} Not verified: {named}. Look at the {where} to make sure.".strip()
            return _End(RunState.NOT_VERIFIED, EndCause.NOT_VERIFIED, reason)
        return _End(RunState.DONE, EndCause.GOAL_MET, summary or "Done.")

    def _at_limit(self) -> _End:
        left = [task.goal for task in self._book.plan.leaves() if task.is_open]
        named = f"Not done: {'; '.join(f'“{goal}”' for goal in left)}." if left else "Nothing was begun."
        reason = f"Stopped {self._spending.words}. {named} Raise the limit to go on."
        return _End(RunState.FAILED, self._spending.cause or EndCause.BUDGET, reason)

    def _task_failed(self, task: Task) -> _End:
        failed = self._book.plan.task(task.id) or task
        left = [one.goal for one in self._book.plan.leaves() if one.is_open]
        reason = f"“{failed.goal}” could not be done: {sentence(failed.result)}"
        if left:
            reason += f" Not done either: {'; '.join(f'“{goal}”' for goal in left)}."
        return _End(RunState.FAILED, EndCause.TASK_FAILED, reason)

    def _answered(self, answered: Answered) -> _End:
        """Nothing had to be looked up or done."""
        self._answers.append(answered.answer)
        self._hub.emit(Said, role="agent", text=answered.answer)
        return _End(RunState.DONE, EndCause.GOAL_MET, "Answered without looking anything up.")

    def _not_understood(self, answer: CannotInterpret) -> _End:
        return _End(RunState.FAILED, EndCause.NOT_UNDERSTOOD, f"{answer.say} {answer.hint}".strip())

    def _make_stepper(self, surface: Surface, eyes: Eyes) -> Stepper:
        return Stepper(
            surface=surface,
            hub=self._hub,
            desk=self._desk,
            pace=self._pace,
            eyes=eyes,
            registry=self._parts.registry,
            resolve=self._parts.resolve,
            limits=self._parts.limits,
            policy=self._policy,
            approve_all=self._request.approve_all,
            spending=self._spending,
            thinking=self._thinking,
        )

    async def _open_start(self, stepper: Stepper) -> bool:
        """Open the page the run begins on; an ordinary step. Boxes left open on the page before are answered first."""
        await stepper.answer_open_dialogs()
        result = await stepper.take(Attempt(Navigate(url=self._request.url), why="Begin here"))
        if result.is_interrupted:  # the person took over: goes on from what they leave
            await self._pace.gate()
            return True
        fault = sentence(result.outcome.detail)
        is_told = "could not be opened" in fault
        self._start_fault = fault if is_told else f"{self._request.url} could not be opened: {fault}"
        return result.outcome.status in {OutcomeStatus.DONE, OutcomeStatus.UNVERIFIED}

    async def _review(self) -> str:
        """Wait for the plan to be accepted; the reason when it was not."""
        answered = await self._desk.ask(PlanReviewRequest(plan=self._book.plan), detail="Look at the plan")
        match answered.answer:
            case Approve():
                return ""
            case _ if answered.is_nobody_there:
                raise HumanNeeded("The plan waits to be accepted and nobody is there to do it.")
            case Reject(word=word) if word.strip():
                return f"You did not accept the plan: {word}. Nothing was done."
            case _:
                return "You did not accept the plan. Nothing was done."

    async def _let_go(self) -> None:
        """Release keys and the surface; bounded, and never the reason for a run to hang or to fail."""
        if self._surface is None:
            return
        if self._showing is not None:
            self._showing.cancel()
        try:
            async with asyncio.timeout(self._parts.limits.close_timeout_s):
                with contextlib.suppress(SurfaceError):
                    await self._surface.release()
                await self._parts.provider.release(self._surface)
        except Exception as error:  # noqa: BLE001 - whatever a surface does at its end, the run ends with a word
            _log.warning("the surface of run %s was not let go of", self.id, exc_info=error)
            text = f"The browser did not close as it should. {error}".strip()
            self._hub.emit(Notice, is_recorded=False, level=NoticeLevel.WARNING, text=text)

    def _tell_end(self, end: _End) -> None:
        def emit(*, is_recorded: bool) -> None:
            self._hub.emit(StateChanged, is_recorded=is_recorded, state=end.state)
            self._hub.emit(
                RunFinished,
                is_recorded=is_recorded,
                state=end.state,
                cause=end.cause,
                reason=end.reason,
                answer="\n".join(self._answers),
                steps=self._spending.steps,
                duration_s=time.monotonic() - self._begun_s,
                url=self._eyes.last.url if self._eyes is not None and self._eyes.last is not None else "",
            )

        try:
            emit(is_recorded=end.is_recorded)
        except StoreError:
            emit(is_recorded=False)

    def _tell_state(self, state: RunState, detail: str = "") -> None:
        self._hub.emit(StateChanged, state=state, detail=detail)

    def _warn(self, text: str) -> None:
        self._hub.emit(Notice, level=NoticeLevel.WARNING, text=text)

    def _on_pace(self, mode: Mode) -> None:
        states = {Mode.RUNNING: RunState.WORKING, Mode.PAUSED: RunState.PAUSED, Mode.TAKEN_OVER: RunState.TAKEN_OVER}
        self._tell_state(states[mode])
