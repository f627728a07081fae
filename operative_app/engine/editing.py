"""What a person may change in an action before approving it, and the changed action.

Principle: only texts that were shown may be changed; what goes into password fields and secrets is never offered. The
changed action is read by the action's own declaration, as one from a planner is. What was changed in a part of a
composite action holds for the whole as well, which is verified by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import ValidationError

from operative_app.actions.composite import FieldEntry, FillForm
from operative_app.actions.declare import Action
from operative_app.actions.masking import told
from operative_app.actions.secrets import holds_secret
from operative_app.core.errors import OperativeError
from operative_app.core.requests import EditableField
from operative_app.core.screen import ScreenState

_LONG = 60
"""Texts of so many characters, and those of several lines, get more than one line to be changed in."""

_ANY = "any text"
"""What it is found out with whether a text would be hidden there; the one at hand may be empty."""


@dataclass(frozen=True, slots=True)
class _Text:
    """One text parameter of an action, or a list of texts, one a line; or the text of one field of a form.

    Attributes:
        entry: The field's place among those of the form, -1 for no field.
    """

    name: str
    label: str
    value: str
    is_list: bool = False
    entry: int = -1


class EditFault(OperativeError):
    """A changed text cannot be taken.

    Attributes:
        faults: Why, by the name of the field.
    """

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = faults


def editable_fields(action: Action, state: ScreenState) -> tuple[EditableField, ...]:
    """The texts of the action that may be changed on this screen."""
    return tuple(
        EditableField(
            name=text.name,
            label=text.label,
            value=text.value,
            is_long=text.is_list or len(text.value) > _LONG or "\n" in text.value,
        )
        for text in _texts(action, state)
    )


def edited(action: Action, changes: Sequence[tuple[str, str]], state: ScreenState) -> Action:
    """The action with the changes made.

    Raises:
        EditFault: A text may not be changed, or the action's declaration does not take the new one.
    """
    texts = {text.name: text for text in _texts(action, state)}
    parameters: dict[str, Any] = dict(action)
    for name, value in changes:
        if name not in texts:
            raise EditFault({name: "This cannot be changed."})
        is_list, entry = texts[name].is_list, texts[name].entry
        if entry >= 0:
            parameters["fields"] = _with_entry(parameters["fields"], entry, value)
            continue
        parameters[name] = tuple(line for line in value.splitlines() if line.strip()) if is_list else value
    try:
        return type(action).model_validate(parameters)
    except ValidationError as error:
        raise EditFault(_faults(error, [name for name, _ in changes])) from error


def with_changed_part(whole: Action, part: Action, changed: Action) -> Action:
    """A composite action with what a person changed in one of its parts."""
    if not isinstance(whole, FillForm) or changed == part or part.target_ref is None:
        return whole
    value = getattr(changed, "text", getattr(changed, "option", None))
    places = [entry.target.fingerprint for entry in whole.fields]
    if value is None or part.target_ref.fingerprint not in places:
        return whole
    fields = _with_entry(whole.fields, places.index(part.target_ref.fingerprint), value)
    return whole.model_copy(update={"fields": fields})


def _with_entry(fields: tuple[FieldEntry, ...], place: int, value: str) -> tuple[FieldEntry, ...]:
    changed = fields[place].model_copy(update={"value": value})
    return (*fields[:place], changed, *fields[place + 1 :])


def _texts(action: Action, state: ScreenState) -> list[_Text]:
    found: list[_Text] = _entries(action, state) if isinstance(action, FillForm) else []
    for name, field in type(action).model_fields.items():
        value, label = getattr(action, name), _label(field.description or name)
        if isinstance(value, str) and not isinstance(value, Enum):
            if getattr(told(action.model_copy(update={name: _ANY}), state).action, name) == _ANY:
                found.append(_Text(name, label, value))
        elif isinstance(value, tuple) and value and all(isinstance(one, str) for one in value):
            found.append(_Text(name, f"{label}, one a line", "\n".join(value), is_list=True))
    return [text for text in found if not holds_secret(text.value)]


def _entries(form: FillForm, state: ScreenState) -> list[_Text]:
    """The texts of a form's fields, without those that would be hidden."""
    typed = FillForm(fields=tuple(entry.model_copy(update={"value": _ANY}) for entry in form.fields))
    shown = told(typed, state).action
    assert isinstance(shown, FillForm)  # noqa: S101 - what is told is of the same kind
    return [
        _Text(f"fields.{place}", entry.target.label or f"Field {place + 1}", entry.value, entry=place)
        for place, (entry, one) in enumerate(zip(form.fields, shown.fields, strict=True))
        if one.value == _ANY
    ]


def _label(description: str) -> str:
    """“the address, http or https” → “The address”."""
    words = description.partition(",")[0].partition(";")[0]
    return words[:1].upper() + words[1:]


def _faults(error: ValidationError, changed: Sequence[str]) -> dict[str, str]:
    """What is wrong, at the changed field it belongs to, or at the first one when it belongs to none of them."""
    faults: dict[str, str] = {}
    for fault in error.errors():
        name = str(fault["loc"][0]) if fault["loc"] else ""
        words = " ".join(str(fault["msg"]).removeprefix("Value error, ").split())
        if fault["type"] in {"string_too_short", "too_short"} and fault["ctx"]["min_length"] == 1:
            words = "It cannot be empty."
        sentence = f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"
        faults.setdefault(name if name in changed else changed[0], sentence)
    return faults
