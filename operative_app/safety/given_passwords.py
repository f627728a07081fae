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
_AROUND = ".,;:!?()[]“”\"'«»`"
_ADDRESS = re.compile(r"^\w+:/|^practice:|^www\.", re.I)
_SHORTEST = 4
"""What is shorter would blot out parts of everything."""


_ASKED_FOR = re.compile(
    r"\b(?:pass(?:word|code|phrase)|pin(?: code)?|(?:one-time|verification|security|sms) code|otp|2fa|cvc|cvv"
    r"|(?:credit |debit )?card(?:'s)? number|api key|access token|private key|recovery phrase|seed phrase"
    r"|kennwort|passwort|mot de passe|contraseña|senha|wachtwoord|hasło)\b|パスワード|密码",
    re.IGNORECASE,
)
_NO_SECRETS = frozenset(
    {"none", "nothing", "skip", "stop", "later", "cancel", "done", "wait", "what", "don't", "nein", "keins", "unknown"}
)
"""Words by which a person answers without giving anything away."""


def asks_for_secret(question: str) -> bool:
    """Whether a question is for a password, a code or the numbers of a card, as far as its words tell."""
    return _ASKED_FOR.search(question) is not None


def secrets_in_answer(text: str) -> tuple[str, ...]:
    """What of an answer to such a question may be the secret itself: its only word, or those with a digit or a sign."""
    words = [one for word in text.split() if (one := word.strip(_AROUND))]
    if len(words) == 1:
        found = [] if words[0].casefold() in _NO_SECRETS else [text.strip(), words[0]]
    else:
        found = [one for one in words if _TELLING.search(one)]
    return tuple(dict.fromkeys((*found, *passwords_in(text))))


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
