"""Gets the window out of the way while the desktop is acted on, and back when the person is wanted.

A person who just uses the mouse is not disturbed by the window: they get the strip on top (`panels.control_strip`).
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget

from operative_app.core.events import Event, RunStarted, StateChanged
from operative_app.core.run import RunState
from operative_app.core.screen import SurfaceKind
from operative_app.core.taking import TakeOverKind

_ASIDE = frozenset({RunState.PLANNING, RunState.WORKING})


class StepAside(QObject):
    """Minimizes a window as a run on the desktop begins to work; shows it again for a question, a pause and the end.

    A person who brings the window back meanwhile keeps it until the next time something is asked. GUI thread only.

    A window manager may put the window away only after it was to come back already: it is brought back again then. Nor
    is the front asked for before the window is on the screen: that would bring back one that was put away meanwhile.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._is_desktop = False
        self._is_aside = False
        self._wants_front = False
        self._was_put_away = False

    @property
    def is_desktop(self) -> bool:
        """Whether the run under way, or the last one, acts on the desktop."""
        return self._is_desktop

    @property
    def is_aside(self) -> bool:
        """Whether the window is out of the way now."""
        return self._is_aside

    def take(self, events: Sequence[Event]) -> None:
        """Follow the events of the live run."""
        wanted = self._is_aside
        state: RunState | None = None
        for event in events:
            if isinstance(event, RunStarted):
                self._is_desktop = event.request.surface is SurfaceKind.DESKTOP
            elif isinstance(event, StateChanged) and self._is_desktop:
                state, wanted = event.state, event.state in _ASIDE or (wanted and _is_at_it(event))
        if wanted is self._is_aside:
            return
        self._is_aside = wanted
        if wanted:
            self._put_away()
            return
        self._wants_front = state is not RunState.TAKEN_OVER  # then the person wants the program, not this window
        self._come_back()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hear from the window system that the window was put away, and that it is on the screen again."""
        if event.type() is QEvent.Type.WindowStateChange and event.spontaneous() and isinstance(watched, QWindow):
            self._was_put_away |= watched.windowState() is Qt.WindowState.WindowMinimized
        elif event.type() is not QEvent.Type.Expose:
            return False
        QTimer.singleShot(0, self, self._come_back)  # once the window has noted it
        return False

    def _put_away(self) -> None:
        self._wants_front = self._was_put_away = False
        if (handle := self._window.windowHandle()) is not None:
            handle.installEventFilter(self)
        self._window.setWindowState(self._window.windowState() | Qt.WindowState.WindowMinimized)

    def _come_back(self) -> None:
        if self._is_aside:
            return
        if self._window.isMinimized():
            self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)
        if not self._window.isVisible() or not (handle := self._window.windowHandle()).isExposed():
            return
        if self._wants_front:
            self._wants_front = False
            self._window.raise_()
            self._window.activateWindow()
        if self._was_put_away:
            handle.removeEventFilter(self)


def _is_at_it(event: StateChanged) -> bool:
    """Whether the person has control and is busy on the desktop, where the window would cover what they do."""
    return event.take_over in {TakeOverKind.YIELDED, TakeOverKind.TEACHING}
