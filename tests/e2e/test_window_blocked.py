"""The stop key while the thread of the real window is blocked in a C call and the real agent types into a program."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from operative_app.app.guarding import PRESSED
from operative_app.cli import exit_codes
from operative_app.core.run import RunState
from tests.desktop_session import DesktopSession, end_programs_left
from tests.e2e.processes import children_of
from tests.e2e.window_process import READY_S, WindowProcess, wait_until
from tests.guard.stand import Key, is_alive
from tests.guard.tap import Tap, Tapped, tapping

TEXT = "A long letter to somebody. " * 150
INPUT = "operative_app.surfaces.desktop.input.process"


@pytest.fixture
def home(desktop: DesktopSession, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "operative"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield isolation / "home" / "operative"
    end_programs_left()


@contextmanager
def going_on_afterwards(folder: Path) -> Iterator[None]:
    """Whatever comes of the test, the window's thread is set going again before the process is asked to end."""
    try:
        yield
    finally:
        os.close(os.open(folder / "go_on", os.O_RDWR))


def running(window: WindowProcess, module: str) -> list[psutil.Process]:
    """The processes of the window that run this module."""
    found = []
    for child in children_of(window.process.pid):
        with suppress(psutil.Error):  # it has ended meanwhile
            if module in child.cmdline():
                found.append(child)
    return found


def pressed(tap: Tap, key: Key) -> list[Tapped]:
    """What was pressed so far but for the key itself; a press of its own comes after all that the tap has to tell."""

    def marks() -> int:
        return sum(one.kind == "release" and one.detail == key.mark for one in tap.events())

    before = marks()
    key.touch()
    wait_until(lambda: marks() > before, lambda: "the tap to tell a key")
    return [one for one in tap.events() if one.kind == "press" and one.detail not in {*key.codes, key.mark}]


def open_for_writing(pipe: Path) -> None:
    pipe.open("wb").close()


def test_the_key_stops_what_types_although_the_windows_thread_is_blocked(
    home: Path, isolation: Path, virtual_display: str
) -> None:
    goal = f"Open Mousepad and type “{TEXT}”"
    folder = isolation / "gate"
    folder.mkdir()
    for name in ("block", "go_on"):
        os.mkfifo(folder / name)
    with closing(Key(virtual_display)) as key, tapping(virtual_display) as tap:
        process = WindowProcess(
            home, "--surface", "desktop", "--goal", goal, module=("tests.e2e.blocked_window", str(folder))
        )
        with process as window, going_on_afterwards(folder):
            assert tap.wait("press", 20, timeout_s=READY_S)
            (typing,) = running(window, INPUT)
            open_for_writing(folder / "block")
            wait_until((folder / "blocked").exists, lambda: "the window's thread to be blocked")

            key.press()
            window.wait_event("run_finished")
            wait_until(lambda: not is_alive(typing), lambda: "the end of the input process")
            wait_until(lambda: key.held() == 0, lambda: "all keys to be let go of")
            sent = pressed(tap, key)
            end = window.events()[-1]
            assert end.kind == "run_finished"
            assert end.state is RunState.STOPPED
            assert end.reason.startswith(f"{PRESSED}. Stopped in the middle of “Type ")
            assert (folder / "blocked").exists()  # nothing of that was done by the window's thread

            open_for_writing(folder / "go_on")
            window.process.terminate()
            _, err = window.process.communicate(timeout=60)
            assert (window.process.returncode, err) == (exit_codes.STOPPED, "")
            assert pressed(tap, key) == sent
            assert len(sent) < len(TEXT)
