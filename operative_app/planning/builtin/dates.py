"""Dates in people's words. A date without a year is the next one to come; the clock is given."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

MONTHS = (
    ("january", "jan", "januar", "janvier", "enero"),
    ("february", "feb", "februar", "fevrier", "febrero"),
    ("march", "mar", "marz", "maerz", "mars", "marzo"),
    ("april", "apr", "avril", "abril"),
    ("may", "mai", "mayo"),
    ("june", "jun", "juni", "juin", "junio"),
    ("july", "jul", "juli", "juillet", "julio"),
    ("august", "aug", "aout", "agosto"),
    ("september", "sep", "sept", "septembre", "septiembre"),
    ("october", "oct", "oktober", "okt", "octobre", "octubre"),
    ("november", "nov", "novembre", "noviembre"),
    ("december", "dec", "dezember", "dez", "decembre", "diciembre"),
)
MONTH_NUMBERS = {name: number for number, names in enumerate(MONTHS, start=1) for name in names}
_ENGLISH_MONTHS = {name: number for number, names in enumerate(MONTHS, start=1) for name in names[:2]} | {"sept": 9}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MONTH = "(?P<month>" + "|".join(sorted(_ENGLISH_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_LEAD = r"(?:(?:on\s+)?(?:the\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?(?:the\s+)?)"
_PATTERNS = tuple(
    re.compile(rf"{_LEAD}{pattern}", re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<number>\d{1,2})-(?P<day>\d{1,2})",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_YEAR}",
        r"(?P<day>\d{1,2})[/.](?P<number>\d{1,2})[/.](?P<year>\d{4})",
    )
)
_RELATIVE = re.compile(
    r"today|tomorrow|yesterday|(?:the )?day after tomorrow|in (?:\d+|a|one|two|three) (?:day|week)s?"
    r"|(?:on |this |next |coming )?(?:" + "|".join(WEEKDAYS) + ")",
    re.IGNORECASE,
)
_NUMBER_WORDS = {"a": 1, "one": 1, "two": 2, "three": 3}


def parse_date(text: str, today: date) -> date | None:
    """The date a whole text means; None when it is none or there is no such day.

    15/03/2027 is read day first; when that is impossible, month first.
    """
    folded = " ".join(text.split()).strip(" .,")
    for pattern in _PATTERNS:
        found = pattern.fullmatch(folded)
        if found:
            return _date_of(found.groupdict(), today, may_swap=found.re is not _PATTERNS[0])
    return _relative_date(folded.casefold(), today) if _RELATIVE.fullmatch(folded) else None


def looks_like_date(text: str) -> bool:
    """Whether the text reads as a date, even of a day that does not exist."""
    folded = " ".join(text.split()).strip(" .,")
    return bool(_RELATIVE.fullmatch(folded)) or any(pattern.fullmatch(folded) for pattern in _PATTERNS)


def in_words(day: date) -> str:
    """15 March 2027."""
    return f"{day.day} {MONTHS[day.month - 1][0].capitalize()} {day.year}"


def written_like(day: date, pattern: str) -> str:
    """The date in the form a field's placeholder shows (dd/mm/yyyy, MM-DD-YY, TT.MM.JJJJ); ISO when it shows none."""
    found = re.search(
        r"(?i)\b(d{1,2}|t{1,2}|m{1,2}|[yj]{2,4})([./\- ])(d{1,2}|t{1,2}|m{1,2})\2([yj]{2,4}|d{1,2})\b", pattern
    )
    if not found:
        return day.isoformat()
    pieces = [_piece(day, found[index].casefold()) for index in (1, 3, 4)]
    return found[2].join(pieces)


def month_of(text: str) -> tuple[int, int] | None:
    """(year, month) named by a calendar's heading such as “March 2027” or “03/2027”; None when it names none."""
    folded = _plain(text)
    year = re.search(r"\b(\d{4})\b", folded)
    if not year:
        return None
    for word in re.findall(r"[a-z]+", folded):
        if word in MONTH_NUMBERS:
            return int(year[1]), MONTH_NUMBERS[word]
    numeric = re.search(r"\b(\d{1,2})\s*/\s*\d{4}\b|\b\d{4}\s*[-/]\s*(\d{1,2})\b", folded)
    if numeric:
        month = int(numeric[1] or numeric[2])
        return (int(year[1]), month) if 1 <= month <= 12 else None
    return None


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _piece(day: date, letters: str) -> str:
    if letters[0] in "yj":
        return str(day.year)[-2:] if len(letters) == 2 else str(day.year)
    number = day.month if letters[0] == "m" else day.day
    return f"{number:0{len(letters)}d}"


def _date_of(groups: dict[str, str | None], today: date, *, may_swap: bool) -> date | None:
    day = int(groups["day"] or 0)
    month_word = groups.get("month")
    month = _ENGLISH_MONTHS[month_word.casefold()] if month_word else int(groups.get("number") or 0)
    if groups.get("year"):
        year = int(groups["year"] or 0)
        made = _made(year, month, day)
        return made if made or month_word or not may_swap else _made(year, day, month)
    for year in range(today.year, today.year + 9):  # 29 February comes at the latest after eight years
        made = _made(year, month, day)
        if made and made >= today:
            return made
    return None


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _relative_date(text: str, today: date) -> date | None:
    if text == "today":
        return today
    if text == "yesterday":
        return today - timedelta(days=1)
    if text == "tomorrow":
        return today + timedelta(days=1)
    if text.endswith("day after tomorrow"):
        return today + timedelta(days=2)
    counted = re.fullmatch(r"in (\d+|a|one|two|three) (day|week)s?", text)
    if counted:
        count = _NUMBER_WORDS.get(counted[1]) or int(counted[1])
        return today + timedelta(days=count * (7 if counted[2] == "week" else 1))
    weekday = WEEKDAYS.index(text.split()[-1])
    ahead = (weekday - today.weekday()) % 7 or 7
    return today + timedelta(days=ahead)
