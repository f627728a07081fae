"""What a model takes and is asked, in the window."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QListWidget, QPlainTextEdit, QPushButton, QTableView, QTextBrowser

from operative_app.gui.models.step_table import Column
from tests.gui.conftest import Stage, part
from tests.gui.sample_run import events_after_approval, events_until_approval, exchange, planned_by_model


def planned(stage: Stage) -> QTableView:
    """The sample run with a model, up to the question; its log."""
    stage.feed_all(planned_by_model(events_until_approval(stage.runs.pictures)))
    stage.button("dialogLaterButton").click()
    return stage.of(QTableView, "stepTable")


def shown(stage: Stage) -> QDialog:
    """The one visible window with exchanges."""
    found = [one for one in stage.window.findChildren(QDialog, "exchangesDialog") if one.isVisible()]
    assert len(found) == 1
    return found[0]


def text(dialog: QObject, name: str) -> str:
    return part(dialog, QPlainTextEdit, name).toPlainText()


def entries(dialog: QObject) -> list[str]:
    listed = part(dialog, QListWidget, "exchangeList")
    return [listed.item(row).text() for row in range(listed.count())]


def test_the_built_in_planner_takes_nothing_and_nothing_is_offered(stage: Stage) -> None:
    stage.until_approval()
    stage.button("dialogLaterButton").click()
    assert stage.of(QLabel, "statusTokens").text() == ""
    assert not stage.button("modelCallsButton").isVisible()
    table = stage.of(QTableView, "stepTable")
    assert table.isColumnHidden(Column.TOKENS)
    assert table.isColumnHidden(Column.COST)
    table.selectRow(3)
    assert not stage.button("stepAskedButton").isVisible()


def test_tokens_and_cost_stand_in_the_status_line_the_log_the_plan_and_the_end(stage: Stage) -> None:
    table = planned(stage)
    assert stage.of(QLabel, "statusTokens").text() == "23,260 tokens, $0.026"
    assert not table.isColumnHidden(Column.COST)
    cells = [table.model().index(2, column).data() for column in (Column.TOKENS, Column.COST)]
    assert cells == ["7,016", "$0.0068"]
    plan = stage.window.plan.tree.model()
    assert "Model: 7,016 tokens, $0.0068" in str(plan.index(0, 0).data(3))
    stage.feed_all(planned_by_model(events_after_approval(stage.runs.pictures)))
    assert stage.of(QLabel, "summarySpent").text() == "Model: 27,748 tokens, $0.031"


def test_a_price_that_is_not_known_leaves_tokens_and_a_partly_known_one_says_at_least(stage: Stage) -> None:
    planned(stage)
    stage.feed(exchange(6, cost=None))
    assert stage.of(QLabel, "statusTokens").text() == "26,768 tokens, at least $0.026"


def test_a_step_shows_what_was_asked_for_it_exactly(stage: Stage) -> None:
    planned(stage).selectRow(2)
    assert "7,016 tokens, $0.0068" in stage.of(QTextBrowser, "stepDetailsText").toPlainText()
    stage.button("stepAskedButton").click()
    dialog = shown(stage)
    assert dialog.windowTitle() == "What the model was asked for step 3"
    assert entries(dialog) == [
        "✗ Decision\nafter step 2 · 3,508 tokens, $0.0034",
        "Decision\nafter step 2 · 3,508 tokens, $0.0034",
    ]
    assert "none of: “clik”" in part(dialog, QLabel, "exchangeFault").text()
    assert "2,900 of them known to the server" in part(dialog, QLabel, "exchangeFacts").text()
    assert "      You decide the next actions.\n      Reply with one JSON object." in text(dialog, "exchangeSent")
    part(dialog, QPushButton, "exchangeLayout_exact").click()
    assert text(dialog, "exchangeSent") == exchange(2).sent
    assert text(dialog, "exchangeReceived") == exchange(2).received
    part(dialog, QPushButton, "exchangeSentCopyButton").click()
    assert QGuiApplication.clipboard().text() == exchange(2).sent
    assert not part(dialog, QPlainTextEdit, "exchangeUnderstood").isVisible()
    part(dialog, QListWidget, "exchangeList").setCurrentRow(1)
    assert not part(dialog, QLabel, "exchangeFault").isVisible()
    assert text(dialog, "exchangeUnderstood").splitlines() == [
        "Last step: Step 2 went well.",
        "Thought: Next I choose the 512 GB one.",
        "Verdict: acts · task done · goal not reached yet · 90 % sure",
    ]


def test_a_step_decided_with_an_earlier_one_says_so_and_shows_the_same(stage: Stage) -> None:
    planned(stage).selectRow(4)
    assert "decided together with step 4" in stage.of(QTextBrowser, "stepDetailsText").toPlainText()
    stage.button("stepAskedButton").click()
    assert shown(stage).windowTitle() == "What the model was asked for step 5, decided together with step 4"
    assert len(entries(shown(stage))) == 1


def test_the_whole_run_shows_its_planning_too_and_follows_what_comes(stage: Stage) -> None:
    planned(stage)
    stage.button("modelCallsButton").click()
    dialog = shown(stage)
    assert entries(dialog)[0] == "Plan\nat the start · 2,212 tokens, $0.0061"
    assert part(dialog, QLabel, "exchangeTotal").text() == "7 exchanges · 23,260 tokens, $0.026"
    part(dialog, QListWidget, "exchangeList").setCurrentRow(3)
    stage.feed(exchange(6))
    assert len(entries(dialog)) == 8
    assert part(dialog, QListWidget, "exchangeList").currentRow() == 3
    assert stage.button("stopButton").isEnabled()
    dialog.close()


def test_what_was_asked_is_there_before_the_first_step(stage: Stage) -> None:
    events = list(planned_by_model(events_until_approval(stage.runs.pictures)))
    stage.feed(*events[:4])  # as far as the planning
    assert stage.button("modelCallsButton").isVisible()
