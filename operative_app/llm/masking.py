"""Keys stay out of everything that is shown, logged or recorded.

Servers repeat keys in their messages, whole or in part, so besides the key itself everything that looks like one goes.
"""

from __future__ import annotations

import re

MASK = "(key)"

_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|nvapi|hf|tgp|csk)[-_](?=[\w*.\-]*[\d*])[\w*.\-]{6,}[\w*]"
    r"|\bAIza[\w\-]{20,}"
    r"|(?<=Bearer )[\w\-.~+/]{8,}=*",
)
_SHORTEST_PART = 8


def mask(text: str, key: str) -> str:
    """The text without the key, without a long beginning or end of it, and without what looks like a key."""
    text = _LOOKS_LIKE_A_KEY.sub(MASK, text)
    if len(key) >= _SHORTEST_PART and key[:_SHORTEST_PART] in text:
        text = re.sub(rf"{re.escape(key[:_SHORTEST_PART])}[A-Za-z0-9_*.\-+/=]*", MASK, text)
    if len(key) >= 2 * _SHORTEST_PART and key[-_SHORTEST_PART:] in text:
        text = re.sub(rf"[A-Za-z0-9_*.\-+/=]*{re.escape(key[-_SHORTEST_PART:])}", MASK, text)
    return text.replace(key, MASK) if key else text
