"""One action, from a planner's wish to a recorded outcome.

The one path by which anything reaches a surface: complete the address → check the declaration and the pre-conditions →
policy → (approval) → record → act → settle → look → verify the declared effect → record. The parts of a composite
action go the same path (`engine.parts`).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from operative_app.actions.declare import Action, Category, EffectKind, Postcondition, run_on
from operative_app.actions.keyboard import TypeText
from operative_app.actions.masking import told
from operative_app.actions.mouse import Scroll
from operative_app.actions.registry import Registry
from operative_app.core.difference import difference, is_same_document
from operative_app.core.errors import ActionError, EffectUnknown, HalfDone, RefusedAction
from operative_app.core.events import StepFinished, StepStarted
from operative_app.core.ports import BrowserSurface, Surface
from operative_app.core.requests import Reply
from operative_app.core.run import Outcome, OutcomeStatus, done
from operative_app.core.screen import ElementRef, PendingDialog, ScreenState, SurfaceKind
from operative_app.engine.attempt import Attempt, DeclinedError, HumanNeeded, StepResult
from operative_app.engine.budget import Spending
from operative_app.engine.contract import Contract
from operative_app.engine.desk import RequestDesk
from operative_app.engine.dialogs import answer_dialogs
from operative_app.engine.doubts import DO_IT, IT_WAS_DONE, Doubts, is_harmless
from operative_app.engine.eyes import Eyes
from operative_app.engine.gate import AddressResolver, Gate
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.pace import Pace, is_being_stopped
from operative_app.engine.parts import Parts
from operative_app.engine.reveal import Revealer
from operative_app.engine.telling import parameters_of
from operative_app.engine.thinking import Thinking
from operative_app.safety.aim import aimed_at
from operative_app.safety.policy import Policy

_TAKEN_OVER = "you took over; its effect is not known"
_NOT_BEGUN = "you took over; it was not begun"
_ARRIVED = "the page asked its server for something, so it may have been done"


@dataclass(slots=True)
class _Doing:
    """An action under way, and what is known of its end so far."""

    attempt: Attempt
    step: int
    before: ScreenState
    parts: Parts
    take_overs: int
    is_repeatable: bool
    is_interrupted: bool = False
    is_half_done: bool = False


class Stepper:
    """Carries out actions of one run. Owned by the agent thread."""

    def __init__(
        self,
        *,
        surface: Surface,
        hub: EventHub,
        desk: RequestDesk,
        pace: Pace,
        eyes: Eyes,
        registry: Registry,
        resolve: AddressResolver,
        limits: Limits,
        policy: Policy,
        approve_all: bool,
        spending: Spending,
        thinking: Thinking,
        secrets: Revealer,
        contract: Contract,
        take_word: Callable[[str], None],
    ) -> None:
        self._take_word = take_word
        self._surface = surface
        self._hub = hub
        self._desk = desk
        self._pace = pace
        self._eyes = eyes
        self._limits = limits
        self._spending = spending
        self._thinking = thinking
        self.under_way = ""
        self._secrets = secrets
        self._gate = Gate(
            surface.kind, registry, resolve,
            eyes=eyes, desk=desk, policy=policy, approve_all=approve_all, secrets=secrets, contract=contract,
            take_word=take_word,
        )  # fmt: skip
        self._acting: asyncio.Task[Outcome] | None = None
        self._doubts = Doubts()

    @property
    def policy(self) -> Policy:
        return self._gate.policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self._gate.policy = policy

    @property
    def is_at_limit(self) -> bool:
        """No further step may be taken in this run."""
        return self._spending.cause is not None

    @property
    def time_left_s(self) -> float | None:
        """Until the run's limit of minutes is reached; None when there is none."""
        return self._spending.time_left_s

    @property
    def steps(self) -> int:
        """How many were taken."""
        return self._spending.steps

    def interrupt(self) -> bool:
        """Cancel the action under way, for a take-over. False when there is none."""
        if self._acting is not None:
            self._acting.cancel()
        return self._acting is not None

    async def take(self, attempt: Attempt) -> StepResult:
        """Carry out one action and verify its effect.

        Raises:
            StoreError: It could not be recorded; it was not carried out (or its end was not recorded).
            SurfaceError: The surface is gone.
            HumanNeeded: It needs an approval and nobody is there.
        """
        before, since = await self._eyes.state(self.steps), self._pace.take_overs
        try:
            before, _ = await self._without_dialogs(before, attempt.task_id, self.steps)
            attempt = replace(attempt, action=self._gate.completed(attempt.action))
            if not await self._has_to_be_done(attempt, before):
                return self._done_already(attempt, before)
            admitted = await self._gate.admit(attempt, before, self.steps)
            await self._pace.settle()
            self._may_begin(since)
        except DeclinedError as error:
            is_interrupted = self._pace.take_overs > since
            return self._refused(attempt, before, str(error), is_repeatable=False, is_interrupted=is_interrupted)
        except ActionError as error:
            return self._refused(attempt, before, str(error))
        return await self._act(admitted.attempt, admitted.state, is_risky=admitted.is_risky)

    def _may_begin(self, since: int) -> None:
        """DeclinedError when a person has taken control meanwhile, also when they gave it back already."""
        if self._pace.take_overs > since:
            raise DeclinedError(_NOT_BEGUN)

    async def _has_to_be_done(self, attempt: Attempt, state: ScreenState) -> bool:
        """Whether the action is to be done; a person is asked about one that was cut off before.

        Raises:
            HumanNeeded: Nobody was there to be asked.
            DeclinedError: They did not say.
        """
        words = told(attempt.action, state).words
        question = self._doubts.question(attempt.action, state, words, attempt.task_id)
        if question is None:
            return True
        answered = await self._desk.ask(question, detail=question.text)
        match answered.answer:
            case Reply(text=text) if text.strip() in {IT_WAS_DONE, DO_IT}:
                self._doubts.settle(attempt.action, state)
                return text.strip() == DO_IT
            case Reply(text=text):
                self._take_word(text)
                raise DeclinedError("it may have been done already, and you did not say that it is to be done")
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"It is not known whether “{words}” was done, and nobody is there to say.")
            case _:
                raise DeclinedError("it is not known whether it was done already")

    def _done_already(self, attempt: Attempt, before: ScreenState) -> StepResult:
        """Record an action of which the person said that it was done."""
        step = self._start(attempt, before)
        outcome = Outcome(status=OutcomeStatus.DONE, detail="it was done before, as you said")
        self._finish(attempt, step, outcome)
        return StepResult(step, attempt.action, told(attempt.action, before).words, outcome, before, after=before)

    async def look_again(self, step: int) -> ScreenState:
        """See the surface once it has settled."""
        await self._surface.settle()
        return await self._eyes.look(step)

    async def answer_open_dialogs(self) -> None:
        """Answer the boxes a page opened before this run began; one that is declined is no reason not to begin."""
        state = await self._eyes.state(self.steps)
        with contextlib.suppress(DeclinedError, HumanNeeded):
            await self._without_dialogs(state, "", self.steps)

    async def give_files(self, target: ElementRef, paths: Sequence[str], task_id: str) -> str:
        """Hand files a person chose to the page; recorded as a step. The fault in words, "" when it took them."""
        before = await self._eyes.state(self.steps)
        names = ", ".join(Path(path).name for path in paths)
        self._spending.add_step()
        self._hub.emit(
            StepStarted,
            task_id=task_id,
            step=self.steps,
            action="set_files",
            label=f"Give the file you chose, “{names}”, to {target.label}",
            target=target.label,
            parameters={"files": names},
            observation=before.observation,
            screenshot=before.screenshot,
        )
        status, fault = OutcomeStatus.DONE, ""
        await self._pace.settle()  # whoever chose them has just used the mouse
        try:
            await self._surface.choose_files(paths, target)
        except ActionError as error:
            status, fault = OutcomeStatus.FAILED, str(error)
        self._eyes.blink()
        self._hub.emit(StepFinished, task_id=task_id, step=self.steps, status=status, detail=fault)
        return fault

    async def note_misread(self, task_id: str, reason: str) -> None:
        """Record a step that failed before there was an action: what the planner's model replied cannot be used."""
        before = await self._eyes.state(self.steps)
        self._spending.add_step()
        self._hub.emit(
            StepStarted,
            task_id=task_id,
            step=self.steps,
            action="",
            label="Decide what to do",
            observation=before.observation,
            screenshot=before.screenshot,
        )
        self._hub.emit(
            StepFinished,
            task_id=task_id,
            step=self.steps,
            status=OutcomeStatus.FAILED,
            detail=f"the model's reply cannot be used: {reason}",
            tokens=self._thinking.take_tokens(),
        )

    async def _act(self, attempt: Attempt, before: ScreenState, *, is_risky: bool) -> StepResult:
        begun = time.monotonic()
        step = self._start(attempt, before)
        parts = Parts(
            self, attempt, step, before,
            hub=self._hub, eyes=self._eyes, pace=self._pace, limits=self._limits,
            reveal=partial(self._secrets.reveal, may_be_read=any(self._secrets.in_sight(attempt.action, before))),
        )  # fmt: skip
        doing = _Doing(attempt, step, before, parts, self._pace.take_overs, is_repeatable=not is_risky)
        after: ScreenState | None = None
        outcome = _failed("it was interrupted; its effect is not known")
        try:
            after, outcome = await self._carried_out(doing)
            if not outcome.is_done and self._is_cut_off(doing) and not doing.is_interrupted:
                raise asyncio.CancelledError  # noqa: TRY301 - it failed by being cut off
        except asyncio.CancelledError:
            if is_being_stopped() or not self._is_cut_off(doing):
                raise  # a stop that comes together with a take-over is a stop
            outcome = _failed(_TAKEN_OVER)
            self._doubts.note(attempt.action, before, "was under way when you took control")
            if attempt.part_of:
                raise  # the whole is taken over
            doing.is_repeatable, doing.is_interrupted = False, True
        finally:
            outcome = self._as_told(doing, outcome)
            if not outcome.is_done:
                self._eyes.blink()
            self._finish(attempt, step, outcome, duration_ms=(time.monotonic() - begun) * 1000)
        if not doing.is_interrupted:  # the hand on the stop key takes over first; what it cut off is told with the stop
            self.under_way = ""
        self._pace.passed_action()
        if outcome.is_done:
            self._gate.learn(attempt.action, after)
        return StepResult(
            step=step,
            action=doing.attempt.action,
            words=told(doing.attempt.action, before).words,
            outcome=outcome,
            before=before,
            after=after,
            is_repeatable=doing.is_repeatable,
            is_risky=is_risky or parts.is_risky,
            is_interrupted=doing.is_interrupted,
            is_half_done=(parts.done > 0 or doing.is_half_done) and not outcome.is_done,
            difference=difference(before, after) if after is not None else "",
        )

    def _is_cut_off(self, doing: _Doing) -> bool:
        """Whether a person has taken over since it was begun."""
        return self._pace.take_overs > doing.take_overs

    async def _carried_out(self, doing: _Doing) -> tuple[ScreenState | None, Outcome]:
        """Run it and look for its effect; what went wrong becomes an outcome. Notes whether it may be repeated."""
        try:
            outcome = await self._run(doing)
            if outcome.is_done:
                after, outcome = await self._verified(doing, outcome)
                is_once = self._surface.kind is SurfaceKind.DESKTOP or isinstance(doing.attempt.action, TypeText)
                if not outcome.is_done and is_once:
                    doing.is_repeatable = False  # what takes it need not show that it did: it would be done twice
                if not outcome.is_done and self._may_have_arrived(doing.attempt.action):
                    doing.is_half_done = True
                    outcome = outcome.model_copy(update={"detail": f"{outcome.detail}; {_ARRIVED}"})
                return after, outcome
        except DeclinedError as error:
            doing.is_interrupted = self._is_cut_off(doing)
            doing.is_repeatable = False
            outcome = Outcome(status=OutcomeStatus.REFUSED, detail=str(error))
        except RefusedAction as error:
            doing.is_repeatable = True  # nothing was touched
            outcome = Outcome(status=OutcomeStatus.REFUSED, detail=str(error))
        except EffectUnknown as error:
            if (elsewhere := await self._led_elsewhere(doing)) is not None:
                return elsewhere, done()
            outcome = self._unknown(doing, str(error), "got no answer from the page")
        except HalfDone as error:
            doing.is_half_done = True
            outcome = _failed(str(error))
        except ActionError as error:
            outcome = _failed(str(error))
        except TimeoutError:
            limit = f"took longer than {self._limits.action_timeout_s:g} s"
            outcome = self._unknown(doing, f"it {limit}", limit)
        finally:
            parts = doing.parts
            doing.is_repeatable = (
                doing.is_repeatable and parts.is_repeatable and not parts.done and not doing.is_half_done
            )
        return None, outcome

    async def _led_elsewhere(self, doing: _Doing) -> ScreenState | None:
        """The page that an action led to whose own was too busy with leaving to answer; None when none shows it."""
        action, before, step = doing.attempt.action, doing.before, doing.step
        self._eyes.blink()
        try:
            await self._surface.settle()
            after, seen = await self._without_dialogs(await self._eyes.look(step), doing.attempt.task_id, step)
        except (ActionError, DeclinedError, TimeoutError):
            return None
        conditions = (*action.spec.post, *doing.attempt.expect)
        if is_same_document(before.url, after.url) or _missing(conditions, action, before, _with(after, seen), done()):
            return None
        return after

    def _may_have_arrived(self, action: Action) -> bool:
        """Whether the page did something with it though nothing shows that: done once more it may count twice."""
        if self._surface.kind is not SurfaceKind.BROWSER or is_harmless(action):
            return False
        return cast(BrowserSurface, self._surface).has_sent

    def _unknown(self, doing: _Doing, detail: str, how: str) -> Outcome:
        """It may have taken effect: neither it nor another way to the same end is tried unasked."""
        if not self._doubts.note(doing.attempt.action, doing.before, how):
            return _failed(detail)
        doing.is_half_done = True
        return Outcome(status=OutcomeStatus.UNVERIFIED, detail=detail)

    def _as_told(self, doing: _Doing, outcome: Outcome) -> Outcome:
        """The outcome without what must not be told, and with how far a composite action came."""
        shown = told(doing.attempt.action, doing.before)
        detail, value = shown.scrub(outcome.detail), shown.scrub(outcome.value)
        if shown.hidden and outcome.is_done and doing.attempt.action.spec.category is not Category.COMPOSITE:
            detail = value = ""  # what the field made of it is as secret
        if doing.parts.done and not outcome.is_done:
            done = doing.parts.done
            detail = f"{detail} ({done} of its parts {'was' if done == 1 else 'were'} done before)"
        return self._hub.cleaned(outcome.model_copy(update={"detail": detail, "value": value}))

    async def _run(self, doing: _Doing) -> Outcome:
        """Run the action as a task of its own, so that a take-over can cancel it alone."""
        action, is_part = doing.attempt.action, doing.attempt.part_of > 0
        acting = asyncio.ensure_future(run_on(action, self._surface, doing.parts))
        if not is_part:
            self._acting = acting
        try:
            is_whole = action.spec.category is Category.COMPOSITE  # its parts have their own limits
            async with asyncio.timeout(None if is_whole else self._limits.action_timeout_s + _own_time_s(action)):
                outcome = await acting
            if action.spec.effect not in {EffectKind.READ, EffectKind.COMPOSITE}:
                self._eyes.blink()
                await self._surface.settle()
            return outcome
        finally:
            acting.cancel()
            if not is_part:
                self._acting = None
            doing.attempt = replace(doing.attempt, action=doing.parts.whole)

    async def _verified(self, doing: _Doing, outcome: Outcome) -> tuple[ScreenState, Outcome]:
        """Compare the screen with the declared effect; a late effect gets a few more looks."""
        attempt, before, step = doing.attempt, doing.before, doing.step
        action = attempt.action
        conditions = (*action.spec.post, *attempt.expect)
        match action.spec.effect:
            case EffectKind.READ:
                after = before
            case EffectKind.COMPOSITE:
                after = await self._eyes.state(step)
                after = after if after.screenshot else await self._eyes.look(step)
            case _ if attempt.is_followed and (action.spec.effect is EffectKind.ENTER or isinstance(action, Scroll)):
                after = await self._eyes.look(step, with_picture=False)
            case _:
                after = await self._eyes.look(step)
        after, seen = await self._without_dialogs(after, attempt.task_id, step)
        held_back = after.held_back
        missing = _missing(conditions, action, before, _with(after, seen), outcome)
        for wait_s in self._limits.effect_waits_s:
            if not missing or held_back:
                break
            await asyncio.sleep(wait_s)
            after, more = await self._without_dialogs(await self._eyes.look(step), attempt.task_id, step)
            seen = (*seen, *more)
            held_back = after.held_back
            missing = _missing(conditions, action, before, _with(after, seen), outcome)
        if missing and held_back and action.spec.effect is not EffectKind.READ:
            doing.is_repeatable = False  # it would lead outside again
            missing = "; ".join(held_back)
        if missing:
            return after, outcome.model_copy(update={"status": OutcomeStatus.UNVERIFIED, "detail": missing})
        return after, outcome

    async def _without_dialogs(
        self, state: ScreenState, task_id: str, step: int
    ) -> tuple[ScreenState, tuple[PendingDialog, ...]]:
        """Answer the boxes that are open, one after the other; what is behind them, and which there were.

        Raises:
            HumanNeeded: The page asked something and nobody was there.
            DeclinedError: The person said no to what the page asked, took over, or the page does not stop asking.
        """
        seen: list[PendingDialog] = []
        while state.dialogs:
            if len(seen) >= self._limits.dialogs_in_a_row:
                raise DeclinedError(f"the page opened {len(seen)} boxes one after the other and goes on with it")
            seen.extend(state.dialogs)
            end = await answer_dialogs(self._surface, state, self.policy, self._desk, self._hub, task_id)
            self._eyes.blink()
            if end.is_left:
                raise DeclinedError("you took over; its effect is not known")
            if end.is_nobody_there:
                raise HumanNeeded(f"The page asked something, and {end.refusal}.")
            if end.refusal:
                raise DeclinedError(end.refusal)
            await self._surface.settle()
            state = await self._eyes.look(step)
        return state, tuple(seen)

    def _start(self, attempt: Attempt, before: ScreenState) -> int:
        self._spending.add_step()
        shown = told(attempt.action, before)
        self._hub.conceal(shown.hidden)
        action = shown.action
        self.under_way = action.words
        ref = action.target_ref
        element = next(iter(aimed_at(action, before)), None)
        self._hub.emit(
            StepStarted,
            task_id=attempt.task_id,
            step=self.steps,
            action=action.name,
            label=action.words,
            target=ref.label if ref is not None else element.label if element is not None else "",
            parameters=parameters_of(action),
            box=element.box if element is not None else None,
            mark=element.mark if element is not None else 0,
            why=attempt.why,
            variant=attempt.variant,
            attempt=attempt.number,
            observation=before.observation,
            screenshot=before.screenshot,
            part_of=attempt.part_of,
        )
        return self.steps

    def _finish(self, attempt: Attempt, step: int, outcome: Outcome, *, duration_ms: float = 0) -> None:
        self._hub.emit(
            StepFinished,
            task_id=attempt.task_id,
            step=step,
            status=outcome.status,
            detail=outcome.detail,
            value=outcome.value,
            picture=outcome.picture,
            duration_ms=duration_ms,
            tokens=self._thinking.take_tokens(),
        )

    def _refused(
        self,
        attempt: Attempt,
        before: ScreenState,
        reason: str,
        *,
        is_repeatable: bool = True,
        is_interrupted: bool = False,
    ) -> StepResult:
        """Record an action that was not carried out."""
        step = self._start(attempt, before)
        shown = told(attempt.action, before)
        outcome = self._hub.cleaned(Outcome(status=OutcomeStatus.REFUSED, detail=shown.scrub(reason)))
        self._finish(attempt, step, outcome)
        self._eyes.blink()
        return StepResult(
            step, attempt.action, shown.words, outcome, before,
            is_repeatable=is_repeatable, is_interrupted=is_interrupted,
        )  # fmt: skip


def _own_time_s(action: Action) -> float:
    """The time an action is itself allowed to wait, in seconds."""
    return float(getattr(action, "timeout_s", 0.0))


def _failed(detail: str) -> Outcome:
    return Outcome(status=OutcomeStatus.FAILED, detail=detail)


def _with(state: ScreenState, dialogs: tuple[PendingDialog, ...]) -> ScreenState:
    """The state as if the boxes were still there: that they came is an effect."""
    return state.model_copy(update={"dialogs": (*state.dialogs, *dialogs)}) if dialogs else state


def _missing(
    conditions: tuple[Postcondition, ...],
    action: Action,
    before: ScreenState,
    after: ScreenState,
    outcome: Outcome,
) -> str:
    """The first effect that is not seen, in words; "" when all are."""
    return next((fault for one in conditions if (fault := one.check(action, before, after, outcome))), "")
