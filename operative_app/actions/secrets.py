"""References to stored secrets in parameters: `{{secret:name}}`. Their values appear in their fields alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operative_app.actions.declare import Action
from operative_app.core.values import Value

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
    return [name.strip() for name in _SECRET.findall(text)]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Value):
        for _, part in value:
            yield from _texts(part)
