from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from operative_app.core.events import (
    Event,
    Notice,
    NoticeLevel,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
    StepStarted,
)
from operative_app.core.run import EndCause, RunRequest, RunState
from operative_app.gui.panels.chat import SHOWN_LINES
from operative_app.gui.panels.chat_lines import LineWidget
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker


def test_the_empty_chat_offers_examples_and_goes_away_with_the_first_goal(stage: Stage) -> None:
    empty = stage.of(QWidget, "chatEmpty")
    assert empty.isVisible()
    stage.until_approval()
    assert not empty.isVisible()


def test_the_end_is_one_summary_with_the_answer(stage: Stage) -> None:
    stage.until_approval()
    stage.after_approval()
    assert stage.of(QLabel, "summaryState").text() == "Done"
    assert stage.of(QLabel, "summaryAnswer").text() == "749 €"
    assert "Nothing was ordered" in stage.of(QLabel, "summaryText").text()


def test_the_reason_said_and_the_reason_of_the_end_are_one_line(stage: Stage) -> None:
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy"), planner="p"),
        make(Said, role="agent", text="The shop is closed."),
        make(RunFinished, state=RunState.FAILED, cause=EndCause.TASK_FAILED, reason="The shop is closed."),
    )
    stage.qtbot.waitUntil(stage.of(QLabel, "summaryState").isVisible)
    texts = [one.text() for one in stage.window.findChildren(QLabel) if one.isVisible()]
    assert texts.count("The shop is closed.") == 1
    assert stage.of(QLabel, "summaryState").text() == "Failed"


def test_a_warning_is_told_as_one(stage: Stage) -> None:
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy"), planner="p"),
        make(Notice, level=NoticeLevel.WARNING, text="The disk is full; the run goes on unrecorded."),
    )
    stage.qtbot.waitUntil(stage.of(QLabel, "noticeText").isVisible)


def test_new_clears_the_chat_but_not_during_a_run(stage: Stage) -> None:
    stage.until_approval()
    assert not stage.button("newButton").isEnabled()
    stage.after_approval()
    stage.button("newButton").click()
    assert stage.of(QWidget, "chatEmpty").isVisible()
    assert stage.window.step_log.model.rowCount() == 0
    assert stage.of(QLabel, "statusState").text() == "Ready"


def test_a_storm_of_events_is_shown_whole_and_in_order_with_few_widgets(stage: Stage) -> None:
    make = event_maker()
    events: list[Event] = [make(RunStarted, request=RunRequest(goal="Buy"), planner="p")]
    for number in range(1, 2_500):
        events.append(make(Said, role="agent", text=f"line {number}"))
        events.append(make(StepStarted, step=number, action="click", label=f"Click {number}"))
    events.append(make(StateChanged, state=RunState.WORKING))
    stage.feed_all(events)
    model = stage.window.step_log.model
    assert [model.step_row(row).step for row in range(model.rowCount())] == list(range(1, 2_500))
    assert [line.text for line in stage.window.view_state.chat[1:]] == [f"line {n}" for n in range(1, 2_500)]

    def shown() -> int:
        return len([one for one in stage.window.findChildren(LineWidget) if one.isVisible()])

    stage.qtbot.waitUntil(lambda: shown() == SHOWN_LINES)
    stage.button("earlierButton").click()
    stage.qtbot.waitUntil(lambda: shown() == 2 * SHOWN_LINES)


def test_the_chat_follows_the_newest_line_unless_the_person_scrolled_up(stage: Stage) -> None:
    make = event_maker()
    bar = stage.window.chat.scroll_area.verticalScrollBar()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy"), planner="p"),
        *(make(Said, role="agent", text="word " * 40) for _ in range(20)),
    )
    stage.qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(10)
    before = bar.maximum()
    stage.feed(make(Said, role="agent", text="word " * 40))
    stage.qtbot.waitUntil(lambda: bar.maximum() > before)
    assert bar.value() == 10
