"""The dialog of an approval: changing what is asked, taking over, keyboard and screen reader, the picture."""

from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from operative_app.core.requests import ApprovalRequest, Approve, EditableField
from operative_app.core.screen import Box
from operative_app.engine.control import AnswerRequest, TakeOver
from operative_app.gui.dialogs.target_picture import TargetPicture
from operative_app.gui.theme import Theme
from tests.gui.conftest import MakeStage, Stage
from tests.gui.sample_run import START_S, approval, box, hand_off
from tests.gui.test_requests import ask, dialog_of, is_asking

SUBJECT = EditableField(name="subject", label="The subject", value="Parts")
TEXT = EditableField(name="text", label="What it is to hold", value="Dear Ada", is_long=True)


def editable(*fields: EditableField, **parts: object) -> ApprovalRequest:
    return approval().model_copy(update={"editable": fields or (SUBJECT, TEXT), **parts})


def test_what_is_asked_can_be_changed_and_enter_in_its_field_answers_nothing(stage: Stage) -> None:
    ask(stage, editable())
    subject = stage.of(QLineEdit, "dialogEdit_subject")
    assert not subject.isVisible()
    stage.button("dialogEditButton").click()
    assert subject.isVisible()
    assert stage.button("dialogApproveButton").text() == "&Approve"
    QTest.keyClicks(subject, "Spare parts")
    QTest.keyClick(subject, Qt.Key.Key_Return)
    assert stage.commands == []
    assert is_asking(stage)
    assert not stage.of(QLineEdit, "dialogWordEdit").isVisible()  # nor did it press Reject
    approve = stage.button("dialogApproveButton")
    assert (approve.text(), approve.accessibleName()) == ("&Approve with changes", "Approve with changes")
    approve.click()
    assert stage.commands == [AnswerRequest("ask-cart", Approve(changes=(("subject", "Spare parts"),)))]


def test_a_form_that_was_opened_and_not_changed_changes_nothing(stage: Stage) -> None:
    ask(stage, editable())
    stage.button("cardEditButton").click()
    stage.button("cardApproveButton").click()
    assert stage.commands == [AnswerRequest("ask-cart", Approve())]


def test_a_fault_stands_at_its_field_and_what_was_typed_elsewhere_is_not_lost(stage: Stage) -> None:
    wrong = SUBJECT.model_copy(update={"value": "", "fault": "It cannot be empty."})
    ask(stage, editable(wrong, TEXT.model_copy(update={"value": "Dear Grace"})))
    subject = stage.of(QLineEdit, "dialogEdit_subject")
    assert subject.isVisible()
    assert dialog_of(stage).focusWidget() is subject
    assert stage.of(QLabel, "dialogFault_subject").text() == "It cannot be empty."
    assert subject.accessibleDescription() == "It cannot be empty."
    assert not stage.has("dialogFault_text")
    subject.setText("Parts")
    stage.button("dialogApproveButton").click()
    changes = (("subject", "Parts"), ("text", "Dear Grace"))
    assert stage.commands == [AnswerRequest("ask-cart", Approve(changes=changes))]


def test_taking_over_is_within_reach_while_it_asks(stage: Stage) -> None:
    ask(stage, approval())
    stage.button("dialogTakeOverButton").click()
    assert stage.commands == [TakeOver()]


