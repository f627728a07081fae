# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Questions in the forms people use, some of which need a step before the answer can be read."""

from __future__ import annotations

import re
from datetime import date

from operative_app.planning.builtin import goals
from operative_app.planning.builtin.instruction import CheckShown, Clause, Count, Read, Search
from operative_app.planning.builtin.masking import Masked
from operative_app.planning.builtin.targets import SUPERLATIVE, bare_name

_TELL = r"(?:(?:tell(?: me| us)?|find out|say|report|check|know|see|look up|let me know|show me)\s+)?"
_EXTREME = rf"(?:{SUPERLATIVE}|highest|lowest|most|least|largest|smallest|biggest|fewest)"
_HOW_MANY_FOR = re.compile(
    rf"^{_TELL}(?:how many|the number of|count(?: the| all)?)\s+(?P<things>(?:search )?(?:results?|hits?|matches|products?|items?|offers?|entries|articles?))\s*"
    r"(?:are there|there are|do (?:i|you|we) (?:get|find|see|have)|(?:are|is) (?:found|shown|listed)|come up|can (?:i|you) find)?\s+(?:for|when searching(?: for)?|if (?:i|you) search(?: for)?)\s+(?P<query>\S.*)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"^{_TELL}(?:which|what)\s+(?P<thing>\S.*?)\s+(?:is|are|was|were|has|have|had|costs?|takes|leaves|departs|arrives|made|brought|sold)\s+(?:the\s+)?(?P<which>{_EXTREME})\b\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    rf"^{_TELL}(?:how much\s+(?:(?:is|are|does|do|did|was|were)\s+)?(?P<one>\S.*?)(?:\s+(?:is|are|was|costs?))?"
    r"|what\s+(?:does|do|did)\s+(?P<two>\S.*?)\s+costs?|what\s+(?P<three>(?!is\b|are\b|was\b)\S.*?)\s+costs?"
    r"|(?P<four>\S.*?)\s*[:,–-]\s*how much(?: is it| are they| does it cost)?)$",
    re.IGNORECASE,
)
_HOW_MANY_WERE = re.compile(
    rf"^{_TELL}how many\s+(?P<things>\S+(?:\s\S+)?)\s+(?:was|were|are|have been|has been|got)\s+(?:\w+(?:ed|d|t|n))\s+(?P<rest>(?:in|on|by|for|at)\s+\S.*)$",
    re.IGNORECASE,
)
_IS_THERE = re.compile(
    r"^(?:(?:check|see|find out|tell me|verify)\s+(?:if|whether)\s+)?(?:is there|are there|there is|there are|do they have|do you have|does it have|they have)\s+(?:(?:an?|any|some)\s+)?(?P<what>\S.*?)(?:\s+(?:there|on (?:the|this) page|available|in stock))?$",
    re.IGNORECASE,
)
_IS_ON = re.compile(
    r"^(?:(?:check|see|find out|tell me)\s+(?:if|whether)\s+)?(?:is|are)\s+(?:the\s+)?(?P<what>(?!there\b)\S.*?)\s+(?:on|off|ticked|checked|enabled|disabled|switched on|turned on|selected)(?: or (?:on|off|not))?$",
    re.IGNORECASE,
)
_JOURNEY = re.compile(
    rf"^{_TELL}(?:what(?:['’]?s| is)\s+)?(?:the\s+)?(?P<which>{SUPERLATIVE})\s+(?P<thing>[\w -]+?)\s+(?P<rest>from\s+\S.*\bto\s+\S.*)$",
    re.IGNORECASE,
)
_VALUE_OF = re.compile(
    r"^(?:the\s+)?(?P<question>(?:price|cost|total|amount|value|rate|balance|revenue|date|status|name|title|number|weight|size)\s+(?:of|for)\s+\S.*)$",
    re.IGNORECASE,
)


def read_question(clause: str, goal: Masked, today: date) -> list[Clause] | None:
    """What answers a question: steps and, last, what is told; None when the clause is no question of these forms."""
    counted = _HOW_MANY_FOR.match(clause)
    if counted:
        return [Search(bare_name(counted["query"], goal)), Count(counted["things"].casefold())]
    were = _HOW_MANY_WERE.match(clause)
    if were:
        return [Read(goal.reveal(f"{were['things']} {were['rest']}"))]
    which = _WHICH.match(clause)
    if which:
        return _which(which, goal, today)
    much = _HOW_MUCH.match(clause)
    if much:
        thing = next(words for words in much.groups() if words)
        return [Read(f"price of {bare_name(thing, goal)}")]
    state = _IS_ON.match(clause)
    if state:
        return [Read(f"state of {bare_name(state['what'], goal)}")]
    journey = _JOURNEY.match(clause)
    if journey:
        made = goals.read_goal("search", f" {journey['thing']} {journey['rest']}", goal, today)
        if made and {"origin", "destination"} <= {slot for slot, _ in made.slots}:
            return [made, Read(f"{journey['which'].casefold()} {made.object.rstrip('s')}")]
    there = _IS_THERE.match(clause)
    if there:
        return [CheckShown(bare_name(there["what"], goal))]
    value = _VALUE_OF.match(clause)
    return [Read(goal.reveal(value["question"]))] if value else None


def _which(found: re.Match[str], goal: Masked, today: date) -> list[Clause] | None:
    thing, word, rest = found["thing"], found["which"].casefold(), found["rest"].strip()
    made = (
        goals.read_goal("search", f" {thing} {rest}", goal, today)
        if re.search(r"(?i)\bfrom\b.*\bto\b", thing)
        else None
    )
    if made and {"origin", "destination"} <= {slot for slot, _ in made.slots}:
        return [made, Read(f"{word} {made.object.rstrip('s')}")]
    if re.fullmatch(SUPERLATIVE, word) and not rest:
        return [Read(f"{word} {bare_name(thing, goal)}")]
    return [Read(f"{bare_name(thing, goal)} with the {word} {goal.reveal(rest) or 'amount'}")]
