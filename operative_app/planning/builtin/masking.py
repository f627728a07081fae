"""Keeps text together that the grammar must not look into: quotations, addresses, e-mail addresses.

Each becomes one character of Unicode's private use area, so that patterns can treat it as one letter of a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

FIRST = 0xE000
LAST = 0xF8FF
PART = f"[{chr(FIRST)}-{chr(LAST)}]"
"""Pattern for one masked part."""

_QUOTES = {"“": "”", "„": "“”", "«": "»", "‘": "’", '"': '"”', "'": "'’", "「": "」", "`": "`"}
_PAIRS = (("“", "”"), ('"', '"'), ("«", "»"), ("「", "」"))
_NAMED = r"(?:the |my )?(?:saved |stored )?secret (?:named |called )?"
_SECRET_QUOTED = re.compile(rf"\b{_NAMED}(?:“([^“”{{}}]+)”|\"([^\"{{}}]+)\"|‘([^‘’{{}}]+)’|'([^'{{}}]+)')")
_SECRET_PLAIN = re.compile(rf"(?:(?<=with )|(?<=using )){_NAMED}([\w.-]*\w)(?=\s*(?:$|[,;.]|\b(?:and|then)\b))")
_BARE_SECRET = re.compile(r"(?<![“\"'«‘`„「])\{\{\s*secret:[^{}]+\}\}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FILE_ENDINGS = frozenset(
    (  # noqa: SIM905 - a list of words
        "pdf png jpg jpeg gif txt csv doc docx xls xlsx ppt pptx zip json xml html htm md py js mp3 mp4 mov svg webp"
    ).split()
)
_ADDRESS = re.compile(
    r"(?<![\w@.])(?:"
    r"[a-z][a-z0-9+.-]*://[^\s]+"
    r"|practice:[a-z0-9_-]+(?:[/?#][^\s]*)?"
    r"|about:[a-z]+"
    r"|localhost(?::\d+)?(?:/[^\s]*)?"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/[^\s]*)?"
    r"|(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#][^\s]*)?"
    r")",
    re.IGNORECASE,
)
_ENTRY = r"[A-Z][\w’'&.-]*…?(?:\s+(?:(?:and|as|of|to|in|the|for|&)\s+)?[A-Z][\w’'&-]*…?)*(?:\s+as(?=\s*(?:[,.;]|$|and\b|then\b)))?(?:\.\.\.)?"  # noqa: E501 - a pattern reads best on one line
_MENU = re.compile(rf"\b[A-Z][\w-]*(?:\s*(?:->|[>→▸])\s*{_ENTRY})+")
"""“File > Save As…”: words that begin with capitals, with arrows between."""


NEW_LINE = "⏎"
"""Stands for a line break of a text to be typed, so that a task fits in one line and can be read and changed there."""


class PartKind(StrEnum):
    QUOTE = "quote"
    ADDRESS = "address"
    EMAIL = "email"
    MENU = "menu"


_Adder = Callable[[PartKind, str, str], str]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the goal that stays together; `raw` is as typed, with its quotation marks."""

    kind: PartKind
    text: str
    raw: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A goal with its parts masked. `is_desktop`: it is meant for the desktop, whose rows of the grammar come first."""

    text: str
    parts: tuple[Part, ...]
    is_desktop: bool = False

    def part(self, char: str) -> Part | None:
        index = ord(char) - FIRST if len(char) == 1 else -1
        return self.parts[index] if 0 <= index < len(self.parts) else None

    def reveal(self, text: str) -> str:
        """The text with the content of its parts, without quotation marks, white space folded."""
        return " ".join(self.written(text).replace(NEW_LINE, " ").split())

    def written(self, text: str) -> str:
        """What is to be typed: as `reveal`, but with `NEW_LINE` where a quotation goes on in a new line."""
        return self._filled(text, raw=False)

    def raw(self, text: str) -> str:
        """The text as the person typed it."""
        return self._filled(text, raw=True)

    def kind_of(self, text: str) -> PartKind | None:
        """The kind of the one part the text consists of; None when it is more or less than one."""
        part = self.part(text.strip())
        return part.kind if part else None

    def _filled(self, text: str, *, raw: bool) -> str:
        pieces: list[str] = []
        for char in text:
            part = self.part(char)
            pieces.append(char if part is None else part.raw if raw else part.text)
        return " ".join("".join(pieces).split())


def mask(goal: str, *, is_desktop: bool = False) -> Masked:
    """Mask the quotations, addresses and e-mail addresses of a goal; on the desktop menu paths instead of addresses."""
    clean = "".join(" " if FIRST <= ord(char) <= LAST else char for char in goal)
    parts: list[Part] = []

    def add(kind: PartKind, text: str, raw: str) -> str:
        if len(parts) > LAST - FIRST:
            return raw
        parts.append(Part(kind, " ".join(text.split()), raw))
        return chr(FIRST + len(parts) - 1)

    text = _mask_quotes(_with_secrets_quoted(clean), add)
    text = _EMAIL.sub(lambda found: add(PartKind.EMAIL, found[0], found[0]), text)
    if is_desktop:
        text = _MENU.sub(lambda found: add(PartKind.MENU, found[0], found[0]), text)
    else:
        text = _ADDRESS.sub(lambda found: _masked_address(found[0], add), text)
    return Masked(text, tuple(parts), is_desktop)


def _with_secrets_quoted(text: str) -> str:
    """Each name of a saved secret as `“{{secret:name}}”`, also where it is told in words: the secret “shop”."""
    for pattern in (_SECRET_QUOTED, _SECRET_PLAIN):
        text = pattern.sub(lambda found: f"“{{{{secret:{next(filter(None, found.groups()))}}}}}”", text)
    return _BARE_SECRET.sub(lambda found: f"“{found[0]}”", text)


def is_address(text: str) -> bool:
    """Whether the whole text reads as an address that could be opened."""
    found = _ADDRESS.fullmatch(text.strip())
    return found is not None and not _is_file_name(text.strip())


def as_typed(value: str, *, is_multiline: bool = True) -> str:
    """A value with its line breaks; a space for each where only one line can be written."""
    return value.replace(NEW_LINE, "\n" if is_multiline else " ")


def quote(text: str) -> str:
    """Quotation marks around a text, such that `mask` gives the text back."""
    folded = " ".join(text.split())
    for opening, closing in _PAIRS:
        if opening not in folded and closing not in folded and not (opening == '"' and "”" in folded):
            return f"{opening}{folded}{closing}"
    for char in "“”":
        folded = folded.replace(char, "'")
    return f"“{folded}”"


def _mask_quotes(text: str, add: _Adder) -> str:
    pieces: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        end = _closing(text, position) if char in _QUOTES else -1
        if end < 0:
            pieces.append(char)
            position += 1
            continue
        lines = [line.strip() for line in text[position : end + 1].splitlines()]
        quotation = NEW_LINE.join(lines)
        pieces.append(add(PartKind.QUOTE, quotation[1:-1], quotation))
        position = end + 1
    return "".join(pieces)


def _closing(text: str, start: int) -> int:
    """Index of the mark that closes the quotation opened at `start`, -1 when it opens none."""
    opening = text[start]
    closers = _QUOTES[opening]
    before = text[start - 1] if start else " "
    if opening in "'‘\"`" and (before.isalnum() or before == "’"):
        return -1
    depth = 0
    for index in range(start + 1, len(text)):
        char = text[index]
        after = text[index + 1] if index + 1 < len(text) else " "
        if char == opening and opening in "“«「":
            depth += 1
        elif char in closers:
            if char in "'’" and after.isalnum():
                continue  # an apostrophe inside a word
            if depth == 0:
                return index if text[start + 1 : index].strip() else -1
            depth -= 1
    return -1


def _masked_address(raw: str, add: _Adder) -> str:
    kept = raw
    while kept and (kept[-1] in ".,;:!?»”’'\"" or (kept[-1] == ")" and kept.count(")") > kept.count("("))):
        kept = kept[:-1]
    if not _ADDRESS.fullmatch(kept) or _is_file_name(kept):
        return raw
    return add(PartKind.ADDRESS, kept, kept) + raw[len(kept) :]


def _is_file_name(text: str) -> bool:
    has_path = "/" in text or ":" in text
    return not has_path and text.rsplit(".", 1)[-1].casefold() in _FILE_ENDINGS
