"""Text from outside (pages, programs, files, tools) enters a prompt only inside a fence that it cannot close.

The fence is a pair of lines, the first with a label. Its marks never occur inside, since they are replaced there;
nothing in it is hidden from a person who reads it, since characters that show nothing are taken out.
"""

from __future__ import annotations

import re

from operative_app.core.outside import harmless

_OPEN, _CLOSE = "<<<", ">>>"
_OPEN_INSIDE, _CLOSE_INSIDE = "\u2039" * 3, "\u203a" * 3
"""What stands in their place within a text: quotation marks that look alike."""

_LESS = "<\u00ab\u2039\u226a\u22d8\u276e\u2770\u27e8\u2329\u3008\u300a\ufe64\uff1c"
_MORE = ">\u00bb\u203a\u226b\u22d9\u276f\u2771\u27e9\u232a\u3009\u300b\ufe65\uff1e"
_LIKE_OPEN = re.compile(f"[{_LESS}](?:[^\\S\\n]*[{_LESS}]){{2,}}")
_LIKE_CLOSE = re.compile(f"[{_MORE}](?:[^\\S\\n]*[{_MORE}]){{2,}}")
"""Three or more of what looks like the marks of the fence, also with blanks between them."""

_ROLE = r"system|developer|assistant|human|user|tool|function"
_FORMAT = re.compile(
    rf"</?(?=(?:{_ROLE}|s|bos|eos|instructions?|think|thinking|(?:start|end)_of_turn|(?:start|end|eot)_[a-z_]+|(?:antml:)?"
    r"(?:tool|function)_(?:calls?|results?|response)|(?:antml:)?invoke|(?:antml:)?parameter|SYS)\b[^<>\n]{0,80}>)"
    r"|\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\])",
    re.IGNORECASE,
)
"""The first mark of a tag that a model's own format gives a meaning."""

_TURN = re.compile(rf"^([\s#*_>-]*)({_ROLE})([ \t]*[*_]*[ \t]*):", re.IGNORECASE | re.MULTILINE)
"""A line that begins as a turn of another speaker would."""


def cleaned(text: str) -> str:
    """The text without characters that show nothing, and without marks that a model's own format gives a meaning.

    What is taken for such a mark stays readable for people: its first sign is replaced by one that looks alike, and a
    speaker's name at the beginning of a line is put in quotation marks.
    """
    text = harmless(text).replace("<|", f"{_OPEN_INSIDE[0]}|").replace("|>", f"|{_CLOSE_INSIDE[0]}")
    text = text.replace("<\uff5c", f"{_OPEN_INSIDE[0]}\uff5c").replace("\uff5c>", f"\uff5c{_CLOSE_INSIDE[0]}")
    text = _FORMAT.sub(lambda mark: mark[0].replace("<", _OPEN_INSIDE[0]).replace("[", "("), text)
    text = _TURN.sub(r"\1“\2”\3:", text)
    return _LIKE_CLOSE.sub(_CLOSE_INSIDE, _LIKE_OPEN.sub(_OPEN_INSIDE, text))


def fenced(label: str, text: str) -> str:
    """The text between two lines, of which the first says what it is.

    Args:
        label: What it is, in words of the program itself; never from outside.
    """
    return f"{_OPEN} {label}\n{cleaned(text).strip()}\n{_CLOSE}"
