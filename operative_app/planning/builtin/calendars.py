"""Calendars that pages draw themselves: open, read the month, turn the page, click the day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from operative_app.actions.browser import Fill, SelectOption
from operative_app.actions.mouse import ClickElement
from operative_app.core.screen import Box, Element, ElementState, ScreenState
from operative_app.planning.builtin import page
from operative_app.planning.builtin.dates import MONTH_NUMBERS, in_words, month_of, parse_date, written_like
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.words import fold
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, TaskDone

_LEAST_DAYS = 15
_MOST_TURNS = 40
_TURNS_AT_ONCE = 6
"""Months turned in one step; the heading is read again after them."""

_AROUND_CSS_PX = 140
"""How far above and beside the days a heading or an arrow may stand."""

_NEXT = re.compile(
    r"(?:^|\b)(?:next|following|forward|later|weiter|nachster?|vor|suivant|siguiente)\b|^(?:›|»|>|→|▶|❯|⟩|▸)$"  # noqa: RUF001
)
_BACK = re.compile(
    r"(?:^|\b)(?:prev(?:ious)?|back|earlier|before|zuruck|vorheriger?|precedent|anterior)\b|^(?:‹|«|<|←|◀|❮|⟨|◂)$"  # noqa: RUF001
)
_APPLY = re.compile(r"^(?:done|apply|ok|okay|set(?: date)?|confirm|select|choose|fertig|ubernehmen)$")


@dataclass(frozen=True, slots=True)
class Day:
    """One day of an open calendar; `month` is 0 where only the number is shown."""

    element: Element
    number: int
    year: int = 0
    month: int = 0


def is_date_control(state: ScreenState, element: Element) -> bool:
    """Whether the control opens a calendar instead of taking typed text."""
    if element.input_type and element.input_type not in {"text", "search", ""}:
        return False
    is_about_date = bool(
        re.search(
            r"(?i)date|\bday\b|depart|return|check.?in|check.?out|datum|when|calendar",
            f"{element.name} {element.placeholder}",
        )
    )
    if element.has(ElementState.READONLY) or element.role in {"button", "clickable"}:
        return is_about_date
    return is_about_date and element.role != "combobox" and element.has(ElementState.POPUP)


def pick_day(sit: Situation, control: Element, day: date, *, completes: bool = True) -> Decision:
    """The next step towards the calendar's control showing the day."""
    if _shows(control.value, day, sit.today) and not days_of(sit.state):
        return TaskDone(f"“{control.name}” shows {control.value}")
    days = days_of(sit.state)
    last = sit.last
    if last is not None and isinstance(last.action, ClickElement) and last.outcome.is_done and last.after is not None:
        clicked = last.before.find(last.action.target)
        if clicked is not None and _is_day(clicked, day, sit.today, last.before):
            return _after_click(sit, control, day, days, completes)
    if not days:
        return _open(sit, control, day)
    exact = [one for one in days if (one.year, one.month, one.number) == (day.year, day.month, day.day)]
    if exact:
        return _click(sit, exact[0].element, day, completes)
    heading = _headings(sit.state, days)
    if not heading:
        return _by_lists(sit, days, day, completes) or NotThereYet("the calendar does not say which month it shows")
    for (year, month), box in heading:
        if (year, month) == (day.year, day.month):
            found = _in_month([one for one in days if _belongs(one, box, heading)], day.day)
            if found is None:
                return NotThereYet(f"day {day.day} is not in the calendar yet")
            return _click(sit, found.element, day, completes)
    by_lists = _by_lists(sit, days, day, completes)
    if by_lists:
        return by_lists
    first, final = min(one for one, _ in heading), max(one for one, _ in heading)
    ahead = (day.year, day.month) > final
    arrow = _arrow(sit.state, days, ahead=ahead)
    if arrow is None:
        return GiveUp(f"The calendar shows {first[1]}/{first[0]} and has no way to {in_words(day)}.")
    if arrow.has(ElementState.DISABLED):
        return GiveUp(f"The calendar does not reach {in_words(day)}: it ends before.")
    if sit.times_done(arrow) >= _MOST_TURNS:
        return GiveUp(f"After {_MOST_TURNS} months the calendar still does not show {in_words(day)}.")
    shown = final if ahead else first
    months = abs((day.year - shown[0]) * 12 + day.month - shown[1])
    names_month = any(token in MONTH_NUMBERS for token in fold(arrow.name).split())
    turn = ClickElement(target=sit.ref(arrow))
    turns = 1 if names_month or months > _MOST_TURNS else min(months, _TURNS_AT_ONCE)
    return Act.one(
        *(turn,) * turns,
        why=f"the calendar shows {shown[1]}/{shown[0]}, and {in_words(day)} is {'later' if ahead else 'earlier'}",
    )


