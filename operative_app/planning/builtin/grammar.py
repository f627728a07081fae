"""From a goal to clauses: a table of patterns, tried in order on masked text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from operative_app.core.errors import NotUnderstood
from operative_app.planning.builtin import clauses, phrases
from operative_app.planning.builtin.instruction import (
    Clause,
    FillForm,
    FormGoal,
    Instruction,
    Leave,
    OpenAddress,
    Press,
    Region,
    Relation,
    Target,
)
from operative_app.planning.builtin.masking import PART, Masked, PartKind, mask
from operative_app.planning.builtin.targets import read_target

MAX_GOAL = 8_000
"""Characters; a longer text is no instruction."""

_SITE_AHEAD = re.compile(
    rf"^(?:on|at|in|using|from|with)\s+(?:the\s+)?(?:site\s+|page\s+|website\s+)?(?P<site>{PART})\s*(?:,|:)?\s*(?P<rest>\S.*)$",
    re.I,
)
_SITE_INSIDE = re.compile(
    rf"^(?P<before>(?:search|look|find|order|buy|purchase|book|reserve|create|subscribe|register|convert|schedule|rent|tell|read|report"
    rf"|get|count|how|what|which|sign|log)\b.*?\S)\s+(?:on|at|in|from|using|via)\s+(?:the\s+)?(?:site\s+|website\s+)?(?P<site>{PART})(?P<after>.*)$",
    re.IGNORECASE,
)
_PLACE_AHEAD = re.compile(
    r"^(?:on|in|under|inside|within)\s+(?:the\s+)?(?P<name>[^,:]{1,60}?)(?:\s+(?P<kind>section|area|panel|dialog|popup|form|table|menu|card|sidebar|header|footer|page|tab|box))?\s*[,:]\s*(?P<rest>\S.*)$",
    re.I,
)
_CONDITION = re.compile(
    r"(?:^|\s|,)(?P<part>(?:if|unless|whenever|while|for (?:each|every|all)|as long as|in case|otherwise|else|depending on)\b.*)$",  # noqa: E501 - words and patterns read best on one line
    re.I,
)
_EACH = re.compile(r"(?:^|\s)(?P<part>(?:each|every)(?: (?:one|of)\b)?.*)$", re.I)
_NOT = re.compile(r"^(?:do not|don['’]?t|never|but (?:do not|don['’]?t|not)|not|without)\s+(?P<rest>\S.*)$", re.I)
_TAIL_NOT = re.compile(
    r"\s*,?\s+(?:but\s+)?(?:without|but not|but do not|but don['’]?t)\s+(?P<rest>(?:plac|pay|submitt?|order|book|buy|send|confirm)\w*.*)$",  # noqa: E501 - words and patterns read best on one line
    re.I,
)


_CONTROL = re.compile(
    rf"^(?P<verb>[a-z]+)\s+(?P<rest>(?:(?:the|my|this|your|that)\s+|{PART}|\d|(?-i:[A-Z]))\S*(?:\s+\S+){{0,5}})$", re.I
)
_SEVERAL = re.compile(
    r"\b(?:that|which|because|whether|how|all|both|two|each|every|and|with|to|against|versus|vs|others?)\b|(?<![s\d])s$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Read:
    """One clause: as the person put it, and what it asks for."""

    words: str
    meaning: Clause


def read_goal(text: str, today: date) -> list[Read]:
    """Everything a goal asks for, in order.

    Raises:
        NotUnderstood: The goal, or a part of it, cannot be interpreted; `part` is in the person's words.
    """
    if not text.strip():
        raise NotUnderstood(
            "There is no goal.",
            part="",
            hint="Write what is to be done, for example: open example.org and press Sign up.",
        )
    if len(text) > MAX_GOAL:
        raise NotUnderstood(
            f"The goal is longer than {MAX_GOAL} characters.", part=text[:80] + "…", hint="Say it in fewer words."
        )
    found = read_clauses(text, today)
    if not any(not isinstance(one.meaning, Leave) for one in found):
        raise NotUnderstood("The goal does not say what is to be done.", part=text.strip())
    return found


def read_clauses(text: str, today: date) -> list[Read]:
    """Every clause of a text, also when all it says is what must not be done.

    Raises:
        NotUnderstood: A part of it cannot be interpreted.
    """
    goal = mask(text)
    found: list[Read] = []
    unknown: dict[int, tuple[str, NotUnderstood]] = {}
    for clause in clauses.split(goal.text):
        try:
            found.extend(_read_clause(clause, goal, today))
        except NotUnderstood as error:
            unknown[len(found)] = (clause, error)
            found.append(Read(goal.raw(clause), Leave("")))
    if len(unknown) == len(found) and unknown:
        raise unknown[0][1]
    for place, (clause, fault) in unknown.items():
        control = _as_control(clause, goal)
        if control is None:
            raise fault
        found[place] = Read(found[place].words, control)
    return found


def _as_control(clause: str, goal: Masked) -> Clause | None:
    """“compare the Mac mini”: a word that may be the name of a control, beside clauses that are understood.

    It counts only with one definite thing behind it; several things would have to be judged. Whether there is such a
    control is seen on the page.
    """
    found = _CONTROL.match(clause)
    if not found or found["verb"].casefold() not in clauses.CONTROL_WORDS or _SEVERAL.search(found["rest"]):
        return None
    target = read_target(found["rest"], goal)
    return Press(Target(found["verb"].casefold(), region=Region(Relation.FOR, target.name))) if target.name else None


def read_instruction(text: str, today: date) -> Instruction:
    """The one instruction a task's goal text stands for.

    Raises:
        NotUnderstood: It is none, or several.
    """
    found = read_goal(text, today)
    first = found[0].meaning
    if len(found) != 1 or isinstance(first, FormGoal | FillForm | Leave):
        raise NotUnderstood(
            "This task asks for several things at once.", part=text.strip(), hint="Make a task of each."
        )
    return first


def _read_clause(clause: str, goal: Masked, today: date) -> list[Read]:
    words = goal.raw(clause)
    negated = _NOT.match(clause)
    if negated:
        return [Read(words, Leave(goal.reveal(negated["rest"])))]
    tail = _TAIL_NOT.search(clause)
    if tail:
        return [
            *_read_clause(clause[: tail.start()], goal, today),
            Read(goal.raw(tail[0]).strip(" ,"), Leave(goal.reveal(tail["rest"]))),
        ]
    _refuse_conditions(clause, goal)
    inside = _SITE_INSIDE.match(clause)
    if inside and goal.kind_of(inside["site"]) is PartKind.ADDRESS:
        rest = f"{inside['before']}{inside['after']}"
        return [
            Read(goal.raw(inside["site"]), OpenAddress(goal.reveal(inside["site"]))),
            *_read_clause(rest, goal, today),
        ]
    meaning = _meaning(clause, goal, today)
    if meaning is not None:
        return [Read(words, meaning)]
    ahead = _SITE_AHEAD.match(clause)
    if ahead and goal.kind_of(ahead["site"]) is PartKind.ADDRESS:
        site = OpenAddress(goal.reveal(ahead["site"]))
        return [
            Read(goal.raw(clause[: ahead.start("rest")]).strip(" ,:"), site),
            *_read_clause(clauses.clean(ahead["rest"]), goal, today),
        ]
    place = _PLACE_AHEAD.match(clause)
    if place:
        meaning = _meaning(clauses.clean(place["rest"]), goal, today)
        region = _region_of(place, goal)
        if meaning is not None:
            return [Read(words, phrases.within(meaning, region))]
    raise NotUnderstood(f"I do not understand “{words}”.", part=words, hint=_hint(clause))


def _meaning(clause: str, goal: Masked, today: date) -> Clause | None:
    for rule in RULES:
        found = rule.pattern.match(clause)
        if found:
            meaning = rule.build(found, goal, today)
            if meaning is not None:
                return meaning
    return None


def _region_of(place: re.Match[str], goal: Masked) -> Region:
    kind = (place["kind"] or "").casefold()
    name = goal.reveal(re.sub(r"(?i)^(?:the|this|that|my)\s+", "", place["name"]))
    if not kind and name.casefold() in {
        "dialog",
        "popup",
        "header",
        "footer",
        "sidebar",
        "navigation",
        "table",
        "form",
        "menu",
    }:
        return Region(Relation.IN, "", 0, name.casefold())
    return Region(Relation.IN, name, 0, kind)


def _refuse_conditions(clause: str, goal: Masked) -> None:
    for pattern in (_CONDITION, _EACH):
        found = pattern.search(clause)
        if found and not re.match(
            r"(?i)(?:check|verify|make sure|ensure|tell|read|find out|report|how|what|count)\b", clause
        ):
            part = goal.raw(found["part"])
            raise NotUnderstood(
                f"I cannot decide “{part}” without a model.",
                part=part,
                hint="Say each step as it is to be done, without conditions and repetitions.",
            )


def _hint(clause: str) -> str:
    first = clause.split(" ", 1)[0].casefold()
    if first in clauses.VERBS:
        return "Name what it is about as the page writes it, in quotation marks if it is long."
    return "Say it with open, search for, press, enter … in …, choose, tick, add to the cart, go to, sort by, wait for, tell me."  # noqa: E501 - words and patterns read best on one line


Builder = Callable[[re.Match[str], Masked, date], Clause | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the grammar."""

    pattern: re.Pattern[str]
    build: Builder


def _rules(rows: Sequence[tuple[str, Builder]]) -> tuple[Rule, ...]:
    return tuple(Rule(re.compile(rf"^(?:{pattern})$", re.IGNORECASE), build) for pattern, build in rows)


RULES = _rules(phrases.ROWS)
