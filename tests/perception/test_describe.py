"""States in words."""

from __future__ import annotations

from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    Option,
    PendingDialog,
    ScreenState,
    SurfaceKind,
    Tab,
    Table,
    TextBlock,
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
        "[4] combobox “Size” = “L” in “Order” > “Shirt” (required, scroll to see, new) "
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


def test_a_long_page_is_cut_and_says_so() -> None:
    texts = tuple(TextBlock(text=f"line {number}", box=box(number * 20)) for number in range(500))
    text = describe(ScreenState(observation=1, surface=SurfaceKind.BROWSER, texts=texts), max_chars=1000)
    assert len(text) < 1100
    assert "left out here" in text.splitlines()[-1]
