"""The checks of every action, before and after: each one passes where it should and fails with its reason."""

from __future__ import annotations

import re

import pytest

from operative_app.actions.browser import Fill, GetText, NewTab
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import Copy, Paste, PressKey, TypeText
from operative_app.actions.mouse import Click, DragElement, MouseDown, Scroll, TripleClick
from operative_app.actions.registry import ALL_ACTIONS
from operative_app.actions.system import FileDialog
from operative_app.core.run import done
from operative_app.core.screen import ElementState, ScreenState
from tests.actions.calls import (
    BUTTON,
    CALLS,
    CARD,
    CHANGED,
    DESKTOP,
    FIELD,
    PAGE,
    PASSWORD,
    SCROLLED_PART,
    page,
    ref,
    with_element,
)

EVERY = pytest.mark.parametrize("cls", ALL_ACTIONS, ids=lambda cls: cls.spec.name)


def faults_before(action: Action, state: ScreenState) -> list[str]:
    return [fault for one in action.spec.pre if (fault := one.check(action, state))]


@EVERY
def test_a_fitting_call_passes_all_checks_and_reads_well(cls: type[Action]) -> None:
    call = CALLS[cls]
    assert faults_before(call.action, call.before) == []
    seen = [one.check(call.action, call.before, call.after, call.outcome) for one in cls.spec.post]
    assert seen == [""] * len(cls.spec.post)
    assert call.action.words == call.words
    assert not re.search(r" {2}|None|[{}]| $", call.action.words)


@EVERY
def test_each_check_before_and_after_fails_with_its_reason(cls: type[Action]) -> None:
    call = CALLS[cls]
    failed_before, failed_after = set(), set()
    for action, state, reason in call.refused:
        faults = {place: fault for place, one in enumerate(cls.spec.pre) if (fault := one.check(action, state))}
        assert any(reason in fault for fault in faults.values()), (action.words, reason, faults)
        failed_before |= set(faults)
    for after, outcome, reason in call.missing:
        checked = (one.check(call.action, call.before, after, outcome) for one in cls.spec.post)
        faults = {place: fault for place, fault in enumerate(checked) if fault}
        assert any(reason in fault for fault in faults.values()), (call.action.words, reason, faults)
        failed_after |= set(faults)
    assert failed_before == set(range(len(cls.spec.pre)))
    assert failed_after == set(range(len(cls.spec.post)))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(x_px=5, y_px=5, button="right"), "Click at 5, 5 with the right button"),  # type: ignore[arg-type]
        (
            Scroll(dy_css_px=-20, dx_css_px=7.5, x_px=1, y_px=2),
            "Scroll up by 20 px and to the right by 7.5 px at the place 1, 2",
        ),
        (Scroll(dx_css_px=-7), "Scroll to the left by 7 px"),
        (DragElement(target=ref(CARD), x_px=1, y_px=2), "Drag listitem “Card” to the place 1, 2"),
        (PressKey(key="Tab"), "Press Tab"),
        (GetText(target=ref(BUTTON)), "Read button “Save”"),
        (NewTab(), "Open a new tab"),
        (FileDialog(paths=("/a", "/b")), "Choose the files /a, /b"),
        (MouseDown(x_px=1, y_px=2, button="middle"), "Press the middle mouse button at 1, 2 and hold it"),  # type: ignore[arg-type]
    ],
    ids=lambda value: "" if isinstance(value, str) else value.name,
)
def test_other_ways_read_well_too(action: Action, words: str) -> None:
    assert action.words == words


@pytest.mark.parametrize("direction", [1, -1])
def test_a_part_that_scrolls_counts_by_what_lies_on_its_own_sides(direction: int) -> None:
    """The page can be scrolled down only, the part up only."""
    inside = with_element(CARD, page(scrollers=(SCROLLED_PART,)), scroller="Card")
    assert faults_before(Scroll(dy_css_px=direction, target=ref(CARD)), inside) == []
    assert (faults_before(Scroll(dy_css_px=direction, target=ref(FIELD)), inside) == []) is (direction > 0)
    assert faults_before(Scroll(dy_css_px=direction, x_px=5, y_px=125), inside) == []
    assert faults_before(Scroll(dy_css_px=direction), inside) == []


def test_what_a_desktop_does_not_tell_is_left_to_the_effect() -> None:
    for action in (
        Scroll(dy_css_px=-5),
        DragElement(target=ref(BUTTON), x_px=5, y_px=5),
        Copy(),
        Paste(),
    ):
        assert faults_before(action, page(DESKTOP, selection="", focus="")) == []


def test_text_counts_wherever_it_is() -> None:
    for place in ((5.0, 305.0), (5.0, 5.0)):
        assert faults_before(TripleClick(x_px=place[0], y_px=place[1]), PAGE) == []
    assert faults_before(TripleClick(x_px=700, y_px=500), PAGE) == ["there is no text at 700, 500"]


@pytest.mark.parametrize(
    ("text", "before", "after", "fault"),
    [
        ("Ada", PAGE, with_element(FIELD, value="Ada"), ""),
        ("Ada", PAGE, with_element(FIELD, value="Dr. ADA L."), ""),
        ("5551234", PAGE, with_element(FIELD, value="(555) 1234"), ""),
        ("Ada", PAGE, PAGE, "textbox “Name” still holds “”"),
        ("Ada", PAGE, with_element(FIELD, value="Ad"), "textbox “Name” holds “Ad”, in which “Ada” does not appear"),
        ("Ada", page(focus=""), CHANGED, ""),
        ("Ada", page(focus=""), page(focus=""), "nothing on the screen changed"),
        ("secret", page(focus="Password"), with_element(PASSWORD, states=PASSWORD.states | {ElementState.INVALID}), ""),
        ("{{secret:x}}", PAGE, with_element(FIELD, value="hunter"), ""),
    ],
)
def test_typing_is_verified_by_the_field_that_has_the_focus(
    text: str, before: ScreenState, after: ScreenState, fault: str
) -> None:
    action = TypeText(text=text)
    assert [one.check(action, before, after, done()) for one in action.spec.post] == [fault]


def test_a_field_that_went_with_its_page_was_sent_off() -> None:
    action = Fill(target=ref(FIELD), text="Ada")
    gone = page(elements=(), observation=2)
    assert [one.check(action, PAGE, gone, done()) for one in action.spec.post] == [""]
