"""One worker thread of the window: reads the record and decodes pictures, so that the window never waits for either."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from operative_app.core.errors import OperativeError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Result:
    value: Any
    error: str
    then: Callable[[Any], None]
    failed: Callable[[str], None] | None


class Background(QObject):
    """Runs calls on one worker thread, in order, and brings results back to the GUI thread.

    It starts with the first call and stops by `close`: what has not begun is dropped, the call under way is let finish
    (a file read or a picture, both short), and no result is delivered any more.
    """

    _finished = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="operative-window")
        self._is_closed = False
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)

    def call(
        self, work: Callable[[], _T], then: Callable[[_T], None], failed: Callable[[str], None] | None = None
    ) -> None:
        """Do `work` on the worker, then `then(result)` on the GUI thread, or `failed(sentence)`."""
        if not self._is_closed:
            self._executor.submit(self._work, work, then, failed)

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        """Stop the worker. Idempotent."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _work(self, work: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[str], None] | None) -> None:
        try:
            result = _Result(work(), "", then, failed)
        except OperativeError as error:
            result = _Result(None, str(error), then, failed)
        except Exception as error:  # noqa: BLE001 - the top of a thread: told in the window, never lost
            result = _Result(None, f"This could not be read: {error}", then, failed)
        if not self._is_closed:
            self._finished.emit(result)

    @Slot(object)
    def _on_finished(self, result: _Result) -> None:
        if self._is_closed:
            return
        if not result.error:
            result.then(result.value)
        elif result.failed is not None:
            result.failed(result.error)
