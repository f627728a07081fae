"""The icon in the tray, being called when looking elsewhere, and what is said where no stop key is heard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
import pytest
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QApplication, QLabel, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from operative_app.core.events import RequestClosed, RequestRaised, RunStarted, StateChanged
from operative_app.core.requests import ApprovalRequest, HandOffKind, QuestionRequest
from operative_app.core.run import RunRequest, RunState
from operative_app.core.screen import SurfaceKind
from operative_app.engine.control import Pause, Resume, Stop, TakeOver
from operative_app.gui.attention import Attention
from operative_app.gui.tray import DOTS, Tray, shown_of, tray_words
from operative_app.gui.tray_icon import TrayIcon, sign
from operative_app.presentation.controls import controls
from operative_app.presentation.view_state import ViewState
from tests.gui.conftest import MakeStage, Stage
from tests.gui.sample_run import START_S, approval, event_maker, hand_off

NO_TRAY_HERE = pytest.mark.qt_log_ignore("systemTrayWindowChanged")
"""An icon where the platform (offscreen) knows of no tray."""


def state_of(run_state: RunState) -> ViewState:
    make = event_maker()
    started = make(RunStarted, request=RunRequest(goal="Buy a lamp"), planner="Built-in planner")
    return ViewState.of([started, make(StateChanged, state=run_state)])


def enabled(icon: TrayIcon) -> set[str]:
    actions = [one for one in icon.menu.actions() if one.text() and one.isVisible() and one.isEnabled()]
    return {one.text() for one in actions}


@NO_TRAY_HERE
@pytest.mark.parametrize(
    ("run_state", "words"),
    [
        (RunState.READY, set()),
        (RunState.WORKING, {"Stop now", "Pause", "Take over"}),
        (RunState.WAITING, {"Stop now", "Pause", "Take over"}),
        (RunState.PAUSED, {"Stop now", "Resume", "Take over"}),
        (RunState.TAKEN_OVER, {"Stop now", "Hand back"}),
        (RunState.STOPPING, set()),
        (RunState.DONE, set()),
    ],
)
def test_the_menu_offers_what_makes_sense(qtbot: QtBot, run_state: RunState, words: set[str]) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    icon = TrayIcon(parent)
    icon.show_state(shown_of(state_of(run_state), controls(run_state, has_goal=False, has_plan=False)))
    assert enabled(icon) - {"Show the window"} == words


def test_the_tip_says_how_the_run_stands() -> None:
    assert tray_words(ViewState()) == "Operative · Ready"
    assert tray_words(state_of(RunState.WAITING)) == "Operative · Waiting for you · Buy a lamp"


def test_each_state_has_a_sign_of_its_own(qapp: QApplication) -> None:
    def picture(state: RunState) -> QImage:
        return sign(DOTS.get(state, "")).pixmap(32, 32).toImage()

    assert picture(RunState.WORKING) != picture(RunState.READY)
    assert picture(RunState.WORKING) != picture(RunState.WAITING)
    assert picture(RunState.FAILED) != picture(RunState.WAITING)


def action(stage: Stage, name: str) -> QAction:
    icon = stage.window.tray.icon
    assert icon is not None
    found: QAction | None = icon.menu.findChild(QAction, name)
    assert found is not None
    return found


@pytest.fixture
def has_tray(monkeypatch: pytest.MonkeyPatch) -> None:
    """A desktop with a tray, and no line to a guard: the icon lives here."""
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: True))


@NO_TRAY_HERE
@pytest.mark.usefixtures("has_tray")
def test_the_tray_commands_the_run_and_stop_goes_the_way_of_the_stop_key(make_stage: MakeStage) -> None:
    presses: list[str] = []
    stage = make_stage(stop_now=lambda: presses.append("pressed"))
    stage.until_approval()
    for name in ("trayPauseAction", "trayTakeOverAction", "trayStopAction"):
        action(stage, name).trigger()
    stage.feed(event_maker(start_s=START_S + 60)(StateChanged, state=RunState.PAUSED))
    action(stage, "trayResumeAction").trigger()
    assert stage.commands == [Pause(), TakeOver(), Resume()]
    assert presses == ["pressed"]


@NO_TRAY_HERE
@pytest.mark.usefixtures("has_tray")
def test_without_a_guard_the_tray_stops_the_run_itself(stage: Stage) -> None:
    stage.until_approval()
    action(stage, "trayStopAction").trigger()
    assert stage.commands == [Stop()]


def test_without_a_tray_nothing_breaks(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    tray = Tray(parent, stop_line=1, is_available=False)
    started: list[int] = []
    tray.process_started.connect(started.append)
    tray.show_state(state_of(RunState.WORKING), controls(RunState.WORKING, has_goal=True, has_plan=True))
    tray.start()
    tray.notify("Operative needs you", "Sign in")
    tray.close()
    assert tray.icon is None
    assert started == []


@dataclass
class Apart:
    """A tray whose icon has a process of its own, and what it told. The window hears nothing of the line."""

    tray: Tray
    process: psutil.Process
    lost: list[bool]


@pytest.fixture
def apart(qtbot: QtBot) -> Iterator[Apart]:
    reading, writing = os.pipe()
    parent = QWidget()
    qtbot.addWidget(parent)
    tray = Tray(parent, stop_line=writing, is_available=True)
    lost: list[bool] = []
    tray.lost.connect(lambda: lost.append(True))
    started: list[int] = []
    tray.process_started.connect(started.append)
    tray.start_soon()
    tray.show_state(state_of(RunState.READY), controls(RunState.READY, has_goal=True, has_plan=True))
    assert started == []  # the window comes first
    tray.show_state(state_of(RunState.WORKING), controls(RunState.WORKING, has_goal=True, has_plan=True))
    yield Apart(tray, psutil.Process(started.pop()), lost)
    assert started == []
    tray.close()
    for file in (reading, writing):
        os.close(file)


def test_with_a_line_to_the_guard_the_icon_has_a_process_that_ends_with_the_window(apart: Apart) -> None:
    assert apart.tray.icon is None
    apart.tray.notify("Operative needs you", "\ud83d ✓" * 2000)
    apart.tray.close()
    assert not apart.process.is_running()
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    assert apart.lost == []
    apart.tray.start()  # once closed nothing is started any more
    assert "tray_process" not in " ".join(" ".join(one.cmdline()) for one in psutil.Process().children())


def test_an_icon_whose_process_dies_is_told_once(apart: Apart, qtbot: QtBot) -> None:
    apart.process.kill()
    qtbot.waitUntil(lambda: apart.lost == [True])
    apart.tray.show_state(state_of(RunState.PAUSED), controls(RunState.PAUSED, has_goal=True, has_plan=True))
    apart.tray.notify("Operative needs you", "Sign in")
    QApplication.processEvents()
    assert apart.lost == [True]


def test_a_process_that_hangs_holds_up_nobody_and_is_ended(apart: Apart, qtbot: QtBot) -> None:
    apart.process.suspend()

    def say_much() -> bool:
        for _ in range(100):
            apart.tray.notify("Operative needs you", "Sign in. " * 60)
        return apart.lost == [True]

    qtbot.waitUntil(say_much)
    assert not apart.process.is_running()


def test_the_window_says_that_the_icon_is_gone(stage: Stage) -> None:
    stage.window.tray.lost.emit()
    (text,) = notices(stage)
    assert text.replace("\u200b", "").startswith("The tray icon is gone")


class Told(Tray):
    """A tray that notes what it would say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, is_available=False)
        self.said: list[tuple[str, str]] = []

    def notify(self, title: str, text: str) -> None:
        self.said.append((title, text))


