"""Checks before and after an action, as small frozen values named in its declaration.

Each answers "" when it holds, otherwise the reason in words. What only the live page can tell (does the hit test land
on the element, does its box rest) is checked by the surface at the moment of the act.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from operative_app.actions.declare import Action
from operative_app.core.difference import has_changed
from operative_app.core.run import Outcome
from operative_app.core.screen import Element, ElementRef, ElementState, ScreenState


def _element(action: Action, parameter: str, state: ScreenState) -> Element | None:
    ref = getattr(action, parameter)
    return state.find(ref) if isinstance(ref, ElementRef) else None


@dataclass(frozen=True, slots=True)
class Present:
    """The element is on the screen's list. An optional parameter that is None passes."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        ref = getattr(action, self.parameter)
        if not isinstance(ref, ElementRef) or state.find(ref) is not None:
            return ""
        return f"{ref.label or 'the element'} is no longer on the page"


@dataclass(frozen=True, slots=True)
class Enabled:
    """The element is not disabled."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is not None and element.has(ElementState.DISABLED):
            return f"{element.label} is disabled"
        return ""


@dataclass(frozen=True, slots=True)
class Editable:
    """The element takes text and is not read-only."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is None:
            return ""
        if element.has(ElementState.READONLY):
            return f"{element.label} is read-only"
        if not element.has(ElementState.EDITABLE):
            return f"{element.label} does not take text"
        return ""


@dataclass(frozen=True, slots=True)
class HasOptions:
    """The element is a native select."""

    parameter: str

    def check(self, action: Action, state: ScreenState) -> str:
        element = _element(action, self.parameter, state)
        if element is not None and element.tag != "select":
            return f"{element.label} is no native list; open it and click the choice"
        return ""


@dataclass(frozen=True, slots=True)
class TabIsOpen:
    """A tab with the given id is open."""

    parameter: str = "tab_id"

    def check(self, action: Action, state: ScreenState) -> str:
        tab_id = getattr(action, self.parameter)
        return "" if any(tab.id == tab_id for tab in state.tabs) else f"there is no tab {tab_id}"


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """Something visible changed (action_space.txt: a click verifies that the screen state changed)."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        ref = action.target_ref
        pressed = before.find(ref) if ref is not None else None
        return "" if has_changed(before, after, pressed=pressed) else "nothing on the screen changed"


@dataclass(frozen=True, slots=True)
class FieldShows:
    """The field holds the text. A field that is gone with its page was submitted and passes."""

    parameter: str
    text_parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        ref = getattr(action, self.parameter)
        seen = before.find(ref)
        same = None
        if seen is not None:
            same = next((one for one in after.elements if one.path == seen.path and one.frame == seen.frame), None)
        if same is None or same.has(ElementState.PASSWORD):
            return ""
        wanted = getattr(action, self.text_parameter)
        if same_entry(same.value, wanted):
            return ""
        return f"{same.label} holds “{same.value}” instead of “{wanted}”"


@dataclass(frozen=True, slots=True)
class OptionShows:
    """The select shows the chosen label or value."""

    parameter: str
    option_parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        ref = getattr(action, self.parameter)
        seen = before.find(ref)
        same = None
        if seen is not None:
            same = next((one for one in after.elements if one.path == seen.path and one.frame == seen.frame), None)
        if same is None:
            return ""
        wanted = getattr(action, self.option_parameter)
        chosen = [option for option in same.options if option.is_selected]
        if any(same_text(wanted, option.label) or wanted == option.value for option in chosen):
            return ""
        return f"{same.label} shows “{same.value}” instead of “{wanted}”"


@dataclass(frozen=True, slots=True)
class AddressIs:
    """The page's address is the one asked for, or one the site led on to from there."""

    parameter: str = "url"

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if after.url in {"", "about:blank"} and getattr(action, self.parameter) != "about:blank":
            return "no page was loaded"
        if after.url.startswith("chrome-error:"):
            return "the browser shows an error page"
        return ""


@dataclass(frozen=True, slots=True)
class TabIsActive:
    """The tab asked for is in front."""

    parameter: str = "tab_id"

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        active = after.active_tab
        wanted = getattr(action, self.parameter)
        return "" if active is not None and active.id == wanted else f"tab {wanted} is not in front"


@dataclass(frozen=True, slots=True)
class GaveText:
    """The reading action read something."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if outcome.value.strip() else "there was no text to read"


def same_text(shown: str, wanted: str) -> bool:
    """Equal but for white space at the ends, line ends and repeated blanks."""
    return " ".join(shown.split()) == " ".join(wanted.split())


_GROUPING = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")


def same_entry(shown: str, wanted: str) -> bool:
    """Equal, or only written as the field writes it: other case, phone masks, grouped digits. Nothing may be lost.

    A point or comma that turns 1250 into 12.50 is another value.
    """
    if same_text(shown, wanted) or same_text(shown.casefold(), wanted.casefold()):
        return True
    if not any(sign.isalnum() for sign in wanted) or _alphanumeric(shown) != _alphanumeric(wanted):
        return False
    marks = iter(sign for sign in shown if not sign.isalnum())
    if not all(sign.isspace() or sign in marks for sign in wanted if not sign.isalnum()):
        return False
    ungrouped = _GROUPING.sub("", shown)
    return _separators(ungrouped) <= _separators(wanted)


def _alphanumeric(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _separators(text: str) -> int:
    """How many points and commas stand between digits."""
    return len(re.findall(r"(?<=\d)[.,](?=\d)", text))
