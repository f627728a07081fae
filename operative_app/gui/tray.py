"""What the window tells the icon in the system's tray, and what a person chooses there."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from operative_app.core.run import RunState
from operative_app.core.screen import shorten
from operative_app.gui.tray_icon import PAUSE, RESUME, SHOW, STOP, TAKE_OVER, Shown, TrayIcon
from operative_app.gui.tray_link import TrayLink
from operative_app.presentation.controls import Controls
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import STATE_WORDS, plain

_GOAL: Final = 80
"""How much of the goal is told, in characters."""
_SAID: Final = 600
"""How much of a message is told, in characters."""
_START_MS: Final = 1_000
"""How long after `start_soon` the process is started: the window comes first."""
DOTS: Final = {
    RunState.PLANNING: "accent",
    RunState.WORKING: "accent",
    RunState.WAITING: "warning",
    RunState.PAUSED: "warning",
    RunState.TAKEN_OVER: "warning",
    RunState.STOPPING: "error",
    RunState.DONE: "ok",
    RunState.NOT_VERIFIED: "warning",
    RunState.FAILED: "error",
}
"""The colour of each state that has a dot, by its name in `Tokens`."""


class Tray(QObject):
    """GUI thread. Does nothing where the desktop has no tray; then the window's own buttons are all there is.

    With a line to the guard the icon lives in a process of its own, so that its stop works while this thread, or this
    whole process, does not. Else it lives here.

    Signals:
        stop_requested(): Stop was chosen. The icon's own process has told the guard of it by then.
        pause_requested(), resume_requested(), take_over_requested()
        show_requested(): Bring the window to the front.
        process_started(int): The icon has a process of its own, with this number.
        lost(): The icon's process ended by itself, or could not be started; once.
    """

    stop_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    take_over_requested = Signal()
    show_requested = Signal()
    process_started = Signal(int)
    lost = Signal()
    _chosen = Signal(str)
    _ended = Signal()

    def __init__(self, parent: QWidget, *, stop_line: int | None = None, is_available: bool | None = None) -> None:
        """Make the door; the icon comes later.

        Args:
            stop_line: An open file that leads to the guard (`KillSwitch.stop_line`); None where there is none.
            is_available: Whether there is a tray; None asks the system.
        """
        super().__init__(parent)
        self._stop_line = stop_line
        self._is_available = QSystemTrayIcon.isSystemTrayAvailable() if is_available is None else is_available
        self._link: TrayLink | None = None
        self._shown = Shown()
        self._chosen.connect(self._on_chosen)
        self._ended.connect(self._on_ended)
        self.icon: TrayIcon | None = None
        if self._is_available and stop_line is None:
            self.icon = TrayIcon(parent)
            self.icon.chosen.connect(self._on_chosen)
        self._starter = QTimer(self)
        self._starter.setSingleShot(True)
        self._starter.setInterval(_START_MS)
        self._starter.timeout.connect(self.start)

    def start_soon(self) -> None:
        """The window can be used: start the icon's process, where it has one, after a moment."""
        self._starter.start()

    def start(self) -> None:
        """Start the icon's process now, where it has one. Does nothing the second time, and once closed."""
        self._starter.stop()
        if not self._is_available or self._stop_line is None:
            return
        self._is_available = False
        try:
            self._link = TrayLink(self._stop_line, self._tell_chosen, self._tell_ended)
        except OSError:
            self.lost.emit()
            return
        self.process_started.emit(self._link.pid)
        self._tell_shown()

    def show_state(self, state: ViewState, now: Controls) -> None:
        """Show how the run stands and which commands there are."""
        shown = shown_of(state, now)
        if shown.can_stop:
            self.start()  # what can be stopped can be stopped from there
        if shown != self._shown:
            self._shown = shown
            self._tell_shown()
        if self.icon is not None:
            self.icon.show_state(shown)

    def notify(self, title: str, text: str) -> None:
        """Say something beside the tray, without a sound of ours."""
        words = shorten(plain(text), _SAID)
        if self.icon is not None:
            self.icon.notify(title, words)
        if self._link is not None:
            self._link.tell({"say": [title, words]})

    def close(self) -> None:
        """Take the icon away and end its process, within a second. Idempotent."""
        self._starter.stop()
        self._is_available = False
        if self.icon is not None:
            self.icon.close()
        if self._link is not None:
            self._link.close()
            self._link = None

    def _tell_shown(self) -> None:
        if self._link is not None:
            self._link.tell({"show": asdict(self._shown)})

    def _tell_chosen(self, word: str) -> None:
        """On the link's thread."""
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._chosen.emit(word)

    def _tell_ended(self) -> None:
        """On the link's thread."""
        with contextlib.suppress(RuntimeError):
            self._ended.emit()

    @Slot(str)
    def _on_chosen(self, word: str) -> None:
        requests = {
            STOP: self.stop_requested,
            PAUSE: self.pause_requested,
            RESUME: self.resume_requested,
            TAKE_OVER: self.take_over_requested,
            SHOW: self.show_requested,
        }
        if word in requests:
            requests[word].emit()

    @Slot()
    def _on_ended(self) -> None:
        if self._link is not None:
            self.close()
            self.lost.emit()


def shown_of(state: ViewState, now: Controls) -> Shown:
    """What the icon shows of a run."""
    return Shown(
        dot=DOTS.get(state.state, ""),
        tip=tray_words(state),
        can_stop=now.can_stop,
        can_pause=now.can_pause,
        can_take_over=now.can_take_over,
        is_held=now.is_resume or now.is_hand_back,
        is_hand_back=now.is_hand_back,
    )


def tray_words(state: ViewState) -> str:
    """How the run stands, for the pointer over the icon."""
    goal = plain(state.request.goal) if state.request is not None and state.is_active else ""
    return " · ".join(part for part in ("Operative", STATE_WORDS[state.state], shorten(goal, _GOAL)) if part)
