from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSlider, QTableView, QTextBrowser, QToolButton, QWidget

from operative_app.core.events import RunStarted, StepFinished, StepStarted
from operative_app.core.run import OutcomeStatus, RunRequest
from operative_app.gui.models.step_table import Column
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker


def at_approval(stage: Stage) -> QTableView:
    stage.until_approval()
    stage.button("dialogLaterButton").click()
    return stage.of(QTableView, "stepTable")


def column(table: QTableView, which: Column) -> list[str]:
    model = table.model()
    return [str(model.index(row, which).data()) for row in range(model.rowCount())]


def test_before_a_run_it_says_that_there_are_no_steps(stage: Stage) -> None:
    assert stage.of(QLabel, "stepLogEmpty").isVisible()


def test_each_step_is_a_row_and_the_one_that_waits_is_the_last(stage: Stage) -> None:
    table = at_approval(stage)
    assert column(table, Column.NUMBER) == ["1", "2", "3", "4", "5", "6", "7"]
    assert column(table, Column.OUTCOME) == ["done"] * 5 + ["not verified", "waiting for you"]
    assert column(table, Column.MS)[2] == "1,312"
    assert column(table, Column.TASK)[0] == "Search for “Mac mini”"


def test_words_and_outcome_filter_the_rows(stage: Stage) -> None:
    table = at_approval(stage)
    QTest.keyClicks(stage.of(QLineEdit, "stepFilter"), "512 choose")
    assert column(table, Column.NUMBER) == ["4", "5", "6"]
    stage.of(QLineEdit, "stepFilter").clear()
    outcome = stage.of(QComboBox, "stepOutcomeFilter")
    outcome.setCurrentIndex(outcome.findText("not verified"))
    assert column(table, Column.NUMBER) == ["6"]


def test_a_selected_row_opens_its_details_and_moves_the_timeline(stage: Stage) -> None:
    table = at_approval(stage)
    assert not stage.of(QWidget, "stepDetails").isVisible()
    table.selectRow(2)
    text = stage.of(QTextBrowser, "stepDetailsText").toPlainText()
    for words in (
        "Click result 2",
        "“512 GB” stands in its name.",
        "target: link “Mac mini 512 GB”",
        "Trying again: the list was still loading (after 500 ms)",
        "13 elements, 4 with a number",
        "link “Mac mini 1 TB”",
    ):
        assert words in text
    assert stage.of(QSlider, "timelineSlider").value() == 2
    stage.of(QToolButton, "stepDetailsCloseButton").click()
    assert not stage.of(QWidget, "stepDetails").isVisible()
    assert stage.of(QSlider, "timelineSlider").value() == 6


def test_escape_in_the_table_closes_the_details(stage: Stage) -> None:
    table = at_approval(stage)
    stage.window.activateWindow()
    table.setFocus()
    table.selectRow(1)
    stage.qtbot.waitUntil(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_Escape)
    assert not stage.of(QWidget, "stepDetails").isVisible()


def test_a_value_that_was_read_is_in_the_details(stage: Stage) -> None:
    table = at_approval(stage)
    table.selectRow(4)
    assert "Value read\n749 €" in stage.of(QTextBrowser, "stepDetailsText").toPlainText()


def test_details_of_a_page_are_never_markup(stage: Stage) -> None:
    table = at_approval(stage)
    row = stage.window.step_log.model.step_row(0)
    assert row.step == 1
    html = stage.window.step_log.details
    html.show_row(replace(row, detail="<b>bold</b><img src='http://evil.example/'>"), stage.window.view_state)
    text = stage.of(QTextBrowser, "stepDetailsText")
    assert "<b>bold</b>" in text.toPlainText()
    assert table.isVisible()


def test_selected_rows_are_copied_with_tabs_between_cells(stage: Stage) -> None:
    table = at_approval(stage)
    table.selectRow(0)
    stage.window.step_log.copy_selected()
    cells = QGuiApplication.clipboard().text().split("\t")
    assert (cells[Column.NUMBER], cells[Column.ACTION]) == ("1", "Fill “Search the shop” with “Mac mini”")
    assert len(cells) == len(Column)


def test_the_link_of_a_chat_line_shows_its_step(stage: Stage) -> None:
    at_approval(stage)
    stage.button("stepLink").click()
    assert stage.window.step_log.selected_steps() == [3]
    assert stage.of(QSlider, "timelineSlider").value() == 2


def test_parts_are_set_in_and_the_picture_an_action_took_is_in_its_details(stage: Stage) -> None:
    buffer = QBuffer()
    image = QImage(400, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#c0ffee"))
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes for the format
    stage.runs.pictures.by_hash["taken"] = bytes(buffer.data().data())
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Look"), planner="Built-in planner"),
        make(StepStarted, step=1, action="fill_form", label="Fill in the form"),
        make(StepStarted, step=2, action="screenshot_element", label="Take a picture of it", part_of=1),
        make(StepFinished, step=2, status=OutcomeStatus.DONE, picture="taken"),
    )
    table = stage.of(QTableView, "stepTable")
    assert column(table, Column.ACTION) == ["Fill in the form", "↳ Take a picture of it"]
    table.selectRow(1)
    text = stage.of(QTextBrowser, "stepDetailsText")
    assert "Part of\nstep 1" in text.toPlainText()

    def is_shown() -> bool:
        shown = text.viewport().grab().toImage()
        places = ((x, y) for x in range(0, shown.width(), 8) for y in range(0, shown.height(), 8))
        return any(shown.pixelColor(x, y) == QColor("#c0ffee") for x, y in places)

    stage.qtbot.waitUntil(is_shown)
