r"""Blots known secrets out of everything that is told, recorded, shown or sent.

Principle: one exit for all sinks. Whoever reveals a secret tells the redactor first; from then on no text passes it
that holds the secret, as it is or in one of the forms in which pages and programs repeat it.

| form | example of |
|---|---|
| as it is; blanks folded | an echo on the page |
| percent-encoded, as in addresses and forms | `?q=a%20b`, `?q=a+b` |
| HTML- and JSON-escaped | `&amp;`, `\u00e9` |
| Base64, standard and URL-safe, wherever it begins in a longer text | a basic-authentication header |
| hexadecimal | a dump |

A secret shorter than `MIN_LENGTH` is blotted out only where it stands alone: "a" must not eat every a.
"""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from collections.abc import Iterator
from enum import Enum
from typing import TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel

MASK = "•••"
MIN_LENGTH = 4
_MIN_BASE64 = 6
"""A shorter piece of Base64 would be found in texts that have nothing to do with it."""

T = TypeVar("T")
ModelT = TypeVar("ModelT", bound=BaseModel)


class Redactor:
    """The secrets revealed so far. Any thread; secrets are only added, for the life of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._secrets: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None

    def add(self, secret: str) -> None:
        """From now on this text is blotted out; white space alone is no secret."""
        if not secret.strip():
            return
        with self._lock:
            if secret in self._secrets:
                return
            self._secrets |= {secret}
            forms = {form for one in self._secrets for form in _forms(one)}
            self._pattern = re.compile("|".join(_as_pattern(form) for form in sorted(forms, key=len, reverse=True)))

    @property
    def knows_any(self) -> bool:
        return self._pattern is not None

    def holds_secret(self, text: str) -> bool:
        pattern = self._pattern
        return pattern is not None and pattern.search(text) is not None

    def text(self, text: str) -> str:
        """The text without secrets."""
        pattern = self._pattern
        return text if pattern is None else pattern.sub(MASK, text)

    def value(self, value: T) -> T:
        """A value of strings, tuples, lists, dictionaries and models without secrets; the same one when it has none."""
        return value if self._pattern is None else self._clean(value)

    def _clean(self, value: T) -> T:
        cleaned: object = value
        if isinstance(value, str) and not isinstance(value, Enum):
            cleaned = self.text(value)
        elif isinstance(value, BaseModel):
            cleaned = self._clean_model(value)
        elif isinstance(value, dict):
            items = {self._clean(key): self._clean(item) for key, item in value.items()}
            cleaned = items if items != value else value
        elif isinstance(value, (tuple, list, frozenset, set)):
            parts = type(value)(self._clean(item) for item in value)
            cleaned = parts if parts != value else value
        return cleaned  # type: ignore[return-value]  # every branch keeps the type

    def _clean_model(self, model: ModelT) -> ModelT:
        changed = {}
        for name in type(model).model_fields:
            before = getattr(model, name)
            after = self._clean(before)
            if after is not before and after != before:
                changed[name] = after
        return model.model_copy(update=changed) if changed else model


def _forms(secret: str) -> Iterator[str]:
    yield secret
    if len(secret) < MIN_LENGTH:
        return
    yield " ".join(secret.split())
    yield from (quote(secret, safe=""), quote(secret), quote_plus(secret))
    yield html.escape(secret)
    yield html.escape(secret, quote=False)
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    raw = secret.encode()
    yield raw.hex()
    yield raw.hex().upper()
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[str]:
    """What stays the same of the Base64 text wherever the secret begins: at the three places within a group."""
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode()
        first = (0, 2, 3)[shift]
        last = len(coded) - (0, 3, 2)[(shift + len(raw)) % 3]
        piece = coded[first:last]
        if len(piece) >= _MIN_BASE64:
            yield piece
            yield piece.replace("+", "-").replace("/", "_")


def _as_pattern(form: str) -> str:
    escaped = re.escape(form)
    return escaped if len(form) >= MIN_LENGTH else rf"(?<!\w){escaped}(?!\w)"
