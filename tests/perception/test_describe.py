"""States in words."""

from __future__ import annotations

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
    Table,
    TextBlock,
    Window,
)
from operative_app.perception.describe import describe, describe_element


def box(y: float, x: float = 0) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=100, height_css_px=20)


def test_a_control_is_one_line_with_what_tells_it_apart() -> None:
    select = Element(
        key="k",
        mark=4,
        role="combobox",
        name="Size",
        value="L",
        box=box(0),
        context=("Order", "Shirt"),
        states=frozenset({ElementState.REQUIRED, ElementState.OFFSCREEN}),
        options=(Option(label="S"), Option(label="L", is_selected=True)),
        cover="dialog “Cookies”",
        is_new=True,
    )
    assert describe_element(select) == (
        "[4] combobox “Size” = “L” in “Order” > “Shirt” (required, out of sight, new) "
        "options: “S”, “L” covered by dialog “Cookies”"
    )


def test_a_card_stays_together_though_cards_stand_side_by_side() -> None:
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.BROWSER,
        title="Shop",
        url="http://shop/",
        elements=tuple(
            Element(key=name, mark=mark, role="button", name="Buy", box=box(60, x), context=("Popular", name))
            for mark, (name, x) in enumerate((("Tea", 0), ("Milk", 200)), start=1)
        ),
        texts=tuple(
            block
            for name, x in (("Tea", 0), ("Milk", 200))
            for block in (
                TextBlock(text=name, role="heading", level=3, box=box(0, x), context=("Popular",)),
                TextBlock(text=f"{name} costs 2", box=box(30, x), context=("Popular", name)),
            )
        ),
    )
    assert describe(state).splitlines()[1:] == [
        "### Tea",
        "Tea costs 2",
        "[1] button “Buy” in “Popular” > “Tea”",
        "### Milk",
        "Milk costs 2",
        "[2] button “Buy” in “Popular” > “Milk”",
    ]


def test_what_needs_attention_comes_first_and_what_is_missing_last() -> None:
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.BROWSER,
        title="T",
        url="u",
        modal="Ask",
        dialogs=(PendingDialog(kind="confirm", message="Sure?"),),
        tabs=(Tab(id=1, url="a"), Tab(id=2, url="b", is_active=True)),
        tables=(Table(caption="Sales", headers=("Month", "Sum"), rows=(("May", "4"),)),),
        texts=(TextBlock(text="May", role="cell", box=box(0)),),
        left_out=("more frames were not looked at",),
    )
    assert describe(state).splitlines() == [
        "T – u",
        "tab 1: a",
        "tab 2 (in front): b",
        "! confirm waits for an answer: “Sure?”",
        "dialog open: “Ask”",
        "table 0 “Sales”:",
        "Month | Sum",
        "May | 4",
        "! more frames were not looked at",
    ]


def test_a_long_page_is_cut_far_from_what_is_in_sight_and_says_so() -> None:
    texts = tuple(TextBlock(text=f"line {number}", box=box(number * 20 - 5000)) for number in range(500))
    state = ScreenState(
        observation=1, surface=SurfaceKind.BROWSER, texts=texts, viewport_width_css_px=400, viewport_height_css_px=300
    )
    text = describe(state, max_chars=1000)
    assert len(text) <= 1000
    lines = text.splitlines()
    assert "line 250" in lines
    assert "line 264" in lines
    assert lines[1].endswith("lines are left out here")
    assert lines[-1].endswith("lines are left out here")
    left_out = sum(int(line.split()[1]) for line in lines if line.endswith("left out here"))
    assert left_out == 500 - sum(line.startswith("line ") for line in lines)


def test_which_way_to_scroll_is_told_and_what_scrolls() -> None:
    area = ScrollContainer(
        key="s",
        label="area “Terms”",
        box=Box(x_css_px=0, y_css_px=100, width_css_px=300, height_css_px=100),
        above_css_px=0,
        below_css_px=900,
    )
    off = frozenset({ElementState.OFFSCREEN})

    def button(name: str, y: float, scroller: str = "") -> Element:
        return Element(key=name, role="button", name=name, box=box(y), states=off, scroller=scroller)

    state = ScreenState(
        observation=1,
        surface=SurfaceKind.BROWSER,
        title="T",
        url="u",
        viewport_width_css_px=400,
        viewport_height_css_px=300,
        scroll=ScrollPosition(y_css_px=2000, width_css_px=400, height_css_px=5000),
        scrollers=(area,),
        elements=(button("Up", -80), button("Agree", 250, "s"), button("Down", 900)),
    )
    assert describe(state).splitlines()[1:] == [
        "the page goes on: 2000 px more above, 2700 px more below",
        "scrolls by itself: area “Terms” at 0,100 300×100: 900 px more below",
        "[–] button “Up” (above)",
        "[–] button “Agree” (below in area “Terms”)",
        "[–] button “Down” (below)",
    ]


def test_destinations_frames_places_and_weak_names_are_told() -> None:
    page = ScreenState(observation=1, surface=SurfaceKind.BROWSER, url="https://shop.test/list")
    link = Element(key="a", mark=1, role="link", name="Tea", href="https://shop.test/tea?x=1", box=box(0), frame="0.1")
    away = Element(key="b", mark=2, role="link", name="Map", href="https://maps.test/", box=box(0))
    icon = Element(key="c", mark=3, role="button", name="trash", label_source="markup", box=box(0))
    canvas = Element(
        key="d", mark=4, role="canvas", name="Board", box=box(40, 7), states=frozenset({ElementState.DRAGGABLE})
    )
    assert [describe_element(one, page) for one in (link, away, icon, canvas)] == [
        "[1] link “Tea” → /tea?x=1 frame 0.1",
        "[2] link “Map” → https://maps.test/",
        "[3] button “trash” (called so only in the markup)",
        "[4] canvas “Board” at 7,40 100×20 (draggable)",
    ]


def test_selection_held_keys_windows_and_a_crash_are_told() -> None:
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.DESKTOP,
        title="Notes",
        windows=(
            Window(id=1, title="Notes", app="editor", box=box(0), is_active=True),
            Window(id=2, title="", app="files", box=box(0), is_minimized=True),
        ),
        selection="two words",
        held=frozenset({"Shift"}),
        has_crashed=True,
    )
    assert describe(state).splitlines() == [
        "Desktop – Notes",
        "window “Notes” (editor, in front)",
        "window “files” (files, minimized)",
        "! the page crashed: nothing can be done there until it is opened again",
        "held down: Shift",
        "selected: “two words”",
    ]
