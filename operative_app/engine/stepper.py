"""One action, from a planner's wish to a recorded outcome.

The one path by which anything reaches a surface: complete the address → check the declaration and the pre-conditions →
policy → (approval) → record → act → settle → look → verify the declared effect → record.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel

from operative_app.actions.declare import Action, Category, EffectKind, Postcondition, run_on
from operative_app.actions.effects import holds_secret
from operative_app.actions.registry import Registry
from operative_app.core.difference import difference
from operative_app.core.errors import ActionError, OperativeError, RefusedAction, SettingsError
from operative_app.core.events import StepFinished, StepStarted
from operative_app.core.ports import Surface
from operative_app.core.requests import ApprovalRequest, Approve, Reject
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import ElementRef, PendingDialog, Picture, ScreenState
from operative_app.engine.desk import RequestDesk
from operative_app.engine.dialogs import answer_dialogs
from operative_app.engine.eyes import Eyes
from operative_app.engine.hub import EventHub
from operative_app.engine.limits import Limits
from operative_app.engine.pace import Mode, Pace
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind

AddressResolver = Callable[[str], str]
"""Completes an address: names of the practice site, missing schemes. Raises SettingsError."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one action: for which task, why, as which variant, and what should be seen afterwards."""

    action: Action
    task_id: str = ""
    why: str = ""
    variant: str = "A"
    number: int = 1
    expect: tuple[Postcondition, ...] = ()
    part_of: int = 0


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one action came out.

    Attributes:
        is_repeatable: The loop may try it again by itself: nothing risky was sent off.
        is_interrupted: The person took over; the task is looked at anew afterwards.
    """

    step: int
    action: Action
    outcome: Outcome
    before: ScreenState
    after: ScreenState | None = None
    is_repeatable: bool = True
    is_interrupted: bool = False
    difference: str = ""


class HumanNeeded(OperativeError):
    """A person had to decide and none was there."""


class DeclinedError(OperativeError):
    """What the page asked about the action under way was not agreed to; the message says why."""


class _Context:
    """What an action under way may use (`actions.declare.ActionContext`): the stepper's own path, for its task."""

    def __init__(self, stepper: Stepper, attempt: Attempt, step: int, state: ScreenState) -> None:
        self._stepper = stepper
        self._attempt = attempt
        self._step = step
        self.state = state

    async def look(self) -> ScreenState:
        self.state = await self._stepper.look_again(self._step)
        return self.state

    async def perform(self, part: Action) -> Outcome:
        result = await self._stepper.take(replace(self._attempt, action=part, expect=(), part_of=self._step))
        self.state = result.after or await self._stepper.look_again(self._step)
        match result.outcome.status:
            case OutcomeStatus.DONE:
                return result.outcome
            case OutcomeStatus.REFUSED:
                raise RefusedAction(f"{part.words}: {result.outcome.detail}")
            case _:
                raise ActionError(f"{part.words}: {result.outcome.detail}")

    def reveal(self, text: str) -> str:
        if holds_secret(text):
            raise RefusedAction("no secrets are stored")
        return text

    def keep_picture(self, picture: Picture) -> str:
        return self._stepper.keep_picture(picture)


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
    ) -> None:
        self._surface = surface
        self._hub = hub
        self._desk = desk
        self._pace = pace
        self._eyes = eyes
        self._registry = registry
        self._resolve = resolve
        self._limits = limits
        self._approve_all = approve_all
        self._acting: asyncio.Task[Outcome] | None = None
        self.policy = policy
        self.steps = 0

    def interrupt(self) -> None:
        """Cancel the action under way, for a take-over."""
        if self._acting is not None:
            self._acting.cancel()

    async def take(self, attempt: Attempt) -> StepResult:
        """Carry out one action and verify its effect.

        Raises:
            StoreError: It could not be recorded; it was not carried out (or its end was not recorded).
            SurfaceError: The surface is gone.
            HumanNeeded: It needs an approval and nobody is there.
        """
        before = await self._eyes.state(self.steps)
        try:
            before, _ = await self._without_dialogs(before, attempt.task_id, self.steps)
            attempt = replace(attempt, action=self._completed(attempt.action))
            self._check(attempt.action, before)
        except DeclinedError as error:
            is_interrupted = self._pace.mode is Mode.TAKEN_OVER
            return self._refused(attempt, before, str(error), is_repeatable=False, is_interrupted=is_interrupted)
        except ActionError as error:
            return self._refused(attempt, before, str(error))
        verdict = decide(attempt.action, before, self.policy)
        if verdict.decision is Decision.DENY:
            return self._refused(attempt, before, verdict.reason, is_repeatable=False)
        if verdict.decision is Decision.CONFIRM and self._approve_all:
            attempt = replace(attempt, why=f"{attempt.why} (approved beforehand)".strip())
        elif verdict.decision is Decision.CONFIRM:
            refusal = await self._ask(attempt, before, verdict)
            if refusal:
                is_interrupted = self._pace.mode is Mode.TAKEN_OVER
                return self._refused(attempt, before, refusal, is_repeatable=False, is_interrupted=is_interrupted)
            before = await self._eyes.look(self.steps)
            try:
                self._check(attempt.action, before)
            except ActionError as error:
                return self._refused(attempt, before, str(error))
        return await self._act(attempt, before, is_risky=verdict.is_risky)

    async def look_again(self, step: int) -> ScreenState:
        """See the surface once it has settled."""
        await self._surface.settle()
        return await self._eyes.look(step)

    def keep_picture(self, picture: Picture) -> str:
        """Give a picture to the record; its content hash. Raises StoreError."""
        return self._hub.keep_picture(picture)

    async def answer_open_dialogs(self) -> None:
        """Answer the boxes a page opened before this run began; one that is declined is no reason not to begin."""
        state = await self._eyes.state(self.steps)
        with contextlib.suppress(DeclinedError, HumanNeeded):
            await self._without_dialogs(state, "", self.steps)

    async def give_files(self, target: ElementRef, paths: Sequence[str], task_id: str) -> str:
        """Hand files a person chose to the page; recorded as a step. The fault in words, "" when it took them."""
        before = await self._eyes.state(self.steps)
        names = ", ".join(Path(path).name for path in paths)
        self.steps += 1
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
        try:
            await self._surface.choose_files(paths, target)
        except ActionError as error:
            status, fault = OutcomeStatus.FAILED, str(error)
        self._eyes.blink()
        self._hub.emit(StepFinished, task_id=task_id, step=self.steps, status=status, detail=fault)
        return fault

    def _completed(self, action: Action) -> Action:
        url = getattr(action, "url", "") if action.spec.effect is EffectKind.NAVIGATE else ""
        if not url:
            return action
        try:
            return action.model_copy(update={"url": self._resolve(url)})
        except SettingsError as error:
            raise RefusedAction(str(error)) from error

    def _check(self, action: Action, state: ScreenState) -> None:
        if type(action) not in self._registry or self._surface.kind not in action.spec.surfaces:
            raise RefusedAction(f"{action.name} is no action of this surface")
        if state.has_crashed and action.spec.effect is not EffectKind.NAVIGATE:
            raise RefusedAction("the page crashed")
        if state.dialogs:
            raise RefusedAction(f"the page waits for an answer: “{state.dialogs[0].message}”")
        for condition in action.spec.pre:
            if fault := condition.check(action, state):
                raise RefusedAction(fault)

    async def _ask(self, attempt: Attempt, state: ScreenState, verdict: Verdict) -> str:
        """The refusal in words, "" when approved."""
        action = attempt.action
        ref = action.target_ref
        element = state.find(ref) if ref is not None else None
        request = ApprovalRequest(
            task_id=attempt.task_id,
            action=action.name,
            label=action.words,
            reason=verdict.reason,
            effect=verdict.effect,
            rule=verdict.rule,
            site=verdict.site,
            box=element.box if element is not None else None,
            mark=element.mark if element is not None else 0,
            may_allow_kind=may_allow_kind(verdict),
            screenshot=state.screenshot,
        )
        answered = await self._desk.ask(request, detail=action.words)
        match answered.answer:
            case Approve(allow_kind=allow_kind):
                if allow_kind and request.may_allow_kind:
                    self.policy = self.policy.allowing(verdict.kind, verdict.site)
                return ""
            case Reject(word=word) if not answered.is_nobody_there:
                return f"you said no: {word}" if word.strip() else "you said no"
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"“{action.words}” needs your approval and nobody gave it. {verdict.reason}")
            case _:
                return "it was not approved"

    async def _act(self, attempt: Attempt, before: ScreenState, *, is_risky: bool) -> StepResult:
        begun = time.monotonic()
        step = self._start(attempt, before)
        after: ScreenState | None = None
        is_repeatable, is_interrupted = not is_risky, False
        outcome = _failed("it was interrupted; its effect is not known")
        try:
            outcome = await self._run(attempt, step, before)
            if outcome.is_done:
                after, outcome = await self._verified(attempt, before, outcome, step)
        except DeclinedError as error:
            outcome = Outcome(status=OutcomeStatus.REFUSED, detail=str(error))
            is_repeatable, is_interrupted = False, self._pace.mode is Mode.TAKEN_OVER
        except RefusedAction as error:
            outcome = Outcome(status=OutcomeStatus.REFUSED, detail=str(error))
            is_repeatable = True  # nothing was touched
        except ActionError as error:
            outcome = _failed(str(error))
        except TimeoutError:
            outcome = _failed(f"it took longer than {self._limits.action_timeout_s:g} s")
        except asyncio.CancelledError:
            if self._pace.mode is not Mode.TAKEN_OVER:
                raise
            outcome = _failed("you took over; its effect is not known")
            is_repeatable, is_interrupted = False, True
        finally:
            if not outcome.is_done:
                self._eyes.blink()
            self._finish(attempt, step, outcome, duration_ms=(time.monotonic() - begun) * 1000)
        self._pace.passed_action()
        changes = difference(before, after) if after is not None else ""
        return StepResult(step, attempt.action, outcome, before, after, is_repeatable, is_interrupted, changes)

    async def _run(self, attempt: Attempt, step: int, state: ScreenState) -> Outcome:
        """Run the action as a task of its own, so that a take-over can cancel it alone."""
        action = attempt.action
        context = _Context(self, attempt, step, state)
        acting = asyncio.ensure_future(run_on(action, self._surface, context))
        if not attempt.part_of:
            self._acting = acting
        try:
            is_whole = action.spec.category is Category.COMPOSITE  # its parts have their own limits
            async with asyncio.timeout(None if is_whole else self._limits.action_timeout_s + _own_time_s(action)):
                outcome = await acting
            if action.spec.effect is not EffectKind.READ:
                self._eyes.blink()
                await self._surface.settle()
            return outcome
        finally:
            acting.cancel()
            if not attempt.part_of:
                self._acting = None

    async def _verified(
        self, attempt: Attempt, before: ScreenState, outcome: Outcome, step: int
    ) -> tuple[ScreenState, Outcome]:
        """Compare the screen with the declared effect; a late effect gets a few more looks."""
        action = attempt.action
        conditions = (*action.spec.post, *attempt.expect)
        after = before if action.spec.effect is EffectKind.READ else await self._eyes.look(step)
        after, seen = await self._without_dialogs(after, attempt.task_id, step)
        missing = _missing(conditions, action, before, _with(after, seen), outcome)
        for wait_s in self._limits.effect_waits_s:
            if not missing:
                break
            await asyncio.sleep(wait_s)
            after, more = await self._without_dialogs(await self._eyes.look(step), attempt.task_id, step)
            seen = (*seen, *more)
            missing = _missing(conditions, action, before, _with(after, seen), outcome)
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
        self.steps += 1
        ref = attempt.action.target_ref
        element = before.find(ref) if ref is not None else None
        self._hub.emit(
            StepStarted,
            task_id=attempt.task_id,
            step=self.steps,
            action=attempt.action.name,
            label=attempt.action.words,
            target=ref.label if ref is not None else "",
            parameters=_parameters(attempt.action),
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
        outcome = Outcome(status=OutcomeStatus.REFUSED, detail=reason)
        self._finish(attempt, step, outcome)
        self._eyes.blink()
        return StepResult(step, attempt.action, outcome, before, None, is_repeatable, is_interrupted)


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


def _parameters(action: Action) -> dict[str, object]:
    """Parameters for log and record; references by their label."""
    shown: dict[str, object] = {}
    for name, value in action:
        if not type(action).model_fields[name].repr:
            shown[name] = "•••"
        elif isinstance(value, ElementRef):
            shown[name] = value.label
        elif isinstance(value, BaseModel):
            shown[name] = value.model_dump(mode="json")
        elif value is not None:
            shown[name] = value
    return shown
