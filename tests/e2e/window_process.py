"""The window as a process of its own, driven through the X server and read from its record."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Self

from operative_app.core.events import EVENT_ADAPTER, Event
from operative_app.store.runs import DATABASE_NAME
from tests.display import program

ROOT = Path(__file__).parents[2]
READY_S = 90.0
LOOK_EVERY_S = 0.05
NEWEST = """
    SELECT json FROM events WHERE run_id = (SELECT run_id FROM runs ORDER BY started_at_s DESC, rowid DESC LIMIT 1)
    ORDER BY sequence
"""


def wait_until(wanted: Callable[[], bool], what: Callable[[], str], timeout_s: float = READY_S) -> None:
    """Look again and again until something outside this process holds; fail naming it when it does not come."""
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while not wanted():
        assert time.monotonic() < deadline, f"waited {timeout_s:g} s for {what()}"
        pause.wait(LOOK_EVERY_S)


def xdotool(*command: str) -> str:
    done = subprocess.run([program("xdotool"), *command], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


class WindowProcess:
    """`operative window …` in a process, ended with the `with` block; `home` is its OPERATIVE_HOME.

    `module` is what Python runs, with its first arguments, instead of the application alone.
    """

    def __init__(self, home: Path, *options: str, module: tuple[str, ...] = ("operative_app",)) -> None:
        self._home = home
        self._ready = home.parent / "ready"
        self.process = subprocess.Popen(
            [sys.executable, "-m", *module, "window", "--ready-file", str(self._ready), *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=READY_S)

    def focus(self, title: str) -> None:
        """Wait for a window of the process with this title and give it the keyboard."""
        pid = str(self.process.pid)
        found: list[str] = []

        def look() -> bool:
            assert self.process.poll() is None, self.process.communicate()[1]
            search = [program("xdotool"), "search", "--all", "--onlyvisible", "--pid", pid, "--name", title]
            found[:] = subprocess.run(search, capture_output=True, text=True, timeout=60, check=False).stdout.split()
            return bool(found)

        wait_until(look, lambda: f"a window named {title}")
        xdotool("windowactivate", "--sync", found[0])

    def type_goal(self, goal: str) -> None:
        wait_until(self._ready.exists, lambda: "the window to be ready")
        self.focus("^Operative$")
        xdotool("type", "--delay", "8", goal)
        xdotool("key", "Return")

    def wait_event(self, kind: str) -> None:
        """Wait until the newest run has recorded an event of this kind."""
        wait_until(lambda: any(event.kind == kind for event in self.events()), lambda: f"{kind} after {self.events()}")

    def events(self) -> list[Event]:
        """What the newest run has recorded so far; nothing is written, which its writer might have to wait for."""
        try:
            with closing(sqlite3.connect(f"file:{self._home / 'data' / DATABASE_NAME}?mode=ro", uri=True)) as database:
                return [EVENT_ADAPTER.validate_json(text) for (text,) in database.execute(NEWEST)]
        except sqlite3.OperationalError:  # there is none yet, or no table in it
            return []
