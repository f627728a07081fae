"""How a command waits on the main thread: for things that other threads hand over, and for signals."""

from __future__ import annotations

import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")

_SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
# Windows does not wake a waiting lock for Ctrl+C, so the wait is taken in pieces there.
_LONGEST_WAIT_S: float | None = 0.5 if sys.platform == "win32" else None


class Inbox(Generic[T]):
    """A queue that any thread and any signal handler may put into; one thread gets."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[T] = queue.SimpleQueue()

    def put(self, item: T) -> None:
        self._queue.put(item)

    def get(self, deadline_s: float | None = None) -> T | None:
        """The next thing, in order; None at the deadline.

        Signal handlers run in between, but do not end the wait: what they change they tell with `put`.

        Args:
            deadline_s: A reading of the monotonic clock, None for no deadline.
        """
        while True:
            waits = [] if deadline_s is None else [deadline_s - time.monotonic()]
            waits += [] if _LONGEST_WAIT_S is None else [_LONGEST_WAIT_S]
            try:
                return self._queue.get(timeout=max(0.0, min(waits)) if waits else None)
            except queue.Empty:
                if deadline_s is not None and time.monotonic() >= deadline_s:
                    return None


@contextmanager
def on_stop_signals(handle: Callable[[], None]) -> Iterator[None]:
    """Call `handle` on the main thread for Ctrl+C, SIGTERM and SIGHUP inside the block.

    A signal that is ignored when the block begins (as `nohup` and background jobs of a shell have it) stays ignored.
    """
    before = {}
    for name in _SIGNAL_NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, lambda *_: handle())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
