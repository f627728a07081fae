from __future__ import annotations

import threading

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from operative_app.core.events import RunFinished, StateChanged
from operative_app.core.run import EndCause, RunState
from operative_app.engine.control import RunControl, Stop
from operative_app.gui.bridge import EventBridge
from operative_app.gui.settings import WindowSettings
from operative_app.gui.window import MainWindow
from tests.gui.conftest import Runs, Stage
from tests.gui.sample_run import event_maker


def working(stage: Stage) -> None:
    stage.until_approval()
    stage.button("dialogLaterButton").click()


def test_closing_without_a_run_closes_at_once(stage: Stage) -> None:
    with stage.qtbot.waitSignal(stage.window.closed):
        stage.window.close()
    assert not stage.window.isVisible()
    assert stage.commands == []


def test_closing_during_a_run_asks_and_the_default_keeps_it_running(stage: Stage) -> None:
    working(stage)
    stage.window.close()
    assert stage.window.isVisible()
    keep = stage.button("closeKeepButton")
    assert keep.isDefault()
    keep.click()
    stage.qtbot.waitUntil(lambda: not stage.has("closeDialog"))
    assert stage.window.isVisible()
    assert stage.commands == []


def test_stop_and_close_waits_for_the_end_of_the_run(stage: Stage) -> None:
    working(stage)
    stage.window.close()
    stage.button("closeStopButton").click()
    assert stage.commands == [Stop()]
    make = event_maker()
    stage.feed(make(StateChanged, state=RunState.STOPPING))
    assert stage.window.isVisible()
    with stage.qtbot.waitSignal(stage.window.closed):
        stage.bridge.emit(
            make(RunFinished, state=RunState.STOPPED, cause=EndCause.STOPPED_BY_PERSON, reason="Stopped.")
        )
    assert not stage.window.isVisible()


def test_a_run_that_never_ends_does_not_keep_the_window_open(stage: Stage) -> None:
    working(stage)
    stage.window.close_after_stop()
    assert stage.commands == [Stop()]
    deadline = next(timer for timer in stage.window.findChildren(QTimer) if timer.isSingleShot() and timer.isActive())
    with stage.qtbot.waitSignal(stage.window.closed):
        deadline.timeout.emit()
    assert not stage.window.isVisible()


def test_closing_twice_asks_once(stage: Stage) -> None:
    working(stage)
    stage.window.close()
    stage.window.close()
    assert len(stage.window.findChildren(QWidget, "closeDialog")) == 1


def test_after_closing_no_timer_thread_or_dialog_is_left_and_events_do_no_harm(stage: Stage) -> None:
    working(stage)
    stage.qtbot.waitUntil(lambda: bool(stage.runs.threads))
    stage.window.close_now()
    assert [timer for timer in stage.window.findChildren(QTimer) if timer.isActive()] == []
    for thread in threading.enumerate():
        if thread.name.startswith("operative-window"):
            thread.join(timeout=10)
            assert not thread.is_alive()
    assert [one for one in QApplication.topLevelWidgets() if one.isVisible()] == []
    stage.bridge.emit(event_maker()(StateChanged, state=RunState.WORKING))


def test_a_window_and_its_bridge_can_be_deleted_while_the_engine_still_talks(qtbot: QtBot) -> None:
    bridge = EventBridge()
    window = MainWindow(
        control=RunControl(lambda _command: None), bridge=bridge, runs=Runs(), settings=WindowSettings()
    )
    with qtbot.waitExposed(window):
        window.show()
    window.close()
    shiboken6.delete(window)
    shiboken6.delete(bridge)
    thread = threading.Thread(target=lambda: bridge.emit(event_maker()(StateChanged, state=RunState.WORKING)))
    thread.start()
    thread.join()
