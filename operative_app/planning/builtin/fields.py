"""Puts a value into a control, whatever kind of control it is: one step at a time, looking again after each."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from operative_app.actions.browser import Fill, SelectOption
from operative_app.actions.effects import same_text
from operative_app.actions.keyboard import PressKey, TypeText
from operative_app.actions.mouse import ClickElement
from operative_app.core.screen import Box, Element, ElementState, Option
from operative_app.planning.builtin import calendars, dateparts, page
from operative_app.planning.builtin.dates import in_words, parse_date, written_like
from operative_app.planning.builtin.effects import IsChosen
from operative_app.planning.builtin.grounding import Purpose, rank
from operative_app.planning.builtin.instruction import Target
from operative_app.planning.builtin.masking import as_typed
from operative_app.planning.builtin.obstacles import clear_the_way
from operative_app.planning.builtin.page import is_chosen
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.words import GOOD, SAME_MEANING, fold, similarity
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, TaskDone, Variant

_PRESSES_AT_ONCE = 5
"""Presses of a plus or minus button in one step; the number is read again after them."""

_NO = frozenset({"no", "off", "false", "unchecked"})


def set_value(sit: Situation, element: Element, value: str, *, completes: bool = True) -> Decision:
    """The next step towards the control holding the value; TaskDone when it already does."""
    name = element.name or element.placeholder or element.role
    if not element.has(ElementState.MULTILINE):
        value = as_typed(value, is_multiline=False)
    if element.has(ElementState.DISABLED):
        return GiveUp(f"“{name}” is disabled, so “{value}” cannot be entered.")
    blocked = clear_the_way(sit, element)
    if blocked:
        return blocked
    day = parse_date(value, sit.today)
    parts = dateparts.parts_around(sit.state, element) if day else {}
    if day and parts:
        return _date_parts(sit, parts, day, completes)
    if page.is_native_select(element):
        return _select(sit, element, value, completes)
    if element.role in page.TICK_ROLES:
        return tick(sit, element, on=fold(value) not in _NO, completes=completes)
    if element.input_type in {"date", "datetime-local", "month", "week"}:
        return _native_date(sit, element, value, completes)
    if day and calendars.is_date_control(sit.state, element):
        return calendars.pick_day(sit, element, day, completes=completes)
    if element.role == "combobox" and page.takes_text(element) and not element.options:
        return _autocomplete(sit, element, value, completes)
    if page.takes_text(element):
        written = (
            written_like(day, f"{element.placeholder} {element.description}")
            if day and _wants_format(element)
            else as_typed(value)
        )
        if same_text(element.value, written):
            return TaskDone(f"“{name}” holds “{written}” already")
        return Act.one(
            Fill(target=sit.ref(element), text=written), why=f"“{name}” gets “{written}”", completes_task=completes
        )
    if day:
        return calendars.pick_day(sit, element, day, completes=completes)
    if page.is_dropdown(element):
        return _dropdown(sit, element, value, completes)
    if element.value and re.fullmatch(r"\d+", element.value) and value.isdigit():
        return step_to(sit, element, int(value))
    return GiveUp(f"“{name}” cannot be changed.")


def _date_parts(sit: Situation, parts: dict[str, Element], day: date, completes: bool) -> Decision:
    """Day, month and year in controls of their own, one after the other."""
    open_ones = []
    for part, element in parts.items():
        step = set_value(sit, element, dateparts.value_of(part, day, element), completes=False)
        if not isinstance(step, TaskDone):
            open_ones.append(step)
    if not open_ones:
        return TaskDone(f"the date is {in_words(day)}")
    step = open_ones[0]
    return replace(step, completes_task=completes and len(open_ones) == 1) if isinstance(step, Act) else step


def tick(sit: Situation, element: Element, *, on: bool, completes: bool = True) -> Decision:
    name = element.name or element.role
    if is_chosen(element) == on and not element.has(ElementState.MIXED):
        return TaskDone(f"“{name}” is {'on' if on else 'off'} already")
    if element.role == "radio" and not on:
        return GiveUp(f"“{name}” is one of several choices; choose another one instead.")
    blocked = clear_the_way(sit, element)
    if blocked:
        return blocked
    return Act.one(
        ClickElement(target=sit.ref(element)),
        why=f"“{name}” is {'off' if on else 'on'}",
        completes_task=completes,
        expect=(IsChosen(element.path, element.frame, on),),
    )


def choose(sit: Situation, element: Element, *, completes: bool = True) -> Decision:
    """Make a radio button, pill, card, option the chosen one."""
    name = element.name or element.text
    if is_chosen(element):
        return TaskDone(f"“{name}” is chosen already")
    if element.has(ElementState.DISABLED):
        return GiveUp(f"“{name}” cannot be chosen here: it is disabled.")
    blocked = clear_the_way(sit, element)
    if blocked:
        return blocked
    return Act.one(
        ClickElement(target=sit.ref(element)),
        why=f"“{name}” is not chosen yet",
        completes_task=completes,
        expect=(IsChosen(element.path, element.frame),),
    )


def best_option(options: tuple[Option, ...], value: str) -> Option | None:
    """The choice of a native list that reads like the value."""
    scored = [
        (max(similarity(value, one.label), 99.0 if one.value.casefold() == value.casefold() else 0.0), one)
        for one in options
    ]
    score, option = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return option if score >= GOOD else None


def open_options(sit: Situation) -> list[Element]:
    """The choices of a list that is open now."""
    return [
        one
        for one in sit.state.elements
        if one.role in {"option", "menuitemradio", "menuitem", "treeitem"} and page.is_enabled(one)
    ]


def match_option(sit: Situation, value: str, among: list[Element]) -> Element | None:
    """The one that reads like the value; a code in it (“San Francisco (SFO)”) counts like the whole name."""
    best: tuple[float, Element] | None = None
    for one in among:
        score = max(similarity(value, one.name), similarity(value, one.text))
        if score < SAME_MEANING and re.search(rf"(?<![\w]){re.escape(value)}(?![\w])", one.name or one.text):
            score = max(score, 90.0)
        if score >= GOOD and (best is None or score > best[0]):
            best = (score, one)
    return best[1] if best else None


def step_to(sit: Situation, element: Element, wanted: int) -> Decision:
    """Reach a number with the plus and minus buttons beside it."""
    current = int(element.value or 0)
    return step_from(sit, element.box, element.frame, current, wanted)


def step_from(sit: Situation, box: Box, frame: str, current: int, wanted: int) -> Decision:
    if current == wanted:
        return TaskDone(f"the number is {wanted}")
    up = current < wanted
    buttons = [
        one
        for one in sit.state.elements
        if one.frame == frame and is_stepper(one, up=up) and page.distance(one.box, box) < 160
    ]
    button = min(buttons, key=lambda one: page.distance(one.box, box), default=None)
    if button is None:
        return NotThereYet(f"there is no button that makes {current} {'larger' if up else 'smaller'}")
    if button.has(ElementState.DISABLED):
        return GiveUp(f"The number stays at {current}; {wanted} is not possible here.")
    press = ClickElement(target=sit.ref(button))
    return Act.one(
        *(press,) * min(abs(wanted - current), _PRESSES_AT_ONCE), why=f"the number is {current} and should be {wanted}"
    )


def is_stepper(element: Element, *, up: bool) -> bool:
    if element.role not in {"button", "clickable", "link"}:
        return False
    name = (element.name or element.text).strip()
    if name in ({"+", "＋"} if up else {"-", "−", "–", "－"}):  # noqa: RUF001
        return True
    pattern = (
        r"\b(?:increase|increment|plus|more|add one|one more)\b"
        if up
        else r"\b(?:decrease|decrement|minus|less|fewer|one less|remove one)\b"
    )
    return re.search(pattern, fold(name)) is not None


def _select(sit: Situation, element: Element, value: str, completes: bool) -> Decision:
    option = best_option(element.options, value)
    name = element.name or "the list"
    if option is None:
        day = parse_date(value, sit.today)
        option = best_option(element.options, in_words(day)) if day else None
    if option is None:
        labels = ", ".join(f"“{one.label}”" for one in element.options[:8])
        return GiveUp(f"“{name}” does not offer “{value}”; it offers {labels}.")
    if option.is_selected:
        return TaskDone(f"“{name}” is “{option.label}” already")
    if option.is_disabled:
        return GiveUp(f"“{option.label}” cannot be chosen in “{name}”: it is disabled.")
    return Act.one(
        SelectOption(target=sit.ref(element), option=option.label),
        why=f"“{name}” shows “{element.value}”",
        completes_task=completes,
    )


def _native_date(sit: Situation, element: Element, value: str, completes: bool) -> Decision:
    day = parse_date(value, sit.today)
    if day is None:
        if not re.fullmatch(r"\d{4}-\d{2}(?:-\d{2})?(?:T\d{2}:\d{2})?|\d{4}-W\d{2}", value):
            return GiveUp(f"“{value}” is no date that can be entered in “{element.name}”.")
        written = value
    else:
        year, week, _ = day.isocalendar()
        written = {
            "month": f"{day:%Y-%m}",
            "week": f"{year}-W{week:02d}",
            "datetime-local": f"{day.isoformat()}T{element.value[11:16] or '00:00'}",
        }.get(element.input_type, day.isoformat())
    if element.value == written:
        return TaskDone(f"“{element.name}” holds {written} already")
    return Act.one(
        Fill(target=sit.ref(element), text=written), why=f"“{element.name}” gets {value}", completes_task=completes
    )


def _autocomplete(sit: Situation, element: Element, value: str, completes: bool) -> Decision:
    options = open_options(sit)
    chosen = match_option(sit, value, options) if options else None
    typed = sit.times_done(element, Fill) + sit.times_done(element, ClickElement)
    if chosen is not None and (typed or element.has(ElementState.EXPANDED)):
        return Act.one(
            ClickElement(target=sit.ref(chosen)),
            why=f"“{chosen.name}” is what “{value}” means",
            completes_task=completes,
        )
    if element.value and not options and _says(element.value, value) and typed and not same_text(element.value, value):
        return TaskDone(f"“{element.name}” holds “{element.value}”")
    if element.value and _says(element.value, value) and not typed:
        return TaskDone(f"“{element.name}” holds “{element.value}” already")
    if same_text(element.value, value) and typed:
        return NotThereYet(f"no suggestion for “{value}” has come yet")
    if sit.times_done(element, Fill) >= 2:
        return Act.one(
            ClickElement(target=sit.ref(element)),
            TypeText(text=value, delay_ms=30),
            why="suggestions may come only for typed keys",
        )
    return Act.one(Fill(target=sit.ref(element), text=value), why=f"“{element.name}” suggests what fits “{value}”")


def _dropdown(sit: Situation, element: Element, value: str, completes: bool) -> Decision:
    if element.value and similarity(value, element.value) >= 90 and not element.has(ElementState.EXPANDED):
        return TaskDone(f"“{element.name}” is “{element.value}” already")
    options = list(open_options(sit))
    opened = element.has(ElementState.EXPANDED) or (sit.times_done(element, ClickElement) > 0 and bool(options))
    if opened:
        pool = options or [
            one
            for one in sit.state.elements
            if one.key != element.key and one.role in page.PRESS_ROLES and not page.is_aside(one)
        ]
        chosen = match_option(sit, value, pool)
        if chosen is not None:
            return Act.one(
                ClickElement(target=sit.ref(chosen)),
                why=f"“{chosen.name}” is in the open list",
                completes_task=completes,
            )
        if options:
            labels = ", ".join(f"“{one.name}”" for one in options[:8])
            return GiveUp(f"“{element.name or 'the list'}” does not offer “{value}”; it offers {labels}.")
        return NotThereYet(f"the choices of “{element.name or 'the list'}” have not come yet")
    if sit.times_done(element, ClickElement) >= 2:
        return NotThereYet(f"the list “{element.name}” does not open")
    return Act(
        (
            Variant((ClickElement(target=sit.ref(element)),)),
            Variant((PressKey(key="Enter", target=sit.ref(element)),), name="B"),
        ),
        why=f"the choices of “{element.name or element.value}” are seen when it is open",
    )


def _wants_format(element: Element) -> bool:
    return bool(
        re.search(
            r"(?i)date|\bday\b|datum|d{1,2}[./-]m|m{1,2}[./-]d|y{4}|j{4}",
            f"{element.name} {element.placeholder} {element.description}",
        )
    )


def _says(shown: str, value: str) -> bool:
    return similarity(value, shown) >= GOOD or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", shown) is not None


def find_field(sit: Situation, target: Target) -> list[Element]:
    """Fields with that label, best first."""
    return [match.element for match in rank(sit.state, replace(target, kind=""), Purpose.FIELD) if match.score >= GOOD]
