"""The gate before a surface: does the action fit the surface and the screen, may it be done, does the person agree?

Nothing is touched here. What is refused says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from operative_app.actions.declare import Action, EffectKind
from operative_app.actions.keyboard import Copy, Cut
from operative_app.actions.masking import told
from operative_app.actions.registry import Registry
from operative_app.actions.system import OpenApp, SwitchApp, WriteClipboard
from operative_app.core.errors import RefusedAction, SettingsError
from operative_app.core.requests import ApprovalRequest, Approve, EditableField, Reject
from operative_app.core.screen import Element, ElementState, Fingerprint, ScreenState, SurfaceKind
from operative_app.engine.attempt import Attempt, DeclinedError, HumanNeeded
from operative_app.engine.contract import Contract
from operative_app.engine.desk import RequestDesk
from operative_app.engine.editing import EditFault, editable_fields, edited
from operative_app.engine.eyes import Eyes
from operative_app.engine.reveal import Revealer
from operative_app.safety.aim import aimed_at
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import details_in, risky_controls

AddressResolver = Callable[[str], str]
"""Completes an address: names of the practice site, missing schemes. Raises SettingsError."""

Changes = tuple[tuple[str, str], ...]
"""Name and new text of what a person changed before approving."""

_OWN_CLIPBOARD = (Copy, Cut, WriteClipboard)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that may be done, and the screen on which it was admitted."""

    attempt: Attempt
    state: ScreenState
    is_risky: bool


