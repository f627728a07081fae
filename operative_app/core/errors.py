"""The one tree of errors.

OperativeError
├── ActionError        an action could not be carried out; told to the planner, the run goes on
│   ├── StaleReference the element of an older observation is gone or no longer unique
│   ├── RefusedAction  a pre-condition or the policy said no; nothing was touched
│   ├── EffectUnknown  it was sent, and nothing answered; it may have taken effect
│   └── HalfDone       it was begun and did not come to its end
├── SurfaceError       the browser or the desktop cannot be used
│   ├── SurfaceClosed  it was closed or crashed during the run
│   └── SurfaceMissing it is not installed, or cannot be started here
├── PlanningError      a planner could not do its work
│   └── NotUnderstood  a part of the goal cannot be interpreted; carries that part
├── PromptError        a prompt file is missing or wrong
├── ModelError         an endpoint failed
├── SettingsError      a setting or an argument is wrong
└── StoreError         the record cannot be written or read

Every message is a sentence for a person: what happened, and what can be done.
"""

from __future__ import annotations


class OperativeError(Exception):
    """Base of all errors this application raises on purpose."""


class ActionError(OperativeError):
    """An action could not be carried out; the planner is told why."""


class StaleReference(ActionError):
    """The element seen in an older observation is gone or no longer unique."""


class RefusedAction(ActionError):
    """A pre-condition or the policy refused the action; nothing was touched."""


class EffectUnknown(ActionError):
    """The action was sent and nothing answered: it may have taken effect, so it is not sent again unasked."""


class HalfDone(ActionError):
    """The action did not come to its end: done again as it is, its first part would be done twice."""


class SurfaceError(OperativeError):
    """A surface cannot be used."""


class SurfaceClosed(SurfaceError):
    """The surface was closed or crashed during the run."""


class SurfaceMissing(SurfaceError):
    """The surface is not installed or cannot be started here."""


class PlanningError(OperativeError):
    """A planner could not do its work."""


class NotUnderstood(PlanningError):
    """A part of the goal cannot be interpreted.

    Attributes:
        part: The words of the goal that were not understood, as typed.
        hint: What the person could write instead; may be empty.
        is_for_model: A model might understand it.
    """

    def __init__(self, message: str, *, part: str, hint: str = "", is_for_model: bool = True) -> None:
        super().__init__(message)
        self.part = part
        self.hint = hint
        self.is_for_model = is_for_model


class PromptError(OperativeError):
    """A prompt file is missing or wrong."""


class ModelError(OperativeError):
    """A model endpoint failed."""


class SettingsError(OperativeError):
    """A setting or an argument is wrong; nothing was changed."""


class StoreError(OperativeError):
    """The record cannot be written or read."""
