# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Reads known task shapes: a verb, what it is about, and details in prepositional phrases.

“book a flight from SFO to JFK on 15 March for Ada Lovelace”: each detail becomes a slot, whose label is compared with the
fields that the pages show. Nothing here knows a site.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from operative_app.core.errors import NotUnderstood
from operative_app.planning.builtin.dates import in_words as date_in_words
from operative_app.planning.builtin.dates import looks_like_date, parse_date
from operative_app.planning.builtin.instruction import FormGoal, Superlative
from operative_app.planning.builtin.masking import PART, Masked, PartKind
from operative_app.planning.builtin.targets import ORDINAL, SUPERLATIVE, which_of

SLOT_WORDS = (
    "name", "first name", "last name", "full name", "e-mail", "email", "e-mail address", "email address", "mail", "phone",
    "phone number", "telephone", "description", "title", "subject", "message", "text", "comment", "note", "notes", "address",
    "street", "city", "town", "postcode", "zip code", "zip", "country", "company", "department", "date", "start date",
    "end date", "return date", "date of birth", "birth date", "time", "quantity", "amount", "size", "colour", "color",
    "visibility", "format", "passenger", "guest", "traveller", "traveler", "people", "guests", "passengers", "adults",
    "category", "priority", "reason", "location", "destination", "origin", "owner", "type", "role", "team", "project",
    "version", "language", "username", "code", "number", "reference", "delivery", "payment", "class", "cabin",
)  # fmt: skip
_SLOT = "(?:" + "|".join(sorted(map(re.escape, SLOT_WORDS), key=len, reverse=True)) + ")"
SIZES = ("extra large", "small", "medium", "large", "regular", "double", "single", "xl", "xxl", "xs", "tall", "grande")
_SIZE = "(?:" + "|".join(SIZES) + ")"
_COUNT_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
COUNT = r"(?:\d{1,3}|" + "|".join(_COUNT_WORDS) + ")"
_PEOPLE = r"(?:people|persons?|guests?|passengers?|travell?ers?|adults?|pax)"
_LEADS = (
    r"from", r"to", r"departing(?: on)?", r"leaving(?: on)?", r"returning(?: on)?", r"and back on", r"on", r"for", r"with",
    r"under the name(?: of)?", r"in the name of", r"named", r"called", r"titled", r"at", r"via", r"by", r"until", r"using",
    r"as", r"in", r"into", r"of", r"without", r"without any",
)  # fmt: skip
_LEAD = re.compile(rf"(?:^|\s|,\s*)(?P<lead>{'|'.join(sorted(_LEADS, key=len, reverse=True))})\s+", re.IGNORECASE)
_OBJECT = re.compile(
    r"^(?:(?:me|us)\s+)?(?:(?:the|an|a|my|our|some|this|that)\s+)?(?:new\s+)?(?P<object>.*)$", re.IGNORECASE
)
_PAIR = re.compile(rf"^(?:the |an? |my )?(?P<slot>{_SLOT})\b\s*(?:is|of|:|=|as)?\s*(?P<value>\S.*)$", re.IGNORECASE)
_PAIR_ANY = re.compile(
    rf"^(?:the |an? |my )?(?P<slot>[a-z][\w -]{{1,30}}?)\s*(?:is|:|=)?\s*(?P<value>{PART})$", re.IGNORECASE
)
_PAIR_NUMBER = re.compile(r"^(?:the |an? |my )?(?P<slot>[a-z][a-z -]{1,30}?)\s+(?P<value>\d[\w.,:/-]*)$", re.IGNORECASE)
_BARE_DATE = re.compile(
    r"(?i)(?<!\bon)(?<!\bfrom)(?<!\bto)(?<!\buntil)(?<!\bfor)(?<!\breturning)(?<!\bdeparting)(?<!\bleaving)"
    r"\s+(today|tomorrow|yesterday|(?:next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_LIST = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)", re.IGNORECASE)
_FLAGS = {"private": "visibility", "public": "visibility"}
_ALONE = frozenset({"subscribe", "register", "sign up", "convert"})
"""Verbs that need not say what they are about."""

PERSON = "passenger"


def read_goal(verb: str, rest: str, goal: Masked, today: date) -> FormGoal | None:
    """A task shape from the verb and the masked words after it; None when they do not say what it is about."""
    rest = _BARE_DATE.sub(r" on \1", rest)
    rest = re.sub(r"(?i)\s*,?\s+(?:to be )?(?:deliver(?:ed)?|ship(?:ped)?|sent)(?: it)?(?=\s+to\s)", "", rest)
    rest, said = _details(rest, goal, today)
    made = _shape(verb, rest, goal, today)
    if made is None or not said:
        return made
    return replace(made, slots=tuple(_ordered([*made.slots, *said])))


