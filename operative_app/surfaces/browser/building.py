"""From the raw read of a page to the values of a ScreenState.

What the pass gives is of known kinds, because the pass is ours and the page cannot reach it; checking each of thousands
of values again would take longer than reading the page did. So values are put together without being validated, and
everything that may be of another kind is converted here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    FramePlace,
    Option,
    ScreenState,
    ScrollContainer,
    ScrollPosition,
    Table,
    TextBlock,
)
from operative_app.core.values import Value

Raw = dict[str, Any]
V = TypeVar("V", bound=Value)

_STATES = {str(state): state for state in ElementState}


def _maker(kind: type[V]) -> Callable[[Raw], V]:
    """A quick `model_construct`: fields that are not given have their defaults."""
    defaults = {name: field.default for name, field in kind.model_fields.items() if not field.is_required()}
    put = object.__setattr__

    def make(fields: Raw) -> V:
        value = kind.__new__(kind)
        put(value, "__dict__", defaults | fields)
        put(value, "__pydantic_fields_set__", set(fields))
        put(value, "__pydantic_extra__", None)
        put(value, "__pydantic_private__", None)
        return value

    return make


_new_box = _maker(Box)
_new_element = _maker(Element)
_new_option = _maker(Option)
_new_text = _maker(TextBlock)
_new_table = _maker(Table)
_new_scroller = _maker(ScrollContainer)


def box(sides: list[float]) -> Box:
    """A box from left, top, width and height."""
    x, y, width, height = sides
    return _new_box(
        {
            "x_css_px": float(x),
            "y_css_px": float(y),
            "width_css_px": float(width),
            "height_css_px": float(height),
        }
    )


def element(raw: Raw) -> Element:
    """An element from its raw fields, `box` and `context` being values already."""
    raw["states"] = frozenset([_STATES[state] for state in raw["states"]])
    if "options" in raw:
        raw["options"] = tuple(_new_option(option) for option in raw["options"])
    return _new_element(raw)


def page_fields(raw: Raw) -> Raw:
    """The fields of a ScreenState that a read of the page tells."""
    return {
        "url": raw["url"],
        "title": raw["title"],
        "scroll": ScrollPosition(**raw["scroll"]),
        "viewport_width_css_px": float(raw["width"]),
        "viewport_height_css_px": float(raw["height"]),
        "elements": tuple([element(one) for one in raw["elements"]]),
        "texts": tuple([_new_text(one) for one in raw["texts"]]),
        "tables": tuple([_table(one) for one in raw["tables"]]),
        "frames": tuple([_frame(*one) for one in raw["frames"]]),
        "modal": raw["modal"],
        "modal_box": raw["modal_box"],
        "scrollers": tuple([_scroller(one) for one in raw["scrollers"]]),
        "selection": raw["selection"],
        "focus": raw["focus"],
        "is_loading": raw["is_loading"],
        "left_out": tuple(raw["left_out"]),
    }


def state_of(fields: Raw) -> ScreenState:
    """A state from fields that are values of the right kinds."""
    return ScreenState.model_construct(**fields)


def _frame(path: str, address: str, area: Raw) -> FramePlace:
    return FramePlace(path=path, url=address, box=box([area["x"], area["y"], area["w"], area["h"]]))


def _table(raw: Raw) -> Table:
    raw["headers"] = tuple(raw["headers"])
    raw["rows"] = tuple([tuple(row) for row in raw["rows"]])
    raw["boxes"] = tuple(raw["boxes"])
    return _new_table(raw)


def _scroller(raw: Raw) -> ScrollContainer:
    sides = {name: float(value) for name, value in raw.items() if name.endswith("_css_px")}
    return _new_scroller(raw | sides)
