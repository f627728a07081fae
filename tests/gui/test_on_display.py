"""The window on a real (virtual) display, pressed and dragged as a person does."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QDragMoveEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QTreeView, QWidget

from operative_app.core.events import PlanChanged, RunStarted, StateChanged
from operative_app.core.plan import MoveTask, Plan, Task
from operative_app.core.requests import Approve, Reject
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.control import AnswerRequest, EditPlan, Start
from operative_app.gui.dialogs.request import RequestDialog
from operative_app.gui.models.plan_tree import PlanTree
from tests.display import program
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker

WAIT_S = 60.0
WAIT_MS = 90_000
"""For what a hand does, in which each part may take as long as `WAIT_S`."""


class Person:
    """Moves the real pointer and types real keys, from a thread of its own so that the window goes on."""

    def __init__(self, stage: Stage, display: str) -> None:
        self._stage, self._program, self._display = stage, program("xdotool"), display

    def does(self, *words: object) -> None:
        self._acts(lambda: self._xdotool(*words))

    def drags(self, view: QWidget, *places: QPoint) -> None:
        """Press the button at the first place and let go of it at the last one; each move waits for the view.

        A window that is busy takes several moves for one: it would see no drag, or none as far as the last place.
        """
        seen = Seen(view)
        first, second, *others = places

        def drag() -> None:
            self._xdotool("mousemove", "--sync", first.x(), first.y(), "mousedown", "1")
            seen.wait(QEvent.Type.MouseButtonPress, first)
            self._xdotool("mousemove", second.x(), second.y())
            seen.wait(QEvent.Type.MouseMove, second)
            for place in others:
                self._xdotool("mousemove", place.x(), place.y())
                seen.wait(QEvent.Type.DragMove, place)
            self._xdotool("mouseup", "1")

        self._acts(drag)

    def presses(self, widget: QWidget) -> None:
        place = widget.mapToGlobal(widget.rect().center())
        self.does("mousemove", "--sync", place.x(), place.y(), "click", "1")

    def waits_for_focus(self, widget: QWidget) -> None:
        self._stage.qtbot.waitUntil(widget.isActiveWindow)

    def _acts(self, act: Callable[[], None]) -> None:
        with ThreadPoolExecutor(max_workers=1) as hand:
            acting = hand.submit(act)
            self._stage.qtbot.waitUntil(acting.done, timeout=WAIT_MS)
            acting.result()

    def _xdotool(self, *words: object) -> None:
        command = [self._program, *(str(word) for word in words)]
        subprocess.run(command, env={"DISPLAY": self._display, "PATH": "/usr/bin:/bin"}, check=True, timeout=WAIT_S)


class Seen(QObject):
    """What a view saw of the pointer, and where on the screen. Made on the GUI thread, waited for on another."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._events: set[tuple[QEvent.Type, tuple[int, int]]] = set()
        self._changed = threading.Condition()
        view.installEventFilter(self)

    def wait(self, kind: QEvent.Type, place: QPoint) -> None:
        with self._changed:
            wanted = (kind, (place.x(), place.y()))
            assert self._changed.wait_for(lambda: wanted in self._events, WAIT_S), f"no {wanted} in {self._events}"

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent | QDragMoveEvent):
            place = self._view.mapToGlobal(event.position().toPoint())
            with self._changed:
                self._events.add((event.type(), (place.x(), place.y())))
                self._changed.notify_all()
        return False


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

    def place(task_id: str, down_px: int) -> QPoint:
        rect = tree.visualRect(model.index_of(task_id))
        return tree.viewport().mapToGlobal(QPoint(rect.left() + 80, rect.top() + down_px))

    begin, end = place("a", 14), place("c", 27)  # the lower edge of c: between c and d
    person.drags(tree.viewport(), begin, begin + QPoint(4, 16), end - QPoint(0, 3), end)
    stage.qtbot.waitUntil(lambda: bool(stage.commands))
    assert stage.commands == [EditPlan(MoveTask(task_id="a", index=2))]
