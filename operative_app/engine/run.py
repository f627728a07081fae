"""One run: observe, think, act, observe again, until the goal is met, a ceiling is hit, or it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, assert_never, cast

from operative_app.actions.browser import Navigate
from operative_app.actions.registry import Registry
from operative_app.core.errors import OperativeError, StoreError, SurfaceError
from operative_app.core.events import (
    Notice,
    NoticeLevel,
    OversightChanged,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
)
from operative_app.core.plan import AddTask, PlanEdit, PlanEditRefused, RenameTask
from operative_app.core.ports import BrowserSurface, Surface, SurfaceProvider
from operative_app.core.requests import Answer, Approve, HumanCannot, PlanReviewRequest, Reject, Reply
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunRequest, RunState, Stopped
from operative_app.core.screen import ScreenState, SurfaceKind, shorten
from operative_app.core.secrets import NoSecrets, SecretBook
from operative_app.core.taking import Hand, TakeOverKind
from operative_app.engine import ending
from operative_app.engine.attempt import Attempt, HumanNeeded
from operative_app.engine.budget import Spending
from operative_app.engine.contract import Contract
from operative_app.engine.desk import FRONT_END, RequestDesk
from operative_app.engine.ending import End, sentence
from operative_app.engine.eyes import Eyes
from operative_app.engine.gate import AddressResolver
from operative_app.engine.hands import Hands
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.memory import Memory
from operative_app.engine.pace import Mode, Pace
from operative_app.engine.plan_book import PlanBook
from operative_app.engine.reveal import Revealer
from operative_app.engine.spoken import SpokenCommand, spoken_command
from operative_app.engine.stepper import Stepper
from operative_app.engine.taking import YIELDED, PersonsTurn
from operative_app.engine.task_loop import TaskLoop, TaskOutcome
from operative_app.engine.thinking import Thinking
from operative_app.planning.port import Answered, CannotInterpret, Planner
from operative_app.safety.given_passwords import passwords_in
from operative_app.safety.policy import Policy
from operative_app.safety.policy_file import PolicyRules, stricter
from operative_app.safety.sites import SiteRules

_log = logging.getLogger(__name__)
_STOP_WORD_S = 0.5
"""How long after the loss of its surface a run may learn that a person stopped it."""
_STOPPED_CHARACTERS = 80
"""So much is told of the action a stop cut off."""


T = TypeVar("T")


class _TimeIsUpError(Exception):
    """The run's limit of minutes was reached while the planner was asked."""


