"""Saved secrets on their way into a field: whether they may go there, and the last moment at which they become values.

Principle: a value is fetched only while the action runs, after the surface itself has said which document or program
the field belongs to; before it is handed out, everything that tells, records or pictures knows it as concealed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

from operative_app.actions.browser import Fill
from operative_app.actions.composite import FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import TypeText
from operative_app.actions.secrets import names_in, secret_names, with_values
from operative_app.core.errors import OperativeError, RefusedAction
from operative_app.core.ports import Surface
from operative_app.core.screen import Element, ElementRef, ElementState, ScreenState
from operative_app.core.secrets import Revealed, SavedSecret, SecretBook
from operative_app.engine.attempt import DeclinedError
from operative_app.engine.hub import EventHub
from operative_app.safety.policy import Decision, Verdict
from operative_app.safety.secret_rules import refusal

RECALL_S = 5.0
IN_SIGHT = "secret in sight"
"""Name of the rule that asks before a secret goes where it can be read."""

_FILLING = (Fill, TypeText, FillForm, Login, SearchAndClick)


class Revealer:
    """The saved secrets of one run. Owned by the agent thread."""

    def __init__(self, book: SecretBook, surface: Surface, hub: EventHub) -> None:
        self._book = book
        self._surface = surface
        self._hub = hub

    async def recall(self) -> None:
        """Conceal what was filled in before, in this process or an earlier one: it may stand on the screen still.

        Bounded; what cannot be had by then (a keyring that is locked) stays unknown until it is used again.
        """
        used = [one for one in self._book.names() if one.was_used]
        if used:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.to_thread(self._recall, used), RECALL_S)

    def _recall(self, used: Sequence[SavedSecret]) -> None:
        for secret in used:
            with contextlib.suppress(OperativeError):
                self._hub.conceal([self._book.value(secret.name)])

    def check(self, action: Action) -> None:
        """Refuse what names a secret that is not saved, or names one elsewhere than in a text for a field.

        Raises:
            DeclinedError: In words.
        """
        names = secret_names(action)
        if not names:
            return
        if not isinstance(action, _FILLING):
            raise DeclinedError(f"“{names[0]}” was not used: a secret goes into a field and nowhere else")
        for name in names:
            self._known(name)

    def raised(self, verdict: Verdict, action: Action, state: ScreenState) -> Verdict:
        """The verdict, made a question where a secret would stand where it can be read."""
        field = next((one for one in self.in_sight(action, state)), None)
        if field is None or verdict.decision is Decision.DENY:
            return verdict
        name, where = field
        reason = f"“{name}” would be readable in {where}: it is no password field."
        if verdict.decision is Decision.CONFIRM:
            return verdict.model_copy(update={"reason": f"{reason} {verdict.reason}"})
        effect = "Whoever sees the screen can read it."
        return verdict.model_copy(
            update={"decision": Decision.CONFIRM, "rule": IN_SIGHT, "reason": reason, "effect": effect}
        )

    def in_sight(self, action: Action, state: ScreenState) -> Iterator[tuple[str, str]]:
        """Names of secrets the action itself would put where they can be read, and the field in words."""
        match action:
            case Fill():
                element, text = state.find(action.target), action.text
            case TypeText():
                element, text = state.element(state.focus) if state.focus else None, action.text
            case _:
                return
        if element is None or not element.has(ElementState.PASSWORD):
            yield from ((name, _label(element)) for name in names_in(text))

    async def reveal(self, text: str, target: ElementRef | None, *, may_be_read: bool) -> Revealed:
        """The text for the field `target`, or for what has the focus.

        Args:
            may_be_read: The person agreed to it standing where it can be read.

        Raises:
            DeclinedError: A secret may not go there, or cannot be had.
            RefusedAction: The field is no password field any more.
        """
        names = names_in(text)
        if not names:
            return Revealed(text)
        place = await self._surface.field_place(target)
        secrets = [self._known(name) for name in names]
        for secret in secrets:
            if fault := refusal(secret, place, self._surface.kind):
                raise DeclinedError(fault)
        if not place.is_password and not may_be_read:
            raise RefusedAction(f"{place.label or 'the field'} is no password field; “{names[0]}” was not filled in")
        values: dict[str, str] = {}
        for name, secret in zip(names, secrets, strict=True):
            try:
                values[name] = await asyncio.to_thread(self._book.value, secret.name)
            except OperativeError as error:
                raise DeclinedError(f"“{secret.name}” was not filled in: {error}") from error
        self._hub.conceal(values.values())
        try:
            for secret in secrets:
                await asyncio.to_thread(self._book.note_used, secret.name)
        except OperativeError as error:
            raise DeclinedError(f"“{names[0]}” was not filled in: {error}") from error
        return Revealed(with_values(text, values), place)

    def _known(self, name: str) -> SavedSecret:
        for secret in self._book.names():
            if secret.name.casefold() == name.casefold():
                return secret
        raise DeclinedError(f"no secret named “{name}” is saved; save it under Saved secrets, or sign in yourself")


def _label(element: Element | None) -> str:
    return element.label if element is not None else "what has the focus"
