"""A person at the window: types a goal, answers dialogs, and acts in the real browser with the real pointer."""

from __future__ import annotations

import io
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from pytestqt.exceptions import TimeoutError
from pytestqt.qtbot import QtBot

from operative_app.app.session import Session, open_session
from operative_app.app.window import Front
from operative_app.cli.options import WindowOptions
from operative_app.core.events import Event, Observed, RequestClosed, RequestRaised, RunFinished, StepFinished
from operative_app.core.requests import QuestionRequest, Request
from operative_app.core.run import RunState
from operative_app.core.screen import Box
from operative_app.gui.bridge import EventBridge
from operative_app.gui.panels.request_body import RequestBody
from tests.display import program

RUN_MS = 90_000


class Hold:
    """An event sink that keeps the agent's thread at the end of a step. The window was told of it before."""

    def __init__(self, step: int) -> None:
        self.go_on = threading.Event()
        self._step = step

    def emit(self, event: Event) -> None:
        if isinstance(event, StepFinished) and event.step == self._step:
            self.go_on.wait(RUN_MS / 1000)


class Desk:
    """The window of a session, and what a person does at it. GUI thread only."""

    def __init__(self, front: Front, session: Session, events: list[Event], qtbot: QtBot) -> None:
        self.front = front
        self.window = front.window
        self.session = session
        self.events = events
        self._qtbot = qtbot

    @property
    def site(self) -> dict[str, Any]:
        """The practice site's state."""
        return self.session.addresses.site.snapshot()

    def type_goal(self, goal: str) -> None:
        """Type a goal into the chat, key by key, and press Enter."""
        edit = self.window.findChild(QWidget, "goalEdit")
        assert isinstance(edit, QPlainTextEdit | QTextEdit)
        edit.setFocus()
        QTest.keyClicks(edit, goal)
        assert edit.toPlainText() == goal
        QTest.keyClick(edit, Qt.Key.Key_Return)

    def wait(self, wanted: Callable[[], bool], *, timeout_ms: int = RUN_MS) -> None:
        self._qtbot.waitUntil(wanted, timeout=timeout_ms)

    def wait_end(self, number: int = 1) -> RunFinished:
        """Wait for the end of the n-th run."""
        self.wait(lambda: len(self.ends()) >= number)
        return self.ends()[number - 1]

    def ends(self) -> list[RunFinished]:
        return [event for event in self.events if isinstance(event, RunFinished)]

    def raised(self, kind: str = "") -> list[RequestRaised]:
        return [
            event
            for event in self.events
            if isinstance(event, RequestRaised) and (not kind or event.request.kind == kind)
        ]

    def dialog(self) -> QDialog:
        """Wait for the dialog over the window."""

        def open_dialogs() -> list[QDialog]:
            return [
                widget
                for widget in QApplication.topLevelWidgets()
                if isinstance(widget, QDialog) and widget.isVisible() and widget.objectName() == "requestDialog"
            ]

        self.wait(lambda: bool(open_dialogs()) or bool(self.ends()))
        assert open_dialogs(), f"the run ended without asking: {self.ends()[0].reason}"
        return open_dialogs()[0]

    def open_requests(self) -> list[Request]:
        closed = {event.request_id for event in self.events if isinstance(event, RequestClosed)}
        return [event.request for event in self.raised() if event.request.id not in closed]

    def wait_for_person(self) -> Request | None:
        """Wait until something is asked; None when the run ended instead."""
        self.wait(lambda: bool(self.open_requests()) or bool(self.ends()))
        return next(iter(self.open_requests()), None)

    def open_question(self) -> str | None:
        return next((one.text for one in self.open_requests() if isinstance(one, QuestionRequest)), None)

    def approve(self) -> None:
        """Answer the approval in its dialog."""
        self.press(self.dialog(), "dialogApproveButton")
        self._wait_closed()

    def change(self, name: str, text: str) -> None:
        """Type another text into the form of the approval's dialog."""
        dialog = self.dialog()
        self.press(dialog, "dialogEditButton")
        edit = dialog.findChild(QLineEdit, f"dialogEdit_{name}")
        assert edit is not None
        edit.selectAll()
        QTest.keyClicks(edit, text)

    def accept_plan(self) -> None:
        """Accept the plan in its pane."""
        self.press_here("planAcceptButton")
        self._wait_closed()

    def reply(self, text: str) -> None:
        """Answer the question in its card."""

        def edits() -> list[QLineEdit]:
            """Those that can be seen and whose question takes answers by now."""
            found = [edit for edit in self.window.findChildren(QLineEdit, "cardReplyEdit") if edit.isVisible()]
            asking = self.window.findChildren(RequestBody)
            return [edit for edit in found if all(one.is_armed for one in asking if one.isAncestorOf(edit))]

        self.wait(lambda: bool(edits()), timeout_ms=RUN_MS)
        edit = edits()[-1]
        QTest.keyClicks(edit, text)
        QTest.keyClick(edit, Qt.Key.Key_Return)
        self._wait_closed()

    def _wait_closed(self) -> None:
        """Wait until the engine has taken the answer to the request that was open last."""
        asked = self.raised()[-1].request.id
        self.wait(lambda: asked not in {one.id for one in self.open_requests()}, timeout_ms=RUN_MS)

    def press(self, root: QWidget, name: str) -> None:
        """Press a button with the mouse, once a request it belongs to takes answers."""
        button = root.findChild(QAbstractButton, name)
        assert button is not None, f"there is no {name}"
        asking = [one for one in root.findChildren(RequestBody) if one.isAncestorOf(button)]

        def is_ready() -> bool:
            return button.isVisible() and button.isEnabled() and all(one.is_armed for one in asking)

        self.wait(is_ready, timeout_ms=RUN_MS)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    @property
    def state(self) -> RunState:
        return self.window.view_state.state

    def wait_state(self, state: RunState) -> None:
        self.wait(lambda: self.state is state or bool(self.ends()), timeout_ms=RUN_MS)
        assert self.state is state

    def done_steps(self) -> list[StepFinished]:
        return [event for event in self.events if isinstance(event, StepFinished)]

    @contextmanager
    def held_after_step(self, number: int = 1) -> Iterator[None]:
        """Keep a run that begins in the block from going on after its n-th step until the block is left.

        What is pressed meanwhile comes before the next step, however late the window takes it.
        """
        hold = Hold(number)
        self.session.agent.add_sink(hold)
        try:
            yield
        finally:
            hold.go_on.set()
            self.session.agent.remove_sink(hold)

    def wait_steps(self, number: int) -> None:
        """Wait until so many steps have ended."""
        self.wait(lambda: len(self.done_steps()) >= number or bool(self.ends()))
        assert len(self.done_steps()) >= number, self.ends()

    def come_back(self) -> None:
        """Bring the window to the front again: the browser that was opened took the focus."""
        self.window.activateWindow()
        self.window.raise_()
        self.wait(self.window.isActiveWindow, timeout_ms=RUN_MS)

    def press_here(self, name: str) -> None:
        """Press a button of the window with the mouse."""
        self.press(self.window, name)

    def wait_said(self, words: str) -> None:
        """Wait until the chat shows these words."""
        with suppress(TimeoutError):
            self.wait(lambda: words in self.said(), timeout_ms=RUN_MS)
        assert words in self.said(), f"{words!r} is not in:\n{self.said()}"

    def said(self) -> str:
        """All that the chat shows."""
        labels = [label for label in self.window.chat.findChildren(QLabel) if label.isVisible()]
        return "\n".join(label.text() for label in labels).replace("\u200b", "")

    def last_look(self) -> Observed:
        return [event for event in self.events if isinstance(event, Observed)][-1]

    def box_of(self, words: str) -> Box:
        """Where the newest look has the first mark whose label holds the words; waits for a look that has it."""

        def boxes() -> list[Box]:
            return [mark.box for mark in self.last_look().marks if words.lower() in mark.label.lower()]

        self.wait(lambda: bool(boxes()) or bool(self.ends()))
        assert boxes(), f"no {words!r} among {[mark.label for mark in self.last_look().marks]}"
        return boxes()[0]


