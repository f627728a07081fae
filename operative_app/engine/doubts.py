"""Actions cut off in the middle, of which nobody knows whether they took effect: none is sent again unasked."""

from __future__ import annotations

from operative_app.actions.browser import Fill, Navigate, SelectOption
from operative_app.actions.declare import Action, EffectKind, Reversibility
from operative_app.actions.mouse import Scroll
from operative_app.core.requests import QuestionRequest
from operative_app.core.screen import Fingerprint, ScreenState, shorten
from operative_app.engine.telling import parameters_of
from operative_app.safety.aim import aimed_at

_WORDS = 100
IT_WAS_DONE, DO_IT = "It was done", "Do it now"
_HARMLESS = (Fill, SelectOption, Navigate, Scroll)
"""What comes out the same when it is done once more."""

_Key = tuple[str, str, tuple[Fingerprint, ...]]


class Doubts:
    """The actions of a run whose effect is not known. Owned by the agent thread."""

    def __init__(self) -> None:
        self._open: dict[_Key, str] = {}

    def note(self, action: Action, state: ScreenState, how: str) -> bool:
        """It was cut off; `state` is what it was aimed at, `how` completes “it …”. False: to repeat it is harmless."""
        if is_harmless(action):
            return False
        self._open[_key(action, state)] = how
        return True

    def settle(self, action: Action, state: ScreenState) -> None:
        """A person has said what is to become of it."""
        self._open.pop(_key(action, state), None)

    def question(self, action: Action, state: ScreenState, words: str, task_id: str) -> QuestionRequest | None:
        """What to ask before such an action is done again, None for any other."""
        how = self._open.get(_key(action, state))
        if how is None:
            return None
        cut_off = f"“{shorten(words, _WORDS)}” {how}"
        text = f"{cut_off}, and it is not known whether it was done. Do it now?"
        return QuestionRequest(task_id=task_id, text=text, choices=(IT_WAS_DONE, DO_IT))


def is_harmless(action: Action) -> bool:
    """Whether it comes to the same when it is done once more. The parts of a composite action are judged one by one."""
    spec = action.spec
    if spec.effect in {EffectKind.READ, EffectKind.COMPOSITE} or isinstance(action, _HARMLESS):
        return True
    return spec.reversibility is Reversibility.IDEMPOTENT


def _key(action: Action, state: ScreenState) -> _Key:
    aims = tuple(one.fingerprint for one in aimed_at(action, state))
    return action.name, repr(sorted(parameters_of(action).items(), key=lambda one: one[0])), aims
