"""Calls as models write them become actions, or a sentence that says what is wrong."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.actions.browser import Fill, Navigate
from operative_app.actions.composite import FillForm
from operative_app.actions.declare import Action
from operative_app.actions.mouse import Click, ClickElement, Drag, Scroll
from operative_app.actions.registry import ALL_ACTIONS, Registry
from operative_app.core.coordinates import Area, Grid, ImageMap
from operative_app.core.errors import ActionError
from operative_app.core.screen import Box, Element, ScreenState, SurfaceKind
from operative_app.planning.model.catalog import Catalog

BROWSER = Catalog(Registry(), SurfaceKind.BROWSER)
DESKTOP = Catalog(Registry(), SurfaceKind.DESKTOP)
STATE = ScreenState(
    observation=1,
    surface=SurfaceKind.BROWSER,
    viewport_width_css_px=800,
    viewport_height_css_px=600,
    elements=tuple(
        Element(
            key=f"e{number}",
            mark=number,
            role="button",
            name=f"Button {number}",
            box=Box(x_css_px=0, y_css_px=0, width_css_px=9, height_css_px=9),
            path=f"b{number}",
        )
        for number in (2, 3)
    ),
)
ELEMENTS = {one.mark: one for one in STATE.elements}


def read(call: dict[str, Any], image: ImageMap | None = None) -> Action:
    return BROWSER.read(call, STATE, ELEMENTS, image)


@pytest.mark.parametrize(
    "call",
    [
        {"do": "click_element", "element": 3},
        {"action": "click", "index": 3},
        {"name": "click", "parameters": {"index": "3"}},
        {"name": "click_element", "arguments": {"element": 3.0}},
        {"click_element": {"element": 3}},
        {"do": "click_element", "element": "[3]"},
        {"tool": "click_element_by_index", "args": {"index": 3}},
    ],
)
def test_a_call_is_read_however_it_is_put(call: dict[str, Any]) -> None:
    action = read(call)
    assert isinstance(action, ClickElement)
    assert STATE.find(action.target) is ELEMENTS[3]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"do": "teleport", "to": "moon"}, "there is no action “teleport” here; there are: click, "),
        ({"do": "click_element", "element": 404}, "there is no element 404 on the screen now"),
        ({"do": "click_element"}, "click_element needs element"),
        ({"do": "type_text", "index": 2}, "fill needs text"),
        ({"do": "click", "x": "left of the box", "y": None}, "x_px is to be a number, not “left of the box”"),
        ({"do": "click_element", "element": True}, "is to be a number, not true"),
        ({"do": "click_element", "element": 3, "speed": 9}, "has no parameter “speed”"),
        ({"do": "fill_form", "fields": [{"element": 2}]}, "each of the fields needs element and value"),
        ({"element": 3}, "an action needs its name"),
        ({"do": "open_app", "app": "Editor"}, "there is no action “open_app” here"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_short_sentence(call: dict[str, Any], words: str) -> None:
    with pytest.raises(ActionError, match=re.escape(words)):
        read(call)


def test_what_is_unmistakable_is_read() -> None:
    assert isinstance(read({"do": "navigate", "url": "http://page.test/"}), Navigate)
    filled = read({"do": "type_text", "element": 2, "text": 1250})
    assert isinstance(filled, Fill)
    assert filled.text == "1250"
    form = read({"do": "fill_form", "fields": [{"element": 2, "value": True}, {"index": 3, "text": "x"}]})
    assert isinstance(form, FillForm)
    assert [entry.value for entry in form.fields] == ["on", "x"]
    assert isinstance(read({"do": "scroll", "dy_css_px": "300"}), Scroll)


def test_places_on_a_shrunk_picture_lead_back_to_the_state() -> None:
    area = Area(left_px=-100, top_px=20, width_px=800, height_px=600)
    image = ImageMap(shown=area, is_screen=False, width_px=400, height_px=300)
    action = read({"do": "click", "x": 200, "y": 150}, image)
    assert isinstance(action, Click)
    assert (action.x_px, action.y_px) == (300, 320)
    drag = read({"do": "drag", "x1_px": 0, "y1_px": 0, "x2_px": 200, "y2_px": 150}, image)
    assert isinstance(drag, Drag)
    assert (drag.x1_px, drag.y1_px, drag.x2_px, drag.y2_px) == (-100, 20, 300, 320)
    with pytest.raises(ActionError, match="401, 0 is not on the picture"):
        read({"do": "click", "x": 401, "y": 0}, image)
    thousand = image.model_copy(update={"grid": Grid.THOUSAND})
    assert read({"do": "click", "x": 500, "y": 500}, thousand) == action


@pytest.mark.parametrize("cls", ALL_ACTIONS, ids=lambda cls: cls.spec.name)
def test_every_action_of_a_surface_is_told_with_all_its_parameters(cls: type[Action]) -> None:
    for catalog, kind in ((BROWSER, SurfaceKind.BROWSER), (DESKTOP, SurfaceKind.DESKTOP)):
        lines = re.findall(rf"^{cls.spec.name}\(.*|(?<=, ){cls.spec.name}\([^)]*\)", catalog.text, re.MULTILINE)
        assert len(lines) == (kind in cls.spec.surfaces)
        for line in lines:
            for field in cls.model_fields:
                name = "element" if field == "target" else field
                assert name in line
                assert name in catalog.schema["properties"]
    assert catalog.schema["properties"]["do"]["enum"] == list(catalog.names)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PARAMETERS = st.dictionaries(st.sampled_from([*BROWSER.schema["properties"], "index", "x", "y", "?"]), JSON, max_size=5)


@given(st.sampled_from(BROWSER.names), PARAMETERS)
def test_any_json_becomes_an_action_or_an_action_error(name: str, parameters: dict[str, Any]) -> None:
    with suppress(ActionError):
        assert read({**parameters, "do": name}).name


@pytest.mark.parametrize("number", ["nan", "inf", float("nan"), float("inf"), 10**400, "1e999"])
def test_what_is_no_finite_number_is_refused(number: Any) -> None:
    with pytest.raises(ActionError, match="is to be a number"):
        BROWSER.read({"do": "click_element", "element": number}, STATE, {}, None)
    with pytest.raises(ActionError, match="is to be a number"):
        BROWSER.read({"do": "click", "x_px": number, "y_px": 1}, STATE, {}, None)
