from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from operative_app.core.events import Event, RequestClosed, RequestRaised, RunFinished, RunStarted, StateChanged
from operative_app.core.requests import (
    Approve,
    FilesChosen,
    HandOffKind,
    HumanCannot,
    HumanDone,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Reply,
    Request,
)
from operative_app.core.run import EndCause, RunRequest, RunState
from operative_app.engine.control import AnswerRequest, Stop
from operative_app.gui.dialogs.request import RequestDialog
from operative_app.gui.dialogs.target_picture import TargetPicture
from operative_app.gui.panels.chat_lines import LineWidget
from tests.gui.conftest import MakeStage, Stage
from tests.gui.sample_run import START_S, approval, event_maker, hand_off, sample_plan

CLICK = Qt.MouseButton.LeftButton


def ask(stage: Stage, *requests: Request) -> None:
    make = event_maker()
    events: list[Event] = [
        make(RunStarted, request=RunRequest(goal="Buy it"), planner="Built-in planner"),
        make(StateChanged, state=RunState.WAITING),
    ]
    stage.feed(*events, *(make(RequestRaised, request=request) for request in requests))


def dialog_of(stage: Stage) -> RequestDialog:
    (dialog,) = [one for one in stage.window.findChildren(RequestDialog) if one.isVisible()]
    return dialog


def is_asking(stage: Stage) -> bool:
    return any(one.isVisible() for one in stage.window.findChildren(RequestDialog))


def close(stage: Stage, request_id: str, **parts: object) -> None:
    stage.feed(event_maker()(RequestClosed, request_id=request_id, **parts))


def test_an_approval_is_a_dialog_and_a_card_with_the_same_words(stage: Stage) -> None:
    stage.until_approval()
    for place in ("dialog", "card"):
        assert stage.of(QLabel, f"{place}Title").text() == "Press “Add to cart”?"
        assert "Nothing is paid" in stage.of(QLabel, f"{place}Effect").text()
        assert "for the first time" in stage.of(QLabel, f"{place}Reason").text()
        assert "changes on a site" in stage.of(QLabel, f"{place}Rule").text()
    picture = stage.of(TargetPicture, "dialogPicture")
    assert picture.isVisible()
    stage.qtbot.waitUntil(picture.has_picture)
    assert dialog_of(stage).windowModality() is Qt.WindowModality.WindowModal


@pytest.mark.parametrize("place", ["dialog", "card"])
@pytest.mark.parametrize("is_allowed", [False, True])
def test_answering_in_one_place_closes_both(stage: Stage, place: str, is_allowed: bool) -> None:
    stage.until_approval()
    stage.of(QCheckBox, f"{place}AllowKindBox").setChecked(is_allowed)
    stage.button(f"{place}ApproveButton").click()
    answer = Approve(allow_kind=is_allowed)
    assert stage.commands == [AnswerRequest("ask-cart", answer)]
    assert not is_asking(stage)
    assert not stage.button("cardApproveButton").isEnabled()
    close(stage, "ask-cart", answer=answer)
    assert not stage.has("cardApproveButton") or not stage.of(QPushButton, "cardApproveButton").isVisible()
    assert stage.of(QLabel, "closedCardWords").text().startswith("Approved")


def test_pressing_twice_answers_once(stage: Stage) -> None:
    stage.until_approval()
    button = stage.button("cardApproveButton")
    button.click()
    button.click()
    stage.button("cardRejectButton").click()
    assert len(stage.commands) == 1


def test_the_default_of_the_dialog_is_the_safe_button_and_enter_approves_nothing(stage: Stage) -> None:
    stage.until_approval()
    reject = stage.button("dialogRejectButton")
    assert reject.isDefault()
    assert reject.hasFocus() or dialog_of(stage).focusWidget() is reject
    QTest.keyClick(reject, Qt.Key.Key_Return)
    assert stage.commands == []
    word = stage.of(QLineEdit, "dialogWordEdit")
    QTest.keyClicks(word, "take the 256 GB one")
    QTest.keyClick(word, Qt.Key.Key_Return)
    assert stage.commands == [AnswerRequest("ask-cart", Reject(word="take the 256 GB one"))]


