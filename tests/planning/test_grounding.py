"""Which element words mean: likeness of names, regions, ordinals, duplicates, what is covered or disabled."""

from __future__ import annotations

from datetime import date

import pytest

from operative_app.core.screen import Element, ElementState, ScreenState, Table
from operative_app.planning.builtin.grammar import read_instruction
from operative_app.planning.builtin.grounding import Grounded, Purpose, ground
from operative_app.planning.builtin.instruction import Press, Target, Tick
from operative_app.planning.builtin.words import GOOD, similarity
from tests.planning.screens import element, screen, text

TODAY = date(2026, 11, 30)


def found(state: ScreenState, sentence: str, purpose: Purpose = Purpose.PRESS) -> Grounded:
    instruction = read_instruction(sentence, TODAY)
    assert isinstance(instruction, Press | Tick)
    return ground(state, instruction.target, purpose, suggest=True)


def key(state: ScreenState, sentence: str, purpose: Purpose = Purpose.PRESS) -> str:
    one = found(state, sentence, purpose).element
    return one.key if one else ""


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("Add to cart", "Add to basket"),
        ("e-mail", "Email address"),
        ("Sign in", "Log in"),
        ("checkout", "Go to check-out"),
        ("chekout", "Checkout"),
        ("Add to cart", "ADD TO CART →"),
        ("Mac mini", "Mac mini (M4, 2024), from $599"),
        ("Grosse", "Größe"),
        ("Settings", "Preferences"),
        ("Nwe isue", "New issue"),
        ("+", "+"),
        ("-", "−"),
        ("*", "×"),
    ],
)
def test_names_that_mean_the_same_are_alike(wanted: str, shown: str) -> None:
    assert similarity(wanted, shown) >= GOOD


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("256 GB", "512 GB"),
        ("Sign in", "Sign up"),
        ("Subscribe", "Unsubscribe"),
        ("Product Manager", "Product Designer"),
        ("Enable", "Disable"),
        ("Save", "Share"),
        ("Size 6", "Size 16"),
        ("Plan A", "Plan B"),
        ("Save", ""),
        ("+", "+/-"),
        ("-", "+/-"),
        ("=", "≠"),
    ],
)
def test_names_that_mean_something_else_are_not(wanted: str, shown: str) -> None:
    assert similarity(wanted, shown) < GOOD


def test_exact_name_wins_over_a_longer_one() -> None:
    state = screen(element("button", "Save and close"), element("button", "Save"), element("button", "Save as"))
    assert key(state, "press Save") == "e2"


def test_signs_are_meant_as_written() -> None:
    state = screen(element("button", "+/-"), element("button", "+"), element("button", "−"))
    assert key(state, "press +") == "e2"
    assert key(state, "press -") == "e3"


def test_kind_tells_apart() -> None:
    state = screen(element("link", "Contact"), element("button", "Contact"))
    assert key(state, "press the link Contact") == "e1"
    assert key(state, "press the Contact button") == "e2"


def test_main_content_wins_over_the_frame_of_the_page() -> None:
    state = screen(element("button", "Search", within="header[1]"), element("button", "Search"))
    assert key(state, "press Search") == "e2"


def test_the_open_dialog_wins() -> None:
    state = screen(element("button", "Delete"), element("button", "Delete", context=("Sure?",)), modal="Sure?")
    assert key(state, "press Delete") == "e2"


def sections() -> ScreenState:
    return screen(
        *(
            element("button", "Edit", context=(name,), at=(10, 100 * place))
            for place, name in enumerate(["Profile", "Billing", "Security"])
        ),
        texts=[
            text(name, "heading", at=(10, 100 * place - 30))
            for place, name in enumerate(["Profile", "Billing", "Security"])
        ],
    )


def test_duplicates_are_told_apart_by_what_surrounds_them() -> None:
    assert key(sections(), "press Edit under Billing") == "e2"
    assert key(sections(), "press Edit in the Security section") == "e3"
    assert key(sections(), "press Edit for Profile") == "e1"
    assert key(sections(), "press the second Edit") == "e2"
    assert key(sections(), "press the last Edit") == "e3"


