"""What of an action may be told: a text that goes into a password field stands in no label, event, prompt or record.

The same holds for fields for one-time codes and cards' numbers. Recognised by the state of the element that gets it,
and by parameters declared with `repr=False`. A stored secret's name, `{{secret:name}}`, is no secret and stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.actions.browser import Fill
from operative_app.actions.composite import FillForm, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import TypeText
from operative_app.actions.secrets import MASK, is_secret_name
from operative_app.core.screen import ElementRef, ScreenState

_CERTAIN = 4
"""Hidden texts of so many characters are blotted out wherever they stand; shorter ones only where they are quoted."""


@dataclass(frozen=True, slots=True)
class Told:
    """An action as it may be told, and the texts that must not be."""

    action: Action
    hidden: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        return self.action.words

    def scrub(self, text: str) -> str:
        """The text with what must not be told blotted out."""
        for secret in sorted(self.hidden, key=len, reverse=True):
            text = text.replace(f"“{secret}”", f"“{MASK}”")
            if len(secret) >= _CERTAIN:
                text = text.replace(secret, MASK)
        return text


def told(action: Action, state: ScreenState) -> Told:
    """The action with what goes into password fields of this state masked."""
    updates: dict[str, object] = {}
    hidden: set[str] = set()

    def mask(text: str) -> str:
        if not text or is_secret_name(text):
            return text
        hidden.add(text)
        return MASK

    match action:
        case Fill() if _is_concealed(action.target, state):
            updates["text"] = mask(action.text)
        case SearchAndClick() if _is_concealed(action.field, state):
            updates["query"] = mask(action.query)
        case TypeText() if _has_concealed_focus(state):
            updates["text"] = mask(action.text)
        case FillForm():
            updates["fields"] = tuple(
                entry.model_copy(update={"value": mask(entry.value)}) if _is_concealed(entry.target, state) else entry
                for entry in action.fields
            )
        case _:
            pass
    for name, field in type(action).model_fields.items():
        value = getattr(action, name)
        if not field.repr and isinstance(value, str):
            updates[name] = mask(value)
    return Told(action.model_copy(update=updates) if hidden else action, frozenset(hidden))


def _is_concealed(ref: ElementRef, state: ScreenState) -> bool:
    element = state.find(ref)
    return element is not None and element.is_concealed


def _has_concealed_focus(state: ScreenState) -> bool:
    focused = state.element(state.focus) if state.focus else None
    return focused is not None and focused.is_concealed
