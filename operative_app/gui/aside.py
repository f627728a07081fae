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

    A window manager may put the window away only after it was to come back already: it is brought back again then.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._is_desktop = False
        self._is_aside = False

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
        self._bring_back()
        if state is not RunState.TAKEN_OVER:  # then the person wants the program, not this window
            self._window.raise_()
            self._window.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the word of the window system that the window was put away."""
        is_told = event.type() is QEvent.Type.WindowStateChange and event.spontaneous()
        if is_told and isinstance(watched, QWindow) and watched.windowState() is Qt.WindowState.WindowMinimized:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self, self._on_put_away)  # once the window has noted it
        return False

    def _put_away(self) -> None:
        if (handle := self._window.windowHandle()) is not None:
            handle.installEventFilter(self)
        self._window.setWindowState(self._window.windowState() | Qt.WindowState.WindowMinimized)

    def _bring_back(self) -> None:
        self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowMinimized)

    def _on_put_away(self) -> None:
        if not self._is_aside:
            self._bring_back()


def _is_at_it(event: StateChanged) -> bool:
    """Whether the person has control and is busy on the desktop, where the window would cover what they do."""
    return event.take_over in {TakeOverKind.YIELDED, TakeOverKind.TEACHING}
