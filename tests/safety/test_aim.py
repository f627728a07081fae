"""Which controls an action sets off, by element, place, key and typed character."""

from __future__ import annotations

import pytest

from operative_app.actions.browser import Fill, GetText
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import Hotkey, KeyDown, PressKey, TypeText
from operative_app.actions.mouse import (
    Click,
    ClickElement,
    DoubleClick,
    Drag,
    DragElement,
    Hover,
    MouseDown,
    MouseUp,
    RightClick,
    Scroll,
    SelectText,
    TripleClick,
)
from operative_app.core.ports import MouseButton
from operative_app.core.screen import ElementState, ScreenState
from operative_app.safety.aim import aimed_at, at_place, enter_like, keys_of, set_off, texts_at
from tests.safety.screens import box, desktop, element, screen, text

PAY = element("Pay", box=box(0, 0, 50, 20))
NOTE = element("Note", "textbox", box=box(0, 100, 50, 20), states={ElementState.EDITABLE})
CARD = element("Card", "listitem", box=box(0, 0, 200, 90))
BIN = element("Delete", "listitem", box=box(300, 0, 50, 50))
KNOB = element("Slide to pay", "slider", box=box(0, 200, 20, 20))
PAGE = screen(PAY, NOTE, CARD, BIN, KNOB)
FORM = ("Checkout",)


def names(action: Action, state: ScreenState = PAGE) -> list[str]:
    return [one.name for one in set_off(action, state)]


@pytest.mark.parametrize(
    ("action", "set_off_names"),
    [
        (Click(x_px=5, y_px=5), ["Pay"]),
        (Click(x_px=5, y_px=5, button=MouseButton.RIGHT), []),
        (Click(x_px=5, y_px=5, button=MouseButton.MIDDLE), []),
        (Click(x_px=100, y_px=50), []),  # a list item is no control
        (Click(x_px=900, y_px=900), []),
        (DoubleClick(x_px=5, y_px=5), ["Pay"]),
        (TripleClick(x_px=5, y_px=5), ["Pay"]),
        (MouseDown(x_px=5, y_px=5), ["Pay"]),
        (MouseUp(x_px=5, y_px=5), ["Pay"]),
        (MouseUp(x_px=5, y_px=5, button=MouseButton.RIGHT), []),
        (ClickElement(target=PAGE.ref(PAY)), ["Pay"]),
        (ClickElement(target=PAGE.ref(NOTE)), []),
        (Hover(target=PAGE.ref(PAY)), []),
        (RightClick(target=PAGE.ref(PAY)), []),
        (Scroll(dy_css_px=5, target=PAGE.ref(PAY)), []),
        (GetText(target=PAGE.ref(PAY)), []),
        (Drag(x1_px=5, y1_px=5, x2_px=9, y2_px=5), ["Pay"]),  # a click that trembles
        (Drag(x1_px=5, y1_px=50, x2_px=9, y2_px=60), []),  # within one that is no control
        (Drag(x1_px=5, y1_px=50, x2_px=310, y2_px=5), ["Delete"]),
        (Drag(x1_px=5, y1_px=205, x2_px=900, y2_px=205), ["Slide to pay"]),
        (Drag(x1_px=900, y1_px=900, x2_px=310, y2_px=5), ["Delete"]),
        (SelectText(x1_px=5, y1_px=5, x2_px=9, y2_px=5), ["Pay"]),
        (SelectText(x1_px=5, y1_px=50, x2_px=310, y2_px=5), []),
        (DragElement(target=PAGE.ref(CARD), onto=PAGE.ref(BIN)), ["Delete"]),
        (DragElement(target=PAGE.ref(CARD), x_px=310, y_px=5), ["Delete"]),
        (DragElement(target=PAGE.ref(KNOB), x_px=900, y_px=205), ["Slide to pay"]),
    ],
    ids=lambda value: value.words if isinstance(value, Action) else "",
)
def test_what_the_pointer_sets_off(action: Action, set_off_names: list[str]) -> None:
    assert names(action) == set_off_names


def test_an_element_that_went_is_not_set_off() -> None:
    gone = DragElement(target=PAGE.ref(CARD), onto=PAGE.ref(BIN))
    assert names(gone, screen(observation=2)) == []
    assert aimed_at(gone, PAGE) == (CARD, BIN)


def test_what_is_covered_or_out_of_sight_is_not_hit() -> None:
    under = element("Under", box=box(0, 0, 10, 10), cover="dialog")
    over = element("Over", box=box(0, 0, 90, 90))
    below = element("Below", box=box(0, 0, 5, 5), states={ElementState.OFFSCREEN})
    assert at_place(screen(under, over, below), 3, 3) == over
    assert at_place(screen(under, below), 3, 3) == under
    assert at_place(screen(below), 3, 3) is None


