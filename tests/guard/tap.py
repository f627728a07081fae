"""A witness of its own: writes down every key, button and movement an X server takes, from whatever program.

`python tap.py` writes a line for each device event, told by the server's RECORD extension: KIND DETAIL TIME_MS. The
time is the server's own when it took the event; X servers count it from the same beginning as `time.monotonic`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Tapped:
    """One event. `kind` is press, release, down, up or move; `detail` the key's or button's number."""

    kind: str
    detail: int
    time_ms: int


class Tap:
    """What the witness wrote down. Any thread."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lock = threading.Condition()
        self._events: list[Tapped] = []
        self._reader = threading.Thread(target=self._read, name="tap", daemon=True)
        self._reader.start()

    def events(self) -> list[Tapped]:
        with self._lock:
            return list(self._events)

    def forget(self) -> None:
        with self._lock:
            self._events.clear()

    def wait(self, kind: str, number: int = 1, *, timeout_s: float = 60.0) -> bool:
        """Wait until so many events of a kind were seen; whether they were."""
        with self._lock:
            return self._lock.wait_for(
                lambda: sum(one.kind == kind for one in self._events) >= number, timeout=timeout_s
            )

    def close(self) -> None:
        """After its process has ended."""
        assert self._process.stdout is not None
        self._reader.join()
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            kind, detail, time_ms = line.split()
            with self._lock:
                self._events.append(Tapped(kind, int(detail), int(time_ms)))
                self._lock.notify_all()


@contextmanager
def tapping(display: str) -> Iterator[Tap]:
    """Tap a display by a process of its own, which is ended afterwards."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__))], env={**os.environ, "DISPLAY": display}, stdout=subprocess.PIPE, text=True
    )
    tap: Tap | None = None
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready 0 0\n"
        tap = Tap(process)
        yield tap
    finally:
        process.kill()
        process.wait()
        if tap is not None:
            tap.close()


def main() -> None:
    from Xlib import X, display
    from Xlib.ext import record
    from Xlib.protocol import rq

    connection = display.Display()
    kinds = {
        X.KeyPress: "press", X.KeyRelease: "release", X.ButtonPress: "down", X.ButtonRelease: "up",
        X.MotionNotify: "move",
    }  # fmt: skip
    ranges = {
        "core_requests": (0, 0), "core_replies": (0, 0), "ext_requests": (0, 0, 0, 0), "ext_replies": (0, 0, 0, 0),
        "delivered_events": (0, 0), "device_events": (X.KeyPress, X.MotionNotify), "errors": (0, 0),
        "client_started": False, "client_died": False,
    }  # fmt: skip
    context = connection.record_create_context(0, [record.AllClients], [ranges])

    def tell(kind: str, detail: int, time_ms: int) -> None:
        sys.stdout.write(f"{kind} {detail} {time_ms}\n")
        sys.stdout.flush()

    def told(reply: Any) -> None:
        if reply.category == record.StartOfData:
            tell("ready", 0, 0)
        data = reply.data if reply.category == record.FromServer else b""
        while data:
            event, data = rq.EventField(None).parse_binary_value(data, connection.display, None, None)
            if event.type in kinds:
                tell(kinds[event.type], event.detail, event.time)

    connection.record_enable_context(context, told)


if __name__ == "__main__":
    main()
