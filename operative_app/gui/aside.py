"""Gets the window out of the way while the desktop is acted on, and back when the person is wanted.

A person who just uses the mouse is not disturbed by the window: they get the strip on top (`panels.control_strip`).
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from operative_app.core.events import Event, RunStarted, StateChanged
from operative_app.core.run import RunState
from operative_app.core.screen import SurfaceKind
from operative_app.core.taking import TakeOverKind

_ASIDE = frozenset({RunState.PLANNING, RunState.WORKING})


class StepAside:
    """Minimizes a window as a run on the desktop begins to work; shows it again for a question, a pause and the end.

    A person who brings the window back meanwhile keeps it until the next time something is asked. GUI thread only.
    """

    def __init__(self, window: QWidget) -> None:
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
        now = self._window.windowState()
        if wanted:
            self._window.setWindowState(now | Qt.WindowState.WindowMinimized)
            return
        self._window.setWindowState(now & ~Qt.WindowState.WindowMinimized)
        if state is not RunState.TAKEN_OVER:  # then the person wants the program, not this window
            self._window.raise_()
            self._window.activateWindow()


def _is_at_it(event: StateChanged) -> bool:
    """Whether the person has control and is busy on the desktop, where the window would cover what they do."""
    return event.take_over in {TakeOverKind.YIELDED, TakeOverKind.TEACHING}
