"""What a sentence of the goal asks for, as values, and each value as the one sentence that means it.

The grammar reads `sentence(instruction)` back as an equal instruction; so a task's goal text is the instruction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from operative_app.planning.builtin.desktop_instruction import DesktopInstruction, desktop_sentence
from operative_app.planning.builtin.masking import quote

ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
LAST = -1


class Superlative(StrEnum):
    """Which of several: told apart by a number that each shows."""

    CHEAPEST = "cheapest"
    DEAREST = "most expensive"
    SHORTEST = "shortest"
    LONGEST = "longest"
    NEWEST = "newest"
    OLDEST = "oldest"
    BEST = "best rated"
    EARLIEST = "earliest"
    LATEST = "latest"


class Relation(StrEnum):
    """How a region lies to the words that name it."""

    IN = "in"
    ROW = "in the row"
    NEXT_TO = "next to"
    UNDER = "under"
    ABOVE = "above"
    FOR = "for"


@dataclass(frozen=True, slots=True)
class Region:
    """The part of the page the words point to.

    Attributes:
        name: Words that name it; "" when the ordinal or the kind says it.
        ordinal: Which row, from 1; `LAST`; 0 when the name says it.
        kind: What it is: dialog, table, section, header, … or "".
    """

    relation: Relation
    name: str = ""
    ordinal: int = 0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Something on the page, described in words.

    Attributes:
        name: What it is called; "" for "the first result".
        kind: What it is: button, link, field, result, row, tab, … or "".
        ordinal: Which of those that fit, from 1; `LAST`; 0 when not said.
    """

    name: str = ""
    kind: str = ""
    ordinal: int = 0
    superlative: Superlative | None = None
    region: Region | None = None


class Gesture(StrEnum):
    """How a target is used; the value is the verb of the sentence."""

    PRESS = "Press"
    OPEN = "Open"
    DOUBLE = "Double-click"
    RIGHT = "Right-click"
    HOVER = "Point at"


@dataclass(frozen=True, slots=True)
class OpenAddress:
    url: str
    new_tab: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """Use the page's own search; `place` names the field when said."""

    query: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    target: Target
    gesture: Gesture = Gesture.PRESS


@dataclass(frozen=True, slots=True)
class DragTo:
    """Drag one thing onto another."""

    target: Target
    onto: Target


@dataclass(frozen=True, slots=True)
class Enter:
    """Put a value into a field; `field` None means what has the focus."""

    value: str
    field: Target | None


@dataclass(frozen=True, slots=True)
class Choose:
    """Make one option the chosen one, in the named field when said."""

    option: str
    field: str = ""
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    target: Target
    on: bool = True


@dataclass(frozen=True, slots=True)
class AddTo:
    """Put an item, "" for the one at hand, into the cart, basket, order."""

    container: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class GoTo:
    """Get to a place of the site by its name."""

    place: str


@dataclass(frozen=True, slots=True)
class Submit:
    """Press the control that sends, saves, confirms; `object` "" means the form at hand."""

    verb: str
    object: str = ""


@dataclass(frozen=True, slots=True)
class Sort:
    key: str
    descending: bool | None = None


@dataclass(frozen=True, slots=True)
class ScrollTo:
    """Scroll to what is named, or ("down", "up", "top", "bottom") just so."""

    place: str
    is_direction: bool = False


@dataclass(frozen=True, slots=True)
class GoBack:
    pass


@dataclass(frozen=True, slots=True)
class WaitUntil:
    text: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """Press a key or chord, in the field or on the element named, when it is."""

    chord: str
    target: Target | None = None


class TabAct(StrEnum):
    SWITCH = "Switch to"
    CLOSE = "Close"
    NEW = "Open"


@dataclass(frozen=True, slots=True)
class TabStep:
    """Work with browser tabs. `name` is a title; `ordinal` a place; both empty: the other one, or this one."""

    act: TabAct
    name: str = ""
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class ChooseFile:
    """The person chooses a file; `what` says which kind."""

    what: str = "file"


