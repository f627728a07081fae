"""A person moves the mouse while a real run types into a real program, and gives control back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_session import DesktopSession, end_programs_left
from tests.display import program

LIMIT_S = 60
TEXT = "A long letter to somebody. " * 150


@pytest.fixture
def home(desktop: DesktopSession, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "operative"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield isolation / "home"
    end_programs_left()


class RunAtTerminal:
    """`operative run` with a person at its terminal; its events as they come."""

    def __init__(self, *arguments: str) -> None:
        self._keyboard, terminal = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "operative_app", "run", *arguments, "--json"],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(terminal)
        self.events: list[dict[str, Any]] = []
        self._shown = ""
        self._came = threading.Condition()
        self._readers = [threading.Thread(target=self._read), threading.Thread(target=self._read_shown)]
        for reader in self._readers:
            reader.start()

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        with self._came:
            assert self._came.wait_for(lambda: any(map(wanted, self.events)), LIMIT_S), self.events[-3:]
            return next(filter(wanted, self.events))

    def sees(self, words: str) -> None:
        with self._came:
            assert self._came.wait_for(lambda: words in self._shown, LIMIT_S), self._shown

    def types(self, line: str) -> None:
        os.write(self._keyboard, f"{line}\n".encode())

    def end(self) -> int:
        self._process.wait(LIMIT_S)
        for reader in self._readers:
            reader.join()
        return self._process.returncode

    def close(self) -> None:
        self._process.kill()
        self.end()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        os.close(self._keyboard)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._came:
                self.events.append(json.loads(line))
                self._came.notify_all()

    def _read_shown(self) -> None:
        assert self._process.stderr is not None
        while sign := self._process.stderr.read(1):
            with self._came:
                self._shown += sign
                self._came.notify_all()


def xdotool(*arguments: str) -> None:
    subprocess.run([program("xdotool"), *arguments], check=True, timeout=LIMIT_S)


def is_state(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: event["kind"] == "state_changed" and event["state"] == name


def test_moving_the_mouse_stops_the_typing_and_enter_gives_control_back(home: Path) -> None:
    xdotool("mousemove", "--sync", "400", "300")  # at an edge it could not be moved
    run = RunAtTerminal(f"Open Mousepad and type “{TEXT}”", "--surface", "desktop")
    try:
        run.wait(lambda event: event["kind"] == "step_started" and event["action"] == "type_text")
        xdotool("mousemove_relative", "40", "25")
        taken = run.wait(is_state("taken_over"))
        assert (taken["take_over"], taken["detail"]) == ("yielded", "You moved the mouse, so the agent stopped.")
        cut_off = run.wait(lambda event: event["kind"] == "step_finished" and "took over" in event["detail"])
        assert cut_off["status"] == "failed"
        run.sees("Press Enter to give it back")
        run.types("")
        run.wait(lambda event: event["kind"] == "said" and event["text"].startswith("While you had control"))
        run.sees("it is not known whether it was done")
        typed = [event for event in run.events if event["kind"] == "step_started" and event["action"] == "type_text"]
        assert len(typed) == 1  # nothing is typed twice unasked
        run.types("It was done")
        assert run.end() in {0, 1}
    finally:
        run.close()
