r"""Blots known secrets out of everything that is told, recorded, shown or sent.

Principle: one exit for all sinks. Whoever reveals a secret tells the redactor first; from then on no text passes it
that holds the secret, as it is or in one of the forms in which pages and programs repeat it.

| form | example of |
|---|---|
| as it is; in other case; broken over lines, with blanks or signs of no width between | an echo on the page |
| percent-encoded, once or twice, as in addresses and forms | `?q=a%20b`, `?q=a+b`, `?u=%3Fq%3Da%2520b` |
| HTML- and JSON-escaped, JSON within JSON | `&amp;`, `&#39;`, `\u00e9` |
| Base64, standard and URL-safe, wherever it begins in a longer text | a basic-authentication header |
| hexadecimal | a dump |
| backwards | what a page makes of it to get it past |

A secret shorter than `MIN_LENGTH` is blotted out only where it stands alone: "a" must not eat every a. One shorter than
`MIN_LOOSE`, or longer than `MAX_LOOSE`, is not looked for in other case or with gaps.
"""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar
from urllib.parse import quote, quote_plus

from pydantic import BaseModel

MASK = "•••"
MIN_LENGTH = 4
MIN_LOOSE = 6
MAX_LOOSE = 64
_MIN_BASE64 = 6
"""A shorter piece of Base64 would be found in texts that have nothing to do with it."""

_GAP = "[\\s\\u00ad\\u200b-\\u200d\\u2060\\ufeff]*"
"""What may stand between two characters of a secret: line ends, blanks, signs of no width."""

_GAPS = dict.fromkeys((0xAD, *range(0x200B, 0x200E), 0x2060, 0xFEFF))

T = TypeVar("T")
ModelT = TypeVar("ModelT", bound=BaseModel)


class Redactor:
    """The secrets revealed so far. Any thread; secrets are only added, for the life of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._secrets: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self._beginnings: tuple[str, ...] = ()

    def add(self, secret: str) -> None:
        """From now on this text is blotted out; white space alone is no secret."""
        if not secret.strip():
            return
        with self._lock:
            if secret in self._secrets:
                return
            self._secrets |= {secret}
            forms = {form for one in self._secrets for form in _forms(one)}
            beginnings = tuple({_plain(form.text)[:MIN_LENGTH] for form in forms})
            pattern = re.compile("|".join(form.pattern for form in sorted(forms, key=_length, reverse=True)))
            self._beginnings, self._pattern = beginnings, pattern

    @property
    def knows_any(self) -> bool:
        return self._pattern is not None

    def holds_secret(self, text: str) -> bool:
        pattern = self._pattern
        return pattern is not None and self._may_hold(text) and pattern.search(text) is not None

    @property
    def version(self) -> int:
        """How many secrets are known."""
        return len(self._secrets)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets begin and end in the text."""
        pattern = self._pattern
        if pattern is None or not self._may_hold(text):
            return []
        return [found.span() for found in pattern.finditer(text)]

    def text(self, text: str) -> str:
        """The text without secrets."""
        pattern = self._pattern
        return pattern.sub(MASK, text) if pattern is not None and self._may_hold(text) else text

    def _may_hold(self, text: str) -> bool:
        """A quick look for how the forms begin: nearly all texts hold none, and the pattern is slow."""
        plain = _plain(text)
        return any(beginning in plain for beginning in self._beginnings)

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


@dataclass(frozen=True, slots=True)
class _Form:
    """One way in which a secret is repeated, and the pattern that finds it."""

    text: str
    pattern: str


def _length(form: _Form) -> tuple[int, str]:
    return len(form.text), form.pattern


def _forms(secret: str) -> Iterator[_Form]:
    folded = " ".join(secret.split())
    if len(secret) < MIN_LENGTH:
        yield _Form(secret, rf"(?<!\w){re.escape(secret)}(?!\w)")
        return
    is_loose = MIN_LOOSE <= len(secret) <= MAX_LOOSE
    for text in dict.fromkeys((secret, folded)):
        yield _Form(text, _loose(text) if is_loose else re.escape(text))
    yield _Form(secret[::-1], re.escape(secret[::-1]))
    for text in dict.fromkeys(_coded(secret)):
        if text not in {secret, folded}:
            yield _Form(text, f"(?i:{re.escape(text)})")
    for text in _base64_forms(secret.encode()):
        yield _Form(text, re.escape(text))


def _loose(text: str) -> str:
    """The text in any case, with gaps allowed between its characters; its own blanks are gaps too."""
    return f"(?i:{_GAP.join(re.escape(sign) for sign in text if not sign.isspace())})"


def _plain(text: str) -> str:
    """A text without gaps and case."""
    return "".join(text.translate(_GAPS).split()).casefold()


def _coded(secret: str) -> Iterator[str]:
    """Forms in which a change of case changes nothing, or may as well be taken for the secret."""
    for coded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield from (coded, quote(coded, safe=""))
    escaped = html.escape(secret)
    yield from (escaped, html.escape(secret, quote=False), escaped.replace("&#x27;", "&#39;"), html.escape(escaped))
    for text in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (text, json.dumps(text)[1:-1])
    yield secret.encode().hex()


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