@dataclass(frozen=True, slots=True)
class SignIn:
    """The person signs in; with a saved secret, `{{secret:name}}`, it is done for them."""

    secret: str = ""
    username: str = ""


@dataclass(frozen=True, slots=True)
class PersonDoes:
    """Something the person said they do themselves."""

    what: str


@dataclass(frozen=True, slots=True)
class Read:
    """Find out a value and tell it."""

    question: str


@dataclass(frozen=True, slots=True)
class Count:
    things: str


@dataclass(frozen=True, slots=True)
class CheckShown:
    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Close a dialog or notice, or answer a cookie notice."""

    what: str


@dataclass(frozen=True, slots=True)
class Provide:
    """Give one detail wherever the pages of a form ask for it, going on from page to page to get there."""

    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Go on until the control that carries the verb was pressed: book, place, create, subscribe.

    Attributes:
        ordinal: Which of several rows to take on the way, from 1; `LAST` the last one; 0 when it was not said.
    """

    verb: str
    object: str
    preference: Superlative | None = None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class FormGoal:
    """A known task shape: a verb, what it is about, and the details given; becomes several tasks."""

    verb: str
    object: str
    slots: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    item: str = ""
    preference: Superlative | None = None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class FillForm:
    """Several fields of the form at hand; becomes one task each.

    Attributes:
        is_details: Said without a verb (“name Ada, phone 555 0100”): details for the clause before or after it.
    """

    pairs: tuple[tuple[str, str], ...]
    is_details: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """What takes several steps though it was said in one clause; becomes one task each."""

    steps: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """Something that must not be done; no task, but it limits the others."""

    what: str


Instruction = (
    OpenAddress | Search | Press | Enter | Choose | Tick | AddTo | GoTo | Submit | Sort | ScrollTo | GoBack | WaitUntil
    | Key | TabStep | ChooseFile | SignIn | PersonDoes | Read | Count | CheckShown | Dismiss | Provide | Finish
    | DragTo | DesktopInstruction
)  # fmt: skip
"""What a leaf task can ask for."""

Clause = Instruction | FormGoal | FillForm | Several | Leave


def sentence(instruction: Instruction) -> str:
    """The canonical sentence."""
    if isinstance(instruction, DesktopInstruction):
        return desktop_sentence(instruction)
    match instruction:
        case OpenAddress(url, new_tab):
            shown = url if _is_plain_address(url) else quote(url)
            return f"Open {shown} in a new tab" if new_tab else f"Open {shown}"
        case Search(query, place):
            return f"Search for {quote(query)}" + (f" in {quote(place)}" if place else "")
        case Press(target, gesture):
            return f"{gesture} {target_words(target)}"
        case DragTo(target, onto):
            return f"Drag {target_words(target)} onto {target_words(onto)}"
        case Enter(value, field):
            where = "the focused field" if field is None else target_words(field)
            return f"Enter {quote(value)} in {where}"
        case Choose(option, field, region):
            words = f"Choose {quote(option)}" + (f" for {quote(field)}" if field else "")
            return f"{words} {region_words(region)}" if region else words
        case Tick(target, on):
            return f"{'Tick' if on else 'Untick'} {target_words(target)}"
        case AddTo(container, item):
            return f"Add {quote(item) if item else 'it'} to the {container}"
        case GoTo(place):
            return f"Go to {quote(place)}"
        case Submit(verb, thing):
            what = f"the {thing or 'form'}" if not thing or _is_simple(thing) else quote(thing)
            return f"{verb.capitalize()} {what}"
        case Sort(key, descending):
            order = {None: "", True: ", highest first", False: ", lowest first"}[descending]
            return f"Sort by {quote(key)}{order}"
        case ScrollTo(place, is_direction):
            if not is_direction:
                return f"Scroll to {quote(place)}"
            return f"Scroll {place}" if place in {"up", "down"} else f"Scroll to the {place}"
        case GoBack():
            return "Go back"
        case WaitUntil(text, gone):
            return f"Wait until {quote(text)} is gone" if gone else f"Wait for {quote(text)}"
        case Key(chord, target):
            return f"Press the key {chord}" + (f" in {target_words(target)}" if target else "")
        case TabStep():
            return _tab_words(instruction)
        case ChooseFile(what):
            return f"You: choose the {what if _is_simple(what) else quote(what)}"
        case SignIn(secret, username):
            if not secret:
                return "You: sign in"
            return f"Sign in{f' as {quote(username)}' if username else ''} with {quote(secret)}"
        case PersonDoes(what):
            return f"You: {quote(what)}"
        case Read(question):
            return f"Tell {quote(question)}"
        case Count(things):
            return f"Count {quote(things)}"
        case CheckShown(text, absent):
            return f"Check that {quote(text)} is {'not ' if absent else ''}shown"
        case Dismiss(what):
            return f"Dismiss {quote(what)}"
        case Provide(slot, value):
            return f"Provide {slot if _is_simple(slot) else quote(slot)}: {quote(value)}"
        case Finish(verb, thing, preference, ordinal):
            to = {"subscribe": "to ", "sign up": "for "}.get(verb, "") if thing else ""
            what = f"{preference} " if preference else f"{ordinal_word(ordinal)} " if ordinal else ""
            what += thing if not thing or _is_simple(thing) else quote(thing)
            return f"Finish: {verb} {to}the {what}" if what else f"Finish: {verb}"
        case _:
            assert_never(instruction)


