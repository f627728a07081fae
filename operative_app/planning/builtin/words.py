"""Comparing the words of people with the words of pages."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

EXACT = 100.0
SAME_MEANING = 94.0
GOOD = 72.0
"""From here on a name is taken for what the person meant."""
SIMILAR = 55.0
"""From here on a name is worth mentioning as "did you mean"."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|\+|&")
_FILLER = frozenset(
    ("the a an my your our this that these those of to for in on at and or with it its please me & into").split()  # noqa: SIM905 - a list of words
)
_PHRASES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\be[- ]?mail\b", "email"),
        (r"\b(?:sign|log)[- ]?in\b", "signin"),
        (r"\b(?:sign|log)[- ]?(?:out|off)\b", "signout"),
        (r"\bsign[- ]?up\b", "signup"),
        (r"\bcheck[- ]?out\b", "checkout"),
        (r"\b(?:post|zip)[- ]?code\b|\bzip\b", "postcode"),
        (r"\b(?:tele)?phone(?: number)?\b|\bmobile(?: number)?\b", "phone"),
        (r"\bdate of birth\b|\bbirth[- ]?date\b|\bbirthday\b", "birthdate"),
        (r"\bfirst name\b|\bgiven name\b|\bforename\b", "firstname"),
        (r"\blast name\b|\bfamily name\b|\bsurname\b", "lastname"),
    )
)
_HAS_PHRASE = re.compile(r"mail|sign|log|check|post|zip|phone|mobile|birth|first|given|forename|last|family|surname")
_SAME = {
    word: group[0]
    for group in (
        ("cart", "basket", "bag", "trolley", "warenkorb", "panier"),
        ("email", "mail", "courriel"),
        ("colour", "color"),
        ("search", "find", "suche", "suchen", "rechercher", "buscar"),
        ("quantity", "qty", "menge"),
        ("delete", "remove"),
        ("setting", "preference"),
        ("help", "support"),
        ("continue", "proceed", "weiter"),
        ("photo", "picture", "image"),
        ("jpeg", "jpg"),
        ("repository", "repo"),
    )
    for word in group
}
_SIGNS = str.maketrans("−–×÷", "--*/")  # as keyboards have them and as buttons show them
_PREFIXES = ("un", "dis", "non", "de", "re", "in", "im", "sub")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Lower case, accents off, common spellings made one, punctuation off."""
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in decomposed if not unicodedata.combining(char)).replace("’", "'")
    if _HAS_PHRASE.search(plain):
        for pattern, replacement in _PHRASES:
            plain = pattern.sub(replacement, plain)
    return " ".join(_WORD.findall(plain.replace("'", "")))


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    return tuple(fold(text).split())


@lru_cache(maxsize=8192)
def _content(text: str) -> tuple[str, ...]:
    """Tokens without fillers, each replaced by the word that stands for its meaning."""
    words = tokens(text)
    kept = [
        token
        for place, token in enumerate(words)
        if token not in _FILLER or (token == "a" and place and place == len(words) - 1)  # noqa: S105
    ]
    return tuple(_SAME.get(_stem(token), _stem(token)) for token in kept)


def _stem(token: str) -> str:
    if len(token) > 4 and token.endswith("s") and not token.endswith("ss"):
        return token[:-1]
    return token


@lru_cache(maxsize=32768)
def similarity(wanted: str, shown: str) -> float:
    """How well `shown`, a name on the page, is what `wanted` says: 0 to 100.

    100 the same words; 94 the same meaning; 90 and less: `wanted` is part of a longer name, or the other way round;
    below that typing mistakes are forgiven. Numbers must agree: “256 GB” is never “512 GB”. A name of signs alone is
    meant as it is written: “+” is not “+/-”.
    """
    if not _has_words(wanted) or not _has_words(shown):
        return _likeness_of_signs(wanted.strip().translate(_SIGNS), shown.strip().translate(_SIGNS))
    left, right = fold(wanted), fold(shown)
    if left == right:
        return EXACT
    mine, theirs = _content(wanted), _content(shown)
    if not mine or not theirs:
        return 80.0 if f" {left} " in f" {right} " else 0.0
    if mine == theirs:
        return SAME_MEANING
    pairs = [_closest(token, theirs) for token in mine]
    if all(pairs):
        quality = sum(pairs) / len(pairs)
        extra = len(theirs) - len(mine)
        in_order = " ".join(mine) in " ".join(theirs)
        base = 91.0 if in_order else 84.0
        if theirs[: len(mine)] == mine:
            base += 2
        return max(SIMILAR, (base - min(extra, 8) * 2.2 if extra > 0 else base) * quality)
    if _is_slip(left, right):
        return 82.0
    if not _numbers(mine) <= _numbers(theirs):
        return 0.0
    back = [_closest(token, mine) for token in theirs]
    if all(back):
        return max(0.0, (78.0 - (len(mine) - len(theirs)) * 7) * (sum(back) / len(back)))
    found = sum(1 for pair in pairs if pair)
    share = found / max(len(mine), 1)
    ratio = fuzz.ratio(left, right)
    return min(68.0, max(share * 66.0, ratio * 0.8 if ratio >= 60 else 0.0))


def _likeness_of_signs(wanted: str, shown: str) -> float:
    if not wanted:
        return 0.0
    return EXACT if wanted == shown else 80.0 if wanted in shown.split() else 0.0


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _is_slip(one: str, other: str) -> bool:
    """A typing mistake: a letter or two changed, left out or swapped, in words that are not too short to tell."""
    mine, theirs = one.split(), other.split()
    if len(one) < 6 or len(mine) != len(theirs):
        return False
    for word, shown in zip(mine, theirs, strict=True):
        if word != shown and (
            min(len(word), len(shown)) < 3 or word[0].isdigit() or shown[0].isdigit() or _is_opposite(word, shown)
        ):
            return False
    return OSA.distance(one, other, score_cutoff=2) <= (1 if len(one) < 8 else 2)


def _numbers(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for word in words if word[0].isdigit())


def _closest(token: str, others: tuple[str, ...]) -> float:
    """1 for a token among the others, less for a likely typing mistake, 0 for none."""
    if token in others:
        return 1.0
    if len(token) < 4 or token[0].isdigit():
        return 0.0
    return max((_token_likeness(token, other) for other in others), default=0.0)


@lru_cache(maxsize=32768)
def _token_likeness(token: str, other: str) -> float:
    if len(other) < 4 or other[0].isdigit() or _is_opposite(token, other):
        return 0.0
    if len(token) >= 5 and (other.startswith(token) or token.startswith(other)):
        return 0.95
    ratio = fuzz.ratio(token, other, score_cutoff=80)
    return ratio / 100


def _is_opposite(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return any(long == prefix + short for prefix in _PREFIXES)


def has_phrase(text: str, phrase: str) -> bool:
    """Whether the words of the phrase stand next to each other in the text."""
    return f" {fold(phrase)} " in f" {fold(text)} "
