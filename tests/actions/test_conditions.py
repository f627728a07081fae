"""Each check before and after an action: when it holds, and what it says when it does not."""

from __future__ import annotations

import pytest

from operative_app.actions.browser import CloseTab, Fill, GetText, Navigate, SelectOption, SwitchTab
from operative_app.actions.conditions import (
    AddressIs,
    Editable,
    Enabled,
    FieldShows,
    GaveText,
    HasOptions,
    OptionShows,
    Present,
    ScreenChanged,
    TabIsActive,
    TabIsOpen,
)
from operative_app.actions.declare import Action, ActionContext, Category, EffectKind, Reversibility, action, run_on
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement, Scroll
from operative_app.core.ports import Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import Box, Element, ElementState, Option, ScreenState, SurfaceKind, Tab

BOX = Box(x_css_px=0, y_css_px=0, width_css_px=9, height_css_px=9)


def element(name: str = "Name", **fields: object) -> Element:
    return Element.model_validate({"key": name, "role": "textbox", "name": name, "path": name, "box": BOX, **fields})


def screen(*elements: Element, **fields: object) -> ScreenState:
    return ScreenState.model_validate(
        {"observation": 1, "surface": SurfaceKind.BROWSER, "url": "http://a.test/", "elements": elements, **fields}
    )


def after(state: ScreenState, *elements: Element, **fields: object) -> ScreenState:
    return state.model_copy(update={"observation": 2, "elements": elements, **fields})


def select(*labels: str, chosen: str = "") -> Element:
    options = tuple(Option(label=label, value=label.lower(), is_selected=label == chosen) for label in labels)
    return element("Size", tag="select", role="combobox", options=options, value=chosen)


def test_an_optional_target_that_is_not_given_passes() -> None:
    state = screen()
    for one in (Present("target"), Enabled("target"), Editable("target"), HasOptions("target")):
        assert one.check(PressKey(key="Enter"), state) == ""
    assert Present("target").check(Scroll(dy_css_px=5), state) == ""


def test_a_native_list_passes_and_a_custom_one_is_told_how() -> None:
    native, custom = screen(select("S", "M")), screen(element("Size", tag="div", role="combobox"))
    for state, fault in ((native, ""), (custom, "open it and click the choice")):
        assert fault in HasOptions("target").check(SelectOption(target=state.ref(state.elements[0]), option="M"), state)


@pytest.mark.parametrize(("tab_id", "fault"), [(1, ""), (2, "there is no tab 2")])
def test_a_tab_must_be_open(tab_id: int, fault: str) -> None:
    state = screen(tabs=(Tab(id=1, url="http://a.test/", is_active=True),))
    assert TabIsOpen().check(CloseTab(tab_id=tab_id), state) == fault


@pytest.mark.parametrize(("active", "fault"), [(1, ""), (2, "tab 1 is not in front")])
def test_the_tab_asked_for_is_in_front(active: int, fault: str) -> None:
    state = screen(tabs=(Tab(id=active, url="http://a.test/", is_active=True),))
    assert TabIsActive().check(SwitchTab(tab_id=1), screen(), state, done()) == fault
    assert TabIsActive().check(SwitchTab(tab_id=1), screen(), screen(), done()) == "tab 1 is not in front"


@pytest.mark.parametrize(
    ("asked", "now", "fault"),
    [
        ("http://a.test/", "http://a.test/welcome", ""),
        ("about:blank", "about:blank", ""),
        ("http://a.test/", "about:blank", "no page was loaded"),
        ("http://a.test/", "chrome-error://chromewebdata/", "error page"),
    ],
)
def test_the_page_asked_for_was_loaded(asked: str, now: str, fault: str) -> None:
    assert fault in AddressIs().check(Navigate(url=asked), screen(), screen(url=now), done())
    assert bool(AddressIs().check(Navigate(url=asked), screen(), screen(url=now), done())) is bool(fault)


def test_a_field_that_went_with_its_page_or_holds_a_password_is_not_compared() -> None:
    before = screen(element())
    call = Fill(target=before.ref(before.elements[0]), text="secret")
    check = FieldShows("target", "text")
    assert check.check(call, before, after(before), done()) == ""
    assert check.check(call, before, after(before, element(states={ElementState.PASSWORD})), done()) == ""
    assert check.check(call, screen(), after(before), done()) == ""
    assert "holds “other” instead of “secret”" in check.check(
        call, before, after(before, element(value="other")), done()
    )


@pytest.mark.parametrize(
    ("asked", "chosen", "fault"),
    [("M", "M", ""), ("m", "M", ""), (" M ", "M", ""), ("M", "S", "shows “S” instead of “M”")],
)
def test_the_list_shows_the_choice(asked: str, chosen: str, fault: str) -> None:
    before = screen(select("S", "M"))
    call = SelectOption(target=before.ref(before.elements[0]), option=asked)
    check = OptionShows("target", "option")
    said = check.check(call, before, after(before, select("S", "M", chosen=chosen)), done())
    assert fault in said
    assert bool(said) is bool(fault)
    assert check.check(call, before, after(before), done()) == ""
    assert check.check(call, screen(), after(before), done()) == ""


@pytest.mark.parametrize(("value", "fault"), [("x", ""), (" \n", "there was no text to read")])
def test_a_reading_action_read_something(value: str, fault: str) -> None:
    assert GaveText().check(GetText(), screen(), screen(), done(value=value)) == fault


def test_nothing_changed_is_said() -> None:
    state = screen(element())
    call = ClickElement(target=state.ref(state.elements[0]))
    assert ScreenChanged().check(call, state, state, done()) == "nothing on the screen changed"
    assert ScreenChanged().check(call, state, screen(), done()) == ""
    assert ScreenChanged().check(PressKey(key="Enter"), state, state, done()) == "nothing on the screen changed"


def test_an_action_without_words_or_work_is_refused_at_its_declaration() -> None:
    declare = action(
        label="Do it", category=Category.MOUSE, reversibility=Reversibility.REVERSIBLE, effect=EffectKind.POINT
    )

    class Idle(Action):
        """Does nothing of its own."""

    class Silent(Action):
        async def run(self, surface: object, ctx: ActionContext) -> Outcome:
            return done()

    for cls in (Idle, Silent):
        with pytest.raises(TypeError, match="needs a docstring and its own run"):
            declare(cls)


def test_labels_name_lists_and_references_without_words() -> None:
    @action(
        label="Do {what} at {where}",
        category=Category.MOUSE,
        reversibility=Reversibility.REVERSIBLE,
        effect=EffectKind.POINT,
        name="do_it",
    )
    class Do(Action):
        """Do something."""

        what: tuple[str, ...] = ()
        where: object = None

        async def run(self, surface: object, ctx: ActionContext) -> Outcome:
            return done()

    state = screen(element())
    bare = state.ref(state.elements[0]).model_copy(update={"label": ""})
    assert Do(what=("a", "b"), where=bare).words == "Do a, b at textbox"
    assert (Do(what=("a",)).words, Do.spec.name) == ("Do a at", "do_it")
    assert Do().target_ref is None


class _Desk:
    kind = SurfaceKind.DESKTOP


async def _run_elsewhere() -> None:
    surface: Surface = _Desk()  # type: ignore[assignment]  # only its kind is looked at
    await run_on(Navigate(url="http://a.test/"), surface, None)  # type: ignore[arg-type]


def test_an_action_is_never_run_on_a_surface_it_was_not_declared_for() -> None:
    with pytest.raises(TypeError, match="navigate does not run on the desktop surface"):
        _run_elsewhere().send(None)
