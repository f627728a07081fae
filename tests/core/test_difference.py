"""What is said to have changed between two observations."""

from __future__ import annotations

import pytest

from operative_app.core.difference import difference, has_changed
from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    Option,
    PendingDialog,
    ScreenState,
    ScrollContainer,
    ScrollPosition,
    SurfaceKind,
    Tab,
    TextBlock,
    Window,
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


def window(number: int, title: str, *, is_active: bool = False) -> Window:
    return Window(id=number, title=title, app="app", box=BOX, is_active=is_active)


def scroller(above_css_px: float) -> ScrollContainer:
    return ScrollContainer(key="s", label="area “Terms”", box=BOX, above_css_px=above_css_px, below_css_px=50)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (state(), state(url="http://a.test/b"), "address is now http://a.test/b"),
        (state(), state(element("Save")), "button “Save” appeared"),
        (state(element("Save")), state(), "button “Save” went"),
        (state(element("F")), state(element("F", value="x")), "button “F” now shows “x”"),
        (state(element("F")), state(element("F", states={ElementState.CHECKED})), "button “F” is checked"),
        (state(element("F", states={ElementState.DISABLED})), state(element("F")), "button “F” is no longer disabled"),
        (state(element("F", value="x")), state(element("F")), "button “F” is now empty"),
        (
            state(element("F", states={ElementState.CHECKED, ElementState.REQUIRED})),
            state(element("F", states={ElementState.UNCHECKED, ElementState.DISABLED})),
            "button “F” is disabled, unchecked, no longer required",
        ),
        (state(element("F")), state(element("F", cover="layer “Ad”")), "button “F” is covered by layer “Ad”"),
        (state(element("F", cover="layer “Ad”")), state(element("F")), "button “F” is no longer covered"),
        (
            state(element("F", options=(Option(label="A"),))),
            state(element("F", options=(Option(label="B"),))),
            "button “F” has other choices",
        ),
        (state(element("Play", path="p")), state(element("Stop", path="p")), "button “Play” is now called “Stop”"),
        (state(texts=("1 item",)), state(texts=("2 items",)), "text “1 item” is now “2 items”"),
        (state(selection="a"), state(selection="b c"), "“b c” is selected"),
        (state(has_crashed=False), state(has_crashed=True), "the page crashed"),
        (state(file_chooser="k"), state(), "the page no longer asks for a file"),
        (
            state(dialogs=(PendingDialog(kind="confirm", message="Sure?"),)),
            state(),
            "confirm “Sure?” is gone",
        ),
        (
            state(tabs=(Tab(id=1, url="u", title="A", is_active=True), Tab(id=2, url="v", title="B"))),
            state(tabs=(Tab(id=1, url="u", title="A"), Tab(id=2, url="v", title="B", is_active=True))),
            "tab “B” is in front",
        ),
        (state(), state(windows=(window(1, "Notes"),)), "window “Notes” opened"),
        (state(windows=(window(1, "Notes"),)), state(), "window “Notes” closed"),
        (
            state(windows=(window(1, "Notes"),)),
            state(windows=(window(1, "*Notes"),)),
            "window “Notes” is now called “*Notes”",
        ),
        (
            state(windows=(window(1, "A", is_active=True), window(2, "B"))),
            state(windows=(window(2, "B", is_active=True), window(1, "A"))),
            "window “B” is in front",
        ),
        (
            state(scrollers=(scroller(0),)),
            state(scrollers=(scroller(120),)),
            "area “Terms” scrolled to 120 px",
        ),
        (state(), state(scroll=ScrollPosition(x_css_px=40)), "scrolled sideways to 40 px"),
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


def test_a_row_that_went_is_said_alone_though_all_below_it_moved_up() -> None:
    def row(place: int, name: str) -> Element:
        return element(name, key=f"k{place}", path=f"body>li[{place}]>button[1]")

    before = state(row(1, "Tea"), row(2, "Milk"), row(3, "Salt"))
    after = state(row(1, "Milk"), row(2, "Salt"))
    assert difference(before, after) == "button “Tea” went"
    assert difference(after, before) == "button “Tea” appeared"


def test_equal_controls_are_told_apart_by_their_surroundings() -> None:
    def row(place: int, card: str, value: str = "") -> Element:
        return element("Pieces", key=f"k{place}", path=f"body>div[{place}]>input[1]", context=(card,), value=value)

    before = state(row(1, "Tea", "1"), row(2, "Milk", "2"))
    after = state(row(1, "Milk", "2"))
    assert difference(before, after) == "button “Pieces” went"


def test_that_a_selection_ended_is_said_but_proves_no_effect() -> None:
    button = element("Save")
    before, after = state(button, selection="words"), state(button)
    assert difference(before, after) == "nothing is selected any more"
    assert not has_changed(before, after)
    assert not has_changed(before, after, pressed=button)
    assert has_changed(after, before)