class Gate:
    """Checks and asks for one run. Owned by the agent thread.

    Args:
        take_word: Takes what a person says with their no: it is their own word, and no part of an outcome.

    Attributes:
        policy: What is granted in this run; grows by what the person allows.
    """

    def __init__(
        self,
        surface: SurfaceKind,
        registry: Registry,
        resolve: AddressResolver,
        *,
        eyes: Eyes,
        desk: RequestDesk,
        policy: Policy,
        approve_all: bool,
        secrets: Revealer,
        contract: Contract,
        take_word: Callable[[str], None],
    ) -> None:
        self._take_word = take_word
        self._contract = contract
        self._secrets = secrets
        self._surface = surface
        self._registry = registry
        self._resolve = resolve
        self._eyes = eyes
        self._desk = desk
        self._approve_all = approve_all
        self.policy = policy

    def completed(self, action: Action) -> Action:
        """The action with its address complete; RefusedAction when it is none."""
        url = getattr(action, "url", "") if action.spec.effect is EffectKind.NAVIGATE else ""
        if not url:
            return action
        try:
            return action.model_copy(update={"url": self._resolve(url)})
        except SettingsError as error:
            raise RefusedAction(str(error)) from error

    async def admit(self, attempt: Attempt, state: ScreenState, step: int) -> Admitted:
        """Let the action through, after asking where it has to be asked about.

        Raises:
            RefusedAction: A pre-condition does not hold.
            DeclinedError: The policy or the person said no, or what was agreed to is not there any more.
            HumanNeeded: Nobody was there to be asked.
        """
        self._check(attempt.action, state)
        verdict = self._judged(attempt, state)
        if verdict.decision is Decision.CONFIRM and self._approve_all:
            attempt = replace(attempt, why=f"{attempt.why} (approved beforehand)".strip())
        elif verdict.decision is Decision.CONFIRM:
            return await self._approved(attempt, state, verdict, step)
        return Admitted(attempt, state, verdict.is_risky)

    def learn(self, action: Action, after: ScreenState | None) -> None:
        """Note what a finished action means for later verdicts."""
        if isinstance(action, OpenApp | SwitchApp) and after is not None:
            self._contract.see_opened(after)
        if isinstance(action, _OWN_CLIPBOARD):
            self.policy = self.policy.model_copy(update={"is_clipboard_own": True})

    def _check(self, action: Action, state: ScreenState) -> None:
        if type(action) not in self._registry or self._surface not in action.spec.surfaces:
            raise RefusedAction(f"{action.name} is no action of this surface")
        if state.has_crashed and action.spec.effect is not EffectKind.NAVIGATE:
            raise RefusedAction("the page crashed")
        if state.dialogs:
            raise RefusedAction(f"the page waits for an answer: “{state.dialogs[0].message}”")
        self._secrets.check(action)
        for condition in action.spec.pre:
            if fault := condition.check(action, state):
                raise RefusedAction(fault)

    def _judged(self, attempt: Attempt, state: ScreenState) -> Verdict:
        """The policy's verdict; DeclinedError when it denies."""
        policy = self._contract.policy(self.policy, attempt.task_id)
        verdict = decide(attempt.action, state, policy, is_doubted=attempt.is_doubted)
        if verdict.decision is Decision.DENY:
            raise DeclinedError(verdict.reason)
        return self._secrets.raised(verdict, attempt.action, state)

    async def _approved(self, attempt: Attempt, state: ScreenState, verdict: Verdict, step: int) -> Admitted:
        """What the person has agreed to, on the screen on which it is still there.

        What they changed is checked and judged from the start, and asked about again when it is of another kind.
        """
        state = await self._in_sight(attempt.action, state, step)
        typed: tuple[EditableField, ...] = ()
        while True:
            changes = await self._ask(attempt, state, verdict, typed)
            now = await self._eyes.look(step)
            self._check(attempt.action, now)
            action = attempt.action
            if changes:
                try:
                    action = self._changed(attempt, changes, state, now)
                except EditFault as fault:
                    typed = _with_faults(editable_fields(attempt.action, state), changes, fault)
                    continue
                attempt = replace(attempt, action=action, expect=(), why=f"{attempt.why} (changed by you)".strip())
            again = self._judged(attempt, now)
            is_same = (again.kind, again.site) == (verdict.kind, verdict.site)
            if changes and again.decision is Decision.CONFIRM and not is_same:
                state, verdict, typed = now, again, ()
                continue
            # what they allowed by it asks no more
            is_agreed = bool(changes) or bool(verdict.allow_words) or verdict.kind is Kind.SHARING
            is_same = is_same or (is_agreed and again.decision is Decision.ALLOW)
            if not is_same or _meant(action, state) != _meant(action, now):
                raise DeclinedError("the page changed while you were asked, so that it is not what you agreed to")
            return Admitted(attempt, now, again.is_risky)

    async def _in_sight(self, action: Action, state: ScreenState, step: int) -> ScreenState:
        """The screen with a picture, and with what is aimed at on it: the person sees what they are asked about."""
        ref = action.target_ref if self._surface is SurfaceKind.BROWSER else None
        element = state.find(ref) if ref is not None else None
        if element is not None and ref is not None and not _is_whole(element, state):
            await self._eyes.bring_into_sight(ref)
            return await self._eyes.look(step)
        return state if state.screenshot else await self._eyes.look(step)

    def _changed(self, attempt: Attempt, changes: Changes, state: ScreenState, now: ScreenState) -> Action:
        """The action with the person's changes, checked from the start; EditFault when it cannot be done like that."""
        changed = edited(attempt.action, changes, state)
        try:
            changed = self.completed(changed)
            self._check(changed, now)
            self._judged(replace(attempt, action=changed), now)
        except (RefusedAction, DeclinedError) as error:
            raise EditFault({changes[0][0]: str(error)}) from error
        return changed

    async def _ask(
        self, attempt: Attempt, state: ScreenState, verdict: Verdict, typed: tuple[EditableField, ...]
    ) -> Changes:
        """The changes the person approved it with.

        Args:
            typed: The fields as they were typed, with what is wrong with them; empty for those of the action.

        Raises:
            DeclinedError: It was not approved.
            HumanNeeded: Nobody was there to be asked.
        """
        action = told(attempt.action, state).action
        element = next(iter(aimed_at(action, state)), None)
        is_named = action.target_ref is not None or element is None
        request = ApprovalRequest(
            task_id=attempt.task_id,
            action=action.name,
            label=action.words if is_named or element is None else f"{action.words}, where {element.label} is",
            reason=verdict.reason,
            effect=verdict.effect,
            rule=verdict.rule,
            site=verdict.site,
            box=element.box if element is not None else None,
            mark=element.mark if element is not None else 0,
            may_allow_kind=may_allow_kind(verdict),
            allow_words=verdict.allow_words,
            screenshot=state.screenshot,
            editable=typed or editable_fields(attempt.action, state),
        )
        answered = await self._desk.ask(request, detail=action.words)
        match answered.answer:
            case Approve(allow_kind=allow_kind, changes=changes):
                if allow_kind and request.may_allow_kind:
                    self._allow(verdict, attempt.task_id)
                if verdict.kind is Kind.SHARING:
                    known = self._contract.policy(self.policy, attempt.task_id).known
                    self.policy = self.policy.sharing(details_in(attempt.action, state, known))
                if verdict.kind is Kind.LEAVING:
                    self.policy = self.policy.visiting(verdict.site)
                if verdict.kind is Kind.PROGRAM:
                    for app in verdict.widening.apps:
                        self.policy = self.policy.visiting(app)
                return changes
            case Reject(word=word) if not answered.is_nobody_there:
                if word.strip():
                    self._take_word(word.strip())
                raise DeclinedError("you said no")
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"“{action.words}” needs your approval and nobody gave it. {verdict.reason}")
            case _:
                raise DeclinedError("it was not approved")

    def _allow(self, verdict: Verdict, task_id: str) -> None:
        """From now on: what lies outside for the task, other kinds on the site for the run."""
        if verdict.allow_words:
            self._contract.widen(task_id, verdict.widening)
        else:
            self.policy = self.policy.allowing(verdict.kind, verdict.site)


def _meant(action: Action, state: ScreenState) -> list[Fingerprint]:
    """What the action is aimed at, and the controls for which it is asked about."""
    return [one.fingerprint for one in (*aimed_at(action, state), *risky_controls(action, state))]


def _is_whole(element: Element, state: ScreenState) -> bool:
    """Whether all of it is on the screen, as far as the screen has room for it."""
    if element.has(ElementState.OFFSCREEN):
        return False
    box = element.box
    if not state.viewport_height_css_px or box.height_css_px > state.viewport_height_css_px:
        return True
    return box.y_css_px >= 0 and box.y_css_px + box.height_css_px <= state.viewport_height_css_px


def _with_faults(fields: tuple[EditableField, ...], changes: Changes, fault: EditFault) -> tuple[EditableField, ...]:
    """The fields as they were typed, with what is wrong with them."""
    typed = dict(changes)
    return tuple(
        one.model_copy(update={"value": typed.get(one.name, one.value), "fault": fault.faults.get(one.name, "")})
        for one in fields
    )
