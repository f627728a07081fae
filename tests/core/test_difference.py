"""What is said to have changed between two observations."""

from __future__ import annotations

import pytest

from operative_app.core.difference import difference, has_changed
from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    PendingDialog,
    ScreenState,
    ScrollPosition,
    SurfaceKind,
    Tab,
    TextBlock,
)

BOX = Box(x_css_px=0, y_css_px=0, width_css_px=10, height_css_px=10)


def element(name: str, **fields: object) -> Element:
    return Element.model_validate({"key": name, "role": "button", "name": name, "path": name, "box": BOX, **fields})


def state(*elements: Element, texts: tuple[str, ...] = (), **fields: object) -> ScreenState:
    return ScreenState.model_validate(
        {
            "observation": 1,
            "surface": SurfaceKind.BROWSER,
            "url": "http://a.test/",
            "elements": elements,
            "texts": tuple(TextBlock(text=text, box=BOX) for text in texts),
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (state(), state(url="http://a.test/b"), "address is now http://a.test/b"),
        (state(), state(element("Save")), "button “Save” appeared"),
        (state(element("Save")), state(), "button “Save” went"),
        (state(element("F")), state(element("F", value="x")), "button “F” now shows “x”"),
        (state(element("F")), state(element("F", states={ElementState.CHECKED})), "button “F” is checked"),
        (state(element("F", states={ElementState.DISABLED})), state(element("F")), "button “F” is no longer disabled"),
        (state(texts=("a",)), state(texts=("a", "b")), "text “b” appeared"),
        (state(texts=("a", "a")), state(texts=("a",)), "text “a” went"),
        (state(), state(modal="Sure?"), "dialog “Sure?” opened"),
        (state(), state(tabs=(Tab(id=2, url="u", title="T"),)), "new tab “T”"),
        (state(), state(dialogs=(PendingDialog(kind="confirm", message="Sure?"),)), "confirm: “Sure?”"),
        (state(), state(scroll=ScrollPosition(y_css_px=300)), "scrolled to 300 px"),
    ],
)
def test_each_kind_of_change_is_said(before: ScreenState, after: ScreenState, said: str) -> None:
    assert said in difference(before, after)
    assert has_changed(before, after)


def test_the_same_screen_seen_again_has_not_changed() -> None:
    first = state(element("Save"), texts=("a",))
    again = first.model_copy(update={"observation": 2, "observed_at_s": 5.0, "screenshot": "other"})
    assert difference(first, again) == ""
    assert not has_changed(first, again)


def test_scrolling_an_element_out_of_sight_is_no_change_of_the_element() -> None:
    assert not has_changed(state(element("F")), state(element("F", states={ElementState.OFFSCREEN})))


def test_many_changes_are_counted() -> None:
    after = state(*(element(f"E{place}") for place in range(20)))
    assert difference(state(), after, limit=3).endswith("and 17 more changes")


def test_the_focus_on_what_was_pressed_is_no_effect_unless_it_takes_text() -> None:
    button, field = element("Save"), element("Name", states={ElementState.EDITABLE})
    before = state(button, field)
    assert not has_changed(before, state(button, field, focus="Save"), pressed=button)
    assert has_changed(before, state(button, field, focus="Name"), pressed=field)
    assert has_changed(before, state(button, field, focus="Name"), pressed=button)
    assert has_changed(before, state(button, field, focus="Save", texts=("saved",)), pressed=button)


def at(text: str, top_css_px: float, *, is_restless: bool = False) -> TextBlock:
    box = Box(x_css_px=0, y_css_px=top_css_px, width_css_px=50, height_css_px=10)
    return TextBlock(text=text, box=box, is_restless=is_restless)


def seen(*texts: TextBlock, at_s: float = 0, elements: tuple[Element, ...] = ()) -> ScreenState:
    return state(*elements, observed_at_s=at_s).model_copy(update={"texts": texts})


def test_a_clock_that_went_on_as_time_did_is_no_change() -> None:
    assert not has_changed(seen(at("It is 10:00:59 now", 5)), seen(at("It is 10:01:01 now", 5), at_s=2))
    assert not has_changed(seen(at("0:10 left", 5)), seen(at("0:08 left", 5), at_s=1))
    assert has_changed(seen(at("Leaves 10:30", 5)), seen(at("Leaves 14:20", 5), at_s=2))
    assert has_changed(seen(at("Leaves 10:30", 5)), seen(at("Arrives 10:31", 5), at_s=2))


def test_what_changes_by_itself_is_no_change_and_what_changes_beside_it_is() -> None:
    before, after = at("Summer sale", 5), at("Winter sale", 5, is_restless=True)
    assert not has_changed(seen(before), seen(after))
    assert has_changed(seen(before, at("Basket: 0", 40)), seen(after, at("Basket: 1", 40)))
    dot, on = element("Slide 2"), element("Slide 2", states={ElementState.SELECTED}, is_restless=True)
    assert not has_changed(seen(before, elements=(dot,)), seen(after, elements=(on,)))
    assert has_changed(seen(before, elements=(dot,)), seen(after, elements=(on,)), pressed=dot)
