from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPlainTextEdit, QSlider, QTableWidget, QTreeView

from operative_app.core.events import Observed, RunStarted, StateChanged
from operative_app.core.run import RunRequest, RunState
from operative_app.gui.dialogs.history import HistoryDialog
from tests.gui.conftest import MakeStage, Stage, Summary
from tests.gui.sample_run import GOAL, RUN_ID, event_maker, events_after_approval, events_until_approval


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    made = make_stage()
    made.runs.summaries = [
        Summary(RUN_ID, GOAL),
        Summary("b", "Book a flight", "failed"),
        Summary("c", "Order food", "interrupted"),
    ]
    made.runs.recorded[RUN_ID] = [
        *events_until_approval(made.runs.pictures),
        *events_after_approval(made.runs.pictures),
    ]
    return made


def opened(stage: Stage, rows: int = 3) -> QTableWidget:
    stage.button("historyButton").click()
    table = stage.of(QTableWidget, "historyTable")
    stage.qtbot.waitUntil(lambda: table.rowCount() == rows)
    return table


def show_past(stage: Stage) -> None:
    opened(stage)
    stage.button("historyOpenButton").click()
    stage.qtbot.waitUntil(stage.of(QFrame, "pastRunBanner").isVisible)


def visible(table: QTableWidget) -> list[str]:
    rows = [row for row in range(table.rowCount()) if not table.isRowHidden(row)]
    return [item.text() for row in rows if (item := table.item(row, 1)) is not None]


def test_past_runs_are_listed_with_how_they_ended(stage: Stage) -> None:
    assert visible(opened(stage)) == ["Done", "Failed", "Interrupted"]


def test_the_search_narrows_the_list_and_says_when_nothing_is_left(stage: Stage) -> None:
    table = opened(stage)
    search = stage.of(QLineEdit, "historySearch")
    QTest.keyClicks(search, "flight book")
    assert visible(table) == ["Failed"]
    QTest.keyClicks(search, " zebra")
    assert visible(table) == []
    assert not stage.button("historyOpenButton").isEnabled()
    assert stage.of(QLabel, "historyWords").text() == "No run has these words."


def test_a_past_run_is_shown_read_only_with_its_timeline(stage: Stage) -> None:
    show_past(stage)
    assert stage.of(QLabel, "statusState").text() == "Done"
    assert stage.of(QSlider, "timelineSlider").maximum() == 6
    assert stage.of(QTreeView, "planTree").model().rowCount() == 5
    assert stage.window.step_log.model.rowCount() == 7
    enabled = [name for name in ("runButton", "pauseButton", "stopButton") if stage.button(name).isEnabled()]
    assert enabled == []
    assert not stage.of(QPlainTextEdit, "goalEdit").isEnabled()
    assert not stage.has("cardApproveButton")
    stage.of(QTreeView, "planTree").setCurrentIndex(stage.of(QTreeView, "planTree").model().index(3, 0))
    QTest.keyClick(stage.of(QTreeView, "planTree"), Qt.Key.Key_Delete)
    assert stage.commands == []


def test_back_to_now_shows_the_present_again(stage: Stage) -> None:
    show_past(stage)
    stage.button("backToNowButton").click()
    assert not stage.of(QFrame, "pastRunBanner").isVisible()
    assert stage.of(QLabel, "statusState").text() == "Ready"
    assert stage.window.step_log.model.rowCount() == 0
    assert stage.of(QPlainTextEdit, "goalEdit").isEnabled()


def test_the_run_goes_on_behind_a_past_one_and_can_be_stopped(stage: Stage) -> None:
    make = event_maker("live")
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Live"), planner="p"), make(StateChanged, state=RunState.WORKING)
    )
    show_past(stage)
    assert stage.button("stopButton").isEnabled()
    stage.feed(make(Observed, step=1, observation=1, url="http://x/", title="X"))
    assert stage.of(QSlider, "timelineSlider").maximum() == 6
    stage.button("backToNowButton").click()
    assert stage.window.chat.widget_of(0) is not None
    assert stage.window.view_state.run_id == "live"
    assert len(stage.window.view_state.frames) == 1


def test_a_record_that_cannot_be_read_is_said(stage: Stage) -> None:
    stage.runs.fault = "The record of runs is damaged."
    stage.button("historyButton").click()
    words = stage.of(QLabel, "historyWords")
    stage.qtbot.waitUntil(lambda: words.text() == "The record of runs is damaged.")


def test_without_past_runs_the_list_says_so(make_stage: MakeStage) -> None:
    stage = make_stage()
    opened(stage, rows=0)
    words = stage.of(QLabel, "historyWords")
    stage.qtbot.waitUntil(lambda: words.text().startswith("No runs yet."))


def test_pressing_twice_opens_one_list(stage: Stage) -> None:
    stage.button("historyButton").click()
    stage.button("historyButton").click()
    assert len(stage.window.findChildren(HistoryDialog)) == 1
