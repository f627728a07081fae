# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""The rows of the grammar: pattern and what it means. Order matters; the first that fits wins.

Patterns see one clause of masked text (see `masking`): a quotation, an address, an e-mail address is one character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from operative_app.actions.secrets import is_secret_name
from operative_app.planning.builtin import goals
from operative_app.planning.builtin.clauses import PAGE_VERBS
from operative_app.planning.builtin.instruction import (
    AddTo,
    CheckShown,
    Choose,
    ChooseFile,
    Clause,
    Count,
    Dismiss,
    DragTo,
    Enter,
    FillForm,
    Finish,
    FormGoal,
    Gesture,
    GoBack,
    GoTo,
    Key,
    OpenAddress,
    PersonDoes,
    Press,
    Provide,
    Read,
    Region,
    Relation,
    ScrollTo,
    Search,
    Several,
    SignIn,
    Sort,
    Submit,
    TabAct,
    TabStep,
    Target,
    Tick,
    WaitUntil,
)
from operative_app.planning.builtin.masking import PART, Masked, PartKind, is_address
from operative_app.planning.builtin.targets import (
    KINDS,
    ORDINAL,
    SUPERLATIVE,
    bare_name,
    read_region,
    read_target,
    which_of,
)

Found = re.Match[str]
Builder = Callable[[Found, Masked, date], Clause | None]

CART = r"(?:(?:shopping )?(?:cart|basket|bag|trolley)|order|wish ?list|list)"
_KEYS = {
    "enter": "Enter", "return": "Enter", "escape": "Escape", "esc": "Escape", "tab": "Tab", "space": "Space", "spacebar": "Space",
    "backspace": "Backspace", "delete": "Delete", "del": "Delete", "home": "Home", "end": "End", "page up": "PageUp",
    "pageup": "PageUp", "page down": "PageDown", "pagedown": "PageDown", "arrow up": "ArrowUp", "up arrow": "ArrowUp",
    "arrowup": "ArrowUp", "arrow down": "ArrowDown", "down arrow": "ArrowDown", "arrowdown": "ArrowDown",
    "arrow left": "ArrowLeft", "left arrow": "ArrowLeft", "arrowleft": "ArrowLeft", "arrow right": "ArrowRight",
    "right arrow": "ArrowRight", "arrowright": "ArrowRight", "ctrl": "Control", "control": "Control", "shift": "Shift",
    "alt": "Alt", "option": "Alt", "cmd": "Meta", "command": "Meta", "meta": "Meta", "win": "Meta",
}  # fmt: skip
_NAMED_KEY = "(?:" + "|".join(sorted(_KEYS, key=len, reverse=True)) + r"|f\d{1,2})"
_SURE_KEY = r"(?:enter|return|escape|esc|tab|backspace|page ?up|page ?down|(?:arrow (?:up|down|left|right))|(?:(?:up|down|left|right) arrow)|f\d{1,2})"
_CHORD = rf"(?:(?:ctrl|control|shift|alt|option|cmd|command|meta|win)\s*[+-]\s*)+(?:{_NAMED_KEY}|[a-z0-9])"
_SHOWN = r"(?:is|are|gets|becomes?) (?:shown|visible|displayed|there|present|on (?:the )?(?:page|screen)|loaded|available|ready)|appears?|shows? ?(?:up)?|loads?|exists?"
_FORM_VERBS = "book|reserve|order|buy|purchase|create|make|subscribe|register|sign up|convert|transform|schedule|rent|hire|request|invite|join|apply|generate|send"


def within(meaning: Clause, region: Region) -> Clause:
    """The same, within a region said ahead of it; unchanged where a region has no sense."""
    if region.kind == "page":
        return meaning
    match meaning:
        case Press(target, gesture) if target.region is None:
            return Press(replace(target, region=region), gesture)
        case Tick(target, on) if target.region is None:
            return Tick(replace(target, region=region), on)
        case Enter(value, field) if field is not None and field.region is None:
            return Enter(value, replace(field, region=region))
        case Choose(option, field, None):
            return Choose(option, field, region)
        case Read(question):
            return Read(f"{question} in {region.name}") if region.name else meaning
        case _:
            return meaning


def _text(found: Found, group: str, goal: Masked) -> str:
    return goal.reveal((found.groupdict().get(group) or "").strip())