def _details(rest: str, goal: Masked, today: date) -> tuple[str, list[tuple[str, str]]]:
    """The words without the details at their end (“, my e-mail is …, phone 555 0100”), and those."""
    comma = re.search(rf"(?i),\s*(?:and\s+)?(?=(?:the |my )?{_SLOT}\b)", rest)
    pairs = read_pairs(rest[comma.end() :], goal) if comma else None
    if comma is None or not pairs:
        return rest, []
    return rest[: comma.start()], [(slot_named(slot), date_value(value, today)) for slot, value in pairs]


def _shape(verb: str, rest: str, goal: Masked, today: date) -> FormGoal | None:
    first = _LEAD.search(rest)
    head = rest[: first.start()] if first else rest
    head = re.sub(r"(?i)[\s,]*\b(?:to be )?(?:deliver(?:ed)?|shipp?(?:ed)?|sent?)(?: it)?\s*$", "", head)
    preference, head = _preference(head)
    options, slots = _flags(head)
    for word in _FLAGS:
        head = re.sub(rf"(?i)\b{word}\b\s*", "", head)
    if verb in {"order", "buy", "purchase"}:
        return _order(verb, head, rest[first.start() :] if first else "", goal, today, preference)
    ordinal, head = _ordinal(head)
    thing = _OBJECT.match(" ".join(head.split()))
    subject = goal.reveal(thing["object"]) if thing else ""
    if subject.casefold() in {"me", "us"}:
        subject = ""
    if not subject or len(subject) > 60:
        lead = re.match(
            r"(?i)^\s*(?:to|for)\s+(?:the |our |my |an? )?(?P<object>[\w -]+?)(?=\s+(?:with|using|as|under|for|from)\b|$)",
            rest,
        )
        if lead:
            subject, rest = lead["object"], rest[lead.end() :]
            first = _LEAD.search(rest)
        elif verb not in _ALONE or len(subject) > 60:
            return None
    for lead_word, words in _phrases(rest[first.start() :] if first else ""):
        chosen = _preference(words)[0] if lead_word in {"with", "for"} else None
        if chosen:
            preference = chosen
            continue
        if lead_word == "to" and verb in {"subscribe", "register", "sign up"}:
            continue
        if lead_word in {"to", "into", "as", "in"} and verb in {"convert", "transform"}:
            slots.append(("format", _format(goal.reveal(words))))
            continue
        found, more = _slots(lead_word, words, goal, today, subject)
        slots += found
        options += more
    return FormGoal(verb, subject, tuple(_ordered(slots)), tuple(options), "", preference, ordinal)


def read_pairs(text: str, goal: Masked) -> list[tuple[str, str]] | None:
    """“name Ada, e-mail: ada@example.org and city London” as label and value; None when a piece is neither."""
    pairs: list[tuple[str, str]] = []
    for piece in _pieces(text):
        found = (
            _PAIR_ANY.match(piece)
            or _PAIR_NUMBER.match(piece)
            or re.match(r"^(?P<slot>[^:=]{1,40}?)\s*[:=]\s*(?P<value>\S.*)$", piece)
            or _PAIR.match(piece)
        )
        if found:
            slot = re.sub(r"(?i)^(?:and|the|an?|my)\s+", "", found["slot"].strip())
            pairs.append((goal.reveal(slot), goal.written(_bare_value(found["value"]))))
        elif re.fullmatch(PART, piece) and goal.kind_of(piece) is PartKind.EMAIL:
            pairs.append(("e-mail", goal.reveal(piece)))
        elif pairs and goal.kind_of(piece) is None:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}, {goal.reveal(piece)}")  # a comma inside a value
        else:
            return None
    return pairs or None


def begins_with_detail(text: str) -> bool:
    """Whether the text begins with the name of a detail and a value: “name Ada Lovelace”, “my e-mail is …”, “city: …”."""
    return re.match(rf"(?i)(?:the |my |with |and )*{_SLOT}\b\s*(?:is|are|of|:|=)?\s*\S", text) is not None


def slot_named(label: str) -> str:
    """The label as the name of a detail: plain lower case when it is a known one."""
    return label.casefold() if label.casefold() in SLOT_WORDS else label


