"""The way from the agent thread to the window: one queued signal, drained at most every 50 ms."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from operative_app.core.events import Event
from operative_app.core.screen import Picture

REPAINT_MS: Final = 50
BATCH_EVENTS: Final = 100
"""How many events one drain hands over at most, so that a storm does not hold the window's thread."""


class EventBridge(QObject):
    """An `EventSink` whose events come out on the GUI thread, in order, none lost; and the newest live frame.

    It wakes the GUI thread by one queued signal; a drain waits until 50 ms since the last one have passed.
    It stops by `close`, which is idempotent and may be called from any thread.

    Signals:
        events_arrived(list[Event]): The next events, oldest first.
        frame_arrived(Picture): The newest live frame; older ones were dropped.
    """

    events_arrived = Signal(object)
    frame_arrived = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._frame: Picture | None = None
        self._is_woken = False
        self._is_closed = False
        self._last_drain_s = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._drain)
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)

    def emit(self, event: Event) -> None:  # type: ignore[override] # EventSink's name; QObject's old-style emit is unused
        """Take an event, on any thread; returns at once and never raises."""
        with self._lock:
            if self._is_closed:
                return
            self._events.append(event)
            wakes, self._is_woken = not self._is_woken, True
        if wakes:
            self._wake()

    def frame_listener(self, picture: Picture) -> None:
        """Take a live frame, on any thread; only the newest is kept."""
        with self._lock:
            if self._is_closed:
                return
            self._frame = picture
            wakes, self._is_woken = not self._is_woken, True
        if wakes:
            self._wake()

    def close(self) -> None:
        """Deliver nothing more."""
        with self._lock:
            self._is_closed = True
            self._events.clear()
            self._frame = None

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the window is gone: nobody is left to tell
            self._woken.emit()

    @Slot()
    def _on_woken(self) -> None:
        since_ms = (monotonic() - self._last_drain_s) * 1000
        if since_ms >= REPAINT_MS:
            self._drain()
        elif not self._timer.isActive():
            self._timer.start(max(1, round(REPAINT_MS - since_ms)))

    @Slot()
    def _drain(self) -> None:
        with self._lock:
            events = [self._events.popleft() for _ in range(min(BATCH_EVENTS, len(self._events)))]
            frame, self._frame = self._frame, None
            has_more = bool(self._events)
            self._is_woken = has_more
        self._last_drain_s = monotonic()
        if events:
            self.events_arrived.emit(events)
        if frame is not None:
            self.frame_arrived.emit(frame)
        if has_more:
            self._timer.start(REPAINT_MS)
