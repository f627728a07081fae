"""Batches: actions decided on one look at the screen stop when the page changed under them, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from operative_app.actions.browser import Fill, SwitchTab
from operative_app.actions.declare import Action
from operative_app.actions.mouse import Click, ClickElement
from operative_app.core.events import Notice, StepStarted
from operative_app.core.plan import Task
from operative_app.core.run import EndCause, RunState
from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    PendingDialog,
    ScreenState,
    ScrollPosition,
    SurfaceKind,
    Tab,
    Window,
)
from operative_app.engine.batch import change_under
from operative_app.planning.port import Act, Decision, RunContext, TaskDone
from tests.engine.world import FakePage, ScriptedPlanner, World


def batch(page: FakePage, *names: str) -> tuple[World, ScriptedPlanner]:
    """A run of one decision: fill the fields and press the buttons of these names."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        by_name = {one.name: state.ref(one) for one in state.elements}
        actions: list[Action] = [
            ClickElement(target=by_name[name]) if name in page.buttons else Fill(target=by_name[name], text="x")
            for name in names
        ]
        return Act.one(*actions, completes_task=True)

    planner = ScriptedPlanner(
        "Do it", choose=choose, replan=lambda state, task, trouble, context: TaskDone(trouble.reason)
    )
    return World(page, planner), planner


def test_a_quiet_form_of_fourteen_fields_goes_through_with_one_look_for_each_and_no_picture_between() -> None:
    names = [f"Field {number}" for number in range(14)]
    page = FakePage(buttons=["Next"], fields=dict.fromkeys(names, ""))
    page.on_click["Next"] = lambda one: one.texts.append("thank you")
    world, planner = batch(page, *names, "Next")
    with world:
        assert world.run().state is RunState.DONE
    assert page.clicks == ["Next"]
    assert planner.troubles == []
    assert len(page.pictures_taken) == 16  # before the first, after each of the fifteen
    assert page.pictures_taken.count(True) == 2  # the first and the last


def test_in_the_middle_of_a_batch_the_limit_is_warned_of_and_kept() -> None:
    names = [f"Field {number}" for number in range(14)]
    world, _ = batch(FakePage(fields=dict.fromkeys(names, "")), *names)
    with world:
        end = world.run(max_steps=10)
    told = [one for one in world.recorder.events if isinstance(one, StepStarted | Notice)]
    at = next(place for place, one in enumerate(told) if isinstance(one, Notice))
    assert [one.text for one in told if isinstance(one, Notice)] == ["80% of this run's limit of 10 steps is used."]
    assert [one.step for one in told[at:] if isinstance(one, StepStarted)] == [8, 9, 10]
    assert end.cause is EndCause.STEP_LIMIT


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda page: setattr(page, "url", "http://page.test/elsewhere"), "the page is now http://page.test/elsewhere"),
        (lambda page: setattr(page, "modal", "Are you there?"), "the dialog “Are you there?” opened"),
        (lambda page: page.buttons.insert(0, "Back to login"), "button “Verify” is no longer there"),
        (lambda page: page.buttons.clear(), "button “Verify” is no longer there"),
        (lambda page: setattr(page, "file_chooser", "f:Code"), "the page asks for a file"),
    ],
)
def test_the_rest_of_a_batch_is_not_done_when_the_page_changed_under_it(
    change: Callable[[FakePage], object], words: str
) -> None:
    page = FakePage(buttons=["Verify"], fields={"Code": ""})
    page.on_fill["Code"] = change
    world, planner = batch(page, "Code", "Verify")
    with world:
        world.run()
    assert page.clicks == []
    assert [trouble.kind for trouble in planner.troubles] == ["unexpected"]
    assert planner.troubles[0].reason == (f"the rest of the step was not done, because {words}: Click button “Verify”")


def test_a_stopped_batch_is_no_failed_try_of_the_task() -> None:
    page = FakePage(buttons=["Verify"], fields={"Code": ""})
    page.on_fill["Code"] = lambda one: setattr(one, "url", "http://page.test/elsewhere")
    world, planner = batch(page, "Code", "Verify")
    with world:
        world.run()
    assert planner.contexts[-1].attempts == 0