def refuse_unsaid(words: str, goal: Masked) -> None:
    """“my e-mail” is no value.

    Raises:
        NotUnderstood: The words name something of the person's that the goal does not say.
    """
    if re.fullmatch(rf"(?i)\s*my (?:own )?(?:{_SLOT}|password|details|data|account|card)\s*", words):
        part = goal.raw(words)
        raise NotUnderstood(f"The goal does not say what “{part}” is.", part=part, hint="Write the value itself.")


def date_value(text: str, today: date) -> str:
    """A date in full words when the text is one, otherwise the text.

    Raises:
        NotUnderstood: It looks like a date and there is no such day.
    """
    day = parse_date(text, today)
    if day is None and looks_like_date(text):
        raise NotUnderstood(f"There is no day “{text.strip()}”.", part=text.strip(), is_for_model=False)
    return date_in_words(day) if day else text


def _bare_value(text: str) -> str:
    return text.strip().strip(",;").strip()


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for piece in re.split(r"\s*(?:[,;]|\n)\s*(?:and\s+)?", text.strip()):
        parts = re.split(
            r"\s+and\s+(?=(?:the\s+)?[\w -]{1,30}?\s*[:=]|" + f"(?:the )?{_SLOT}\\b|{PART}$|[\\w -]{{1,30}}? {PART}$)",
            piece,
            flags=re.IGNORECASE,
        )
        pieces.extend(part.strip() for part in parts if part.strip())
    return pieces


def _preference(words: str) -> tuple[Superlative | None, str]:
    found = re.search(rf"(?i)\b(?:the\s+)?({SUPERLATIVE})\b(?:\s+(?:one|price|fare))?", words)
    if not found:
        return None, words
    return which_of(found[1])[1], (words[: found.start()] + words[found.end() :]).strip()


def _ordinal(head: str) -> tuple[int, str]:
    """“the second flight”: which one of several, and the words without it."""
    found = re.match(rf"(?i)^\s*(?:the\s+)?({ORDINAL})\s+(?=\S)", head)
    return (which_of(found[1])[0], head[found.end() :]) if found else (0, head)


def _flags(head: str) -> tuple[list[str], list[tuple[str, str]]]:
    return [], [(slot, word) for word, slot in _FLAGS.items() if re.search(rf"(?i)\b{word}\b", head)]


def _phrases(tail: str) -> list[tuple[str, str]]:
    found = list(_LEAD.finditer(tail))
    if not found:
        return []
    ends = [*(one.start() for one in found[1:]), len(tail)]
    return [(one["lead"].casefold(), tail[one.end() : end].strip(" ,")) for one, end in zip(found, ends, strict=True)]


