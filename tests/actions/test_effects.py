"""What counts as the text that was asked for, and as an effect of a press."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from operative_app.actions.declare import Action
from operative_app.actions.effects import ScreenChanged, same_entry
from operative_app.actions.mouse import Click, ClickElement, DoubleClick, Drag
from operative_app.core.run import done
from operative_app.core.screen import Element
from tests.actions.calls import BUTTON, FIELD, page, ref


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("abc", "abc"),
        ("ABC DEF", "abc def"),
        ("(555) 123-4567", "5551234567"),
        ("(555) 123-4567", "555-123-4567".replace("-", " ")),
        ("4111 1111 1111 1111", "4111111111111111"),
        ("1,250", "1250"),
        ("1.250.000", "1250000"),
        ("12.50", "12.50"),
        ("2027-03-09", "20270309"),
        ("my password •••", "my password “hunter2”"),
        ("••• and •••", "one and two"),
    ],
)
def test_a_field_may_write_it_in_its_own_way(shown: str, wanted: str) -> None:
    assert same_entry(shown, wanted)


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("", "abc"),
        ("abc", "abcdef"),
        ("12.50", "1250"),
        ("12,50", "1250"),
        ("1250", "12.50"),
        ("+1 555 123 4567", "5551234567"),
        ("ada@example.org", "ada@example.com"),
        ("adaexample.org", "ada@example.org"),
        ("50", "-50"),
        ("***", "!!!"),
        ("my password •••", "another password hunter2"),
        ("my password •••", "my password"),
    ],
)
def test_another_value_is_told(shown: str, wanted: str) -> None:
    assert not same_entry(shown, wanted)


def middle(element: Element) -> tuple[float, float]:
    return element.box.center


@pytest.mark.parametrize(
    "press",
    [
        lambda one: ClickElement(target=ref(one)),
        lambda one: Click(x_px=middle(one)[0], y_px=middle(one)[1]),
        lambda one: DoubleClick(x_px=middle(one)[0], y_px=middle(one)[1]),
        lambda one: Drag(x1_px=middle(one)[0], y1_px=middle(one)[1], x2_px=700, y2_px=500),
    ],
    ids=["element", "place", "double", "drag"],
)
def test_the_focus_of_what_was_pressed_is_an_effect_only_where_it_takes_text(
    press: Callable[[Element], Action],
) -> None:
    before = page(focus="")

    def missing(pressed: Element, focused: Element) -> str:
        return ScreenChanged().check(press(pressed), before, page(focus=focused.key), done())

    assert missing(BUTTON, BUTTON) == "nothing on the screen changed"
    assert missing(FIELD, FIELD) == ""
    assert missing(BUTTON, FIELD) == ""
