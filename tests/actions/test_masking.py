"""What goes into a field whose content must not be told stands in no word of an action."""

from __future__ import annotations

import pytest

from operative_app.actions.browser import Fill
from operative_app.actions.composite import FieldEntry, FillForm
from operative_app.actions.keyboard import TypeText
from operative_app.actions.masking import told
from operative_app.actions.secrets import MASK
from operative_app.core.screen import Box, Element, ElementState, ScreenState, SurfaceKind

_BOX = Box(x_css_px=0, y_css_px=0, width_css_px=80, height_css_px=20)


def page(*states: ElementState) -> ScreenState:
    field = Element(key="f", role="textbox", name="Code", path="f", box=_BOX, states=frozenset(states))
    return ScreenState(observation=1, surface=SurfaceKind.BROWSER, elements=(field,), focus="f")


@pytest.mark.parametrize("state", [ElementState.PASSWORD, ElementState.SECRET])
def test_it_is_masked_however_it_is_entered(state: ElementState) -> None:
    seen = page(ElementState.EDITABLE, state)
    ref = seen.ref(seen.elements[0])
    for action in (
        Fill(target=ref, text="493817"),
        TypeText(text="493817"),
        FillForm(fields=(FieldEntry(target=ref, value="493817"),)),
    ):
        shown = told(action, seen)
        assert "493817" not in shown.words + shown.action.model_dump_json()
        assert shown.scrub("Code 493817 was taken") == f"Code {MASK} was taken"


def test_what_goes_into_other_fields_is_told() -> None:
    seen = page(ElementState.EDITABLE)
    assert "493817" in told(Fill(target=seen.ref(seen.elements[0]), text="493817"), seen).words
