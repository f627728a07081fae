"""Comparing sentences by the words in them that say something: claims with what was seen, answers with their evidence.

English endings and glue words are taken off; words of other languages count as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from operative_app.planning.model.sight import folded

_WORD = re.compile(r"[^\W\d_](?:[\w']*[^\W_])?")
_ENDING = re.compile(r"(?:ings?|edly|ies|ied|ed|es|s|ly)$")
_LEAST_STEM = 3
_LEAST_ALIKE, _ALIKE_SHARE = 4, 0.6
_CURRENCIES = {"$": ("dollar", "usd"), "€": ("euro", "eur"), "£": ("pound", "gbp"), "%": ("percent",)}
_GLUE_WORDS = (
    "a about above after all also am an and another are as at be because been before being below both but by can could"
    " did do does done each following for from had has have he her here him his how i if in into is it its itself just"
    " may me might more most must my now of off on one onto only or other our out over own she should so some such than"
    " that the their them then there these they this those through to too under until up upon us very was we were what"
    " when where which while who whole whose will with would yes you your"
)
_GLUE = frozenset(_GLUE_WORDS.split())
_CHECKING = re.compile(r"^(?:check|verify|make sure|confirm|ensure)\b", re.IGNORECASE)
_TELLING = re.compile(
    r"^(?:please )?(?:tell|say|report|read|answer|find|look|check|list|compare|count|see|view|summari[sz]e|determine"
    r"|identify|verify|show|extract|collect|which|what|how|who|when|where|why)\b|\?$",
    re.IGNORECASE,
)
_DEED = re.compile(
    r"(?:\band\b|\bthen\b|[,;.:])\s*(?:then )?(?:add|apply|book|buy|cancel|change|choose|click|close|confirm|create"
    r"|delete|download|enter|fill|install|move|open|order|pay|place|post|press|publish|put|remove|rename|reply|reserve"
    r"|save|schedule|select|send|share|sign|start|submit|subscribe|tick|transfer|type|update|upload|write)\b",
    re.IGNORECASE,
)
_ENTERING = re.compile(
    r"^(?:please )?(?:browse|choose|compose|draft|edit|enter|fill|go|insert|load|name|navigate|open|pick|rename|return"
    r"|search|select|set|specify|state|tick|type|visit|write)\b",
    re.IGNORECASE,
)


def telling_words(text: str) -> list[str]:
    """The stems of the words that say something, each once; numbers are compared elsewhere."""
    return list(dict.fromkeys(_stem(word) for word in _words(text) if word not in _GLUE))


def missing_words(text: str, *known: str) -> list[str]:
    """Those of a text's telling words that stand in none of the others."""
    told = "\n".join(known)
    held = {
        *telling_words(told),
        *(_stem(word) for sign, words in _CURRENCIES.items() if sign in told for word in words),
    }
    return [word for word in telling_words(text) if word not in held]


def share_a_word(text: str, other: str) -> bool:
    """Whether two texts have a telling word in common, or words of one family, in other languages too.

    “Buchung” and “buche” begin alike for four letters and most of the shorter one.
    """
    return any(_are_akin(one, two) for one in telling_words(text) for two in telling_words(other))


def _are_akin(one: str, two: str) -> bool:
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    return one == two or (alike >= _LEAST_ALIKE and alike >= _ALIKE_SHARE * min(len(one), len(two)))


def is_for_telling(goal: str) -> bool:
    """Whether a task only wants something found out; a deed beside it, or another language, counts as no."""
    words = " ".join(goal.split())
    return bool(_TELLING.search(words)) and not _DEED.search(words)


def is_check(goal: str) -> bool:
    """Whether a task only looks whether something holds."""
    return bool(_CHECKING.match(goal.strip())) and not _DEED.search(goal.strip().partition(":")[2] or goal)


def is_for_entering(goal: str) -> bool:
    """Whether a task may be done when something stands in a field, or when a page is open."""
    return bool(_ENTERING.match(goal.strip())) or is_for_telling(goal)


def has_glue(text: str) -> bool:
    """Whether it is English, as far as its small words tell: only then can it be compared word by word."""
    return not _GLUE.isdisjoint(_words(text))


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(folded(text))


def _stem(word: str) -> str:
    """“ordered” and “order”, “placed” and “place”, “cancelled” and “cancel” are the same."""
    word = word.removesuffix("'s")
    bare = _ENDING.sub("", word)
    stem = bare if len(bare) >= _LEAST_STEM else word
    if len(stem) > _LEAST_STEM and stem[-1] in "eyi":
        stem = stem[:-1]
    if len(stem) > _LEAST_STEM and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem
