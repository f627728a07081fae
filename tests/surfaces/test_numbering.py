"""Marks: unique, stable while an element stays, only for what can be seen."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from operative_app.core.screen import Box
from operative_app.surfaces.browser.numbering import Numbering, is_markable

Raw = dict[str, Any]


def raw(path: int, x: float = 0, y: float = 0, side: float = 20, *, is_off: bool = False) -> Raw:
    box = Box(x_css_px=x, y_css_px=y, width_css_px=side, height_css_px=side)
    states = ["offscreen"] if is_off else []
    return {"role": "button", "name": "b", "path": f"body>button[{path}]", "box": box, "states": states}


elements = st.lists(
    st.builds(
        raw,
        st.integers(0, 60),
        st.floats(0, 1200),
        st.floats(0, 800),
        st.floats(0, 60),
        is_off=st.booleans(),
    ),
    max_size=30,
    unique_by=lambda element: element["path"],
)


@given(first=elements, second=elements)
def test_marks_are_unique_and_stay(first: list[Raw], second: list[Raw]) -> None:
    numbering = Numbering()
    kept: dict[str, int] = {}
    for turn in (first, second):
        numbering.apply("page", turn)
        marks = [element["mark"] for element in turn if element["mark"]]
        assert len(marks) == len(set(marks))
        for element in turn:
            assert bool(element["mark"]) == is_markable(element)
            if element["mark"]:
                assert kept.setdefault(element["path"], element["mark"]) == element["mark"]


@given(seen=elements)
def test_a_first_look_counts_from_one_in_reading_order(seen: list[Raw]) -> None:
    Numbering().apply("page", seen)
    marks = sorted(element["mark"] for element in seen if element["mark"])
    assert marks == list(range(1, len(marks) + 1))
    assert not any(element.get("is_new") for element in seen)


def test_rows_are_read_from_left_to_right() -> None:
    row = [raw(1, x=300, y=10), raw(2, x=10, y=12), raw(3, x=10, y=60)]
    Numbering().apply("page", row)
    assert [element["mark"] for element in row] == [2, 1, 3]


def test_another_page_begins_anew() -> None:
    numbering = Numbering()
    numbering.apply("one", [raw(1), raw(2)])
    other = [raw(2)]
    numbering.apply("two", other)
    assert other[0]["mark"] == 1
    assert "is_new" not in other[0]
