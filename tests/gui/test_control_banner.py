"""The strip that says the person has control."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from operative_app.core.events import RunStarted, StateChanged
from operative_app.core.run import RunRequest, RunState
from operative_app.core.screen import SurfaceKind
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import Resume, TakeOver
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker


def begin(stage: Stage, surface: SurfaceKind = SurfaceKind.DESKTOP) -> None:
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Write it", surface=surface), planner="Built-in planner"),
        make(StateChanged, state=RunState.WORKING),
    )


def take_over(stage: Stage, kind: TakeOverKind, detail: str = "You moved the mouse, so the agent stopped.") -> None:
    stage.feed(event_maker()(StateChanged, state=RunState.TAKEN_OVER, take_over=kind, detail=detail))


def banner(stage: Stage) -> QWidget:
    return stage.of(QWidget, "controlBanner")


@pytest.mark.parametrize("kind", TakeOverKind)
def test_it_is_there_while_the_person_has_control_and_says_how(stage: Stage, kind: TakeOverKind) -> None:
    begin(stage)
    assert not banner(stage).isVisible()
    take_over(stage, kind)
    assert banner(stage).isVisible()
    assert stage.of(QLabel, "controlHeading").text().startswith("You have control")
    assert stage.of(QLabel, "controlDetail").text() == "You moved the mouse, so the agent stopped."
    assert stage.button("teachButton").isVisible() is (kind is not TakeOverKind.TEACHING)
    stage.feed(event_maker()(StateChanged, state=RunState.WORKING))
    assert not banner(stage).isVisible()


@pytest.mark.parametrize(
    ("button", "command"), [("handBackButton", Resume()), ("teachButton", TakeOver(is_teaching=True))]
)
def test_its_buttons_send_their_commands(stage: Stage, button: str, command: object) -> None:
    begin(stage)
    take_over(stage, TakeOverKind.YIELDED)
    QTest.mouseClick(stage.button(button), Qt.MouseButton.LeftButton)
    assert stage.commands == [command]


def test_it_comes_without_taking_the_focus(stage: Stage) -> None:
    begin(stage, SurfaceKind.BROWSER)
    stage.window.chat.editor.edit.setFocus()
    before = QApplication.focusWidget()
    take_over(stage, TakeOverKind.YIELDED)
    assert QApplication.focusWidget() is before
    assert not strip(stage).isVisible()


def strip(stage: Stage) -> QWidget:
    return stage.of(QWidget, "controlStrip")


def test_on_the_desktop_a_strip_on_top_says_it_and_the_window_stays_out_of_the_way(stage: Stage) -> None:
    begin(stage)
    assert not strip(stage).isVisible()
    take_over(stage, TakeOverKind.YIELDED)
    assert stage.window.isMinimized()
    assert strip(stage).isVisible()
    assert strip(stage).windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    QTest.mouseClick(stage.button("strip_teachButton"), Qt.MouseButton.LeftButton)
    take_over(stage, TakeOverKind.TEACHING)
    assert strip(stage).isVisible()
    QTest.mouseClick(stage.button("strip_handBackButton"), Qt.MouseButton.LeftButton)
    stage.feed(event_maker()(StateChanged, state=RunState.WORKING))
    assert not strip(stage).isVisible()
    assert stage.commands == [TakeOver(is_teaching=True), Resume()]


def test_control_that_was_asked_for_brings_the_window_back(stage: Stage) -> None:
    begin(stage)
    take_over(stage, TakeOverKind.PRIVATE)
    stage.qtbot.waitUntil(lambda: not stage.window.isMinimized())
    assert not strip(stage).isVisible()
