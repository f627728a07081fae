"""Passwords the person gave: a model is told a name in their place, and the name becomes the password in its field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from operative_app.actions.browser import Fill
from operative_app.actions.composite import FillForm, Login
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import TypeText
from operative_app.core.screen import ElementRef, ScreenState
from operative_app.llm.messages import Message, ModelRequest, TextPart
from operative_app.safety.given_passwords import passwords_in
from operative_app.safety.redaction import Redactor


class GivenPasswords:
    """Of one run; owned by the agent thread. What a page repeats of them is not told either.

    Attributes:
        cleaned: Takes out what must not be told besides: saved secrets that were filled in.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._redactor = Redactor()
        self.cleaned: Callable[[str], str] = str

    def hear(self, texts: Iterable[str]) -> None:
        """Take note of the passwords in the person's words. Idempotent."""
        for password in (one for text in texts for one in passwords_in(text)):
            if password not in self._names:
                count = len(self._names) + 1
                self._names[password] = f"{{{{secret:password{f' {count}' if count > 1 else ''}}}}}"
                self._redactor.add(password)

    def hide(self, request: ModelRequest) -> ModelRequest:
        """The question without them."""
        messages = tuple(self._hidden_in(message) for message in request.messages)
        return replace(request, system=self._hidden(request.system), messages=messages)

    def reveal(self, actions: Sequence[Action], state: ScreenState) -> tuple[Action, ...]:
        """The actions with passwords for their names where a password field gets them; elsewhere the names stay."""
        return tuple(self._revealed(action, state) for action in actions) if self._names else tuple(actions)

    def _revealed(self, action: Action, state: ScreenState) -> Action:
        match action:
            case Fill() if _is_password(action.target, state):
                return action.model_copy(update={"text": self._shown(action.text)})
            case FillForm():
                fields = tuple(
                    one.model_copy(update={"value": self._shown(one.value)}) if _is_password(one.target, state) else one
                    for one in action.fields
                )
                return action.model_copy(update={"fields": fields})
            case Login():
                return action.model_copy(update={"password": self._shown(action.password)})
            case TypeText() if (focused := state.element(state.focus) if state.focus else None) is not None:
                is_password = focused.is_concealed
                return action.model_copy(update={"text": self._shown(action.text)}) if is_password else action
            case _:
                return action

    def _shown(self, text: str) -> str:
        for password, name in self._names.items():
            text = text.replace(name, password)
        return text

    def _hidden(self, text: str) -> str:
        for password in sorted(self._names, key=len, reverse=True):
            text = text.replace(password, self._names[password])
        return self.cleaned(self._redactor.text(text))

    def _hidden_in(self, message: Message) -> Message:
        parts = tuple(TextPart(self._hidden(one.text)) if isinstance(one, TextPart) else one for one in message.parts)
        return replace(message, parts=parts)


def _is_password(ref: ElementRef, state: ScreenState) -> bool:
    element = state.find(ref)
    return element is not None and element.is_concealed
