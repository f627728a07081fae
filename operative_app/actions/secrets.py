"""References to stored secrets in parameters: `{{secret:name}}`. Their values appear in their fields alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from operative_app.actions.declare import Action
from operative_app.core.screen import ElementRef
from operative_app.core.values import Value

MASK = "•••"
"""Stands for what must not be told, in texts that are told and in what is seen."""

_SECRET = re.compile(r"\{\{\s*secret:([^{}]+)\}\}")


def holds_secret(text: str) -> bool:
    """Whether the text names a stored secret, which is revealed only into its field."""
    return _SECRET.search(text) is not None


def is_secret_name(text: str) -> bool:
    """Whether the text is the name of a stored secret and nothing else, so that it may be shown."""
    return _SECRET.fullmatch(text.strip()) is not None


def secret_names(action: Action) -> list[str]:
    """The names of the secrets an action's texts refer to, those of nested values included, each once."""
    return list(dict.fromkeys(name for text in _texts(action) for name in names_in(text)))


def names_in(text: str) -> list[str]:
    """The names in a text as they are written there, each once."""
    return list(dict.fromkeys(name.strip() for name in _SECRET.findall(text)))


def with_values(text: str, values: Mapping[str, str]) -> str:
    """The text with values for the names `names_in` gave; what a value holds is never taken for a name."""
    return _SECRET.sub(lambda found: values[found[1].strip()], text)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Value) and not isinstance(value, ElementRef):  # what a page calls its parts is no name
        for _, part in value:
            yield from _texts(part)
