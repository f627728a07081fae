"""A thread for calls into the system that may never return.

Why a thread of its own: connections to a display may only be used where they were made, and one that hangs must not
hang who asked. It wakes by its queue and stops by an empty job; one that did not answer in time is left alone (it is
a daemon and ends by itself as soon as its call returns), and the owner starts anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

CLOSE_S = 2.0


class TooSlow(Exception):
    """A call did not return within its limit. The thread is not to be used again."""


class BoundedThread:
    """Runs calls one after the other on one thread, each with a limit.

    Args:
        name: Name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, work: Callable[[], T], limit_s: float) -> T:
        """Run `work` on the thread and return what it returns. Any thread; waits `limit_s` at most.

        Raises:
            TooSlow: It did not return in time.
            Exception: Whatever `work` raises.
        """
        future: Future[T] = Future()
        self._jobs.put((work, future))
        if not wait([future], limit_s).done:
            future.cancel()
            self.leave()
            raise TooSlow
        return future.result()

    def leave(self) -> None:
        """Have the thread end after what it does now, without waiting for it."""
        self._jobs.put(None)

    def close(self) -> None:
        """End the thread and wait for it, for a bounded time. Idempotent."""
        self.leave()
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        while job := self._jobs.get():
            work, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it is raised where the call was made
                future.set_exception(error)
