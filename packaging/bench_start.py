"""Measures the start: from the start of the process to a window that can be used.

The application says itself when it is ready: `operative window --ready-file PATH` writes the reading of the
monotonic clock there, in seconds, once the window is shown and has handled its first events. That clock is the same
for all processes of a machine, so it is compared with the reading from just before the process was started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench_statistics import Series

WINDOW = (str(Path(sys.executable).with_name("operative")), "window")
LIMIT_MS = 1500.0
READY_S = 60.0
END_S = 15.0
LOOK_EVERY_S = 0.01


class BenchError(Exception):
    """Something could not be measured; the message says what and why."""


def measure(repeat: int, command: Sequence[str] = WINDOW) -> list[Series]:
    """Start the window `repeat` times after one start that warms the caches, each with an empty home.

    Args:
        repeat: How many starts are measured.
        command: What opens the window; it is given the ready file as its last argument.

    Raises:
        BenchError: The window did not become ready, or ended before it was.
    """
    _start_once(command)
    times_ms = tuple(_start_once(command) for _ in range(repeat))
    return [Series("process start to usable window", times_ms, LIMIT_MS)]


def _start_once(command: Sequence[str]) -> float:
    """Return the milliseconds one start took."""
    with tempfile.TemporaryDirectory(prefix="bench-start-") as folder:
        home = Path(folder)
        ready = home / "ready"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
            "HOME": folder,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        with (home / "log").open("w+b") as log:
            started_s = time.monotonic()
            process = subprocess.Popen(
                [*command, "--ready-file", str(ready)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                return (_ready_at_s(process, ready, home / "log") - started_s) * 1000.0
            finally:
                _end(process)


def _ready_at_s(process: subprocess.Popen[bytes], ready: Path, log: Path) -> float:
    give_up_s = time.monotonic() + READY_S
    while time.monotonic() < give_up_s:
        try:
            return float(ready.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):  # not there yet, or just being written
            pass
        if process.poll() is not None:
            said = log.read_text(encoding="utf-8", errors="replace").strip()
            raise BenchError(f"The window ended with exit code {process.returncode} before it was ready.\n{said}")
        time.sleep(LOOK_EVERY_S)
    raise BenchError(f"The window was not ready within {READY_S:g} s.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=END_S)
