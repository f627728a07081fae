"""Text from outside (pages, programs, files, tools, models) as characters that are what they seem.

A person and a model are to read the same. So what shows nothing, turns the reading direction around, moves the cursor
of a terminal or can only carry hidden words is taken out, wherever such text is shown or told.

| characters | become |
|---|---|
| control characters, escapes of terminals among them | a blank; line ends and tabs stay |
| other line ends (U+0085, U+2028, vertical tab, …) | a line end |
| zero-width, filler and direction characters, tags, private use, unassigned for display | nothing |
| variation selectors | nothing, but for a single one after what it varies |
| joiners (U+200C, U+200D) | nothing, but for a single one between two signs of a script or emoji |
| half characters | U+FFFD |
"""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f]")
_INVISIBLE = re.compile(
    "["
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\ue000-\uf8ff\U000f0000-\U0010ffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_LOOSE_STYLE = re.compile('(?:(?<=[\ufe0e\ufe0f\\s\x00-"$-)+-/:-\x7f])|^)[\ufe0e\ufe0f]+')
"""A choice between text and emoji that follows nothing it could choose for. The keycaps # * 0-9 take one."""

_LOOSE_JOINER = re.compile("(?:(?<=[\u200c\u200d\\s\x00-\x7f])|^)[\u200c\u200d]+|[\u200c\u200d]+(?=[\\s\x00-\x7f]|$)")
_SUSPECT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\ue000-\uf8ff"
    "\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
    "]"
)
"""All that any of the others looks for: hardly any text holds one, so one look spares them all."""

_PLAIN_QUOTES = str.maketrans("“”", '""')
_HALF = re.compile("[\ud800-\udfff]")


def harmless(text: str) -> str:
    """The text in lines, without what a person would not see."""
    if not _SUSPECT.search(text):
        return text
    text = _LINE_ENDS.sub("\n", text)
    text = _CONTROL.sub(" ", text)
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    text = _LOOSE_JOINER.sub("", _LOOSE_STYLE.sub("", text))
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def harmless_line(text: str) -> str:
    """The same as one line: white space is folded, so that no text makes a line of its own."""
    return " ".join(harmless(text).split())


def quoted(text: str) -> str:
    """The text as one line in quotation marks which it cannot end itself: its own become plain ones."""
    return f"“{harmless_line(text).translate(_PLAIN_QUOTES)}”"
