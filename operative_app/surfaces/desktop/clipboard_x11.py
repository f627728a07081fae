"""The clipboard on X11.

X11 keeps no content: whoever copied gives it to each who pastes. So what Operative writes is served by a thread for as
long as the clipboard object lives, and is handed to the desktop's clipboard manager (if there is one) at the end.
"""

from __future__ import annotations

import contextlib
import queue
import select
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from operative_app.core.errors import SurfaceClosed, SurfaceError
from operative_app.surfaces.desktop.x11_selection_reader import SelectionReader
from operative_app.surfaces.desktop.x11_selection_server import Content, Format, SelectionServer

if TYPE_CHECKING:
    from Xlib.display import Display

T = TypeVar("T")

_LIMIT_S = 12.0
_LOOK_S = 0.5
_END_S = 6.0
_UTF8_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain")
_TEXT_TARGETS = (*_UTF8_TARGETS, "STRING", "TEXT")


class X11Clipboard:
    """`ports.Clipboard` for X11. Any thread; calls are carried out one after the other, each within seconds.

    Why a thread: other programs may paste at any moment, also while nothing else happens here. It starts with the first
    call, wakes by the connection and by a socket, and ends in `close`.

    Args:
        display_name: Such as ":0"; "" takes DISPLAY.
    """

    def __init__(self, display_name: str = "") -> None:
        self._name = display_name
        self._lock = threading.Lock()
        self._thread: _ClipboardThread | None = None
        self._is_closed = False

    @property
    def times_taken(self) -> int:
        """How often other programs have fetched what was written here (asking for its formats does not count)."""
        thread = self._thread
        return thread.times_taken if thread is not None else 0

    def read_text(self) -> str:
        return self._call(lambda thread: _text(thread.read(_TEXT_TARGETS)))

    def write_text(self, text: str) -> None:
        content: Content = {name: Format("UTF8_STRING", 8, text.encode()) for name in (*_UTF8_TARGETS, "TEXT")}
        with contextlib.suppress(UnicodeEncodeError):
            content["STRING"] = Format("STRING", 8, text.encode("latin-1"))
        self._call(lambda thread: thread.write(content))

    def save(self) -> Content:
        """All formats, also pictures. What its owner does not give within seconds is left out."""
        return self._call(lambda thread: thread.read(None))

    def restore(self, saved: object) -> None:
        """Put back what `save` returned; when that was nothing, the clipboard is emptied."""
        if not isinstance(saved, dict):
            raise TypeError(saved)
        self._call(lambda thread: thread.write(saved))

    def wait_until_taken(self, since: int, timeout_s: float) -> bool:
        """Wait until a program has fetched the content again; `since` is `times_taken` from before the paste."""
        thread = self._thread
        return thread is not None and thread.wait_until_taken(since, timeout_s)

    def close(self) -> None:
        """Hand the content over where possible, and end the thread. Idempotent; takes seconds at most."""
        with self._lock:
            self._is_closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.end()

    def _call(self, work: Callable[[_ClipboardThread], T]) -> T:
        with self._lock:
            if self._is_closed:
                raise SurfaceClosed("The clipboard was closed with the desktop.")
            thread = self._thread = self._thread or _ClipboardThread(self._name)
        return thread.call(work)


class _ClipboardThread:
    """The thread, its connection, and what it serves. `read` and `write` run on it, the rest on callers' threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._bell, self._ringer = socket.socketpair()
        self._taken = threading.Condition()
        self._failure: SurfaceError | None = None
        self.times_taken = 0
        self._thread = threading.Thread(target=self._run, name="clipboard", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive() and self._failure is None

    def call(self, work: Callable[[_ClipboardThread], T]) -> T:
        """Have something done on the thread, and wait for it; bounded."""
        result: Future[T] = Future()

        def carry_out() -> None:
            try:
                result.set_result(work(self))
            except SurfaceError as error:
                result.set_exception(error)

        if not self.is_alive():
            raise self._reason()
        self._post(carry_out)
        end_s = time.monotonic() + _LIMIT_S
        while time.monotonic() < end_s:
            try:
                return result.result(_LOOK_S)
            except TimeoutError:
                if not self.is_alive():
                    break
        raise self._reason()

    def end(self) -> None:
        self._post(None)
        self._thread.join(_END_S)

    def wait_until_taken(self, since: int, timeout_s: float) -> bool:
        with self._taken:
            return self._taken.wait_for(lambda: self.times_taken > since, timeout_s)

    def read(self, targets: tuple[str, ...] | None) -> Content:
        """What the clipboard holds: the first of these formats, or all."""
        if self._server.is_owner():
            return self._server.content
        return self._reader.read_all() if targets is None else self._reader.read_first(targets)

    def write(self, content: Content) -> None:
        self._server.offer(content)

    def _reason(self) -> SurfaceError:
        return self._failure or SurfaceError("The clipboard does not answer; the display may hang.")

    def _post(self, work: Callable[[], None] | None) -> None:
        self._work.put(work)
        with contextlib.suppress(OSError):  # the thread has ended
            self._ringer.send(b"!")

    def _count(self) -> None:
        with self._taken:
            self.times_taken += 1
            self._taken.notify_all()

    def _run(self) -> None:
        from Xlib.error import ConnectionClosedError, DisplayError, XError

        try:
            display = _connect(self._name)
            try:
                self._server = SelectionServer(display, self._count)
                self._reader = SelectionReader(display, self._server)
                self._serve(display)
            finally:
                with contextlib.suppress(ConnectionClosedError, OSError):
                    display.close()
        except (ConnectionClosedError, DisplayError, XError, OSError) as error:
            self._failure = SurfaceClosed(f"The clipboard cannot be reached: {error or 'the display is gone'}.")
        finally:
            self._failure = self._failure or SurfaceClosed("The clipboard was closed with the desktop.")
            self._bell.close()
            self._ringer.close()

    def _serve(self, display: Display) -> None:
        while True:
            self._server.pump()
            if self._bell in select.select([display, self._bell], [], [])[0]:
                self._bell.recv(1)
                work = self._work.get()
                if work is None:
                    self._server.hand_over()
                    return
                work()


def _connect(name: str) -> Display:
    from Xlib.display import Display

    display = Display(name or None)
    display.set_error_handler(_ignore)
    return display


def _ignore(*_arguments: object) -> None:
    """A program that asked for the content may be gone when it is given: there is nothing to be told."""


def _text(content: Content) -> str:
    for name in _TEXT_TARGETS:
        if name in content:
            form = content[name]
            return form.raw.decode("latin-1" if form.kind == "STRING" else "utf-8", errors="replace")
    return ""