def days_of(state: ScreenState) -> list[Day]:
    """The days of an open calendar; empty when none is open."""
    days: list[Day] = []
    for one in state.elements:
        if one.role not in {"gridcell", "button", "clickable", "link", "option", "cell", "radio"}:
            continue
        day = _day_of(one)
        if day:
            days.append(day)
    inner = [
        one
        for one in days
        if not any(page.is_inside(other.element, one.element) and other.number == one.number for other in days)
    ]
    return inner if len(inner) >= _LEAST_DAYS else []


def _day_of(element: Element) -> Day | None:
    for text in (element.name, element.text):
        bare = text.strip()
        if re.fullmatch(r"\d{1,2}\.?", bare):
            number = int(bare.rstrip("."))
            whole = _full_date(element.description)
            if whole:
                return Day(element, whole.day, whole.year, whole.month)
            return Day(element, number) if 1 <= number <= 31 else None
        whole = _full_date(bare)
        if whole:
            return Day(element, whole.day, whole.year, whole.month)
    return None


def _full_date(text: str) -> date | None:
    if not re.search(r"\d{4}", text) or len(text) > 80:
        return None
    found = re.search(
        r"\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?[A-Za-zäöüéû]{3,}\.?,?\s+\d{4}|[A-Za-z]{3,}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}",
        text,
    )
    if not found:
        return None
    parsed = parse_date(found[0], date(2000, 1, 1))
    if parsed:
        return parsed
    month, number = month_of(found[0]), re.match(r"\d{1,2}", found[0])
    if month and number:
        try:
            return date(month[0], month[1], int(number[0]))
        except ValueError:
            return None
    return None


def _is_day(element: Element, day: date, today: date, state: ScreenState) -> bool:
    found = _day_of(element)
    return found is not None and found.number == day.day and found.month in {0, day.month} and bool(days_of(state))


def _after_click(sit: Situation, control: Element, day: date, days: list[Day], completes: bool) -> Decision:
    same = next((one for one in sit.state.elements if one.path == control.path and one.frame == control.frame), control)
    shown = f"{same.value} {same.name} {same.text}"
    is_verified = _shows(same.value, day, sit.today) or re.search(rf"(?<!\d)0?{day.day}(?!\d)", shown) is not None
    if days:
        apply = [
            one
            for one in sit.state.elements
            if one.role == "button" and _APPLY.match(fold(one.name)) and _is_around(one.box, days)
        ]
        if apply:
            return Act.one(
                ClickElement(target=sit.ref(apply[0])),
                why="the calendar waits for a confirmation",
                completes_task=completes,
            )
    return TaskDone(
        f"{in_words(day)} is chosen",
        is_verified=is_verified or any(page.is_chosen(one.element) and one.number == day.day for one in days),
    )


def _open(sit: Situation, control: Element, day: date) -> Decision:
    opened = sit.times_done(control, ClickElement)
    if opened == 0:
        return Act.one(ClickElement(target=sit.ref(control)), why=f"“{control.name}” opens a calendar")
    buttons = [
        one for one in sit.state.elements
        if one.role in {"button", "clickable"} and page.distance(one.box, control.box) < 60
        and re.search(r"(?i)calendar|date|kalender|open|choose", f"{one.name} {one.description}") and sit.times_done(one) == 0  # noqa: E501 - words and patterns read best on one line
    ]  # fmt: skip
    if buttons:
        return Act.one(ClickElement(target=sit.ref(buttons[0])), why="the calendar has a button of its own")
    if page.takes_text(control) and not sit.times_done(control, Fill):
        written = written_like(day, f"{control.placeholder} {control.description}")
        return Act.one(
            Fill(target=sit.ref(control), text=written), why=f"no calendar came; “{control.name}” takes typed dates"
        )
    return NotThereYet(f"the calendar of “{control.name}” has not opened")


