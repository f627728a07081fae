"""Qt's loop as the composition root uses it: run it, end it, call something later, hear signals to the process."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_loop(application: QApplication) -> None:
    """Handle events until `end_loop`; GUI thread."""
    application.exec()


def end_loop() -> None:
    """End the loop; GUI thread. Idempotent. A window that asks before it closes must have been closed first."""
    QApplication.quit()


def call_later(delay_ms: int, act: Callable[[], object]) -> None:
    """Call on the GUI thread after a delay; GUI thread."""
    QTimer.singleShot(delay_ms, act)


@contextmanager
def on_stop_signals(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` on the GUI thread when the process is told to end.

    Qt's loop does not return to Python by itself, so that a signal handler alone would never run: the byte that Python
    writes for each signal wakes the loop through a socket. The handler may run in the middle of a paint, so it
    only asks the loop to call `act` next.
    """
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: reader.recv(64))
    names = [name for name in STOP_SIGNALS if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), lambda *_: call_later(0, act)) for name in names}
    wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
