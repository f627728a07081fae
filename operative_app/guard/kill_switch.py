"""Starts the guard's process, tells it what to end on a press, and calls back for each press."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable

from operative_app.guard.chords import parse_chord
from operative_app.guard.listener import ANSWERED, ENDED, FORGET, GUARD, PRESSED, READY, UNAVAILABLE
from operative_app.guard.targets import TargetKind

_READY_TIMEOUT_S = 15.0
_END_TIMEOUT_S = 2.0


class KillSwitch:
    """A global hotkey that works whichever program has the focus.

    Why a process and a thread: keys are heard in a process of its own, so that a busy or hung application delays
    nothing there; a daemon thread reads its lines and calls back. It wakes by a line and ends when the process ends.

    Args:
        chord: Such as "ctrl+alt+escape".
        on_press: Called on the reader thread for each press; must be quick and must not raise. What injects mouse and
            keys has been ended by then. The browser is ended too, unless `answered` is called within 150 ms.
        on_ended: Called on the reader thread when the browser was ended since nobody answered.

    Attributes:
        reason: Why it does not work, a sentence for the person; "" while it works or was not started.

    Raises (construction): SettingsError: the chord is no chord.
    """

    def __init__(self, chord: str, on_press: Callable[[], None], on_ended: Callable[[], None] = lambda: None) -> None:
        parse_chord(chord)
        self._chord = chord
        self._on_press = on_press
        self._on_ended = on_ended
        self._lock = threading.Lock()
        self._guarded: dict[int, TargetKind] = {}
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._answered = threading.Event()
        self._is_ready = False
        self.reason = ""

    @property
    def works(self) -> bool:
        """Whether presses are heard now."""
        process = self._process
        return self._is_ready and process is not None and process.poll() is None

    def start(self, *, timeout_s: float = _READY_TIMEOUT_S) -> bool:
        """Start listening and wait until it works or cannot; returns `works`. Never raises; does nothing when started.

        Takes a few tenths of a second: the window calls it on another thread than its own.
        """
        with self._lock:
            if self._process is not None:
                return self.works
            self._is_ready, self.reason = False, ""
            self._answered.clear()
            command = [sys.executable, "-m", "operative_app.guard.listener", "--chord", self._chord]
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    encoding="utf-8",
                    errors="replace",
                    bufsize=1,
                )
            except OSError as error:
                self.reason = f"The hotkey is not heard: its process cannot be started ({error.strerror or error})."
                return False
            self._process = process
            self._reader = threading.Thread(target=self._read, args=(process,), name="kill-switch", daemon=True)
            self._reader.start()
        if not self._answered.wait(timeout_s):
            self.stop()
            self.reason = "The hotkey is not heard: its process did not answer in time."
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

    def answered(self) -> None:
        """What ran is cancelled: the browser may live. Any thread."""
        with self._lock:
            self._tell(ANSWERED)

    def _tell(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None or not self._is_ready:
            return
        with contextlib.suppress(OSError, ValueError):  # it has ended, which `works` tells
            process.stdin.write(f"{line}\n")
            process.stdin.flush()

    def stop(self) -> None:
        """End the process and the thread. Idempotent; takes a few seconds at most. Not from `on_press`."""
        with self._lock:
            process, reader = self._process, self._reader
            self._process = self._reader = None
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
        if reader is not None and reader is not threading.current_thread():
            reader.join(_END_TIMEOUT_S)
        if process.stdout is not None and (reader is None or not reader.is_alive()):
            process.stdout.close()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        for line in process.stdout:
            word = line.strip()
            if word == READY:
                with self._lock:
                    self._is_ready = True
                    for pid, kind in self._guarded.items():
                        self._tell(f"{GUARD} {kind} {pid}")
                self._answered.set()
            elif word in {PRESSED, ENDED}:
                if self._process is process:  # not stopped meanwhile
                    (self._on_press if word == PRESSED else self._on_ended)()
            elif word.startswith(UNAVAILABLE):
                self.reason = f"The hotkey is not heard: {word.removeprefix(UNAVAILABLE).rstrip('.')}."
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_TIMEOUT_S)  # its output ends a moment before it can be seen to have ended
        if self._process is process and not self.reason:
            self.reason = "The hotkey is no longer heard: its process has ended."
        self._answered.set()
