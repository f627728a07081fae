"""Starts the tray icon's process and speaks with it. Without Qt: nothing of it needs the window's thread."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Final

PROGRAM: Final = "operative_app.gui.tray_process"
_END_S: Final = 0.5


class TrayLink:
    """The process, from its start to its end.

    Why a thread: what is chosen comes at any time. One daemon thread reads the process' lines and calls back; it wakes
    by a line and ends with the process.

    Args:
        stop_line: An open file of this process that leads to the guard (`KillSwitch.stop_line`).
        on_chosen: Called on the thread with a word of `tray_icon`.
        on_lost: Called on the thread when the process ended without `close`.

    Raises (construction): OSError: the process cannot be started.
    """

    def __init__(self, stop_line: int, on_chosen: Callable[[str], None], on_lost: Callable[[], None]) -> None:
        self._on_chosen = on_chosen
        self._on_lost = on_lost
        self._is_closing = False
        environment = {name: value for name, value in os.environ.items() if name != "SESSION_MANAGER"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", PROGRAM, "--stop-line", str(stop_line)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,  # a session manager would start it anew by itself at the next log-in
            pass_fds=(stop_line,),
        )
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        self._into = self._process.stdin
        os.set_blocking(self._into.fileno(), False)
        self._reader = threading.Thread(target=self._read, name="tray", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, told: dict[str, object]) -> None:
        """Have it show or say something (`tray_process`); returns at once.

        Below 4096 bytes, which go whole or not at all. A process that has not taken many lines hangs: it is ended, and
        so is lost.
        """
        try:
            os.write(self._into.fileno(), json.dumps(told, ensure_ascii=False).encode(errors="replace") + b"\n")
        except BlockingIOError:
            self._process.kill()
        except (OSError, ValueError):  # it has ended, which the thread tells
            pass

    def close(self) -> None:
        """End it; one that is not done within half a second is killed. Idempotent. Not from a callback."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._into.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_S)

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        rest = b""
        with self._process.stdout as out:
            while block := out.read(4096):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self._on_chosen(line.decode(errors="replace"))
        self._process.wait()
        if not self._is_closing:
            self._on_lost()