def _click(sit: Situation, element: Element, day: date, completes: bool) -> Decision:
    if element.has(ElementState.DISABLED):
        return GiveUp(f"{in_words(day)} cannot be chosen in the calendar: that day is disabled.")
    return Act.one(ClickElement(target=sit.ref(element)), why=f"this is {in_words(day)}")


def _headings(state: ScreenState, days: list[Day]) -> list[tuple[tuple[int, int], Box]]:
    found: list[tuple[tuple[int, int], Box]] = []
    pieces = [(block.text, block.box) for block in state.texts if len(block.text) < 40]
    pieces += [
        (one.name, one.box)
        for one in state.elements
        if one.role in {"button", "clickable"} and len(one.name) < 40 and _day_of(one) is None
    ]
    for text, box in pieces:
        month = month_of(text)
        if month and _is_around(box, days):
            found.append((month, box))
    if found:
        return found
    months = [
        (MONTH_NUMBERS[fold(text)], box)
        for text, box in pieces
        if fold(text) in MONTH_NUMBERS and _is_around(box, days)
    ]
    years = [
        (int(text), box)
        for text, box in pieces
        if re.fullmatch(r"(?:19|20)\d\d", text.strip()) and _is_around(box, days)
    ]
    return [((year, month), box) for month, box in months[:1] for year, _ in years[:1]]


def _is_around(box: Box, days: list[Day]) -> bool:
    left = min(one.element.box.x_css_px for one in days) - _AROUND_CSS_PX
    right = max(one.element.box.right_css_px for one in days) + _AROUND_CSS_PX
    top = min(one.element.box.y_css_px for one in days) - _AROUND_CSS_PX
    bottom = max(one.element.box.bottom_css_px for one in days) + _AROUND_CSS_PX
    x, y = box.center
    return left <= x <= right and top <= y <= bottom


def _belongs(day: Day, heading: Box, headings: list[tuple[tuple[int, int], Box]]) -> bool:
    """With several months side by side: the day lies under the heading that is nearest to it."""
    if len(headings) == 1:
        return True
    x = day.element.box.center[0]
    nearest = min((box for _, box in headings), key=lambda box: abs(box.center[0] - x))
    return nearest == heading


def _in_month(days: list[Day], number: int) -> Day | None:
    """The day of the month shown; the days of the months before and after it that fill the first and last week are not."""  # noqa: E501 - words and patterns read best on one line
    start = next((place for place, one in enumerate(days) if one.number == 1), None)
    if start is None:
        return None
    previous = 0
    for one in days[start:]:
        if one.number < previous:
            return None
        if one.number == number:
            return one
        previous = one.number
    return None


def _arrow(state: ScreenState, days: list[Day], *, ahead: bool) -> Element | None:
    pattern = _NEXT if ahead else _BACK
    found = []
    for one in state.elements:
        if one.role not in {"button", "link", "clickable"} or not _is_around(one.box, days) or _day_of(one) is not None:
            continue
        for text in (one.name, one.text, one.description):
            if text and (pattern.search(text.strip()) or pattern.search(fold(text))):
                found.append((1 if re.search(r"year|jahr|»|«", text.casefold()) else 0, one))
                break
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _by_lists(sit: Situation, days: list[Day], day: date, completes: bool) -> Decision | None:
    """Months and years chosen in native lists above the days."""
    lists = [one for one in sit.state.elements if page.is_native_select(one) and _is_around(one.box, days)]
    matched = False
    for one in lists:
        for option in one.options:
            is_month = MONTH_NUMBERS.get(fold(option.label)) == day.month
            is_year = option.label.strip() == str(day.year)
            if is_month or is_year:
                matched = True
                if not option.is_selected:
                    return Act.one(
                        SelectOption(target=sit.ref(one), option=option.label),
                        why=f"the calendar should show {in_words(day)}",
                    )
    if not matched:
        return None
    found = _in_month(days, day.day)
    return _click(sit, found.element, day, completes) if found else None


def _shows(value: str, day: date, today: date) -> bool:
    if not value:
        return False
    if parse_date(value, today) == day or _full_date(value) == day:
        return True
    bare = re.sub(r"(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+", "", value)
    return parse_date(bare, today) == day