def test_escape_rejects(stage: Stage) -> None:
    stage.until_approval()
    QTest.keyClick(dialog_of(stage), Qt.Key.Key_Escape)
    assert stage.commands == [AnswerRequest("ask-cart", Reject())]


def test_an_approval_not_meant_for_more_than_once_offers_no_more(stage: Stage) -> None:
    ask(stage, approval().model_copy(update={"may_allow_kind": False}))
    assert not stage.has("dialogAllowKindBox")


def test_the_dialog_can_be_put_off_and_brought_back(stage: Stage) -> None:
    stage.until_approval()
    stage.button("dialogLaterButton").click()
    assert not is_asking(stage)
    assert stage.commands == []
    assert stage.button("cardApproveButton").isEnabled()
    stage.button("cardLookButton").click()
    assert dialog_of(stage).request.id == "ask-cart"


@pytest.mark.parametrize("button", ["dialogStopButton", "stopButton"])
def test_stop_is_within_reach_while_it_asks_and_closes_the_dialog(stage: Stage, button: str) -> None:
    stage.until_approval()
    stage.button(button).click()
    assert stage.commands == [Stop()]
    stage.feed(event_maker()(RunFinished, state=RunState.STOPPED, cause=EndCause.STOPPED_BY_PERSON, reason="Stopped."))
    assert not is_asking(stage)
    assert "Withdrawn" in stage.of(QLabel, "closedCardWords").text()


def test_requests_queue_and_the_next_dialog_follows(stage: Stage) -> None:
    ask(stage, approval(), hand_off())
    assert dialog_of(stage).request.id == "ask-cart"
    stage.button("dialogApproveButton").click()
    assert dialog_of(stage).request.id == "hand-sign_in"
    close(stage, "ask-cart", answer=Approve())
    assert dialog_of(stage).request.id == "hand-sign_in"


def test_a_request_that_ran_out_of_time_closes_everywhere(stage: Stage) -> None:
    stage.until_approval()
    close(stage, "ask-cart", by="time-out")
    assert not is_asking(stage)
    assert stage.of(QLabel, "closedCardWords").text() == "No answer in time"


@pytest.mark.parametrize(("button", "answer"), [("DoneButton", HumanDone()), ("StopButton", None)])
def test_a_hand_off_is_done_or_stops_the_run(stage: Stage, button: str, answer: HumanDone | None) -> None:
    ask(stage, hand_off())
    stage.button(f"dialog{button}").click()
    assert stage.commands == [AnswerRequest("hand-sign_in", answer) if answer else Stop()]


def test_a_hand_off_whose_time_is_over_says_what_can_still_be_done(stage: Stage) -> None:
    ask(stage, hand_off(is_over=True))
    assert "the run is paused" in stage.of(QLabel, "dialogOver").text()
    assert "press Done" in stage.of(QLabel, "dialogStillPossible").text()
    assert "Resume" in stage.of(QLabel, "cardStillPossible").text()
    assert not stage.of(QLabel, "dialogCountdown").isVisible()
    stage.button("dialogDoneButton").click()
    assert stage.commands == [AnswerRequest("hand-sign_in-over", HumanDone())]


def test_a_hand_off_that_cannot_be_done_says_why(stage: Stage) -> None:
    ask(stage, hand_off())
    stage.button("cardCannotButton").click()
    stage.of(QLineEdit, "cardWordEdit").setText("I have no account")
    stage.button("cardWordButton").click()
    assert stage.commands == [AnswerRequest("hand-sign_in", HumanCannot(word="I have no account"))]


def test_a_hand_off_counts_down_to_its_end(make_stage: MakeStage) -> None:
    stage = make_stage(now_s=START_S)
    ask(stage, hand_off(expires_at_s=START_S + 75))
    end = f"{datetime.fromtimestamp(START_S + 75).astimezone():%H:%M}"
    for place in ("dialog", "card"):
        words = f"Waits for you another 1:15 min, until {end}. Then it is not done."
        assert stage.of(QLabel, f"{place}Countdown").text() == words


