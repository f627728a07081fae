"""Every declared action, from its one declaration."""

from __future__ import annotations

from collections import Counter

import pytest

from operative_app.actions.declare import Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.actions.mouse import ClickElement
from operative_app.actions.registry import ALL_ACTIONS, Registry
from operative_app.core.errors import ActionError
from operative_app.core.run import Outcome
from operative_app.core.screen import Box, Element, ElementState, ScreenState, SurfaceKind

EVERY = pytest.mark.parametrize("cls", ALL_ACTIONS, ids=lambda cls: cls.spec.name)
CONTRACT = (
    "click double_click right_click drag scroll hover click_element drag_element select_text triple_click "
    "mouse_down mouse_up "
    "type_text press_key hotkey key_down key_up select_all copy paste cut undo "
    "navigate fill select_option wait_for execute_js screenshot_element get_text get_attribute new_tab "
    "close_tab switch_tab go_back "
    "open_app close_app switch_app take_screenshot read_clipboard write_clipboard run_command file_dialog "
    "search_and_click fill_form login download_file scroll_to_find "
)
"""action_space.txt: 12 mouse, 10 keyboard, 12 browser, 8 system, 5 composite."""


COUNTS = {
    Category.MOUSE: 12,
    Category.KEYBOARD: 10,
    Category.BROWSER: 12,
    Category.SYSTEM: 8,
    Category.COMPOSITE: 5,
}


def test_there_are_exactly_the_actions_of_the_contract() -> None:
    assert sorted(cls.spec.name for cls in ALL_ACTIONS) == sorted(CONTRACT.split())
    assert Counter(cls.spec.category for cls in ALL_ACTIONS) == COUNTS
    assert len(ALL_ACTIONS) == 47


@EVERY
def test_it_is_declared_whole(cls: type[Action]) -> None:
    spec = cls.spec
    assert spec.summary.endswith(".")
    assert spec.surfaces
    schema = Registry().schema(spec.name)
    assert schema["title"] == spec.name
    assert schema["description"] == spec.summary
    assert schema["additionalProperties"] is False


@EVERY
def test_unknown_parameters_are_refused_in_one_sentence(cls: type[Action]) -> None:
    with pytest.raises(ActionError, match=f"{cls.spec.name} cannot be used like that: .*nonsense") as error:
        Registry().read(cls.spec.name, {"nonsense": 1})
    assert "\n" not in str(error.value)


def test_names_are_unique_and_unknown_ones_are_named() -> None:
    assert len({cls.spec.name for cls in ALL_ACTIONS}) == len(ALL_ACTIONS) == len(Registry())
    with pytest.raises(ActionError, match="no action “fly”"):
        Registry().read("fly", {})
    with pytest.raises(ValueError, match="two actions"):
        Registry([ClickElement, ClickElement])


def test_a_call_is_read_from_outside() -> None:
    call = Registry().read("press_key", {"key": "Enter"})
    assert (call.name, call.words) == ("press_key", "Press Enter")


@pytest.mark.parametrize("label", ["Do {nothing}", "Do {target} {other}"])
def test_a_label_with_an_unknown_parameter_fails_at_declaration(label: str) -> None:
    with pytest.raises(TypeError, match="unknown parameter"):

        @action(label=label, category=Category.MOUSE, reversibility=Reversibility.REVERSIBLE, effect=EffectKind.POINT)
        class Broken(Action):
            """A broken one."""

            target: str

            async def run(self, surface: object, ctx: ActionContext) -> Outcome:
                raise NotImplementedError


def screen(**fields: object) -> ScreenState:
    element = Element.model_validate(
        {
            "key": "k",
            "role": "textbox",
            "name": "Name",
            "path": "p",
            "tag": "input",
            "box": Box(x_css_px=0, y_css_px=0, width_css_px=9, height_css_px=9),
            "states": {ElementState.EDITABLE},
            **fields,
        }
    )
    return ScreenState(observation=1, surface=SurfaceKind.BROWSER, url="http://a.test/", elements=(element,))


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("click_element", {"states": {ElementState.DISABLED}}, "is disabled"),
        ("fill", {"states": {ElementState.EDITABLE, ElementState.READONLY}}, "is read-only"),
        ("fill", {"states": set()}, "does not take text"),
        ("select_option", {}, "no native list"),
    ],
)
def test_a_precondition_says_why(name: str, fields: dict[str, object], reason: str) -> None:
    state = screen(**fields)
    ref = state.ref(state.elements[0])
    parameters = {"fill": {"text": "x"}, "select_option": {"option": "x"}}.get(name, {})
    call = Registry().read(name, {"target": ref, **parameters})
    assert any(reason in fault for one in call.spec.pre if (fault := one.check(call, state)))


def test_an_element_that_is_gone_fails_its_precondition() -> None:
    state = screen()
    call = ClickElement(target=state.ref(state.elements[0]))
    empty = state.model_copy(update={"observation": 2, "elements": ()})
    assert any("no longer on the page" in one.check(call, empty) for one in call.spec.pre)


@pytest.mark.parametrize(("shown", "is_seen"), [("Ada", True), (" Ada ", True), ("Adaa", False), ("", False)])
def test_fill_is_verified_by_what_the_field_shows(shown: str, is_seen: bool) -> None:
    before = screen()
    call = Registry().read("fill", {"target": before.ref(before.elements[0]), "text": "Ada"})
    after = screen(value=shown)
    faults = [one.check(call, before, after, Outcome.model_validate({"status": "done"})) for one in call.spec.post]
    assert (faults == [""]) is is_seen