def target_words(target: Target) -> str:
    """The target as it stands in a canonical sentence."""
    which = ordinal_word(target.ordinal) or str(target.superlative or "")
    words = [quote(target.name)] if target.name else []
    if target.kind:
        words.insert(0, target.kind)
    if which:
        words.insert(0, which)
    if which or target.kind:
        words.insert(0, "the")
    if not words:
        words = ["it"]
    if target.region:
        words.append(region_words(target.region))
    return " ".join(words)


def region_words(region: Region) -> str:
    match region:
        case Region(Relation.ROW, "", ordinal, _):
            return f"in the {ordinal_word(ordinal)} row"
        case Region(Relation.IN, name, _, kind) if kind:
            return f"in the {kind} {quote(name)}" if name else f"in the {kind}"
        case Region(relation, name, _, _):
            return f"{relation} {quote(name)}"
    raise AssertionError(region)


def ordinal_word(ordinal: int) -> str:
    if ordinal == LAST:
        return "last"
    if ordinal < len(ORDINALS):
        return ORDINALS[ordinal]
    suffix = "th" if 10 <= ordinal % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(ordinal % 10, "th")
    return f"{ordinal}{suffix}"


def _tab_words(step: TabStep) -> str:
    if step.act is TabAct.NEW:
        return "Open a new tab"
    if step.name:
        return f"{step.act} the tab {quote(step.name)}"
    if step.ordinal:
        return f"{step.act} the {ordinal_word(step.ordinal)} tab"
    return f"{step.act} the {'other' if step.act is TabAct.SWITCH else 'current'} tab"


_RESERVED = frozenset(
    (  # noqa: SIM905 - a list of words
        "then and or but please thanks thank thx first second third next last finally lastly afterwards after if unless "  # noqa: E501 - words and patterns read best on one line
        "whenever while for each every as in on at of to the a an it form with without from not do"
    ).split()
)
"""Words that the grammar reads as more than a part of a name."""


def _is_plain_address(url: str) -> bool:
    return re.fullmatch(r"[^\s“”\"'«»「」„‘’`]*[A-Za-z0-9/_#=-]", url) is not None


def _is_simple(words: str) -> bool:
    """Plain lower-case words that need no quotation marks to be told from the rest."""
    if re.fullmatch(r"[a-z]+(?:[ -][a-z]+){0,3}", words) is None:
        return False
    return not _RESERVED & set(re.split(r"[ -]", words))
