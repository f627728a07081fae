"""Starts the guard's process, tells it what to end on a press, and calls back for each press."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from operative_app.guard.chords import parse_chord
from operative_app.guard.latch import Latch
from operative_app.guard.listener import READY, UNAVAILABLE
from operative_app.guard.stopping import ALIVE, ANSWERED, BYE, ENDED, FORGET, GUARD, PING, PRESS, PRESSED, StopWay
from operative_app.guard.targets import TargetKind, set_going

LISTENER = "operative_app.guard.listener"
"""The program of the guard's process."""
_READY_TIMEOUT_S = 15.0
_END_TIMEOUT_S = 2.0
_PING_S = 1.0
_MAX_SILENT_PINGS = 4
NOT_HEARD = "The hotkey is not heard: "
NO_LONGER_HEARD = "The hotkey is no longer heard: its process has ended."


@dataclass(frozen=True, slots=True)
class Press:
    """A stop that was asked for.

    Attributes:
        way: How.
        answer: To be called, on any thread, once what runs has been cancelled.
    """

    way: StopWay
    answer: Callable[[], None]


class KillSwitch:
    """A global hotkey that works whichever program has the focus.

    Why a process and threads: keys are heard in a process of its own, so that a busy or hung application delays
    nothing there. One daemon thread reads its lines and calls back; it wakes by a line and ends when the process ends.
    Another asks each second whether it lives, and ends a process that hangs or was stopped, since its hotkey would be a
    false promise; it wakes by the second and ends with the first.

    Args:
        chord: Such as "ctrl+alt+escape".
        on_press: Called on the reader thread for each press; must be quick and must not raise. What injects mouse and
            keys has been ended by then. The browser is ended too, unless the press is answered within 150 ms.
        on_ended: Called on the reader thread when the browser was ended since nobody answered.
        on_lost: Called on the reader thread when the process, once it worked, ended without `stop`; with a sentence.

    Attributes:
        reason: Why it does not work, a sentence for the person; "" while it works or was not started.

    Raises (construction): SettingsError: the chord is no chord.
    """

    def __init__(
        self,
        chord: str,
        on_press: Callable[[Press], None],
        on_ended: Callable[[], None] = lambda: None,
        on_lost: Callable[[str], None] = lambda reason: None,
    ) -> None:
        parse_chord(chord)
        self._chord = chord
        self._on_press = on_press
        self._on_ended = on_ended
        self._on_lost = on_lost
        self._lock = threading.Lock()
        self._guarded: dict[int, TargetKind] = {}
        self._process: subprocess.Popen[str] | None = None
        self._threads: list[threading.Thread] = []
        self._answered = threading.Event()
        self._gone = threading.Event()
        self._silent_pings = 0
        self._is_ready = False
        self._latch: Latch | None = None
        self._taken = 0
        self._line: tuple[int, int] | None = None
        self._has_line = False
        self.reason = ""

    @property
    def is_pressed(self) -> bool:
        """Whether a press was not answered yet: nothing may be sent then. Any thread; costs no more than a look.

        True from the moment the guard hears the press, before its line could be read.
        """
        latch = self._latch
        return latch is not None and latch.number > self._taken

    @property
    def works(self) -> bool:
        """Whether presses are heard now."""
        process = self._process
        return self._is_ready and process is not None and process.poll() is None

    @property
    def stop_line(self) -> int | None:
        """An open file for a process of ours to inherit: the line "press" written there is a press.

        Nothing of this process is needed for that. Asked for before `start`. It outlives a guard: what was written
        while there was none is heard by the next one. None on Windows and macOS, and where no more files can be opened.
        """
        with self._lock:
            if self._line is None and sys.platform not in {"win32", "darwin"}:
                with contextlib.suppress(OSError):
                    self._line = os.pipe()
            return self._line[1] if self._line is not None else None

    @property
    def hears_line(self) -> bool:
        """Whether what is written to `stop_line` is heard now."""
        return self._has_line and self.works

    @property
    def guarded(self) -> dict[int, TargetKind]:
        """What is ended on a press, by its number. Any thread."""
        with self._lock:
            return dict(self._guarded)

    def start(self, *, timeout_s: float = _READY_TIMEOUT_S) -> bool:
        """Start listening and wait until it works or cannot; returns `works`. Never raises; does nothing when started.

        Takes a few tenths of a second: the window calls it on another thread than its own.
        """
        with self._lock:
            if self._process is not None:
                return self.works
            self._is_ready, self.reason, self._silent_pings = False, "", 0
            self._answered.clear()
            self._gone = threading.Event()
            command = [sys.executable, "-m", LISTENER, "--chord", self._chord]
            latch = _make_latch()
            if latch is not None:
                command += ["--latch", latch.place]
            files = latch.files if latch is not None else ()
            self._has_line = self._line is not None
            if self._line is not None:
                command += ["--line", str(self._line[0])]
                files = (*files, self._line[0])
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    encoding="utf-8",
                    errors="replace",
                    bufsize=1,
                    pass_fds=files,
                )
            except OSError as error:
                self.reason = f"{NOT_HEARD}its process cannot be started ({error.strerror or error})."
                return False
            finally:
                if latch is not None:
                    latch.close_files()
            self._process, self._latch, self._taken = process, latch, 0
            self._threads = [
                threading.Thread(target=self._read, args=(process, self._gone), name="kill-switch", daemon=True),
                threading.Thread(target=self._watch, args=(process, self._gone), name="kill-switch-watch", daemon=True),
            ]
            for thread in self._threads:
                thread.start()
        if not self._answered.wait(timeout_s):
            self.stop()
            self.reason = f"{NOT_HEARD}its process did not answer in time."
        elif not self._is_ready:
            reason = self.reason
            self.stop()
            self.reason = reason
        return self.works

    def guard(self, kind: TargetKind, pids: Iterable[int]) -> None:
        """End these processes on a press. Any thread; kept for a guard that is started later."""
        with self._lock:
            for pid in pids:
                self._guarded[pid] = kind
                self._tell(f"{GUARD} {kind} {pid}")

    def forget(self, pids: Iterable[int]) -> None:
        """These have ended, or are no longer to be ended on a press. Any thread."""
        with self._lock:
            for pid in pids:
                if self._guarded.pop(pid, None) is not None:
                    self._tell(f"{FORGET} {pid}")

    def press(self) -> bool:
        """Have the guard do what it does on the chord, for a Stop elsewhere. Any thread; returns at once.

        Returns:
            Whether it was asked. False: there is no guard, and nothing was done.
        """
        with self._lock:
            return self.works and self._tell(PRESS)

    def _answer(self, process: subprocess.Popen[str], number: str) -> None:
        with self._lock:
            if self._process is process:
                self._taken = max(self._taken, int(number))
                self._tell(f"{ANSWERED} {number}")

    def _tell(self, line: str) -> bool:
        process = self._process
        if process is None or process.stdin is None or not self._is_ready:
            return False
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
        except (OSError, ValueError):  # it has ended, which `works` tells
            return False
        return True

    def stop(self) -> None:
        """End the process and the threads. Idempotent; takes a few seconds at most. Not from a callback."""
        with self._lock:
            self._tell(BYE)
            process, threads = self._process, self._threads
            self._process, self._threads, self._latch = None, [], None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(_END_TIMEOUT_S)
        if process.stdout is not None and not any(thread.is_alive() for thread in threads):
            process.stdout.close()

    def close(self) -> None:
        """As `stop`, for good: the line is closed, too. Idempotent."""
        self.stop()
        with self._lock:
            line, self._line = self._line, None
        for file in line or ():
            os.close(file)

    def _read(self, process: subprocess.Popen[str], gone: threading.Event) -> None:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        for line in process.stdout:
            match line.strip().split(" ", 1):
                case [word] if word == READY:
                    with self._lock:
                        self._is_ready = True
                        for pid, kind in self._guarded.items():
                            self._tell(f"{GUARD} {kind} {pid}")
                    self._answered.set()
                case [word] if word == ALIVE:
                    self._silent_pings = 0
                case [word, rest] if word in {PRESSED, ENDED}:
                    if self._process is process:  # not stopped meanwhile
                        self._call_back(process, word, rest)
                case _ if line.startswith(UNAVAILABLE):
                    self.reason = f"{NOT_HEARD}{line.removeprefix(UNAVAILABLE).strip().rstrip('.')}."
                case _:
                    pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_TIMEOUT_S)  # its output ends a moment before it can be seen to have ended
        gone.set()
        with self._lock:
            is_lost = self._process is process and self._is_ready
            if self._process is process:
                self._latch = None  # nobody would answer a press that was never told
                self.reason = self.reason or NO_LONGER_HEARD
        self._answered.set()
        if is_lost:
            self._set_going()
            self._on_lost(self.reason)

    def _call_back(self, process: subprocess.Popen[str], word: str, rest: str) -> None:
        if word == PRESSED:
            number, way = rest.split()
            self._on_press(Press(StopWay(way), lambda: self._answer(process, number)))
        else:
            self._on_ended()

    def _set_going(self) -> None:
        """A guard that was killed may have left a browser halted."""
        for pid, kind in self.guarded.items():
            if kind is TargetKind.BROWSER:
                set_going(pid)

    def _watch(self, process: subprocess.Popen[str], gone: threading.Event) -> None:
        """Counts its own pings, not seconds: after a sleep of the machine nobody is late."""
        while not gone.wait(_PING_S):
            if not self._is_ready:
                continue
            if self._silent_pings >= _MAX_SILENT_PINGS:
                process.kill()
                return
            with self._lock:
                if self._process is not process:
                    return
                self._silent_pings += 1
                self._tell(PING)


def _make_latch() -> Latch | None:
    """None where there is none: a press is told by its line alone then."""
    try:
        return Latch.make()
    except (OSError, ValueError):
        return None