@dataclass(frozen=True, slots=True)
class RunPolicy:
    """What narrows a run, whatever it asks for itself.

    Attributes:
        sites: Which sites it may touch; the request can only narrow that.
        rules: What is written besides.
        fault: What is wrong with what is written; no run starts then.
    """

    sites: SiteRules = field(default_factory=SiteRules)
    rules: PolicyRules = field(default_factory=PolicyRules)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of; put together by the composition root.

    Attributes:
        secrets: The saved secrets.
        own_folders: Folders any run may use: where its downloads go.
        policy: What narrows every run; asked for as each run begins, on the agent thread.
    """

    planner: Planner
    provider: SurfaceProvider
    registry: Registry
    resolve: AddressResolver
    limits: Limits
    secrets: SecretBook = field(default_factory=NoSecrets)
    own_folders: tuple[str, ...] = ()
    policy: Callable[[], RunPolicy] = RunPolicy


class Run:
    """Owned by the agent thread: `execute` is its task, the other methods are called between its awaits."""

    def __init__(self, run_id: str, request: RunRequest, parts: Parts, hub: EventHub) -> None:
        self.id = run_id
        self._request = request
        self._parts = parts
        self._hub = hub
        self._begun_s = time.monotonic()
        self._pace = Pace(self._on_pace)
        limits = parts.limits
        self._desk = RequestDesk(
            hub,
            timeout_s=_seconds(request.answer_minutes, limits.answer_timeout_s),
            hand_off_timeout_s=_seconds(request.hand_off_minutes, limits.hand_off_timeout_s),
            is_attended=request.is_attended,
        )
        self._spending = Spending(request, self._warn)
        self._thinking = Thinking(hub, self._spending)
        self._memory = Memory(request, self._thinking)
        self._answers: list[str] = []
        self._written = parts.policy()
        rules = self._written.rules
        sites = self._written.sites.narrowed(SiteRules.read(request.allow, request.deny))
        self._policy = Policy(
            oversight=stricter(request.oversight, rules.oversight),
            sites=sites,
            denied=rules.denied,
            folder_limit=rules.folders,
        )
        self._is_approved_beforehand = request.approve_all and rules.may_approve_beforehand
        self._surface: Surface | None = None
        self._stepper: Stepper | None = None
        self._eyes: Eyes | None = None
        self._wants_checkpoint = False
        self._working: asyncio.Task[TaskOutcome] | None = None
        self._stop_reason = ""
        self._has_halted = False
        hub.begin(run_id)
        hub.conceal(passwords_in(request.goal))
        self._book = PlanBook(hub, request.goal)
        self._turn = PersonsTurn(hub, self._memory, self._book, lambda: self._on_pace(Mode.TAKEN_OVER))
        self._pace.on_back = self._on_back
        self._contract = Contract(self._book, parts.resolve, parts.own_folders)
        self._contract.hear(request.goal)

    # Commands, between the awaits of `execute`.

    def stop_for(self, reason: str) -> None:
        """Why it is being stopped, a sentence without its full stop; the task is cancelled by the agent."""
        self._stop_reason = reason

    def answer(self, request_id: str, answer: Answer, by: str) -> None:
        if isinstance(answer, Reply | Reject | HumanCannot):
            self._hub.conceal(passwords_in(answer.text if isinstance(answer, Reply) else answer.word))
        if by == FRONT_END and isinstance(answer, Approve) and not self._written.rules.may_approve_beforehand:
            answer = Reject()  # a policy file wants a person to answer
        self._desk.answer(request_id, answer, by)

    def pause(self) -> None:
        self._pace.pause()
        if not self._desk.is_waiting:
            self._tell_state(RunState.WORKING, "Pausing after this step")

    def resume(self) -> None:
        if self._pace.mode is Mode.TAKEN_OVER and self._eyes is not None:
            self._eyes.blink()
        self._pace.resume()
        self._desk.go_on()

    def step(self) -> None:
        self._pace.step()
        self._desk.go_on()

    def take_over(self, kind: TakeOverKind = TakeOverKind.PRIVATE, detail: str = "") -> None:
        """Let go at once; what is under way is cancelled, open requests are withdrawn."""
        was_waiting = self._desk.is_waiting
        self._turn.begin(kind, self._surface, detail)
        self._pace.take_over()
        self._desk.withdraw_all("take over")
        is_acting = self._stepper is not None and self._stepper.interrupt()
        if self._working is not None and not is_acting and not was_waiting:
            self._working.cancel()
        self._on_pace(Mode.TAKEN_OVER)

    def _on_hand(self, hand: Hand) -> None:
        """A person used mouse or keyboard on the surface: while the agent is at work, they have control."""
        if self._pace.mode is Mode.RUNNING and not self._desk.is_waiting and not self._has_halted:
            self.take_over(TakeOverKind.YIELDED, YIELDED[hand])

    async def _on_back(self) -> None:
        await self._turn.end(self._surface, self._eyes, self._spending.steps)

    def edit_plan(self, edit: PlanEdit) -> None:
        if isinstance(edit, AddTask | RenameTask):
            self._contract.hear(edit.goal)
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
                self._contract.hear(words)
            case _:
                assert_never(command)

    def set_oversight(self, oversight: Oversight) -> None:
        """As the person wants it, but never less than a policy file wants."""
        oversight = stricter(oversight, self._written.rules.oversight)
        self._policy = self._policy.model_copy(update={"oversight": oversight})
        if self._stepper is not None:
            self._stepper.policy = self._stepper.policy.model_copy(update={"oversight": oversight})
        self._hub.emit(OversightChanged, oversight=oversight)

    def save_checkpoint(self) -> None:
        """Save one before the next decision."""
        self._wants_checkpoint = True

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
            reason, stopped = self._stopped_words(), self._what_was_stopped()
            end = ending.stopped_by_person(reason, stopped)
        self._has_halted = True  # a hand on the mouse takes nothing over any more
        letting_go = asyncio.ensure_future(self._let_go())
        while not letting_go.done():
            with contextlib.suppress(asyncio.CancelledError):  # it ends already; a stop must not cut that short
                await asyncio.shield(letting_go)
        if end.stopped is not None and not letting_go.result():
            end = replace(end, stopped=end.stopped.model_copy(update={"is_released": False}))
        self._tell_end(end)

    def _stopped_words(self) -> str:
        """How a stopped run is told: why, what was under way, and that nothing followed."""
        begun = shorten(self._stepper.under_way, _STOPPED_CHARACTERS) if self._stepper is not None else ""
        what = f"Stopped in the middle of “{begun}”, whose effect is not known." if begun else "Stopped."
        why = f"{self._stop_reason}." if self._stop_reason else ""
        return " ".join(part for part in (why, what, "Nothing more was done.") if part)

    def _what_was_stopped(self) -> Stopped | None:
        if self._stepper is None:
            return None
        begun, seen = self._stepper.under_way, self._eyes.last if self._eyes is not None else None
        return Stopped(
            interrupted=shorten(begun, _STOPPED_CHARACTERS),
            step=self._stepper.steps if begun else 0,
            held=tuple(sorted(seen.held)) if seen is not None else (),
        )

    async def _guarded(self) -> End:
        """`_carry_out`, with what can go wrong put into words."""
        try:
            return await self._carry_out()
        except _TimeIsUpError:
            return ending.at_limit(self._book.plan, self._spending)
        except HumanNeeded as error:
            return ending.failed(EndCause.HUMAN_NEEDED, str(error))
        except StoreError as error:
            return ending.store_failed(error)
        except SurfaceError as error:
            return ending.failed(EndCause.SURFACE_LOST, str(error))
        except OperativeError as error:
            return ending.failed(EndCause.ERROR, str(error))
        except Exception as error:  # noqa: BLE001 - the top of the run's task; it must end with a word
            _log.exception("run %s ended by a fault of the program", self.id)
            return ending.by_fault(error)

    async def _carry_out(self) -> End:
        self._hub.emit(RunStarted, request=self._request, planner=self._parts.planner.name)
        if self._written.fault:
            return ending.failed(EndCause.ERROR, self._written.fault)
        self._tell_state(RunState.PLANNING)
        planner, goal = self._parts.planner, self._request.goal
        self._memory.cleaned = self._hub.concealer.text
        self._memory.secrets = tuple(one for one in self._parts.secrets.names() if one.is_for(self._request.surface))
        interpreted = await self._in_time(planner.decompose(goal, None, self._memory.context()))
        if isinstance(interpreted, CannotInterpret):
            return ending.not_understood(interpreted)
        if isinstance(interpreted, Answered):
            return self._answered(interpreted)
        surface = self._surface = await self._parts.provider.acquire(self._request)
        if surface.kind is SurfaceKind.BROWSER:
            await cast(BrowserSurface, surface).limit(self._policy.sites)
        hands = Hands(surface, self._on_hand, lambda: self.take_over(TakeOverKind.YIELDED))
        self._pace.settle = hands.rest
        await hands.begin()
        eyes = self._eyes = Eyes(surface, self._hub)
        surface.conceal(self._hub.concealer)
        secrets = Revealer(self._parts.secrets, surface, self._hub)
        await secrets.recall()
        stepper = self._stepper = self._make_stepper(surface, eyes, secrets)
        if self._request.url and not await self._open_start(stepper):
            return ending.failed(EndCause.TASK_FAILED, self._start_fault)
        seen = await eyes.state(stepper.steps)
        self._contract.begin_at(self._request.url)
        self._contract.see_start(seen)
        self._contract.note_early(interpreted.plan)
        decomposed = await self._in_time(planner.decompose(goal, seen, self._memory.context(picture=eyes.picture)))
        if isinstance(decomposed, CannotInterpret):
            return ending.not_understood(decomposed)
        if isinstance(decomposed, Answered):
            return self._answered(decomposed)
        is_reviewed = self._request.review_plan or self._policy.oversight is Oversight.EVERY
        is_reviewed = is_reviewed and not self._is_approved_beforehand
        plan = self._contract.signed(decomposed.plan, is_accepted=is_reviewed)
        self._book.replace(plan, by="planner")
        said = " ".join(part for part in (decomposed.say, self._contract.words_on(plan)) if part)
        if said:
            self._hub.emit(Said, role="agent", text=said)
        if is_reviewed:
            refusal = await self._review()
            if refusal:
                return ending.stopped_by_person(refusal)
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

    async def _work(self, stepper: Stepper, eyes: Eyes, surface: Surface) -> End:
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
            hear=self._contract.hear,
        )
        while (task := self._book.plan.next_open_leaf()) is not None or await loop.hear_late_wishes():
            if task is None:
                continue
            if self._wants_checkpoint:
                self._wants_checkpoint = False
                await loop.save_checkpoint(task)
            match await self._attended(loop.carry_out(task)):
                case TaskOutcome.GO_ON:
                    continue
                case TaskOutcome.LIMIT:
                    return ending.at_limit(self._book.plan, self._spending)
                case TaskOutcome.FAILED:
                    return ending.task_failed(self._book.plan, task)
                case TaskOutcome.IMPOSSIBLE:
                    return ending.impossible(self._book.plan, task)
                case TaskOutcome.STOPPED:
                    return ending.stopped_by_person("Stopped as you said.")
                case outcome:
                    assert_never(outcome)
        return await self._goal_met(eyes.last)

    async def _attended(self, work: Coroutine[Any, Any, TaskOutcome]) -> TaskOutcome:
        """Carry it out as a task of its own, which a take-over can cancel: then it is begun anew afterwards."""
        working = self._working = asyncio.ensure_future(work)
        try:
            await asyncio.wait((working,))
        finally:
            self._working = None
            working.cancel()
            await asyncio.wait((working,))
        return TaskOutcome.GO_ON if working.cancelled() else working.result()

    async def _goal_met(self, state: ScreenState | None) -> End:
        summary = ""
        if self._spending.cause is not EndCause.BUDGET:  # a used-up budget buys no closing words
            with contextlib.suppress(_TimeIsUpError):
                summary = await self._in_time(
                    self._parts.planner.summarize(self._book.plan, state, self._memory.context())
                )
        return ending.plan_done(self._book.plan, summary, self._request.surface)

    def _answered(self, answered: Answered) -> End:
        """Nothing had to be looked up or done."""
        self._answers.append(answered.answer)
        self._hub.emit(Said, role="agent", text=answered.answer)
        return ending.done("Answered without looking anything up.")

    def _make_stepper(self, surface: Surface, eyes: Eyes, secrets: Revealer) -> Stepper:
        return Stepper(
            secrets=secrets,
            contract=self._contract,
            surface=surface,
            hub=self._hub,
            desk=self._desk,
            pace=self._pace,
            eyes=eyes,
            registry=self._parts.registry,
            resolve=self._parts.resolve,
            limits=self._parts.limits,
            policy=self._policy,
            approve_all=self._is_approved_beforehand,
            spending=self._spending,
            thinking=self._thinking,
            take_word=self._memory.words.append,
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

    async def _let_go(self) -> bool:
        """Release keys and the surface; bounded, and never the reason for a run to hang or to fail.

        False when it is not known whether all keys and buttons were let go of.
        """
        if self._surface is None:
            return True
        is_released = False
        await self._turn.close(self._surface)
        try:
            async with asyncio.timeout(self._parts.limits.close_timeout_s):
                with contextlib.suppress(SurfaceError):  # what is gone holds nothing down
                    await self._surface.release()
                is_released = True
                await self._parts.provider.release(self._surface)
        except Exception as error:  # noqa: BLE001 - whatever a surface does at its end, the run ends with a word
            _log.warning("the surface of run %s was not let go of", self.id, exc_info=error)
            text = f"The browser did not close as it should. {error}".strip()
            self._hub.emit(Notice, is_recorded=False, level=NoticeLevel.WARNING, text=text)
        return is_released

    def _tell_end(self, end: End) -> None:
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
                stopped=end.stopped,
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
        if mode is Mode.TAKEN_OVER:
            self._hub.emit(StateChanged, state=RunState.TAKEN_OVER, detail=self._turn.detail, take_over=self._turn.kind)
        else:
            self._tell_state(RunState.PAUSED if mode is Mode.PAUSED else RunState.WORKING)


def _seconds(minutes: float | None, limit_s: float) -> float:
    return limit_s if minutes is None else minutes * 60