def test_a_file_is_chosen_in_the_windows_own_dialog_and_answered(stage: Stage, isolation: Path) -> None:
    file = isolation / "report.pdf"
    file.write_bytes(b"%PDF-1.4")
    ask(stage, hand_off(why=HandOffKind.FILE))
    stage.button("dialogChooseFileButton").click()
    (chooser,) = stage.window.findChildren(QFileDialog)
    assert chooser.isVisible()
    assert any("*.pdf" in one for one in chooser.nameFilters())
    assert stage.commands == []
    chooser.filesSelected.emit([str(file)])
    assert stage.commands == [AnswerRequest("hand-file", FilesChosen(paths=(str(file),)))]
    close(stage, "hand-file", answer=FilesChosen(paths=(str(file),)))
    stage.qtbot.waitUntil(lambda: not [one for one in stage.window.findChildren(QFileDialog) if one.isVisible()])


def test_a_question_takes_a_choice_or_own_words_in_the_chat(stage: Stage) -> None:
    ask(stage, QuestionRequest(id="q", text="Which drink?", choices=("Water", "Juice")))
    assert not is_asking(stage)
    stage.button("cardChoice1").click()
    assert stage.commands == [AnswerRequest("q", Reply(text="Juice"))]


def test_a_question_is_answered_by_typing_and_enter(stage: Stage) -> None:
    ask(stage, QuestionRequest(id="q", text="What is your name?"))
    edit = stage.of(QLineEdit, "cardReplyEdit")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "Ada Lovelace")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert stage.commands == [AnswerRequest("q", Reply(text="Ada Lovelace"))]


@pytest.mark.parametrize("button", ["planAcceptButton", "cardApproveButton"])
def test_a_plan_under_review_is_accepted_in_the_plan_or_in_the_chat(stage: Stage, button: str) -> None:
    ask(stage, PlanReviewRequest(id="review", plan=sample_plan(0)))
    assert not is_asking(stage)
    stage.button(button).click()
    assert stage.commands == [AnswerRequest("review", Approve())]


def test_a_plan_under_review_is_rejected_with_a_word(stage: Stage) -> None:
    ask(stage, PlanReviewRequest(id="review", plan=sample_plan(0)))
    stage.button("cardRejectButton").click()
    stage.of(QLineEdit, "cardWordEdit").setText("too long")
    stage.button("cardWordButton").click()
    assert stage.commands == [AnswerRequest("review", Reject(word="too long"))]


def test_words_of_a_page_are_never_markup(stage: Stage) -> None:
    evil = "<img src='http://evil.example/x.png'><b>Approve</b>"
    ask(stage, approval().model_copy(update={"label": evil, "effect": evil, "reason": evil}))
    labels = [one for one in stage.window.findChildren(QLabel) if "evil" in one.text()]
    assert len(labels) >= 6
    assert {one.textFormat() for one in labels} == {Qt.TextFormat.PlainText}


def test_long_words_neither_widen_the_chat_nor_cut_its_buttons(stage: Stage) -> None:
    ask(stage, approval().model_copy(update={"effect": "http://long.example/" + "a" * 400}))
    stage.button("dialogLaterButton").click()
    page = stage.window.chat.scroll_area
    line = stage.window.chat.widget_of(1)
    assert isinstance(line, LineWidget)
    stage.qtbot.waitUntil(lambda: line.width() <= page.viewport().width())
    for button in line.findChildren(QPushButton):
        if button.isVisible():
            assert button.mapTo(page.viewport(), button.rect().bottomRight()).x() <= page.viewport().width()


def test_no_widget_of_a_closed_dialog_stays(stage: Stage) -> None:
    stage.until_approval()
    stage.button("dialogApproveButton").click()
    stage.after_approval()
    stage.qtbot.waitUntil(lambda: not stage.window.findChildren(RequestDialog))
    assert not [one for one in stage.window.findChildren(QWidget) if one.objectName().startswith("dialog")]


def test_closed_card_tells_when_it_was_answered(stage: Stage) -> None:
    ask(stage, QuestionRequest(id="q", text="Which drink?"))
    later_s = START_S + 3600
    stage.feed(event_maker(start_s=later_s)(RequestClosed, request_id="q", answer=Reply(text="Water")))
    shown = " ".join(label.text() for label in stage.window.findChildren(QLabel))
    assert f"by you · {datetime.fromtimestamp(later_s).astimezone():%H:%M}" in shown
