"""Passwords that stand in a person's own words: “sign in as Ada with the password x1-y2”."""

from __future__ import annotations

import re

_NAME = r"(?:password|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|senha|\bpin)"
_QUOTED = re.compile(
    rf"{_NAME}(?:\s+(?:is|to|of|as|ist))?\s*[:=]?\s*(?:“([^”]+)”|\"([^\"]+)\"|«([^»]+)»|`([^`]+)`)", re.I
)
_PLAIN = re.compile(rf"{_NAME}(?:\s+(?:is|to|of|as|ist))?(?:\s*([:=])\s*|\s+)(?![“\"«`])(\S+)", re.I)
_TELLING = re.compile(r"\d|[^\w\s'’/-]")
_END = ".,;:)"
_ADDRESS = re.compile(r"^\w+:/|^practice:|^www\.", re.I)
_SHORTEST = 4
"""What is shorter would blot out parts of everything."""


def passwords_in(text: str) -> tuple[str, ...]:
    """What the text names as a password, each once: in quotation marks, after a colon, a word with a digit or a sign.

    A plain word after “password” may be any word (“the password field”) and is none.
    """
    found = [next(part for part in match if part) for match in _QUOTED.findall(text)]
    for sign, word in _PLAIN.findall(text):
        plain = word.rstrip(_END)
        if (sign or _TELLING.search(plain)) and not _ADDRESS.search(plain):
            found.append(plain)
    return tuple(dict.fromkeys(one for one in found if len(one) >= _SHORTEST))