def _open(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["address"].strip()
    text = goal.reveal(words)
    if goal.kind_of(words) is PartKind.ADDRESS or is_address(text) or "://" in text:
        return OpenAddress(text, new_tab="tab" in (found.groupdict().get("tab") or ""))
    return None


def _search(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["query"].strip()
    if re.search(r"(?i)\bfrom\s+\S.*\bto\s+\S", words) and goal.kind_of(words) is None:
        made = goals.read_goal("search", words, goal, today)
        if made and {"origin", "destination"} <= {slot for slot, _ in made.slots}:
            return made
    place = ""
    where = re.match(
        rf"(?i)^(?P<query>.+?)\s+(?:in|on|using|with|via)\s+(?:the\s+)?(?P<place>{PART}|[\w -]*?(?:field|box|bar|search))$",
        words,
    )
    if where and goal.kind_of(where["place"]) is not PartKind.ADDRESS:
        words, place = (
            where["query"],
            ""
            if re.fullmatch(r"(?i)search(?: field| box| bar)?", where["place"])
            else bare_name(re.sub(r"(?i)\s+(?:field|box|bar)$", "", where["place"]), goal),
        )
    else:
        words = re.sub(
            r"(?i)\s+(?:on|in|from) (?:the|this) (?:site|page|website|shop|store|web ?shop|catalog(?:ue)?)$", "", words
        )
    query = goal.reveal(words)
    if goal.kind_of(words) is None:
        query = re.sub(r"(?i)^(?:the|an?|some|any)\s+(?=\S)", "", query)
    return Search(query, place) if query else None


def _press(found: Found, goal: Masked, today: date) -> Clause | None:
    verb = found["verb"].casefold()
    if any(goal.kind_of(char) is PartKind.ADDRESS for char in found["target"].strip()[:-1]):
        return None  # an address with more words behind it names nothing on a page
    target = read_target(found["target"], goal)
    gestures = {"open": Gesture.OPEN, "view": Gesture.OPEN, "show": Gesture.OPEN, "follow": Gesture.OPEN}
    if verb in gestures and goal.kind_of(found["target"].strip()) is None and not target.name and not target.kind:
        return None
    if not target.name and not target.kind and target.region is None:
        return None
    return Press(target, gestures.get(verb, Gesture.PRESS))


def _gesture(gesture: Gesture) -> Builder:
    def build(found: Found, goal: Masked, today: date) -> Clause | None:
        return Press(read_target(found["target"], goal), gesture)

    return build


def _drag(found: Found, goal: Masked, today: date) -> Clause | None:
    return DragTo(read_target(found["target"], goal), read_target(found["onto"], goal))


_PUT = re.compile(
    r"^(?P<value>\S.*?)\s+(?:in|into|as|for|under)\s+(?:the\s+|my\s+)?(?P<field>\S.*?)(?:\s+(?:field|box))?$",
    re.IGNORECASE,
)


def _enter_several(found: Found, goal: Masked, today: date) -> Clause | None:
    """“enter SFO in From, JFK in To and 2 as passengers”; “enter name Ada and city London”."""
    if goals.begins_with_detail(found["pairs"]) and not re.match(r"(?i)my\b", found["pairs"]):
        pairs = goals.read_pairs(found["pairs"], goal)
        if pairs:
            return FillForm(tuple((slot, goals.date_value(value, today)) for slot, value in pairs))
    pieces = [_PUT.match(piece) for piece in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", found["pairs"])]
    if len(pieces) < 2 or not all(pieces):
        return None
    return FillForm(
        tuple(
            (bare_name(one["field"], goal), goals.date_value(goal.written(one["value"]), today))
            for one in pieces
            if one
        )
    )


def _filter(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["what"].strip()
    field = re.match(r"^(?:the\s+)?(?P<field>[a-z]+)\s*(?::|=|to|is)?\s+(?P<value>(?-i:[A-Z0-9]).*|.)$", words)
    if field and goal.kind_of(words) is None:
        return Choose(goal.reveal(field["value"]), field["field"])
    return Choose(_option(words, goal))


def _enter(found: Found, goal: Masked, today: date) -> Clause | None:
    value = goal.written(found["value"].strip())
    if not value:
        return None
    goals.refuse_unsaid(found["value"], goal)
    field = (found.groupdict().get("field") or "").strip()
    if not field or re.fullmatch(r"(?i)(?:the )?(?:focused|current|active) field|it", field):
        if goal.kind_of(found["value"].strip()) is None and re.match(r"(?i)(?:the|this|that)\s", value):
            return None  # a description of a value, not the value
        return Enter(value, None)
    if re.fullmatch(r"(?i)(?:(?:the|this|a) )?(?:form|fields|details|page)", field):
        return None
    return Enter(value, _field(field, goal))


def _field(words: str, goal: Masked) -> Target:
    target = read_target(words, goal)
    return replace(target, kind="") if target.kind == "field" and target.name else target


def _choose(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["option"].strip()
    counted = re.match(
        r"(?i)^(?P<option>\S.*?)\s*,\s*(?:and\s+)?(?:quantity|qty|amount)\s*(?:of|:|=)?\s*(?P<count>\d+)$", words
    )
    if counted:
        return Several((Choose(_option(counted["option"], goal)), Enter(counted["count"], Target("quantity"))))
    if goal.kind_of(words) is None and re.match(
        rf"(?i)^(?:the\s+)?(?:(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|last|{SUPERLATIVE})\s+\S|(?:result|row|item)\s+\d)",
        words,
    ):
        target = read_target(words, goal)
        if target.kind or target.superlative:
            return Press(target)
    field = re.match(
        r"(?i)^(?P<option>.+?)\s+(?:for|as|in|from|under|at)\s+(?:the\s+|a\s+)?(?P<field>\S.*?)(?:\s+(?:field|drop-?down(?: list| menu)?|list|selector|select|options?|box))?$",
        words,
    )
    region, head = read_region(words, goal)
    if region and (
        region.relation in {Relation.ROW, Relation.NEXT_TO, Relation.UNDER, Relation.ABOVE}
        or region.kind not in {"", "list", "menu", "box"}
    ):
        inner = re.match(r"(?i)^(?P<option>.+?)\s+(?:for|as)\s+(?:the\s+)?(?P<field>\S.*)$", head)
        if inner:
            return Choose(_option(inner["option"], goal), bare_name(inner["field"], goal), region)
        return Choose(_option(head, goal), "", region)
    if field:
        return Choose(_option(field["option"], goal), bare_name(field["field"], goal))
    option = _option(words, goal)
    return Choose(option) if option else None


def _option(words: str, goal: Masked) -> str:
    words = words.strip()
    if goal.kind_of(words) is None:
        words = re.sub(r"(?i)^(?:the|an?|my)\s+", "", words)
        words = re.sub(r"(?i)^(?:option|radio button|choice|value)\s+(?=\S)", "", words)
        words = re.sub(r"(?i)\s+(?:option|one|radio button|version|variant|model)$", "", words)
    return goal.reveal(words)


def _set(found: Found, goal: Masked, today: date) -> Clause | None:
    value = goal.written(found["value"].strip())
    switch = {"on": True, "off": False, "yes": True, "no": False}.get(value.casefold())
    if switch is not None:
        return Tick(_field(found["field"], goal), switch)
    return Enter(goals.date_value(value, today), _field(found["field"], goal))


def _tick(found: Found, goal: Masked, today: date) -> Clause | None:
    verb = found["verb"].casefold()
    off = verb.startswith(("un", "de", "dis", "turn off", "switch off", "clear"))
    words = (
        re.sub(r"(?i)\s+(?:on|off)$", "", found["target"]) if verb.startswith(("turn", "switch")) else found["target"]
    )
    target = read_target(words, goal)
    if target.kind in {"checkbox", "switch", "option"}:
        target = replace(target, kind="" if target.name else target.kind)
    return Tick(target, not off) if target.name or target.kind or target.region else None


def _add(found: Found, goal: Masked, today: date) -> Clause | None:
    words = (found.groupdict().get("item") or "").strip()
    container = re.sub(r"(?i)^shopping ", "", found["container"]).casefold()
    counted = re.match(rf"(?i)^(?:the )?(?P<count>{goals.COUNT})\s*(?:x\s+)?(?P<item>\S.*)$", words)
    if counted and goal.kind_of(words) is None:
        opened = Press(Target(bare_name(counted["item"].strip(), goal)), Gesture.OPEN)
        return Several((opened, Enter(str(goals.number(counted["count"])), Target("quantity")), AddTo(container)))
    target = read_target(words, goal) if words and goal.kind_of(words) is None else None
    if target and (target.superlative or target.ordinal):
        return Several((Press(target, Gesture.OPEN), AddTo(container)))
    if re.fullmatch(
        r"(?i)(?:it|this|that|them|the (?:item|product|article|dish|one)|this (?:item|product|one))?", words
    ):
        return AddTo(container)
    return AddTo(container, bare_name(words, goal))


def _page_verb(found: Found, goal: Masked, today: date) -> Clause | None:
    """“delete the second row”, “pay invoice 4217”: the control with that name, for the thing named."""
    verb, words = found["verb"].casefold(), found["target"].strip()
    carted = re.match(
        r"(?i)^(?P<what>\S.*?)\s+(?:from|in|out of)\s+(?:the |my |your )?(?P<cart>(?:shopping )?(?:cart|basket|bag|trolley))$",
        words,
    )
    if carted:
        press = Press(Target(verb, region=Region(Relation.FOR, bare_name(carted["what"], goal))))
        return Several((GoTo(re.sub(r"(?i)^shopping ", "", carted["cart"]).casefold()), press))
    target = read_target(words, goal)
    if target.kind in {"row", "result", "item"} and target.ordinal:
        return Press(Target(verb, region=Region(Relation.ROW, "", target.ordinal)))
    if target.region and target.region.relation is Relation.ROW:
        return Press(Target(f"{verb} {target.name}".strip(), region=target.region))
    name = bare_name(words, goal)
    kind = re.match(
        r"(?i)^(?P<kind>[\w-]+) (?:of|from|by|for|to|called|named|titled|about) (?:the )?(?P<name>\S.*)$", name
    )
    if kind and KINDS.get(kind["kind"].casefold()) == "item" and goal.kind_of(words) is None:
        name = kind["name"]
    return Press(Target(verb, region=Region(Relation.FOR, name))) if name else None


def _submit(found: Found, goal: Masked, today: date) -> Clause | None:
    thing = _text(found, "object", goal)
    thing = (
        ""
        if re.fullmatch(r"(?i)(?:the |this |my )?(?:form|it|everything|all)?", thing)
        else re.sub(r"(?i)^(?:the|my|your|this|these|all)\s+", "", thing)
    )
    return Submit(found["verb"].casefold(), thing)


def _finish(found: Found, goal: Masked, today: date) -> Clause | None:
    return Finish(found["verb"].casefold(), found["object"].casefold())


def _finish_with(found: Found, goal: Masked, today: date) -> Clause | None:
    """“place the order with name Ada, phone 555 0100”: a form goal whose details were said."""
    pairs = goals.read_pairs(found["pairs"], goal)
    if not pairs:
        return None
    slots = tuple((goals.slot_named(slot), goals.date_value(value, today)) for slot, value in pairs)
    return FormGoal(found["verb"].casefold(), found["object"].casefold(), slots)


def _finish_canonical(found: Found, goal: Masked, today: date) -> Clause | None:
    ordinal, preference = which_of(found["which"]) if found["which"] else (0, None)
    return Finish(found["verb"].casefold(), _text(found, "object", goal), preference, ordinal)


def _sort(found: Found, goal: Masked, today: date) -> Clause | None:
    order = (found.groupdict().get("order") or "").casefold()
    descending = (
        None
        if not order
        else bool(re.search(r"desc|high(?:est)? (?:first|to)|z to a|newest|most|largest|latest", order))
    )
    return Sort(bare_name(found["key"], goal), descending)


def _key(found: Found, goal: Masked, today: date) -> Clause | None:
    chord = "+".join(
        _KEYS.get(key.strip().casefold(), key.strip().upper()) for key in re.split(r"\s*[+-]\s*", found["chord"])
    )
    where = (found.groupdict().get("target") or "").strip()
    return Key(chord, _field(where, goal) if where else None)


def _scroll(found: Found, goal: Masked, today: date) -> Clause | None:
    return ScrollTo(bare_name(found["place"], goal))


def _scroll_way(found: Found, goal: Masked, today: date) -> Clause | None:
    way = found["way"].casefold()
    return ScrollTo({"end": "bottom", "start": "top", "beginning": "top"}.get(way, way), is_direction=True)


def _wait(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["text"].strip()
    gone = re.search(
        r"(?i)\s+(?:(?:is|are|has|have) (?:gone|hidden|disappeared|vanished|over|finished)|disappears?|vanish(?:es)?|goes away|is no longer (?:shown|visible|there))$",
        words,
    )
    shown = re.search(rf"(?i)\s+(?:{_SHOWN})$", words)
    if gone or shown:
        words = words[: (gone or shown).start()]  # type: ignore[union-attr]
    words = re.sub(r"(?i)^(?:the )?(?:text|words|message|page (?:shows|says))\s+(?=\S)", "", words)
    if re.fullmatch(r"(?i)(?:about |for )?\d+ ?(?:s|sec|seconds?|ms|minutes?|min)", words):
        return None
    return WaitUntil(bare_name(words, goal), gone is not None)


def _tab(act: TabAct) -> Builder:
    def build(found: Found, goal: Masked, today: date) -> Clause | None:
        name = _text(found, "name", goal)
        which = (found.groupdict().get("which") or "").casefold()
        number = found.groupdict().get("n")
        ordinal = int(number) if number else which_of(which)[0]
        return TabStep(act, name, ordinal)

    return build


def _file(found: Found, goal: Masked, today: date) -> Clause | None:
    what = _text(found, "what", goal)
    what = re.sub(r"(?i)^(?:the|an?|my|your|our|this)\s+", "", what)
    is_plain = re.fullmatch(r"[a-z]+(?: [a-z]+){0,3}", what.casefold())
    if is_plain:
        what = what.casefold()
        what = what if re.search(r"(?i)file|photo|picture|image|document|pdf|cv|resume", what) else f"{what} file"
    return ChooseFile(what or "file")


def _file_canonical(found: Found, goal: Masked, today: date) -> Clause | None:
    return ChooseFile(goal.reveal(found["what"]))


def _read(found: Found, goal: Masked, today: date) -> Clause | None:
    question = found["question"].strip()
    if goal.kind_of(question) is not PartKind.QUOTE:
        question = re.sub(r"(?i)^(?:what|which) (.+?) (?:is|are|was|were)$", r"\1", question)
        question = re.sub(r"(?i)^(?:what|which|who)(?:['’]?s| is| are| was| were)\s+", "", question)
        question = re.sub(r"(?i)^(?:me|us)\s+", "", question)
    question = bare_name(question, goal)
    return Read(question) if question else None


def _count(found: Found, goal: Masked, today: date) -> Clause | None:
    words = re.sub(
        r"(?i)\s+(?:(?:are|is|were) (?:there|shown|listed|on .+|in .+)|(?:do|does) .+|there (?:are|is).*)$",
        "",
        found["things"].strip(),
    )
    return Count(bare_name(words, goal))


def _check(found: Found, goal: Masked, today: date) -> Clause | None:
    return CheckShown(bare_name(found["text"], goal), absent=bool(found.groupdict().get("no")))


def _fill_form(found: Found, goal: Masked, today: date) -> Clause | None:
    pairs = goals.read_pairs(found["pairs"], goal)
    return FillForm(tuple((slot, goals.date_value(value, today)) for slot, value in pairs)) if pairs else None


def _fill_list(found: Found, goal: Masked, today: date) -> Clause | None:
    if not re.search(r"[:=]", found["pairs"]):
        return None
    return _fill_form(found, goal, today)


def _form_goal(found: Found, goal: Masked, today: date) -> Clause | None:
    verb = " ".join(found["verb"].casefold().split())
    made = goals.read_goal(verb, found["rest"], goal, today)
    if verb in {"make", "send", "join", "apply", "request"} and made and not made.slots:
        return None
    return made


def _simple(clause: Clause) -> Builder:
    return lambda found, goal, today: clause


def _provide(found: Found, goal: Masked, today: date) -> Clause | None:
    return Provide(_text(found, "slot", goal), _text(found, "value", goal))


def _goto(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["place"].strip()
    if goal.kind_of(words) is PartKind.ADDRESS:
        return OpenAddress(goal.reveal(words))
    name = bare_name(re.sub(r"(?i)\s+(?:page|screen|area)$", "", words) if goal.kind_of(words) is None else words, goal)
    if re.fullmatch(r"(?i)check[ -]?out", name):
        name = "checkout"
    return GoTo(name) if name else None


def _submit_press(found: Found, goal: Masked, today: date) -> Clause | None:
    return Press(Target(goal.reveal(found[0])))


def _sign_in_with(found: Found, goal: Masked, today: date) -> Clause | None:
    secret = goal.reveal(found["secret"])
    return SignIn(secret, _text(found, "name", goal)) if is_secret_name(secret) else None


ROWS: tuple[tuple[str, Builder], ...] = (
    # canonical sentences that people rarely write
    (rf"finish: (?P<verb>sign up|\w+)(?:(?: to| for)? the(?: (?P<which>{SUPERLATIVE}|{ORDINAL}))?(?: (?P<object>\S.*))?)?", _finish_canonical),
    (rf"provide (?:the )?(?P<slot>{PART}|[a-z -]+?):? (?P<value>{PART})", _provide),
    (r"you: choose the (?P<what>\S.*)", _file_canonical),
    (r"you: sign in", _simple(SignIn())),
    (rf"(?:please )?(?:sign|log)(?:ed)?[ -]?in(?:to|\s+(?:to|at|on|into)(?:\s+(?!(?:as|with|using)\b)\S+)+)?(?:\s+(?:as|with (?:the )?(?:user ?name|name|user|e-?mail(?: address)?|account))\s+(?P<name>\S.*?))?\s*,?(?:\s+and)?(?:\s+(?:with|using|by))?(?:\s+(?:the\s+)?password:?)?\s+(?P<secret>{PART})", _sign_in_with),
    (r"you: (?P<what>\S.*)", lambda found, goal, today: PersonDoes(goal.reveal(found["what"]))),
    # waiting and people
    (r"(?:let me|i(?:['’]ll| will)?|wait (?:for me to|until i(?: have)?)|have me|ask me to)?\s*(?:sign|log)(?:ed)?[ -]?in(?:to|\s+(?:to|at|on|as|with|using|into)\s+.+|\s+\(.*\)| first| myself)?", _simple(SignIn())),
    (r"(?:solve|answer|complete|do) the captcha", _simple(PersonDoes("solve the CAPTCHA"))),
    (r"(?:let me|wait (?:for me to|until i(?: have)?)|i(?:['’]ll| will)|have me|ask me to)\s+(?P<what>\S.*)", lambda found, goal, today: PersonDoes(goal.reveal(found["what"]))),
    (r"wait (?:for|until|till) (?:the )?(?P<text>\S.*)", _wait),
    # keys and pointer
    (rf"(?:press|hit|push|use|type) (?:the )?(?:keys? )?(?P<chord>{_CHORD}|{_SURE_KEY})(?: key| keys)?(?: (?:in|on|into) (?P<target>\S.*))?", _key),
    (rf"(?:press|hit|push|use|type) (?:the )?(?:keys? (?P<chord>{_NAMED_KEY}|[a-z0-9])|(?P<chord2>{_NAMED_KEY}|[a-z0-9]) key)(?: (?:in|on) (?P<target>\S.*))?",
     lambda found, goal, today: Key(_KEYS.get((found["chord"] or found["chord2"]).casefold(), (found["chord"] or found["chord2"]).upper()), _field(found["target"], goal) if found["target"] else None)),
    (r"(?:hover|point|move (?:the )?(?:mouse|pointer)|mouse) (?:over|at|on|onto|to) (?P<target>\S.*)", _gesture(Gesture.HOVER)),
    (r"hover (?P<target>\S.*)", _gesture(Gesture.HOVER)),
    (r"drag(?: and drop)? (?P<target>\S.*?),? (?:and drop (?:it )?)?(?:onto|into|over|on|to) (?P<onto>\S.*)", _drag),
    (r"double[ -]?(?:click|tap) (?:on )?(?P<target>\S.*)", _gesture(Gesture.DOUBLE)),
    (r"right[ -]?click (?:on )?(?P<target>\S.*)", _gesture(Gesture.RIGHT)),
    # moving about
    (r"scroll (?:a (?:bit|little) |further )?(?P<way>up|down)(?: a (?:bit|little|page)| (?:one|the) page)?", _scroll_way),
    (r"scroll (?:all the way )?(?:down |up )?to (?:the )?(?P<way>bottom|top|end|start|beginning)(?: of (?:the|this) page)?", _scroll_way),
    (rf"scroll (?:down |up )?(?:to|until|till) (?:you see |i see )?(?P<place>\S.*?)(?: (?:{_SHOWN}))?", _scroll),
    (r"(?:go|navigate) back(?: (?:one page|to the (?:previous|last) page|a page))?|back|return to the (?:previous|last) page|press (?:the )?(?:browser['’]?s? )?back(?: button)? of the browser", _simple(GoBack())),
    (r"open (?:a|another) new (?:browser )?tab", _tab(TabAct.NEW)),
    (r"(?:switch|change|go back|return) to (?:the )?(?:(?P<which>first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th)) (?:browser )?tab|tab (?:number )?(?P<n>\d+)|(?:other|previous|new|next) tab)", _tab(TabAct.SWITCH)),
    (r"(?:switch|change|go back|return) to (?:the )?(?:(?:browser )?tab (?:called |named |with )?(?P<name>\S.*)|(?P<name2>\S.*) tab)", lambda found, goal, today: TabStep(TabAct.SWITCH, bare_name(found["name"] or found["name2"], goal))),
    (r"close (?:the|this)? ?(?:(?P<which>first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th)) (?:browser )?tab|(?:current |active |browser )?tab(?: (?P<n>\d+))?)", _tab(TabAct.CLOSE)),
    (r"close (?:the )?(?:browser )?tab (?:called |named |with )?(?P<name>\S.*)", _tab(TabAct.CLOSE)),
    (r"(?:open|go to|visit|navigate to|browse to|load|head to|start (?:at|on|with|from))\s+(?:the\s+)?(?:web ?)?(?:site|page|website|address|url|link)?\s*(?P<address>\S+)(?P<tab>\s+in a new tab)?", _open),
    # files
    (r"choose the file (?P<what>\S.*?)", _file),
    (r"(?:upload|attach) (?P<what>\S.*)", _file),
    (r"(?:choose|select|pick|provide|give|add) (?P<what>(?:the |an? |my |your |our )?(?:[\w-]+ )?(?:file|pdf|document|photo|picture|image|attachment|\S+\.(?:pdf|png|jpe?g|docx?|txt|csv|xlsx?|zip)))(?: (?:to upload|to convert|from (?:my|the) (?:computer|disk)))?", _file),
    (r"check ?out", _simple(GoTo("checkout"))),
    # reading
    (r"(?:count|tell(?: me)?|find out|say|report|check)?\s*(?:how many|the number of) (?P<things>\S.*)", _count),
    (r"count (?:the |all (?:the )?)?(?P<things>\S.*)", _count),
    (r"(?:check|verify|make sure|ensure|confirm|assert|see)(?: that| whether| if)? (?:the )?(?:page|screen|site) (?:(?P<no>does not|doesn['’]t) )?(?:shows?|says?|contains?|displays?|reads?|has) (?P<text>\S.*)", _check),
    (r"(?:check|verify|make sure|ensure|confirm|assert|see)(?: that| whether| if)? (?P<text>\S.*?) (?:is|are) (?P<no>not|no longer) (?:shown|visible|displayed|there|present|on the page)", _check),
    (rf"(?:check|verify|make sure|ensure|confirm|assert|see)(?: that| whether| if)? (?P<text>\S.*?) (?:{_SHOWN})", _check),
    (r"(?:tell(?: me| us)?|read(?: out| off| me| to me)?|report(?: back)?|find out|look up(?= the )|note(?: down)?|say|extract|copy|give me|get me|let me know|show me)\s*:?\s+(?P<question>\S.*)", _read),
    (r"(?P<question>(?:what|which|who)(?:['’]?s| is| are| was| were)\s+\S.*)", _read),
    (r"(?:get|find|show|list|collect|fetch) (?P<question>the \S.*? (?:of|for) \S.*)", _read),
    # searching
    (r"(?:search|look|hunt) (?:in |on |through )?(?:the |this )?(?:site|page|website|shop|store|catalog(?:ue)?|web ?shop) for (?P<query>\S.*)", _search),
    (r"(?:search|look|hunt|google)(?: up)? (?:for )?(?P<query>\S.*)", _search),
    (r"do a search for (?P<query>\S.*)", _search),
    (r"find (?P<query>\S.*)", _search),
    # cart and orders
    (rf"(?:add|put|place)\s+(?P<item>\S.*?)?\s*(?:to|in|into)\s+(?:the |my |your |a )?(?P<container>{CART})", _add),
    (rf"add to (?P<container>{CART})", _add),
    # forms
    (r"(?:write|compose|draft)\s+(?:an?\s+)?(?:new\s+)?(?P<rest>(?:message|mail|e-?mail|letter)\s+\S.*)", lambda found, goal, today: goals.read_goal("send", f" a {found['rest']}", goal, today)),
    (r"(?:fill|complete)(?: in| out)?\s+(?:the |this |a |my )?(?:.*?)(?:form|fields|details|data|it)\s*(?:with|:|using|as follows:?)\s*(?:the )?(?P<pairs>\S.*)", _fill_form),
    (r"fill(?: in| out)?\s+(?P<field>\S.*?)\s+(?:with|as)\s+(?P<value>\S.*)", _enter),
    (r"(?:fill(?: in| out)?|enter|type|write|put|input)\s*:?\s+(?P<pairs>\S.*)", _enter_several),
    (r"(?:filter|narrow)(?: down)?(?: (?:the|it|them|results?|list|table))*\s+(?:by|for|on|to|with)\s+(?P<what>\S.*)", _filter),
    (r"(?:fill(?: in| out)?|enter|type|write|set|put|input)\s*:?\s+(?P<pairs>\S.*)", _fill_list),
    (rf"(?:type|enter|write|put|input|insert|paste|key in|fill(?: in)?)\s+(?P<value>{PART})\s+(?:in|into|to|as|for|on)\s+(?P<field>(?:the\s+|my\s+)?\S.*)", _enter),
    (r"(?:type|enter|write|put|input|insert|paste|key in|fill(?: in)?)\s+(?P<value>\S.*)\s+(?:in|into|to|as|for|on|under)\s+(?P<field>(?:the\s+|my\s+)?\S.*)", _enter),
    (r"(?:type|enter|write|input|insert|paste|key in)\s+(?P<value>\S.*)", _enter),
    (r"(?:set|change|update|switch)\s+(?P<field>\S.*?)\s+(?:to|=)\s+(?P<value>\S.*)", _set),
    (r"(?:set|put)\s+(?P<option>\S.*\s+(?:for|as|in)\s+\S.*)", _choose),
    (r"(?P<verb>tick|check|enable|mark|turn on|switch on|activate|untick|uncheck|unmark|disable|turn off|switch off|deactivate|deselect|clear the checkbox)\s+(?!if\b|whether\b|that\b|for\b)(?:off |the checkbox |the box )?(?P<target>\S.*)", _tick),
    (r"(?:turn|switch)\s+(?P<target>\S.*?)\s+(?P<way>on|off)(?P<where>\s+(?:in|under|for)\s+\S.*)?",
     lambda found, goal, today: Tick(read_target(found["target"] + (found["where"] or ""), goal), on=found["way"].casefold() == "on")),
    (r"(?P<verb>agree to|agree with|accept)\s+(?P<target>(?:the |all |our )?(?:terms|conditions|rules|privacy|policy|licen[cs]e|agreement).*)", _tick),
    # places and orders
    (r"(?:go|proceed|continue|move|head|navigate|get|return)(?: on| over| back)? to (?:the |my )?(?P<place>\S.*)", _goto),
    (r"(?P<verb>place|complete|finish|finali[sz]e|submit|confirm|make|send|save) (?:the |my |an |a |this |your )?(?P<object>order|purchase|booking|reservation|registration|form|application|request)\s*(?:,|:|with|using|for|as)\s*(?:the )?(?P<pairs>\S.*)", _finish_with),
    (r"(?P<verb>place|complete|finish|finali[sz]e|submit|confirm|make) (?:the |my |an |a |this |your )?(?P<object>order|purchase|booking|reservation|payment|registration|conversion)", _finish),
    (r"sort (?:(?:the |all )?(?:results?|list|table|items|rows|products|entries|offers|flights|it|them) )?by (?:the )?(?P<key>\S.*?)(?:,? \(?(?P<order>(?:from )?(?:low(?:est)? (?:to high(?:est)?|first)|high(?:est)? (?:to low(?:est)?|first)|ascending|descending|a to z|z to a|newest first|oldest first|asc|desc))\)?)?", _sort),
    (r"order (?:the |all )?(?:results?|list|table|items|rows|products|entries) by (?:the )?(?P<key>\S.*)", _sort),
    # cookie notices, dialogs
    (r"(?P<what>(?:accept|reject|decline|refuse|deny|allow|dismiss|close)(?: all| the| optional| only)* (?:necessary |optional )?cookies?.*)", lambda found, goal, today: Dismiss(goal.reveal(found["what"]).casefold())),
    (r"(?:close|dismiss|cancel) (?:the |this )?(?P<what>\S.*)", lambda found, goal, today: Dismiss(bare_name(found["what"], goal))),
    # choosing and pressing
    (r"(?:choose|select|pick|take|use|opt for|go for)\s+(?P<option>\S.*)", _choose),
    (r"(?P<verb>click|press|tap|push|hit)\s+(?:on |at |into |inside )?(?:the )?(?P<target>\S.*)", _press),
    (r"(?:log|sign)[ -]?(?:out|off)", _submit_press),
    (r"(?P<verb>submit|send|save|confirm|apply|publish|post)(?:\s+(?P<object>(?:the |this |my |your )?(?:form|it|changes?|settings?|everything|all|details|data|entry|request|message|comment)))?", _submit),
    (r"(?P<verb>submit|send|save|confirm|apply|publish|post)\s+(?P<object>(?:the|my|your|this|these) [a-z]+(?: (?!to\b|for\b|in\b|from\b|on\b|with\b)[a-z]+){0,3})", _submit),
    (rf"(?P<verb>submit|send|save|confirm|apply|publish|post)\s+(?P<object>{PART})", _submit),
    # known task shapes
    (r"turn (?P<rest>\S.* into \S.*)", lambda found, goal, today: goals.read_goal("convert", f" {found['rest']}", goal, today)),
    (r"sign (?:me|us) up(?P<rest>\s+\S.*)", lambda found, goal, today: goals.read_goal("sign up", found["rest"], goal, today)),
    (rf"(?P<verb>{_FORM_VERBS})(?P<rest>\s+\S.*)", _form_goal),
    (r"(?P<verb>open|view|show|follow)\s+(?:up )?(?P<target>\S.*)", _press),
    (rf"(?P<verb>{'|'.join(sorted(PAGE_VERBS, key=len, reverse=True))})\s+(?P<target>\S.*)", _page_verb),
    (r"(?:subscribe|register|unsubscribe|continue|next|refresh|sign ?up|search|pay|print|download|play|pause|undo|redo)", _submit_press),
)  # fmt: skip
