"""Effects the planner expects of its actions, besides those the actions declare."""

from __future__ import annotations

import re
from dataclasses import dataclass

from operative_app.actions.declare import Action
from operative_app.core.run import Outcome
from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.planning.builtin import page
from operative_app.planning.builtin.words import has_phrase
from operative_app.planning.person_only import code_field


@dataclass(frozen=True, slots=True)
class IsChosen:
    """The element at the same place is on, or (`on` false) off. One that went with its list or page passes."""

    path: str
    frame: str
    on: bool = True

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        same = _at(after, self.path, self.frame)
        if same is None or page.is_chosen(same) == self.on:
            return ""
        if (
            self.on
            and not same.states & {ElementState.UNCHECKED}
            and same.role in {"button", "clickable", "link", "listitem", "tab"}
        ):
            return ""  # nothing says whether it is on; that something changed is checked by the click
        return f"{same.label} is {'still off' if self.on else 'still on'}"


@dataclass(frozen=True, slots=True)
class TextIsShown:
    """The words are on the page; also as a value or a name."""

    text: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if shows(after, self.text) else f"“{self.text}” is not on the page"


@dataclass(frozen=True, slots=True)
class PageMovedOn:
    """The address or the texts differ from before: the page took the order, whatever it made of it."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if before.url != after.url or before.title != after.title or before.modal != after.modal:
            return ""
        if before.all_text != after.all_text or len(before.elements) != len(after.elements):
            return ""
        return "the page shows the same as before"


@dataclass(frozen=True, slots=True)
class NoSignInForm:
    """No password is asked for."""

    def check(self, action: Action | None, before: ScreenState, after: ScreenState, outcome: Outcome | None) -> str:
        return "the sign-in form is still there" if asks_password(after) else ""


@dataclass(frozen=True, slots=True)
class NoCodeAsked:
    """No one-time code is asked for."""

    def check(self, action: Action | None, before: ScreenState, after: ScreenState, outcome: Outcome | None) -> str:
        return "the code is still asked for" if code_field(after) is not None else ""


@dataclass(frozen=True, slots=True)
class NoCaptcha:
    """No CAPTCHA is shown."""

    def check(self, action: Action | None, before: ScreenState, after: ScreenState, outcome: Outcome | None) -> str:
        return "the CAPTCHA is still there" if captcha_in(after) else ""


@dataclass(frozen=True, slots=True)
class FileIsChosen:
    """The file control at the place holds a file, or is gone because the page took it."""

    path: str
    frame: str

    def check(self, action: Action | None, before: ScreenState, after: ScreenState, outcome: Outcome | None) -> str:
        same = _at(after, self.path, self.frame)
        if same is None or same.input_type != "file" or same.value:
            return ""
        return "" if after.all_text != before.all_text else "no file was chosen"


_CAPTCHA = re.compile(
    r"(?i)\b(?:verify|confirm|prove|check)\w*(?: that)? you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|are you (?:a )?(?:human|robot)"  # noqa: E501 - words and patterns read best on one line
    r"|i(?:['’]m| am) not a (?:ro)?bot|^(?:re|h)?captcha\b.{0,40}$|(?:enter|type|solve|complete) the (?:characters|letters|captcha|puzzle)"  # noqa: E501 - words and patterns read best on one line
    r"|unusual traffic|kein roboter|(?:sind sie|dass sie) ein mensch"
)


def captcha_in(state: ScreenState) -> str:
    """The words that show a CAPTCHA to be solved; "" when there is none. Links to one do not count."""
    for block in state.texts:
        if len(block.text) <= 160 and _CAPTCHA.search(block.text) and block.role != "listitem":
            return block.text
    for element in state.elements:
        if element.role == "link" or element.has(ElementState.CHECKED):
            continue
        if _CAPTCHA.search(element.name):
            return element.name
    return ""


def asks_password(state: ScreenState) -> bool:
    return any(one.has(ElementState.PASSWORD) and page.is_enabled(one) for one in state.elements)


def shows(state: ScreenState, text: str) -> bool:
    """Whether the words can be read anywhere on the page."""
    if any(has_phrase(block.text, text) for block in state.texts) or has_phrase(state.all_text, text):
        return True
    if any(has_phrase(one.name, text) or has_phrase(one.value, text) for one in state.elements):
        return True
    return any(has_phrase(" ".join(row), text) for table in state.tables for row in table.rows) or has_phrase(
        state.title, text
    )


def _at(state: ScreenState, path: str, frame: str) -> Element | None:
    return next((one for one in state.elements if one.path == path and one.frame == frame), None)
