"""An action's parameters for log and record."""

from __future__ import annotations

from pydantic import BaseModel

from operative_app.actions.declare import Action
from operative_app.core.screen import ElementRef


def parameters_of(action: Action) -> dict[str, object]:
    """The parameters by name, references to elements by their label; those left out are not listed."""
    return {name: _plain(value) for name, value in action if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, ElementRef):
        return value.label
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, BaseModel):
        return {name: _plain(part) for name, part in value}
    return value