def spoken(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def test_keyboard_and_screen_reader_reach_all_of_it(stage: Stage) -> None:
    ask(stage, editable())
    dialog = dialog_of(stage)
    stage.button("dialogEditButton").click()
    stage.button("dialogRejectButton").click()
    controls = (QAbstractButton, QLineEdit, QPlainTextEdit)
    wanted = {one for kind in controls for one in dialog.findChildren(kind) if one.isVisible()}
    reached: list[QWidget] = []
    stage.button("dialogRejectButton").setFocus()
    while (now := dialog.focusWidget()) not in reached:
        reached.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    assert set(reached) == wanted
    names = [one.objectName().removeprefix("dialog") for one in reached]
    order = ["Edit_subject", "Edit_text", "AllowKindBox", "ApproveButton", "RejectButton", "WordEdit", "WordButton"]
    begin = names.index("Edit_subject")
    assert [*names[begin:], *names[:begin]] == [*order, "LaterButton", "TakeOverButton", "StopButton"]

    speaker = spoken(dialog)
    assert speaker.role() is QAccessible.Role.Dialog
    assert speaker.text(QAccessible.Text.Name) == "May I do this?"
    told = speaker.text(QAccessible.Text.Description)
    assert all(words in told for words in ("Press “Add to cart”", "Nothing is paid", "for the first time"))
    roles = {
        "ApproveButton": QAccessible.Role.Button,
        "AllowKindBox": QAccessible.Role.CheckBox,
        "Edit_subject": QAccessible.Role.EditableText,
    }
    for one, name in zip(reached, names, strict=True):
        assert spoken(one).text(QAccessible.Text.Name), name
        assert name not in roles or spoken(one).role() is roles[name]
    picture = spoken(dialog.picture).text(QAccessible.Text.Description)
    assert "Press “Add to cart”" in picture


def test_letters_with_alt_press_what_they_underline(stage: Stage) -> None:
    ask(stage, editable())
    letters = [
        one.text()[one.text().index("&") + 1].lower()
        for one in dialog_of(stage).findChildren(QAbstractButton)
        if "&" in one.text()
    ]
    assert sorted(letters) == sorted(set(letters)) == ["a", "e", "l", "r", "t", "v"]


def test_all_of_it_fits_the_screen_and_the_picture_gives_way(stage: Stage) -> None:
    screen = QApplication.primaryScreen().availableGeometry()
    assert screen.height() >= 600
    many = [TEXT.model_copy(update={"name": f"text{number}"}) for number in range(8)]
    ask(stage, editable(*many, screenshot="picture"))
    dialog = dialog_of(stage)
    stage.button("dialogEditButton").click()
    assert dialog.height() <= screen.height()
    assert dialog.picture.height() >= 120
    stop = stage.button("dialogStopButton")
    assert dialog.rect().contains(stop.mapTo(dialog, stop.rect().bottomRight()))


def test_an_approval_tells_what_comes_without_an_answer(make_stage: MakeStage) -> None:
    stage = make_stage(now_s=START_S)
    ask(stage, editable(expires_at_s=START_S + 75))
    assert stage.of(QLabel, "dialogCountdown").text() == "Without an answer in 1:15 min it is not done."


def test_a_hand_off_tells_until_when_it_waits_and_when_it_reminds(make_stage: MakeStage) -> None:
    stage = make_stage(now_s=START_S)
    note = "It does not look finished yet: the sign-in form is still there."
    request = hand_off(expires_at_s=START_S + 600).model_copy(update={"remind_at_s": START_S + 480, "note": note})
    ask(stage, request)
    end, reminder = (f"{datetime.fromtimestamp(START_S + after).astimezone():%H:%M}" for after in (600, 480))
    told = stage.of(QLabel, "dialogCountdown").text()
    assert told == f"Waits for you another 10:00 min, until {end}; you are reminded at {reminder}."
    assert stage.of(QLabel, "dialogNote").text() == note


# The picture.


def picture_of(
    qtbot: QtBot, target: Box | None, *, size: tuple[int, int] = (1440, 900), ratio: float = 1.0
) -> TargetPicture:
    picture = TargetPicture(Theme(), target, "button “Buy”")
    qtbot.addWidget(picture)
    picture.resize(560, 300)
    image = QImage(round(size[0] * ratio), round(size[1] * ratio), QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    picture.set_picture(image, ratio)
    return picture


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(
    ("target", "least", "most"),
    [
        (box((700, 500, 120, 40)), 0.75, 0.75),  # words stay legible
        (box((0, 0, 120, 40)), 0.75, 0.75),
        (box((1420, 880, 16, 16)), 1.5, 1.5),  # a small one is enlarged
        (box((100, 100, 900, 60)), 0.5, 0.6),  # a wide one is shown whole
        (box((0, 0, 1440, 900)), 0.3, 0.4),
    ],
)
def test_the_target_is_shown_whole_and_legible(
    qtbot: QtBot, target: Box, least: float, most: float, ratio: float
) -> None:
    picture = picture_of(qtbot, target, ratio=ratio)
    assert least <= picture.zoom() <= most
    crop = picture.crop()
    left, top = target.x_css_px * ratio, target.y_css_px * ratio
    assert crop.left() <= left
    assert crop.top() <= top
    assert crop.right() >= left + target.width_css_px * ratio
    assert crop.bottom() >= top + target.height_css_px * ratio
    assert picture.way_out == ""


def test_the_outline_is_drawn_around_the_target(qtbot: QtBot) -> None:
    picture = picture_of(qtbot, box((700, 500, 120, 40)))
    crop, zoom, shown = picture.crop(), picture.zoom(), picture.grab().toImage()
    x, y = round((700 - crop.left()) * zoom), round((500 - crop.top()) * zoom)
    target = QColor(Theme().tokens.target)
    column = {QColor(shown.pixel(x - 4, y + down)).name() for down in (5, 15, 25)}
    assert column == {target.name()}
    assert QColor(shown.pixel(x + 45, y + 15)).name() == "#ffffff"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (box((500, 1300, 120, 40)), "further down"),
        (box((500, -200, 120, 40)), "further up"),
        (box((2500, 300, 120, 40)), "beside"),
    ],
)
def test_what_is_not_in_the_picture_is_said_not_pointed_at(qtbot: QtBot, target: Box, words: str) -> None:
    assert words in picture_of(qtbot, target).way_out


def test_without_a_target_the_whole_screen_is_shown(qtbot: QtBot) -> None:
    picture = picture_of(qtbot, None)
    assert picture.crop().size().toTuple() == (1440, 900)
    assert picture.way_out == ""
