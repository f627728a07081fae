"""Checks after an action: the effect its declaration promises, as small frozen values.

Each answers "" when the effect is seen, otherwise in words what is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from operative_app.actions.conditions import held_name, windows_of
from operative_app.actions.declare import Action
from operative_app.actions.secrets import MASK, holds_secret
from operative_app.core.difference import has_changed
from operative_app.core.run import Outcome
from operative_app.core.screen import Element, ElementRef, ElementState, ScreenState, folded


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """Something visible changed."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        changed = has_changed(before, after, pressed=_pressed(action, before))
        return "" if changed else "nothing on the screen changed"


@dataclass(frozen=True, slots=True)
class FieldShows:
    """The field holds the text. A field that is gone with its page was submitted and passes."""

    parameter: str
    text_parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        ref = getattr(action, self.parameter)
        same = _same(before, after, ref)
        wanted = getattr(action, self.text_parameter)
        if same is None or same.is_concealed or holds_secret(wanted):
            return ""
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
        same = _same(before, after, ref)
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
    """The outcome holds what was asked for.

    Args:
        otherwise: The words for it when it does not.
    """

    otherwise: str = "there was no text to read"

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if outcome.value.strip() else self.otherwise


@dataclass(frozen=True, slots=True)
class TextEntered:
    """The text appears in the field that has the focus; where none can be read, anything changed. Passwords pass.

    A text with a newline presses Enter, which may send the field off: then any change is the effect.
    """

    parameter: str = "text"

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        text = str(getattr(action, self.parameter))
        focused = before.element(before.focus) if before.focus else None
        same = _same(before, after, before.ref(focused)) if focused is not None else None
        is_hidden = holds_secret(text) or (same is not None and same.is_concealed)
        if is_hidden and "\n" not in text:
            return ""  # nothing can be seen of it; the surface counts what arrives
        is_readable = same is not None and same.has(ElementState.EDITABLE) and not same.is_concealed
        if "\n" in text or not is_readable or same is None or focused is None:
            return "" if has_changed(before, after) else "nothing on the screen changed"
        if same.value == focused.value:
            return f"{same.label} still holds “{same.value}”"
        if MASK in same.value and MASK not in text:
            return ""  # a part of it cannot be seen
        if folded(text) in folded(same.value) or _alphanumeric(text) in _alphanumeric(same.value):
            return ""
        return f"{same.label} holds “{same.value}”, in which “{text}” does not appear"


@dataclass(frozen=True, slots=True)
class SelectionMade:
    """A text is selected now; where the surface cannot tell, any visible change passes."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if after.selection or outcome.value:
            return ""
        return "" if has_changed(before, after) else "nothing is selected"


@dataclass(frozen=True, slots=True)
class StillHeld:
    """The key or button is held down now, or is not any more."""

    parameter: str
    is_held: bool = True

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        name = held_name(str(getattr(action, self.parameter)))
        if (name in after.held) is self.is_held:
            return ""
        return f"“{name}” is not held down" if self.is_held else f"“{name}” is still held down"


@dataclass(frozen=True, slots=True)
class ClipboardGiven:
    """The clipboard holds text afterwards, and what was selected when the surface could tell that."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if not outcome.value:
            return "the clipboard holds no text"
        selected = before.selection.rstrip("…")
        if selected and not folded(outcome.value).startswith(folded(selected)):
            return "the clipboard holds something else than what was selected"
        return ""


@dataclass(frozen=True, slots=True)
class ClipboardHolds:
    """The clipboard holds exactly the text."""

    parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        wanted = str(getattr(action, self.parameter))
        return "" if outcome.value == wanted else "the clipboard holds something else"


@dataclass(frozen=True, slots=True)
class GavePicture:
    """A picture was taken and kept."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if outcome.picture else "no picture was taken"


@dataclass(frozen=True, slots=True)
class AppIsActive:
    """A window of the program, by the name the outcome gives where it gives one, is in front."""

    parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        app = str(getattr(action, self.parameter))
        is_active = any(one.is_active for one in windows_of(after, outcome.value or app))
        return "" if is_active else f"“{app}” is not in front"


@dataclass(frozen=True, slots=True)
class AppIsClosed:
    """No window of the program is left."""

    parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        gone = {one.id for one in windows_of(before, str(getattr(action, self.parameter)))}
        left = [one for one in after.windows if one.id in gone]
        return f"“{left[0].title}” is still open" if left else ""


@dataclass(frozen=True, slots=True)
class FileDialogClosed:
    """Nothing asks for a file any more."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if not after.file_chooser else "the file dialog is still open"


class _Entry(Protocol):
    target: ElementRef
    value: str


@dataclass(frozen=True, slots=True)
class FormShows:
    """Every field of the form shows what it was given; a field that went with its page passes."""

    parameter: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        entries: tuple[_Entry, ...] = getattr(action, self.parameter)
        for entry in entries:
            same = _same(before, after, entry.target)
            if same is None or same.is_concealed or holds_secret(entry.value):
                continue
            if not same.has(ElementState.EDITABLE):  # lists and boxes are verified by the part that set them
                continue
            if not same_entry(same.value, entry.value):
                return f"{same.label} holds “{same.value}” instead of “{entry.value}”"
        return ""


@dataclass(frozen=True, slots=True)
class SignInLeft:
    """The sign-in form is gone: no empty or refused password field is left."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if any(one.has(ElementState.PASSWORD) for one in after.elements):
            alerts = [block.text for block in after.texts if block.role in {"alert", "status"}]
            said = f": “{alerts[0]}”" if alerts else ""
            return f"the page still asks for a password{said}"
        return ""


def _pressed(action: Action, before: ScreenState) -> Element | None:
    """What an action presses: the element it names, otherwise the one at its place."""
    ref = action.target_ref
    if ref is not None:
        return before.find(ref)
    for x, y in (("x_px", "y_px"), ("x1_px", "y1_px")):
        place = getattr(action, x, None), getattr(action, y, None)
        if isinstance(place[0], float) and isinstance(place[1], float):
            return before.element_at(place[0], place[1])
    return None


def _same(before: ScreenState, after: ScreenState, ref: ElementRef) -> Element | None:
    """The element of a reference in the later state, found by its place; None when it is gone."""
    seen = before.find(ref)
    if seen is None:
        return None
    return next((one for one in after.elements if one.path == seen.path and one.frame == seen.frame), None)


def same_text(shown: str, wanted: str) -> bool:
    """Equal but for white space at the ends, line ends and repeated blanks."""
    return " ".join(shown.split()) == " ".join(wanted.split())


_GROUPING = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")


def same_entry(shown: str, wanted: str) -> bool:
    """Equal, or only written as the field writes it: other case, phone masks, grouped digits. Nothing may be lost.

    A point or comma that turns 1250 into 12.50 is another value. A part that is masked as it is seen may be anything.
    """
    if MASK in shown and MASK not in wanted:
        seen = (re.escape(" ".join(part.casefold().split())) for part in shown.split(MASK))
        return re.fullmatch(r"\s?.+\s?".join(seen), " ".join(wanted.casefold().split())) is not None
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
