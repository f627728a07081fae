# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""From a goal to clauses: a table of patterns, tried in order on masked text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from operative_app.core.errors import NotUnderstood
from operative_app.planning.builtin import clauses, desktop_phrases, goals, phrases, questions
from operative_app.planning.builtin.instruction import (
    AddTo,
    CheckShown,
    Choose,
    ChooseFile,
    Clause,
    FillForm,
    Finish,
    FormGoal,
    Gesture,
    GoBack,
    GoTo,
    Instruction,
    Leave,
    OpenAddress,
    Press,
    Provide,
    Region,
    Relation,
    Several,
    SignIn,
    Submit,
    TabStep,
    Target,
)
from operative_app.planning.builtin.masking import PART, Masked, PartKind, mask
from operative_app.planning.builtin.targets import read_target

MAX_GOAL = 8_000
"""Characters; a longer text is no instruction."""

_SITE_AHEAD = re.compile(
    rf"^(?:(?:on|at|in|using|use|from|with)\s+)?(?:the\s+)?(?:site\s+|page\s+|website\s+)?(?P<site>{PART})\s*(?:[,:;–—-]\s*|(?:to|and|you)\s+|\s)\s*(?P<rest>\S.*)$",
    re.I,
)
_SITE_INSIDE = re.compile(
    rf"^(?P<before>\S+\s.*?\S)\s*,?\s+(?:on|at|in|from|using|via|with|according to|of)\s+(?:the\s+)?(?:site\s+|website\s+|page\s+)?(?P<site>{PART})(?P<after>.*)$",
    re.IGNORECASE,
)
_SITE_ONLY = re.compile(rf"^(?:(?:on|at|in|using|from|via)\s+)?(?:the\s+)?(?:site\s+|page\s+)?(?P<site>{PART})$", re.I)
_SITE_SEARCHED = re.compile(
    rf"^(?:search|look|hunt|check|browse)(?:\s+(?:through|in|on|at|around))?\s+(?P<site>{PART})\s+for\s+(?P<query>\S.*)$",
    re.I,
)
_SITE_HAS = re.compile(
    rf"^(?:(?:check|see|find out|tell me|verify)\s+(?:if|whether|that)\s+|(?:does|do)\s+)(?P<site>{PART})\s+(?:has|have|sells?|offers?|shows?|lists?)\s+(?:an?\s+|any\s+)?(?P<what>\S.*)$",
    re.I,
)
_SITE_SIGNED_IN = re.compile(
    rf"^(?P<before>(?:let me |i(?:['’]ll| will) )?(?:sign|log)[ -]?in)\s*(?:to|into)\s+(?P<site>{PART})(?P<after>.*)$",
    re.I,
)
_PLACE_AHEAD = re.compile(
    r"^(?:on|in|under|inside|within)\s+(?:the\s+)?(?P<name>[^,:]{1,60}?)(?:\s+(?P<kind>section|area|panel|dialog|popup|form|table|menu|card|sidebar|header|footer|page|tab|box))?\s*[,:]\s*(?P<rest>\S.*)$",
    re.I,
)
_CONDITION = re.compile(
    r"(?:^|\s|,)(?P<part>(?:if|unless|whenever|while|for (?:each|every|all)|as long as|in case|otherwise|else|depending on)\b.*)$",
    re.I,
)
_EACH = re.compile(r"(?:^|\s)(?P<part>(?:each|every)(?: (?:one|of)\b)?.*)$", re.I)
_NOT = re.compile(r"^(?:do not|don['’]?t|never|but (?:do not|don['’]?t|not)|not|without)\s+(?P<rest>\S.*)$", re.I)
_STOP = re.compile(
    r"^(?:and )?stop (?:(?:right |just |shortly )?before (?P<before>\S.*)|(?:at|on|in) (?:the )?(?P<place>\S.*)|(?:there|here|then))$",
    re.I,
)
_TAIL_NOT = re.compile(
    r"\s*,?\s+(?:but\s+)?(?:without|but not|but do not|but don['’]?t)\s+(?P<rest>(?:plac|pay|submitt?|order|book|buy|send|confirm)\w*.*)$",
    re.I,
)


