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
from operative_app.actions.secrets import names_in, secret_names
from operative_app.actions.system import WriteClipboard
from operative_app.core.errors import RefusedAction, SettingsError
from operative_app.core.requests import ApprovalRequest, Approve, Reject
from operative_app.core.screen import Fingerprint, ScreenState, SurfaceKind
from operative_app.engine.attempt import Attempt, DeclinedError, HumanNeeded
from operative_app.engine.desk import RequestDesk
from operative_app.engine.eyes import Eyes
from operative_app.safety.aim import aimed_at
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind, risky_controls

AddressResolver = Callable[[str], str]
"""Completes an address: names of the practice site, missing schemes. Raises SettingsError."""

_OWN_CLIPBOARD = (Copy, Cut, WriteClipboard)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that may be done, and the screen on which it was admitted."""

    attempt: Attempt
    state: ScreenState
    is_risky: bool


class Gate:
    """Checks and asks for one run. Owned by the agent thread.

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
    ) -> None:
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
        verdict = self._judged(attempt.action, state)
        if verdict.decision is Decision.CONFIRM and self._approve_all:
            attempt = replace(attempt, why=f"{attempt.why} (approved beforehand)".strip())
        elif verdict.decision is Decision.CONFIRM:
            state = await self._approved(attempt, state, verdict, step)
        return Admitted(attempt, state, verdict.is_risky)

    def learn(self, action: Action) -> None:
        """Note what a finished action means for later verdicts."""
        if isinstance(action, _OWN_CLIPBOARD):
            self.policy = self.policy.model_copy(update={"is_clipboard_own": True})

    def _check(self, action: Action, state: ScreenState) -> None:
        if type(action) not in self._registry or self._surface not in action.spec.surfaces:
            raise RefusedAction(f"{action.name} is no action of this surface")
        if state.has_crashed and action.spec.effect is not EffectKind.NAVIGATE:
            raise RefusedAction("the page crashed")
        if state.dialogs:
            raise RefusedAction(f"the page waits for an answer: “{state.dialogs[0].message}”")
        if secrets := secret_names(action):
            raise DeclinedError(_no_secret(secrets[0]))
        for condition in action.spec.pre:
            if fault := condition.check(action, state):
                raise RefusedAction(fault)

    def _judged(self, action: Action, state: ScreenState) -> Verdict:
        """The policy's verdict; DeclinedError when it denies."""
        verdict = decide(action, state, self.policy)
        if verdict.decision is Decision.DENY:
            raise DeclinedError(verdict.reason)
        return verdict

    async def _approved(self, attempt: Attempt, state: ScreenState, verdict: Verdict, step: int) -> ScreenState:
        """What is on the screen when the person has agreed; what they agreed to is still there."""
        if not state.screenshot:
            state = await self._eyes.look(step)
        if refusal := await self._ask(attempt, state, verdict):
            raise DeclinedError(refusal)
        now = await self._eyes.look(step)
        self._check(attempt.action, now)
        again = self._judged(attempt.action, now)
        if again.kind is not verdict.kind or _meant(attempt.action, state) != _meant(attempt.action, now):
            raise DeclinedError("the page changed while you were asked, so that it is not what you agreed to")
        return now

    async def _ask(self, attempt: Attempt, state: ScreenState, verdict: Verdict) -> str:
        """The refusal in words, "" when approved."""
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


def revealed(text: str) -> str:
    """The text for its field. No secrets are stored yet, so that one that is named is refused."""
    if names := names_in(text):
        raise DeclinedError(_no_secret(names[0]))
    return text


def _no_secret(name: str) -> str:
    return f"no secret named “{name}” is stored; sign in yourself, or give the text"


def _meant(action: Action, state: ScreenState) -> list[Fingerprint]:
    """What the action is aimed at, and the controls for which it is asked about."""
    return [one.fingerprint for one in (*aimed_at(action, state), *risky_controls(action, state))]
