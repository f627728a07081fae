"""The desktop as a place to act: offered or refused in words, and the window gets out of its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from Xlib import X, Xutil
from Xlib.display import Display

from operative_app.core.events import RunFinished, RunStarted, StateChanged
from operative_app.core.run import EndCause, RunRequest, RunState
from operative_app.core.screen import SurfaceKind
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import Start
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker

DESKTOP = "surfaceChoice_desktop"


@pytest.fixture(autouse=True)
def display(stage: Stage, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name the display the window is on, where it is on one (see `qapp_args`)."""
    if QGuiApplication.platformName() == "xcb":
        monkeypatch.setenv("DISPLAY", request.getfixturevalue("virtual_display"))


def begin(stage: Stage, surface: SurfaceKind = SurfaceKind.DESKTOP) -> None:
    """Begin a run; on the desktop, until the window is out of the way."""
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Open Mousepad", surface=surface), planner="Built-in planner"),
        make(StateChanged, state=RunState.WORKING),
    )
    if surface is SurfaceKind.DESKTOP:
        wait_minimized(stage)


def wait_minimized(stage: Stage) -> None:
    """Until Qt and the window manager say so: what is asked of either before that may be undone again."""
    stage.qtbot.waitUntil(lambda: stage.window.isMinimized() and is_iconic(stage))


def wait_shown(stage: Stage) -> None:
    stage.qtbot.waitUntil(lambda: not stage.window.isMinimized() and not is_iconic(stage))


def is_iconic(stage: Stage) -> bool:
    """What the window manager says; without one, what Qt says."""
    if QGuiApplication.platformName() != "xcb":
        return stage.window.isMinimized()
    display = Display()
    try:
        window = display.create_resource_object("window", int(stage.window.winId()))
        told = window.get_full_property(display.intern_atom("WM_STATE"), X.AnyPropertyType)
        return told is not None and told.value[0] == Xutil.IconicState
    finally:
        display.close()


def change(stage: Stage, state: RunState) -> None:
    stage.feed(event_maker()(StateChanged, state=state))


def test_goal_is_started_on_the_desktop_when_that_is_chosen(stage: Stage) -> None:
    stage.of(QLineEdit, "addressEdit").setText("example.org")
    QTest.mouseClick(stage.button(DESKTOP), Qt.MouseButton.LeftButton)
    QTest.keyClicks(stage.of(QPlainTextEdit, "goalEdit"), "Open Mousepad")
    QTest.mouseClick(stage.button("runButton"), Qt.MouseButton.LeftButton)
    (command,) = stage.commands
    assert isinstance(command, Start)
    assert (command.request.surface, command.request.url) == (SurfaceKind.DESKTOP, "")


def test_desktop_that_cannot_be_driven_is_not_offered_and_says_why(stage: Stage) -> None:
    stage.window.toolbar.set_desktop_fault("Wayland does not let one program see the others.")
    change(stage, RunState.READY)
    assert not stage.button(DESKTOP).isEnabled()
    assert "Wayland" in stage.button(DESKTOP).toolTip()


def test_place_to_act_cannot_be_changed_during_a_run(stage: Stage) -> None:
    assert stage.button(DESKTOP).isEnabled()
    begin(stage)
    assert not stage.button(DESKTOP).isEnabled()


def test_window_gets_out_of_the_way_while_the_desktop_is_acted_on(stage: Stage) -> None:
    begin(stage)
    wait_minimized(stage)


@pytest.mark.parametrize("state", [RunState.WAITING, RunState.PAUSED, RunState.TAKEN_OVER])
def test_window_comes_back_when_the_person_is_wanted_and_goes_again(stage: Stage, state: RunState) -> None:
    begin(stage)
    change(stage, state)
    wait_shown(stage)
    change(stage, RunState.WORKING)
    wait_minimized(stage)


def test_window_comes_back_also_from_a_window_manager_that_is_slow_to_put_it_away(stage: Stage) -> None:
    make = event_maker()
    told = ToldMinimized(stage)
    with suspended_window_manager():
        stage.feed(
            make(RunStarted, request=RunRequest(goal="Open Mousepad", surface=SurfaceKind.DESKTOP), planner="p"),
            make(StateChanged, state=RunState.WORKING),
        )
        stage.feed(make(StateChanged, state=RunState.TAKEN_OVER, take_over=TakeOverKind.PRIVATE))
    stage.qtbot.waitUntil(lambda: told.is_told)
    wait_shown(stage)


def test_window_stays_away_also_when_a_window_manager_is_slow_to_bring_it_back(stage: Stage) -> None:
    begin(stage)
    with suspended_window_manager():
        change(stage, RunState.PAUSED)
        stage.qtbot.wait(50)
        change(stage, RunState.WORKING)
    wait_minimized(stage)
    stage.qtbot.wait(300)
    wait_minimized(stage)


@contextmanager
def suspended_window_manager() -> Iterator[None]:
    """What is asked of it meanwhile it does afterwards; without one (offscreen) nothing is suspended."""
    on_display = QGuiApplication.platformName() == "xcb"
    managers = [one for one in psutil.Process().children(recursive=True) if on_display and one.name() == "openbox"]
    for manager in managers:
        manager.suspend()
    try:
        yield
    finally:
        for manager in managers:
            manager.resume()


class ToldMinimized(QObject):
    """Whether the window system has said that the window is minimized."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage.window)
        self.is_told = False
        stage.window.windowHandle().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowStateChange and event.spontaneous() and isinstance(watched, QWindow):
            self.is_told |= watched.windowState() is Qt.WindowState.WindowMinimized
        return False


def test_window_comes_back_at_the_end(stage: Stage) -> None:
    begin(stage)
    make = event_maker()
    stage.feed(
        make(StateChanged, state=RunState.DONE),
        make(RunFinished, state=RunState.DONE, cause=EndCause.GOAL_MET, reason="Done."),
    )
    wait_shown(stage)


def test_window_that_the_person_brought_back_stays_while_work_goes_on(stage: Stage) -> None:
    begin(stage)
    stage.window.showNormal()
    wait_shown(stage)
    change(stage, RunState.WORKING)
    assert not stage.window.isMinimized()


def test_window_stays_when_the_browser_is_acted_on(stage: Stage) -> None:
    begin(stage, SurfaceKind.BROWSER)
    assert not stage.window.isMinimized()


def test_address_to_begin_at_is_offered_for_the_browser_only(stage: Stage) -> None:
    address = stage.of(QLineEdit, "addressEdit")
    stage.window.choose_surface(SurfaceKind.DESKTOP)
    assert stage.button(DESKTOP).isChecked()
    assert not address.isVisible()
    QTest.mouseClick(stage.button("surfaceChoice_browser"), Qt.MouseButton.LeftButton)
    assert address.isVisible()