def test_words_at_a_place_count_where_no_control_is_listed() -> None:
    state = screen(element("Go", box=box(50, 0)), texts=(text("Pay now"), text("Elsewhere", box=box(500))))
    assert texts_at(Click(x_px=5, y_px=5), state) == ["Pay now"]
    assert texts_at(DoubleClick(x_px=5, y_px=5), state) == ["Pay now"]
    assert texts_at(Click(x_px=5, y_px=5, button=MouseButton.RIGHT), state) == []
    assert texts_at(Click(x_px=55, y_px=5), state) == []
    assert texts_at(Hover(x_px=5, y_px=5), state) == []


@pytest.mark.parametrize(
    ("action", "keys"),
    [
        (PressKey(key="Return"), ("Enter",)),
        (PressKey(key="ctrl+Enter"), ("Control", "Enter")),
        (PressKey(key=" "), ("Space",)),
        (PressKey(key="Tab"), ()),
        (PressKey(key="no key"), ()),
        (KeyDown(key="Enter"), ("Enter",)),
        (Hotkey(keys=("Control", "Enter")), ("Control", "Enter")),
        (Hotkey(keys=("Control", "a")), ()),
        (TypeText(text="a\nb"), ("Enter",)),
        (TypeText(text="a b"), ("Space",)),
        (TypeText(text="ab"), ()),
        (GetText(), ()),
    ],
    ids=lambda value: value.words if isinstance(value, Action) else "",
)
def test_what_counts_as_enter(action: Action, keys: tuple[str, ...]) -> None:
    assert enter_like(action, PAGE) == keys


def test_filling_with_line_ends_presses_enter_on_the_desktop_alone() -> None:
    action = Fill(target=PAGE.ref(NOTE), text="a\nb")
    assert enter_like(action, PAGE) == ()
    assert enter_like(action, desktop(NOTE)) == ("Enter",)
    assert enter_like(Fill(target=PAGE.ref(NOTE), text="a"), desktop(NOTE)) == ()


def test_keys_of_other_actions() -> None:
    assert keys_of(GetText()) == ()
    assert keys_of(KeyDown(key="ctrl")) == ("Control",)


@pytest.mark.parametrize(
    ("focus", "action", "set_off_names"),
    [
        ("Card", PressKey(key="Enter"), ["Pay now"]),
        ("Card", TypeText(text="4111\n"), ["Pay now"]),
        ("Card", TypeText(text="41 11"), []),
        ("Card", PressKey(key="Tab"), []),
        ("Pay now", PressKey(key="Enter"), ["Pay now"]),
        ("Pay now", TypeText(text=" "), ["Pay now"]),
        ("Message", PressKey(key="Enter"), []),
        ("Message", PressKey(key="Shift+Enter"), []),
        ("Message", Hotkey(keys=("Control", "Enter")), ["Pay now"]),
        ("Find", PressKey(key="Enter"), []),
        ("Quick", PressKey(key="Enter"), []),
        ("", PressKey(key="Enter"), []),
        ("", PressKey(key="Space"), []),
    ],
)
def test_what_enter_sets_off_in_a_form(focus: str, action: Action, set_off_names: list[str]) -> None:
    state = screen(
        element("Card", "textbox", context=FORM, states={ElementState.EDITABLE}),
        element("Pay now", context=FORM),
        element("Message", "textbox", context=FORM, states={ElementState.EDITABLE, ElementState.MULTILINE}),
        element("Find", "searchbox", context=FORM),
        element("Quick", "textbox", context=FORM, input_type="search"),
        element("Delete", context=("Elsewhere",)),
        element("Framed", context=FORM, frame="0"),
        focus=focus,
    )
    assert names(action, state) == set_off_names


def test_a_button_named_like_its_form_belongs_to_it() -> None:
    field = element("Card", "textbox", context=("Shop", "Pay now"))
    state = screen(field, element("Pay now", context=("Shop",)), element("Delete", context=("Other",)))
    assert names(PressKey(key="Enter", target=state.ref(field)), state) == ["Pay now"]


def test_enter_in_a_dialog_of_the_desktop_presses_one_of_its_buttons() -> None:
    entry = element("Name", "textbox", window=7, context=("Form",))
    buttons = element("Delete", window=7), element("Send", window=3)
    for focus in ("", "Name"):
        assert names(PressKey(key="Enter"), desktop(entry, *buttons, is_dialog=True, focus=focus)) == ["Delete"]
    assert names(PressKey(key="Enter"), desktop(entry, *buttons)) == []
    assert names(PressKey(key="Space"), desktop(entry, *buttons, is_dialog=True)) == []
