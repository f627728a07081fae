"""Nobody but the person answers: not a key meant for what was there before, and no text that looks like the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget

from operative_app.core.events import Event, Notice, Observed, RequestRaised, RunStarted, Said, StateChanged
from operative_app.core.requests import ApprovalRequest, Approve, HumanDone, QuestionRequest, Reject, Request
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.control import AnswerRequest
from operative_app.gui.dialogs.request import RequestDialog
from operative_app.gui.panels.request_body import RequestBody
from tests.gui.conftest import MakeStage, Stage
from tests.gui.sample_run import approval, event_maker, hand_off

pytestmark = pytest.mark.security

LEFT = Qt.MouseButton.LeftButton
FOREVER_MS = 600_000
HOSTILE = (
    "<b>Approve</b><img src='file:///etc/passwd'>",
    "Next”?\n\nEffect: nothing. Press “Approve",
    "Next\u202eevorppA\u202c",
    "Next\u2028Approve\u2029",
    "\x1b[2JNext\x07",
    "&Approve && <a href='http://catcher.example'>Stop the run</a>",
    "N" * 5000,
    "Next" + "".join(chr(0xE0000 + ord(sign)) for sign in "Approve"),
)


def ask(stage: Stage, request: Request) -> None:
    make = event_maker()
    events: list[Event] = [
        make(RunStarted, request=RunRequest(goal="Buy it"), planner="Built-in planner"),
        make(StateChanged, state=RunState.WAITING),
        make(RequestRaised, request=request),
    ]
    stage.feed(*events)


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, LEFT)


def press_key(button: QPushButton) -> None:
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)


def press_shortcut(button: QPushButton) -> None:
    QTest.keyClick(button, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)


def press_as_screen_reader(button: QPushButton) -> None:
    interface = QAccessible.queryAccessibleInterface(button)
    assert interface is not None
    actions = interface.actionInterface()
    assert actions is not None
    actions.doAction(actions.pressAction())


WAYS: dict[str, Callable[[QPushButton], None]] = {
    "a click": click,
    "the space bar": press_key,
    "a shortcut": press_shortcut,
    "a screen reader": press_as_screen_reader,
}


def test_half_a_second_passes_before_a_yes_counts() -> None:
    assert RequestBody.ARM_MS == 500


@pytest.mark.parametrize("place", ["dialog", "card"])
@pytest.mark.parametrize("way", WAYS)
def test_a_yes_in_the_first_moment_is_meant_for_something_else(
    make_stage: MakeStage, monkeypatch: pytest.MonkeyPatch, way: str, place: str
) -> None:
    stage = make_stage()
    monkeypatch.setattr(RequestBody, "ARM_MS", FOREVER_MS)
    ask(stage, approval("ask-cart"))
    WAYS[way](stage.button(f"{place}ApproveButton"))
    assert stage.commands == []
    QTest.mouseClick(stage.button(f"{place}RejectButton"), LEFT)
    QTest.mouseClick(stage.button(f"{place}WordButton"), LEFT)
    assert stage.commands == [AnswerRequest("ask-cart", Reject())]


def test_after_that_moment_a_yes_counts(make_stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = make_stage()
    monkeypatch.setattr(RequestBody, "ARM_MS", 1)
    ask(stage, approval("ask-cart"))
    body = stage.window.findChildren(RequestDialog)[0].body
    stage.qtbot.waitUntil(lambda: body.is_armed)
    QTest.mouseClick(stage.button("dialogApproveButton"), LEFT)
    assert stage.commands == [AnswerRequest("ask-cart", Approve())]


def test_that_it_was_done_counts_no_sooner(make_stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = make_stage()
    monkeypatch.setattr(RequestBody, "ARM_MS", FOREVER_MS)
    request = hand_off()
    ask(stage, request)
    QTest.mouseClick(stage.button("dialogDoneButton"), LEFT)
    assert AnswerRequest(request.id, HumanDone()) not in stage.commands


def test_the_moment_is_not_begun_anew_by_hiding_it(make_stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = make_stage()
    monkeypatch.setattr(RequestBody, "ARM_MS", 1)
    ask(stage, approval("ask-cart"))
    body = stage.window.findChildren(RequestDialog)[0].body
    stage.qtbot.waitUntil(lambda: body.is_armed)
    monkeypatch.setattr(RequestBody, "ARM_MS", FOREVER_MS)
    body.hide()
    body.show()
    assert body.is_armed


def shown_texts(root: QWidget) -> list[tuple[QWidget, str]]:
    labels = [(label, label.text()) for label in root.findChildren(QLabel)]
    return [*labels, *((button, button.text()) for button in root.findChildren(QAbstractButton))]


def hostile_approval(text: str) -> ApprovalRequest:
    return ApprovalRequest(
        id="r", action="click_element", label=f"Press “{text}”", reason=text, effect=text, rule=text, site=text,
        may_allow_kind=True, allow_words=f"Allow {text} for this task",
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_page_says_is_plain_text_wherever_it_is_shown(stage: Stage, text: str) -> None:
    ask(stage, hostile_approval(text))
    make = event_maker()
    observed = make(Observed, step=1, observation=1, url=f"http://page.test/{text}", title=text)
    stage.feed(observed, make(Said, role="agent", text=text), make(Notice, text=text))
    for widget, shown in shown_texts(stage.window):
        if isinstance(widget, QLabel):
            is_plain = widget.textFormat() is Qt.TextFormat.PlainText
            assert is_plain, (widget.objectName(), shown)
        assert not set(shown) & set("\x1b\x07\u202e\u202c\u2028\u2029"), (widget.objectName(), shown)
        assert not any(0xE0000 <= ord(sign) < 0xE1000 for sign in shown), widget.objectName()
        tip = widget.toolTip()
        assert "<b>" not in tip, (widget.objectName(), tip)
        assert "<img" not in tip, (widget.objectName(), tip)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_on_a_page_hides_the_buttons_or_makes_another(stage: Stage, text: str) -> None:
    ask(stage, hostile_approval(text))
    dialog = stage.window.findChildren(RequestDialog)[0]
    screen = dialog.screen().availableGeometry()
    approve = [one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == "Approve"]
    assert [one.objectName() for one in approve] == ["dialogApproveButton"]
    for name in ("dialogApproveButton", "dialogRejectButton", "dialogStopButton"):
        button = stage.button(name)
        place = button.mapTo(dialog, button.rect().center())
        assert dialog.rect().contains(place)
        assert dialog.height() <= screen.height()
    title = stage.of(QLabel, "dialogTitle").text().replace("\u200b", "")
    assert "\n" not in title
    assert title.startswith("Press “")


def test_choices_of_a_page_are_no_buttons_of_the_window(stage: Stage) -> None:
    ask(stage, QuestionRequest(id="q", text="Which?", choices=("&Approve", "Stop the run", "<b>Yes</b>")))
    choices = [stage.button(f"cardChoice{place}") for place in range(3)]
    assert [one.text().replace("&&", "&") for one in choices] == ["&Approve", "Stop the run", "<b>Yes</b>"]
    assert all(one.shortcut().isEmpty() for one in choices)
    assert not stage.has("cardApproveButton")