@pytest.fixture
def called(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> tuple[Attention, Told]:
    """Somebody who looks at another program."""
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    tray = Told(window)
    return Attention(window, tray), tray


def test_who_looks_elsewhere_is_called_when_something_is_asked(called: tuple[Attention, Told]) -> None:
    attention, tray = called
    make = event_maker()
    requests: list[ApprovalRequest | QuestionRequest] = [approval(), QuestionRequest(id="q", text="Which drink?")]
    attention.take([make(RequestRaised, request=request) for request in (*requests, hand_off())])
    assert [title for title, _ in tray.said] == ["Operative needs you"] * 3
    assert tray.said[0][1] == "Press “Add to cart”?"
    assert tray.said[2][1] == "Please sign in. Sign in on the page, then press Done."


def test_who_looks_at_the_window_is_not_called(called: tuple[Attention, Told], monkeypatch: pytest.MonkeyPatch) -> None:
    attention, tray = called
    window = attention.parent()
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: window))
    make = event_maker()
    attention.take([make(RequestRaised, request=one) for one in (approval(), hand_off(why=HandOffKind.FILE))])
    assert tray.said == []
    attention.take([make(RequestRaised, request=hand_off())])  # the browser comes before the window for it
    assert [title for title, _ in tray.said] == ["Operative needs you"]


