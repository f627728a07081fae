from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.screen import Box, Element, ElementState, TextBlock
from operative_app.perception.merge import READ_KEY, merge
from operative_app.surfaces.desktop import targets


@dataclass(frozen=True)
class Told:
    elements: tuple[Element, ...] = ()
    texts: tuple[TextBlock, ...] = ()


def box(x: float, y: float, width: float = 80, height: float = 20) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def line(text: str, x: float, y: float, width: float = 60) -> TextBlock:
    return TextBlock(text=text, box=box(x, y, width, 14))


def test_what_the_program_tells_itself_is_not_doubled_even_when_letters_were_read_wrong() -> None:
    told = Told(
        (Element(key="a", role="button", name="Cancel", box=box(0, 0)),),
        (TextBlock(text="Total: 12.50", box=box(0, 40)),),
    )
    elements, texts = merge(told, [line("Cance1", 4, 3), line("Total: 12.5O", 2, 42)])

    assert elements == told.elements
    assert texts == told.texts


def test_a_button_without_a_name_is_called_by_what_stands_on_it() -> None:
    told = Told((Element(key="a", role="button", box=box(0, 0)),))

    (element,), texts = merge(told, [line("Send", 10, 3)])

    assert (element.key, element.role, element.name, element.label_source) == ("a", "button", "Send", "text")
    assert texts == ()


def test_an_empty_field_is_not_named_by_what_is_typed_in_it() -> None:
    field = Element(key="a", role="textbox", box=box(0, 0), states=frozenset({ElementState.EDITABLE}))

    (element,), texts = merge(Told((field,)), [line("hello", 10, 3)])

    assert (element.name, element.text) == ("", "hello")
    assert texts == ()


def test_what_looks_pressable_becomes_a_control_and_a_sentence_stays_text() -> None:
    elements, texts = merge(
        Told(), [line("New folder", 10, 3), line("This cannot be undone.", 10, 40, 200), line("—", 9, 9)]
    )

    assert [(one.key, one.role, one.name, one.box) for one in elements] == [
        ("read:new-folder", "clickable", "New folder", box(10, 3, 60, 14))
    ]
    assert [one.text for one in texts] == ["This cannot be undone."]


def test_equal_texts_are_told_apart() -> None:
    elements, _ = merge(Told(), [line("Open", 10, 3), line("Open", 10, 40)])

    assert [one.key for one in elements] == ["read:open", "read:open#2"]
    assert elements[0].fingerprint != elements[1].fingerprint


def test_a_line_inside_a_list_is_not_the_name_of_the_list() -> None:
    told = Told((Element(key="a", role="listbox", box=box(0, 0, 300, 300)),))

    elements, _ = merge(told, [line("report.txt", 10, 3)])

    assert [one.name for one in elements] == ["", "report.txt"]


def test_the_surface_knows_which_controls_were_read() -> None:
    assert targets.READ_KEY == READ_KEY
