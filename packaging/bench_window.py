"""Measures how long the window's thread is held up while the demonstration goal is carried out.

A timer asks to be called every few milliseconds on the window's thread; how late it is called is how long the thread
was busy with something else. The window is the real one, with the real agent and a real browser.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time

from bench_start import BenchError
from bench_statistics import Series

LIMIT_MS = 50.0
TICK_MS = 5
HOLD_UP_MS = 1.0
"""What counts as being held up at all; shorter ones are the timer's own."""


def measure(repeat: int) -> list[Series]:
    """Carry out the demonstration goal `repeat` times in the window; p95 and max are over all calls of the timer.

    Raises:
        BenchError: A run did not end as done.
    """
    late: list[float] = []
    worst: list[float] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="bench-window-") as folder:
            os.environ["OPERATIVE_HOME"] = folder
            one = _run_once()
        late += one
        worst.append(max(one))
    return [
        Series("window's thread held up (each time)", tuple(value for value in late if value >= HOLD_UP_MS), LIMIT_MS),
        Series("longest hold-up of a run", tuple(worst), LIMIT_MS),
    ]


def _run_once() -> list[float]:
    from PySide6.QtCore import Qt, QTimer

    from operative_app.app.session import open_session
    from operative_app.app.window import Front
    from operative_app.cli.options import WindowOptions
    from operative_app.gui.application import create_qapplication
    from operative_app.gui.bridge import EventBridge

    application = create_qapplication(sys.argv[:1])
    bridge = EventBridge()
    session = open_session(keep_browser=True, on_frame=bridge.frame_listener)
    front = Front(session, bridge, WindowOptions(demo=True, quit_when_done=True))
    late: list[float] = []
    last_s = time.monotonic()
    is_running = False

    def tick() -> None:
        nonlocal last_s, is_running
        now_s = time.monotonic()
        if is_running:
            late.append(max(0.0, (now_s - last_s) * 1000 - TICK_MS))
        last_s = now_s

    def begin(events: list[object]) -> None:
        nonlocal is_running, last_s
        if not is_running and events:
            is_running, last_s = True, time.monotonic()

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(TICK_MS)
    bridge.events_arrived.connect(begin)
    front.show()
    application.exec()
    timer.stop()
    front.close()
    front.window.deleteLater()
    if front.exit_code != 0 or not late:
        raise BenchError(f"The run ended with exit code {front.exit_code}.")
    return late