def _slots(lead: str, words: str, goal: Masked, today: date, subject: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The slots, and the options without a label, of one prepositional phrase."""
    words, *behind = re.split(rf"\s*,\s*(?:and\s+)?(?=(?:the |my )?{_SLOT}\b)", words) if "," in words else [words]
    if behind:
        slots, options = _slots(lead, words, goal, today, subject)
        for piece in behind:
            found, more = _with("with", piece, goal, today)
            slots, options = slots + found, options + more
        return slots, options
    value = goal.reveal(words)
    head, comma, tail = words.partition(",")
    if comma and tail.strip() and looks_like_date(goal.reveal(head)):
        slots, options = _slots(lead, head.strip(), goal, today, subject)
        return slots, [*options, *(goal.reveal(piece.strip()) for piece in tail.split(",") if piece.strip())]
    people = re.fullmatch(rf"(?i)({COUNT})\s+{_PEOPLE}", value)
    if people:
        return [("people", str(number(people[1])))], []
    is_date = looks_like_date(value)
    match lead:
        case "from" | "to":
            if is_date:
                return [("date" if lead == "from" else "end date", date_value(value, today))], []
            return [("origin" if lead == "from" else "destination", value)], []
        case "departing" | "departing on" | "leaving" | "leaving on" | "on":
            return [("date", date_value(value, today))] if is_date else [("option", value)], []
        case "returning" | "returning on" | "and back on":
            return [("return date", date_value(value, today))], []
        case "until":
            return [("end date", date_value(value, today))], []
        case "at":
            is_time = re.fullmatch(r"(?i)\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm|h|o'clock)?|noon|midnight", value)
            return ([("time", value)] if is_time else [("location", value)]), []
        case "named" | "called" | "titled":
            return [("name" if lead != "titled" else "title", value)], []
        case "under the name" | "under the name of" | "in the name of":
            return [("name", value)], []
        case "for":
            if is_date:
                return [("date", date_value(value, today))], []
            return [("e-mail" if goal.kind_of(words) is PartKind.EMAIL else _person_slot(subject), value)], []
        case "with" | "using" | "as" | "in" | "by" | "via" | "of" | "without" | "without any":
            return _with(lead, words, goal, today)
        case _:
            return [], [value]


def _with(lead: str, words: str, goal: Masked, today: date) -> tuple[list[tuple[str, str]], list[str]]:
    slots: list[tuple[str, str]] = []
    options: list[str] = []
    for piece in (one for one in _LIST.split(words) if one.strip()):
        refuse_unsaid(piece, goal)
        pair = _PAIR_ANY.match(piece) or _PAIR.match(piece)
        if goal.kind_of(piece) is PartKind.EMAIL:
            slots.append(("e-mail", goal.reveal(piece)))
        elif pair:
            slots.append((pair["slot"].casefold(), date_value(goal.written(pair["value"]), today)))
        elif behind := re.match(
            r"(?i)^(?:an?\s+)?(?P<value>[\w-]+(?: [\w-]+)?)\s+(?P<slot>priority|visibility|category|delivery|class|cabin|colou?r|size|format)$",
            piece,
        ):
            slots.append((behind["slot"].casefold(), goal.written(behind["value"])))
        elif lead.startswith("without"):
            options.append(f"no {goal.reveal(piece)}")
        else:
            options.append(goal.reveal(re.sub(r"(?i)^(?:an?|the|some)\s+", "", piece)))
    return slots, options


def _person_slot(subject: str) -> str:
    return PERSON if re.search(r"(?i)flight|trip|train|bus|ticket|seat|ferry|journey|cruise", subject) else "name"


def _order(
    verb: str, head: str, tail: str, goal: Masked, today: date, preference: Superlative | None
) -> FormGoal | None:
    text, *more = re.split(r"\s*,\s*(?:and\s+)?", " ".join(head.split()).strip(" ,"))
    text = re.sub(r"(?i)^(?:me|us)\s+", "", text)
    slots: list[tuple[str, str]] = []
    options: list[str] = []
    for piece in more:
        extra, option = _with("with", piece, goal, today)
        slots, options = slots + extra, options + option
    counted = re.match(rf"(?i)^({COUNT})\s*(?:x\s+|×\s*)?\s*(?=\S)", text)
    if counted:
        slots.append(("quantity", str(number(counted[1]))))
        text = text[counted.end() :]
    text = re.sub(r"(?i)^(?:the|an?|some|my)\s+", "", text)
    size = re.match(rf"(?i)^({_SIZE})\s+(?=\S)", text)
    if size:
        options.append(size[1].casefold())
        text = text[size.end() :]
    behind = re.search(rf"(?i)^(?P<item>\S.*?),?\s+(?P<size>{_SIZE})$", text)
    if behind:
        options.append(behind["size"].casefold())
        text = behind["item"]
    item = goal.reveal(text)
    if not item:
        return None
    for lead, words in _phrases(tail):
        words, *pieces = re.split(r"\s*,\s*", words) if lead not in {"with", "without", "without any"} else [words]
        for piece in pieces:
            extra, option = _with("with", piece, goal, today) if piece else ([], [])
            slots, options = slots + extra, options + option
        if lead == "to":
            slots.append(("address", goal.reveal(words)))
        elif lead == "in":
            options.append(goal.reveal(re.sub(r"(?i)^(?:an?|the)\s+", "", words)))
        elif lead == "of":
            item = f"{item} of {goal.reveal(words)}"
        elif lead in {"with", "without", "without any"}:
            found, more = _with(lead, words, goal, today)
            slots += found
            options += more
        else:
            slots += _slots(lead, words, goal, today, item)[0]
    return FormGoal(verb, "order", tuple(slots), tuple(options), item, preference)


def number(text: str) -> int:
    return _COUNT_WORDS.get(text.casefold()) or int(text)


def _format(text: str) -> str:
    bare = re.sub(r"(?i)^(?:an?|the|some)\s+", "", text)
    named = re.search(r"(?i)\b(png|jpe?g|webp|gif|tiff?|svg|pdf|docx?|txt|csv|xlsx?|html|mp[34]|wav)\b", bare)
    return named[1].upper() if named else bare


_ORDER = ("origin", "destination", "location", "date", "return date", "end date", "time", "people")


def _ordered(slots: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Places and dates before names: pages ask for them in that order."""
    return sorted(slots, key=lambda slot: _ORDER.index(slot[0]) if slot[0] in _ORDER else len(_ORDER))
