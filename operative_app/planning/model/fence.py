"""Text from outside (pages, programs, files, tools) enters a prompt only inside a fence that it cannot close.

The fence is a pair of lines, the first with a label. Its marks never occur inside, since they are replaced there;
nothing in it is hidden from a person who reads it, since characters that show nothing are taken out.
"""

from __future__ import annotations

import re

_OPEN, _CLOSE = "<<<", ">>>"
_OPEN_INSIDE, _CLOSE_INSIDE = "\u2039" * 3, "\u203a" * 3
"""What stands in their place within a text: quotation marks that look alike."""

_INVISIBLE = re.compile(
    "["
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
"""Tags, direction overrides, zero-width and filler characters. Joiners (U+200C, U+200D) stay: scripts and emoji need them."""  # noqa: E501
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def cleaned(text: str) -> str:
    """The text without characters that show nothing, and without marks that a model's own format gives a meaning."""
    text = _CONTROL.sub(" ", _INVISIBLE.sub("", text))
    text = text.replace("<|", f"{_OPEN_INSIDE[0]}|").replace("|>", f"|{_CLOSE_INSIDE[0]}")
    return text.replace(_OPEN, _OPEN_INSIDE).replace(_CLOSE, _CLOSE_INSIDE)


def fenced(label: str, text: str) -> str:
    """The text between two lines, of which the first says what it is.

    Args:
        label: What it is, in words of the program itself; never from outside.
    """
    return f"{_OPEN} {label}\n{cleaned(text).strip()}\n{_CLOSE}"