def element(name: str, x: float = 0, y: float = 0, **fields: object) -> Element:
    box = Box(x_css_px=x, y_css_px=y, width_css_px=50, height_css_px=20)
    return Element.model_validate({"key": name, "role": "button", "name": name, "path": name, "box": box, **fields})


def screen(*elements: Element, **fields: object) -> ScreenState:
    return ScreenState.model_validate(
        {"observation": 1, "surface": SurfaceKind.BROWSER, "url": "http://a.test/", "elements": elements, **fields}
    )


TABS = (Tab(id=1, url="a", is_active=True), Tab(id=2, url="b"))
WINDOWS = (
    Window(id=1, title="Editor", app="editor", box=Box(x_css_px=0, y_css_px=0, width_css_px=1, height_css_px=1)),
    Window(id=2, title="Save as", app="editor", box=Box(x_css_px=0, y_css_px=0, width_css_px=1, height_css_px=1)),
)


def in_front(place: int) -> tuple[Window, ...]:
    return tuple(one.model_copy(update={"is_active": at == place}) for at, one in enumerate(WINDOWS))


@pytest.mark.parametrize(
    ("planned", "now", "words"),
    [
        (screen(), screen(has_crashed=True), "the page crashed"),
        (screen(tabs=TABS), screen(tabs=(TABS[1].model_copy(update={"is_active": True}),)), "another tab is in front"),
        (screen(), screen(dialogs=(PendingDialog(kind="confirm", message="Leave?"),)), "the page asks “Leave?”"),
        (screen(modal="Terms"), screen(), "the dialog “Terms” closed"),
        (screen(windows=in_front(0)), screen(windows=in_front(1)), "the window “Save as” is in front"),
        (
            screen(element("Go")),
            screen(element("Go", cover="dialog “Cookies”")),
            "dialog “Cookies” lies over button “Go”",
        ),
        (
            screen(element("Go", y=100)),
            screen(element("New"), element("Go", y=140)),
            "the controls around button “Go” changed and it moved",
        ),
    ],
)
def test_what_makes_the_rest_a_guess(planned: ScreenState, now: ScreenState, words: str) -> None:
    now = now.model_copy(update={"observation": 2})
    rest: list[Action] = [ClickElement(target=planned.ref(one)) for one in planned.elements]
    assert change_under(planned, now, rest or [SwitchTab(tab_id=1)]) == words


@pytest.mark.parametrize(
    "now",
    [
        screen(element("Go", y=100), element("Hint", y=400)),  # something came elsewhere
        screen(element("Go", y=140)),  # it moved and nothing came or went
        screen(element("Go", y=60), element("New"), scroll=ScrollPosition(y_css_px=40)),  # only scrolled
        screen(element("Go", y=100, states={ElementState.FOCUSED}, value="1")),
        screen(element("Go", y=100), element("Clock", is_restless=True)),
    ],
)
def test_what_does_not(now: ScreenState) -> None:
    planned = screen(element("Go", y=100))
    rest = [ClickElement(target=planned.ref(planned.elements[0]))]
    assert change_under(planned, now.model_copy(update={"observation": 2}), rest) == ""


def test_a_field_that_moved_is_still_the_field() -> None:
    planned = screen(element("Name", y=100))
    now = screen(element("New"), element("Name", y=140), observation=2)
    assert change_under(planned, now, [Fill(target=planned.ref(planned.elements[0]), text="x")]) == ""


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (screen(element("Go")), ""),
        (screen(element("Stop", path="Stop")), "button “Go” is no longer there"),
        (screen(), "button “Go” is no longer there"),
        (screen(element("Go"), scroll=ScrollPosition(y_css_px=9)), "the page was scrolled"),
    ],
)
def test_a_place_is_still_the_place_when_the_same_is_there(now: ScreenState, words: str) -> None:
    planned = screen(element("Go"))
    assert change_under(planned, now.model_copy(update={"observation": 2}), [Click(x_px=5, y_px=5)]) == words


def test_a_place_where_nothing_was_listed_and_now_is() -> None:
    now = screen(element("Pay", x=0, y=0), observation=2)
    assert change_under(screen(), now, [Click(x_px=5, y_px=5)]) == "button “Pay” is there now"