_CONTROL = re.compile(
    rf"^(?P<verb>[a-z]+)\s+(?P<rest>(?:(?:the|my|this|your|that)\s+|{PART}|\d|(?-i:[A-Z]))\S*(?:\s+\S+){{0,5}})$", re.I
)
_MEASURE = re.compile(
    rf"^(?:{'|'.join(goals.SIZES)}|\d+(?:[.,]\d+)?\s?(?:gb|tb|mb|ml|cl|l|g|kg|cm|mm|m|inch(?:es)?))$", re.IGNORECASE
)
_ONE = re.compile(
    r"^(?:the\s+)?(?:first|second|third|fourth|fifth|last|cheapest|newest)(?:\s+(?:one|result|item|hit))$",
    re.IGNORECASE,
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


def read_goal(text: str, today: date, *, is_desktop: bool = False) -> list[Read]:
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
    found = read_clauses(text, today, is_desktop=is_desktop)
    if not any(not isinstance(one.meaning, Leave) for one in found):
        raise NotUnderstood("The goal does not say what is to be done.", part=text.strip())
    for one in found:
        if isinstance(one.meaning, Leave) and _is_asked_for(one.meaning, found, today, is_desktop=is_desktop):
            raise NotUnderstood(
                f"“{one.words}” is the opposite of what the goal asks for besides.",
                part=one.words,
                hint="Say which of the two holds.",
                is_for_model=False,
            )
    return found


def _is_asked_for(left: Leave, found: Sequence[Read], today: date, *, is_desktop: bool) -> bool:
    """Whether the very thing that must not be done is asked for, too."""
    try:
        barred = [one.meaning for one in read_clauses(left.what, today, is_desktop=is_desktop)]
    except NotUnderstood:
        return False
    return any(one.meaning in barred for one in found if not isinstance(one.meaning, Leave))


def read_clauses(text: str, today: date, *, is_desktop: bool = False) -> list[Read]:
    """Every clause of a text, also when all it says is what must not be done.

    Raises:
        NotUnderstood: A part of it cannot be interpreted.
    """
    goal = mask(text, is_desktop=is_desktop)
    found: list[Read] = []
    unknown: dict[int, tuple[str, NotUnderstood]] = {}
    for clause in _split(goal):
        try:
            found.extend(_read_clause(clause, goal, today))
        except NotUnderstood as error:
            unknown[len(found)] = (clause, error)
            found.append(Read(goal.raw(clause), Leave("")))
    if len(unknown) == len(found) and unknown:
        raise unknown[0][1]
    for place, (clause, fault) in unknown.items():
        control = _as_fragment(clause, goal)
        if control is None:
            raise fault
        found[place] = Read(found[place].words, control)
    return _fitting(_joined(found)) if is_desktop else _joined(found)


def _split(goal: Masked) -> list[str]:
    if goal.is_desktop:
        return clauses.split(goal.text, also=desktop_phrases.VERBS, alone=desktop_phrases.ALONE)
    shared = desktop_phrases.SHARED_ALONE
    return clauses.split(goal.text, also=shared, alone=shared)


def _fitting(found: list[Read]) -> list[Read]:
    """What was read, when all of it can be done on the desktop."""
    for one in found:
        if isinstance(one.meaning, OpenAddress | TabStep | GoBack | FormGoal | AddTo | Finish | Provide):
            raise NotUnderstood(
                f"“{one.words}” is for a page in the browser.",
                part=one.words,
                hint="Choose the browser for it, or say what to do in which program.",
            )
        if isinstance(one.meaning, ChooseFile):
            raise NotUnderstood(
                f"“{one.words}” does not say which file.", part=one.words, hint="Give the file's whole path."
            )
    return found


def _as_fragment(clause: str, goal: Masked) -> Clause | None:
    """“compare the Mac mini”: a word that may be the name of a control, beside clauses that are understood.

    It counts only with one definite thing behind it; several things would have to be judged. Whether there is such a
    control is seen on the page. Bare words of a list count too: “large”, “512 GB”, “the first one”, “cart”.
    """
    if _MEASURE.match(clause):
        return Choose(goal.reveal(clause))
    added = re.match(rf"(?i)^add\s+(?:an?\s+|some\s+|the\s+)?(?P<what>[\w{PART[1:-1]}-]+(?:\s[\w-]+){{0,2}})$", clause)
    if added:
        return Choose(goal.reveal(added["what"]))
    if _ONE.match(clause):
        return Press(read_target(clause, goal), Gesture.OPEN)
    if re.fullmatch(r"(?i)(?:the |my )?(?:cart|basket|bag)", clause):
        return GoTo(clause.split()[-1].casefold())
    found = _CONTROL.match(clause)
    if not found or found["verb"].casefold() not in clauses.CONTROL_WORDS or _SEVERAL.search(found["rest"]):
        return None
    target = read_target(found["rest"], goal)
    return Press(Target(found["verb"].casefold(), region=Region(Relation.FOR, target.name))) if target.name else None


def read_instruction(text: str, today: date, *, is_desktop: bool = False) -> Instruction:
    """The one instruction a task's goal text stands for.

    Raises:
        NotUnderstood: It is none, or several.
    """
    found = read_goal(text, today, is_desktop=is_desktop)
    first = found[0].meaning
    if len(found) != 1 or isinstance(first, FormGoal | FillForm | Several | Leave):
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
    stop = _STOP.match(clause)
    if stop:
        return _stopped(words, stop, goal)
    if goal.is_desktop:
        _refuse_conditions(clause, goal)
        here = _first_of(DESKTOP_RULES, clause, goal, today)
        if here is not None:
            return [Read(words, here)]
        ahead_of_it = desktop_phrases.PROGRAM_AHEAD.match(clause)
        program = desktop_phrases.program_ahead(ahead_of_it, goal) if ahead_of_it else None
        if ahead_of_it and program is not None:
            rest = _read_clause(clauses.clean(ahead_of_it["rest"]), goal, today)
            return [Read(goal.raw(ahead_of_it["app"]), program), *rest]
    sited = _with_site(clause, goal, today)
    if sited is not None:
        return sited
    _refuse_conditions(clause, goal)
    asked = questions.read_question(clause, goal, today)
    if asked is not None:
        return [Read(words, one) for one in asked]
    meaning = _meaning(clause, goal, today)
    if meaning is not None:
        return [Read(words, meaning)]
    pairs = goals.read_pairs(clause, goal) if goals.begins_with_detail(clause) else None
    if pairs:
        named = tuple((goals.slot_named(slot), goals.date_value(value, today)) for slot, value in pairs)
        return [Read(words, FillForm(named, is_details=True))]
    place = _PLACE_AHEAD.match(clause)
    if place:
        meaning = _meaning(clauses.clean(place["rest"]), goal, today)
        region = _region_of(place, goal)
        if meaning is not None:
            return [Read(words, phrases.within(meaning, region))]
    ahead = _in_place(clause, goal, today)
    if ahead is not None:
        return [Read(words, ahead)]
    raise NotUnderstood(f"I do not understand “{words}”.", part=words, hint=_hint(clause))


def _stopped(words: str, stop: re.Match[str], goal: Masked) -> list[Read]:
    """“stop before paying”, “stop at the checkout”: what comes after it is left out."""
    if stop["before"]:
        return [Read(words, Leave(goal.reveal(stop["before"])))]
    if not stop["place"]:
        return [Read(words, Leave("going on"))]
    place = goal.reveal(stop["place"])
    name = "checkout" if re.fullmatch(r"(?i)check[ -]?out(?: page)?", place) else re.sub(r"(?i) page$", "", place)
    return [Read(words, GoTo(name)), Read(words, Leave("placing the order" if name == "checkout" else "going on"))]


def _with_site(clause: str, goal: Masked, today: date) -> list[Read] | None:
    """A clause that says on which site: open the site, then the rest of the clause."""

    def opened(found: re.Match[str]) -> Read:
        return Read(goal.raw(found["site"]), OpenAddress(goal.reveal(found["site"])))

    for pattern in (_SITE_ONLY, _SITE_HAS, _SITE_SEARCHED, _SITE_SIGNED_IN, _SITE_INSIDE, _SITE_AHEAD):
        found = pattern.match(clause)
        if not found or goal.kind_of(found["site"]) is not PartKind.ADDRESS:
            continue
        groups = found.groupdict()
        if pattern is _SITE_ONLY:
            return [opened(found)]
        if pattern is _SITE_HAS:
            return [opened(found), Read(goal.raw(clause), CheckShown(goal.reveal(groups["what"])))]
        if pattern is _SITE_SEARCHED:
            rest = f"search for {groups['query']}"
        elif pattern is _SITE_AHEAD:
            rest = groups["rest"]
        else:
            rest = f"{groups['before']}{groups['after']}"
        return [opened(found), *_read_clause(clauses.clean(rest), goal, today)]
    return None


def _joined(found: list[Read]) -> list[Read]:
    """Details said without a verb go to the form goal before them, or to what sends the form after them."""
    joined: list[Read] = []
    waiting: tuple[tuple[str, str], ...] = ()
    for place, one in enumerate(found):
        meaning = one.meaning
        before = joined[-1].meaning if joined else None
        if isinstance(meaning, FillForm) and meaning.is_details:
            comes_finish = next(
                (after.meaning for after in found[place + 1 :] if not isinstance(after.meaning, FillForm)), None
            )
            if isinstance(comes_finish, Finish):
                waiting += meaning.pairs
            elif isinstance(before, FormGoal):
                joined[-1] = Read(
                    f"{joined[-1].words}, {one.words}", replace(before, slots=(*before.slots, *meaning.pairs))
                )
            elif isinstance(before, FillForm):
                joined[-1] = Read(f"{joined[-1].words}, {one.words}", FillForm((*before.pairs, *meaning.pairs)))
            else:
                joined.append(Read(one.words, FillForm(meaning.pairs)))
        elif waiting and isinstance(meaning, Finish):
            joined.append(Read(one.words, FormGoal(meaning.verb, meaning.object, waiting)))
            waiting = ()
        else:
            joined.append(one)
    joined = [
        one for place, one in enumerate(joined)
        if not (place and _sends_again(joined[place - 1].meaning, one.meaning))
    ]  # fmt: skip
    if len(joined) > 1 and isinstance(joined[-1].meaning, SignIn) and isinstance(joined[-2].meaning, FormGoal):
        joined[-2:] = [joined[-1], joined[-2]]  # “create …, I’ll log in”: signing in comes first
    last = joined[-1] if joined else None
    if (
        last
        and isinstance(last.meaning, OpenAddress)
        and not any(isinstance(one.meaning, OpenAddress) for one in joined[:-1])
        and len(joined) > 1
        and last.words == last.meaning.url
    ):
        joined = [last, *joined[:-1]]  # “how many …? SITE”: the site is where it is asked about
    return joined


def _sends_again(before: Clause, meaning: Clause) -> bool:
    """“write a message to …, send it”: the form goal before ends with that."""
    return (
        isinstance(before, FormGoal)
        and before.verb == "send"
        and isinstance(meaning, Submit)
        and meaning.verb in {"send", "submit"}
    )


def _in_place(clause: str, goal: Masked, today: date) -> Clause | None:
    """“in Notifications turn off the digest”: a place of up to four words, then something to do there."""
    place = re.match(r"(?i)^(?:in|on|under|inside|within)\s+(?:the\s+)?(?=\S)", clause)
    if place is None:
        return None
    words = clause[place.end() :].split(" ")
    for count in range(1, min(5, len(words))):
        rest = " ".join(words[count:])
        meaning = _meaning(clauses.clean(rest), goal, today) if clauses.starts_clause(rest) else None
        if meaning is not None:
            name = re.sub(r"(?i)\s+(?:section|area|panel|tab|page|menu|settings)$", "", " ".join(words[:count]))
            return phrases.within(meaning, Region(Relation.IN, goal.reveal(name)))
    return None


def _meaning(clause: str, goal: Masked, today: date) -> Clause | None:
    if goal.is_desktop:
        here = _first_of(DESKTOP_RULES, clause, goal, today)
        if here is not None:
            return here
    return _first_of(SHARED_RULES, clause, goal, today) or _first_of(RULES, clause, goal, today)


def _first_of(rules: Sequence[Rule], clause: str, goal: Masked, today: date) -> Clause | None:
    for rule in rules:
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
    if first in clauses.VERBS | desktop_phrases.VERBS:
        return "Name what it is about as the page writes it, in quotation marks if it is long."
    return "Say it with open, search for, press, enter … in …, choose, tick, add to the cart, go to, sort by, wait for, tell me."


Builder = Callable[[re.Match[str], Masked, date], Clause | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the grammar."""

    pattern: re.Pattern[str]
    build: Builder


def _rules(rows: Sequence[tuple[str, Builder]]) -> tuple[Rule, ...]:
    return tuple(Rule(re.compile(rf"^(?:{pattern})$", re.IGNORECASE), build) for pattern, build in rows)


RULES = _rules(phrases.ROWS)
SHARED_RULES = _rules(desktop_phrases.SHARED_ROWS)
DESKTOP_RULES = _rules(desktop_phrases.ROWS)