def test_a_hand_off_reminds_once_at_the_moment_that_was_told(called: tuple[Attention, Told]) -> None:
    attention, tray = called
    make = event_maker()
    request = hand_off(expires_at_s=START_S + 600).model_copy(update={"remind_at_s": START_S + 480})
    state = state_of(RunState.WAITING)
    state.fold(make(RequestRaised, request=request))
    for after in (0, 479, 480, 481, 599):
        attention.tick(state, START_S + after)
    assert tray.said == [("Operative still needs you", "Please sign in. Sign in on the page, then press Done.")]
    state.fold(make(RequestClosed, request_id=request.id))
    attention.tick(state, START_S + 600)
    assert len(tray.said) == 1


# Where no stop key is heard.

WAYLAND = "The hotkey is not heard: on Wayland a program hears its own keys only. Stop in the window ends a run."


def begin(stage: Stage, surface: SurfaceKind) -> None:
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Sort files", surface=surface), planner="Built-in planner"),
        make(StateChanged, state=RunState.WORKING),
    )


def notices(stage: Stage) -> list[str]:
    return [label.text() for label in stage.window.findChildren(QLabel, "noticeText")]


def test_a_run_on_the_desktop_says_that_no_stop_key_is_heard_and_what_stops_it(stage: Stage) -> None:
    stage.window.set_kill_switch(works=False, reason=WAYLAND)
    assert notices(stage) == []
    begin(stage, SurfaceKind.DESKTOP)
    assert [text.replace("\u200b", "") for text in notices(stage)] == [f"Ctrl+Alt+Escape does not work here. {WAYLAND}"]
    stage.feed(event_maker(start_s=START_S + 9)(StateChanged, state=RunState.WORKING))
    assert len(notices(stage)) == 1


def test_it_is_said_also_when_it_is_found_out_later(stage: Stage) -> None:
    begin(stage, SurfaceKind.DESKTOP)
    assert notices(stage) == []
    stage.window.set_kill_switch(works=False, reason=WAYLAND)
    assert len(notices(stage)) == 1


def test_a_run_in_the_browser_does_not_say_it_in_the_chat(stage: Stage) -> None:
    stage.window.set_kill_switch(works=False, reason=WAYLAND)
    begin(stage, SurfaceKind.BROWSER)
    assert notices(stage) == []


def test_no_key_is_claimed_before_it_is_known_to_work(make_stage: MakeStage) -> None:
    stage = make_stage(kill_switch_works=None)
    keys = [label for label in stage.window.status.findChildren(QLabel) if label.property("look") == "key"]
    assert keys
    assert not any(label.isVisible() for label in keys)
    assert stage.of(QLabel, "killSwitchText").text() == ""
    stage.window.set_kill_switch(works=True)
    assert all(label.isVisible() for label in keys)
    assert stage.of(QLabel, "killSwitchText").text() == "Stop everything"
