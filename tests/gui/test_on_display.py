"""The window on a real (virtual) display, pressed and dragged as a person does."""

from __future__ import annotations

import shutil
import subprocess
import threading

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QTreeView, QWidget

from operative_app.core.events import PlanChanged, RunStarted, StateChanged
from operative_app.core.plan import MoveTask, Plan, Task
from operative_app.core.requests import Approve, Reject
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.control import AnswerRequest, EditPlan, Start
from operative_app.gui.dialogs.request import RequestDialog
from operative_app.gui.models.plan_tree import PlanTree
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker


class Person:
    """Moves the real pointer and types real keys, from a thread of its own so that the window goes on."""

    def __init__(self, stage: Stage, display: str) -> None:
        program = shutil.which("xdotool")
        assert program is not None, "xdotool is not installed; packaging/test installs it"
        self._stage, self._program, self._display = stage, program, display

    def does(self, *words: object) -> None:
        command = [self._program, *(str(word) for word in words)]
        environment = {"DISPLAY": self._display, "PATH": "/usr/bin:/bin"}
        done = threading.Event()

        def run() -> None:
            subprocess.run(command, env=environment, check=True, timeout=30)
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        self._stage.qtbot.waitUntil(done.is_set, timeout=60_000)
        thread.join()

    def presses(self, widget: QWidget) -> None:
        place = widget.mapToGlobal(widget.rect().center())
        self.does("mousemove", "--sync", place.x(), place.y(), "click", "1")

    def waits_for_focus(self, widget: QWidget) -> None:
        self._stage.qtbot.waitUntil(widget.isActiveWindow, timeout=60_000)


def test_a_goal_is_typed_and_run_with_real_keys(virtual_display: str, stage: Stage) -> None:
    person = Person(stage, virtual_display)
    person.waits_for_focus(stage.window)
    person.presses(stage.of(QPlainTextEdit, "goalEdit"))
    person.does("type", "--delay", "5", "buy a mac")
    stage.qtbot.waitUntil(lambda: stage.of(QPlainTextEdit, "goalEdit").toPlainText() == "buy a mac")
    person.does("key", "Return")
    stage.qtbot.waitUntil(lambda: bool(stage.commands))
    (command,) = stage.commands
    assert isinstance(command, Start)
    assert command.request.goal == "buy a mac"


def test_an_approval_dialog_stands_over_the_window_and_is_pressed(virtual_display: str, stage: Stage) -> None:
    person = Person(stage, virtual_display)
    stage.until_approval()
    (dialog,) = stage.window.findChildren(RequestDialog)
    person.waits_for_focus(dialog)
    assert stage.window.frameGeometry().contains(dialog.geometry().center())
    screen = QApplication.primaryScreen().geometry()
    assert screen.contains(QRect(dialog.mapToGlobal(QPoint(0, 0)), dialog.size()))
    person.presses(stage.of(QPushButton, "dialogApproveButton"))
    stage.qtbot.waitUntil(lambda: stage.commands == [AnswerRequest("ask-cart", Approve())])


def test_keys_alone_reject_with_a_word(virtual_display: str, stage: Stage) -> None:
    person = Person(stage, virtual_display)
    stage.until_approval()
    (dialog,) = stage.window.findChildren(RequestDialog)
    person.waits_for_focus(dialog)
    person.does("key", "Return")
    stage.qtbot.waitUntil(lambda: stage.of(QLineEdit, "dialogWordEdit").hasFocus())
    person.does("type", "--delay", "5", "not now")
    stage.qtbot.waitUntil(lambda: stage.of(QLineEdit, "dialogWordEdit").text() == "not now")
    person.does("key", "Return")
    stage.qtbot.waitUntil(lambda: stage.commands == [AnswerRequest("ask-cart", Reject(word="not now"))])


def test_a_task_is_dragged_to_another_place(virtual_display: str, stage: Stage) -> None:
    person = Person(stage, virtual_display)
    make = event_maker()
    plan = Plan(goal="Buy", tasks=tuple(Task(id=name, goal=f"Task {name}") for name in "abcd"))
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy"), planner="p"),
        make(PlanChanged, plan=plan),
        make(StateChanged, state=RunState.PAUSED),
    )
    person.waits_for_focus(stage.window)
    tree = stage.of(QTreeView, "planTree")
    model = tree.model()
    assert isinstance(model, PlanTree)

    def place(task_id: str, down_px: int) -> tuple[int, int]:
        rect = tree.visualRect(model.index_of(task_id))
        spot = tree.viewport().mapToGlobal(QPoint(rect.left() + 80, rect.top() + down_px))
        return spot.x(), spot.y()

    x, y = place("a", 14)
    to_x, to_y = place("c", 27)  # the lower edge of c: between c and d
    person.does(
        "mousemove", "--sync", x, y, "mousedown", "1", "sleep", "0.2", "mousemove", "--sync", x + 4, y + 16,
        "sleep", "0.2", "mousemove", "--sync", to_x, to_y - 3, "sleep", "0.2", "mousemove", "--sync", to_x, to_y,
        "sleep", "0.3", "mouseup", "1",
    )  # fmt: skip
    stage.qtbot.waitUntil(lambda: bool(stage.commands), timeout=60_000)
    assert stage.commands == [EditPlan(MoveTask(task_id="a", index=2))]