@contextmanager
def open_desk(qapp: QApplication, qtbot: QtBot, options: WindowOptions | None = None) -> Iterator[Desk]:
    """Start the application as a user does; everything is closed at the end."""
    bridge = EventBridge()
    session = open_session(keep_browser=True, on_frame=bridge.frame_listener)
    front = Front(session, bridge, options or WindowOptions())
    events: list[Event] = []
    bridge.events_arrived.connect(events.extend)
    with qtbot.waitActive(front.window):
        front.show()
    try:
        yield Desk(front, session, events, qtbot)
    finally:
        session.agent.control.stop()
        front.close()
        front.window.close_now()
        front.window.deleteLater()
        qapp.processEvents()


class Human:
    """Acts in the browser's own window through the X server, as a hand on mouse and keyboard does."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._xdotool = program("xdotool")

    def click(self, words: str) -> None:
        """Click the middle of what is named so on the page."""
        box = self._desk.box_of(words)
        x, y = box.center
        left, top = self._page_corner()
        self._do("mousemove", str(round(left + x)), str(round(top + y)), "click", "1")

    def type(self, text: str) -> None:
        self._do("type", "--delay", "12", text)

    def key(self, name: str) -> None:
        self._do("key", name)

    def focus_browser(self) -> dict[str, int]:
        """Bring the browser's window to the front; returns its place on the screen."""
        frames: list[dict[str, int]] = []

        def look() -> bool:
            frames[:] = filter(None, map(self._geometry, self._windows()))
            return bool(frames)

        self._desk.wait(look, timeout_ms=RUN_MS)  # it comes back from being minimized
        frame = max(frames, key=lambda one: one["WIDTH"] * one["HEIGHT"])
        self._do("windowactivate", "--sync", str(frame["WINDOW"]))
        return frame

    def _windows(self) -> list[str]:
        """The windows of the browser that can be seen, none while it comes to the front."""
        return self._run("search", "--onlyvisible", "--class", "chrom").stdout.split()

    def _page_corner(self) -> tuple[int, int]:
        """Where the page's viewport begins on the screen: the window's lower left part below the browser's bars."""
        frame = self.focus_browser()
        look = self._desk.last_look()
        data = self._desk.session.store.picture(look.screenshot)
        assert data is not None
        height = Image.open(io.BytesIO(data)).height / look.pixel_ratio
        return frame["X"], round(frame["Y"] + frame["HEIGHT"] - height)

    def _geometry(self, window: str) -> dict[str, int]:
        """Nothing when it has gone meanwhile."""
        lines = self._run("getwindowgeometry", "--shell", window).stdout.splitlines()
        return {name: int(value) for name, value in (line.split("=", 1) for line in lines)}

    def _do(self, *command: str) -> None:
        self._run(*command).check_returncode()

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self._xdotool, *command], capture_output=True, text=True, timeout=60, check=False)