def test_duplicates_without_a_telling_word_are_rivals() -> None:
    grounded = found(sections(), "press Edit")
    assert grounded.element is None
    assert len(grounded.rivals) == 3


def test_duplicates_that_do_the_same_are_no_rivals() -> None:
    state = screen(
        element("link", "Terms", href="https://example.org/terms", at=(0, 900), within="section[1]"),
        element("link", "Terms", href="https://example.org/terms", within="section[2]"),
    )
    assert key(state, "press Terms") in {"e1", "e2"}


def rows() -> ScreenState:
    cells = [("4215", "Birch Ltd", "€10"), ("4216", "Cedar GmbH", "€20"), ("4217", "Elm SA", "€30")]
    buttons: list[Element] = []
    for row, (number, _, _) in enumerate(cells):
        buttons += [
            element(
                "button",
                "Pay",
                table=0,
                row=row,
                column=3,
                list_index=row,
                context=("Invoices", number),
                at=(300, 40 * row),
            ),
            element(
                "link",
                "Open",
                table=0,
                row=row,
                column=3,
                list_index=row,
                context=("Invoices", number),
                at=(360, 40 * row),
            ),
        ]
    table = Table(
        caption="Invoices", headers=("Number", "Customer", "Amount", ""), rows=tuple((*one, "") for one in cells)
    )
    return screen(*buttons, tables=[table])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("press Pay in the second row", "e3"),
        ("press Pay in the last row", "e5"),
        ("press Pay in the row for Elm SA", "e5"),
        ("press Pay for Cedar GmbH", "e3"),
        ("press Pay for invoice 4216", "e3"),
        ("pay invoice 4217", "e5"),
        ("press the third Pay", "e5"),
        ("press Pay in the row 4215", "e1"),
    ],
)
def test_rows_are_found_by_place_and_by_what_they_say(sentence: str, expected: str) -> None:
    assert key(rows(), sentence) == expected


def test_a_row_that_is_not_there_gives_nothing() -> None:
    assert found(rows(), "press Pay for Walnut KG") == Grounded(similar=("Pay",))


def test_next_to_is_the_nearest_in_the_line() -> None:
    state = screen(
        element("button", "Save", at=(400, 100)),
        element("button", "Save", at=(400, 300)),
        texts=[text("Company name", at=(10, 100)), text("Street", at=(10, 300))],
    )
    assert key(state, "press Save next to Street") == "e2"
    assert key(state, "press Save beside Company name") == "e1"


def test_a_name_with_a_preposition_is_found_whole() -> None:
    state = screen(element("button", "Search for flights"), element("button", "Search"))
    assert key(state, "press Search for flights") == "e1"


def test_typing_mistakes_are_forgiven_and_near_misses_named() -> None:
    state = screen(element("button", "Checkout"), element("link", "Cart"))
    assert key(state, "press Chekout") == "e1"
    assert set(found(state, "press Chocolate").similar) <= {"Checkout", "Cart"}
    assert found(state, "press Chocolate").element is None


def test_an_enabled_one_wins_over_a_disabled_one() -> None:
    state = screen(element("button", "Next", ElementState.DISABLED), element("button", "Next"))
    assert key(state, "press Next") == "e2"


def test_a_field_is_found_by_loose_text_beside_it() -> None:
    state = screen(
        element("textbox", "", at=(200, 100)), element("textbox", "", at=(200, 200)),
        texts=[text("Street", at=(100, 100)), text("City", at=(100, 200))],
    )  # fmt: skip
    grounded = ground(state, read_target("City"), Purpose.FIELD)
    assert grounded.element is not None
    assert grounded.element.key == "e2"


def read_target(name: str) -> Target:
    instruction = read_instruction(f"press “{name}”", TODAY)
    assert isinstance(instruction, Press)
    return instruction.target
