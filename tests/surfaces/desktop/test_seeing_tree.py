"""From what a program says to what is said of it, without a program."""

from __future__ import annotations

from typing import Any

import pytest

from operative_app.core.screen import Box, ElementState, Window
from operative_app.surfaces.desktop.atspi_connection import Ref
from operative_app.surfaces.desktop.atspi_nodes import Node, built
from operative_app.surfaces.desktop.atspi_places import correction
from operative_app.surfaces.desktop.atspi_roles import Role, State
from operative_app.surfaces.desktop.atspi_tree import window_tree

FRAME = Box(x_css_px=100, y_css_px=50, width_css_px=802, height_css_px=625)
CONTENT = Box(x_css_px=101, y_css_px=70, width_css_px=800, height_css_px=600)
WINDOW = Window(id=7, title="Program", app="program", box=FRAME, is_active=True)
SHOWN = (State.SHOWING, State.VISIBLE, State.ENABLED, State.SENSITIVE)


def box(x: float, y: float, width: float, height: float) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def bits(*states: State) -> int:
    return sum(1 << state for state in states)


class Maker:
    """Makes nodes that number themselves."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, role: Role, name: str = "", at: Box | None = None, *below: Node, **more: Any) -> Node:
        self.count += 1
        states = bits(*more.pop("states", ()), *SHOWN)
        node = Node(Ref(":1.2", f"/org/a11y/atspi/accessible/{self.count}"), role, states, name, box=at, **more)
        node.children = list(below)
        for child in below:
            child.parent = node
        return node


@pytest.fixture
def make() -> Maker:
    return Maker()


@pytest.mark.parametrize(
    ("told", "content", "button", "expected"),
    [
        pytest.param(CONTENT, CONTENT, box(200, 200, 50, 20), box(200, 200, 50, 20), id="right"),
        pytest.param(CONTENT, None, box(200, 200, 50, 20), box(200, 200, 50, 20), id="right, content not known"),
        pytest.param(
            box(0, 0, 800, 600), CONTENT, box(99, 130, 50, 20), box(200, 200, 50, 20), id="from the window's corner"
        ),
        pytest.param(
            box(0, 0, 800, 600), None, box(99, 130, 50, 20), box(200, 204, 50, 20), id="same, content not known"
        ),
        pytest.param(
            box(50.5, 35, 400, 300), CONTENT, box(100, 100, 25, 10), box(200, 200, 50, 20), id="before scaling by 2"
        ),
        pytest.param(None, CONTENT, box(1, 2, 3, 4), box(1, 2, 3, 4), id="nothing told"),
    ],
)
def test_boxes_are_put_where_the_window_is(told: Box | None, content: Box | None, button: Box, expected: Box) -> None:
    assert correction(told, FRAME, content).of(button) == expected


def test_a_window_far_from_where_it_says_it_is_moves_with_all_it_holds(make: Maker) -> None:
    top = make(Role.FRAME, "Program", box(0, 0, 800, 600), make(Role.PUSH_BUTTON, "Go", box(10, 10, 60, 20)))

    tree = window_tree(WINDOW, [top], content=CONTENT)

    assert tree.elements[0].box == box(111, 80, 60, 20)


def test_what_is_read_line_by_line_comes_in_that_order(make: Maker) -> None:
    buttons = [
        make(Role.PUSH_BUTTON, "4", box(300, 131, 60, 20)),
        make(Role.PUSH_BUTTON, "2", box(300, 100, 60, 24)),
        make(Role.PUSH_BUTTON, "3", box(120, 130, 60, 20)),
        make(Role.PUSH_BUTTON, "1", box(120, 104, 60, 20)),
    ]
    tree = window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, *buttons)])

    assert [one.name for one in tree.elements] == ["1", "2", "3", "4"]


def test_a_field_is_named_by_the_text_beside_it_but_not_by_a_sentence(make: Maker) -> None:
    top = make(
        Role.FRAME,
        "Program",
        CONTENT,
        make(Role.LABEL, "Street:", box(120, 100, 60, 20)),
        make(Role.TEXT, "", box(190, 100, 200, 20), states=[State.EDITABLE]),
        make(Role.LABEL, "You are using an account that may harm your system.", box(120, 130, 300, 20)),
        make(Role.TEXT, "", box(120, 152, 400, 200), states=[State.EDITABLE, State.MULTI_LINE]),
        make(Role.CHECK_BOX, "", box(120, 400, 16, 16)),
        make(Role.LABEL, "Remember me", box(140, 398, 90, 20)),
    )
    tree = window_tree(WINDOW, [top])

    assert [(one.role, one.name, one.label_source) for one in tree.elements] == [
        ("textbox", "Street", "nearby"),
        ("textbox", "", ""),
        ("checkbox", "Remember me", "nearby"),
    ]


def test_names_of_one_letter_stay(make: Maker) -> None:
    top = make(Role.FRAME, "Program", CONTENT, make(Role.PUSH_BUTTON, "×", box(120, 100, 20, 20)))

    assert window_tree(WINDOW, [top]).elements[0].name == "×"


def test_what_a_scroll_pane_hides_is_out_of_sight_and_what_another_page_hides_is_not_there(make: Maker) -> None:
    pane = make(
        Role.SCROLL_PANE,
        "",
        box(120, 100, 200, 100),
        make(Role.PUSH_BUTTON, "In", box(130, 110, 80, 20)),
        make(Role.PUSH_BUTTON, "Half", box(130, 190, 80, 20)),
        make(Role.PUSH_BUTTON, "Out", box(130, 400, 80, 20), is_out=True),
        make(Role.PUSH_BUTTON, "Hidden", box(130, 120, 80, 20), is_out=True),
        make(Role.SCROLL_BAR, "", box(310, 100, 10, 100), scroll=(0.0, 40.0, 500.0)),
    )
    tree = window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, pane)])

    assert [one.name for one in tree.elements] == ["In", "Half", "Out"]
    assert [one.has(ElementState.OFFSCREEN) for one in tree.elements] == [False, False, True]
    assert tree.elements[1].box == box(130, 190, 80, 10)
    assert (tree.scrollers[0].above_css_px, tree.scrollers[0].below_css_px) == (40, 460)
    assert {one.scroller for one in tree.elements} == {tree.scrollers[0].key}


def test_an_open_menu_may_hang_out_of_what_it_belongs_to(make: Maker) -> None:
    item = make(Role.MENU_ITEM, "Save", box(120, 900, 80, 20))
    menu = make(Role.MENU, "File", box(120, 72, 40, 20), item)
    panel = make(Role.PANEL, "", box(101, 70, 800, 24), menu)

    tree = window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, panel)])

    save = tree.elements[-1]
    assert not save.has(ElementState.OFFSCREEN)
    assert save.context == ("File",)
    assert tree.elements[0].has(ElementState.EXPANDED)


def test_a_combo_box_without_a_name_of_its_own_is_called_by_its_label(make: Maker) -> None:
    combo = make(Role.COMBO_BOX, "Rome", box(190, 100, 90, 20), label="City:")
    tree = window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, combo)])

    assert (tree.elements[0].name, tree.elements[0].value) == ("City", "Rome")


def test_of_a_tab_and_a_field_that_both_claim_the_focus_the_field_has_it(make: Maker) -> None:
    field = make(Role.TEXT, "Body", box(120, 130, 400, 200), states=[State.EDITABLE, State.FOCUSED])
    tab = make(Role.PAGE_TAB, "Untitled", box(120, 400, 80, 20), states=[State.FOCUSED])  # tabs below
    tree = window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, field, tab)])

    assert tree.focus == field.ref.key


def test_a_window_that_paints_itself_is_poor(make: Maker) -> None:
    canvas = make(Role.DRAWING_AREA, "", box(101, 95, 800, 570))
    menus = [make(Role.MENU, name, box(101 + 50 * at, 70, 50, 24)) for at, name in enumerate(["File", "Edit", "Help"])]

    assert window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, canvas, *menus)]).is_poor
    assert window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT)]).is_poor
    assert not window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT, *menus)]).is_poor


def test_a_modal_dialog_is_told_by_its_title(make: Maker) -> None:
    dialog = make(Role.DIALOG, "Save changes?", CONTENT, states=[State.MODAL])

    assert window_tree(WINDOW, [dialog]).modal == "Save changes?"
    assert window_tree(WINDOW, [make(Role.FRAME, "Program", CONTENT)], modal="Save changes?").modal == "Save changes?"


def item(number: int, parent: int, index: int, role: Role, name: str, *states: State, is_old: bool = False) -> Any:
    own, above = (":1.2", f"/a/{number}"), (":1.2", f"/a/{parent}")
    words = [bits(*states) & 0xFFFFFFFF, bits(*states) >> 32]
    place: list[Any] = [[]] if is_old else [index, 0]
    return [own, (":1.2", "/a/0"), above, *place, [], name, int(role), "", words]


@pytest.mark.parametrize("is_old", [False, True], ids=["present form", "older form"])
def test_the_whole_tree_of_a_program_becomes_the_nodes_shown_below_a_window(is_old: bool) -> None:
    items = [
        item(3, 2, 1, Role.PUSH_BUTTON, "Second", *SHOWN, is_old=is_old),
        item(1, 0, 0, Role.FRAME, "Program", *SHOWN, is_old=is_old),
        item(4, 2, 2, Role.PUSH_BUTTON, "Hidden", State.VISIBLE, is_old=is_old),
        item(2, 1, 0, Role.PANEL, "GtkPanel-1", *SHOWN, is_old=is_old),
        item(9, 0, 1, Role.FRAME, "Other window", *SHOWN, is_old=is_old),
    ]
    found = built(items, [Ref(":1.2", "/a/1")])

    assert found is not None
    assert [node.name for node in found.walk()] == ["Program", "", "Second"]
    assert built(items, [Ref(":1.2", "/a/77")]) is None
