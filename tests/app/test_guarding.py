"""What is said about the stop key where it is not heard, and a stop without a guard."""

from __future__ import annotations

import gc
import queue
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from operative_app.app.guarding import CHOSEN, Guarding, how_to_stop
from operative_app.engine.control import Command, RunControl, Stop
from operative_app.guard.hearing import NOT_ALLOWED, ON_WAYLAND, why_deaf
from operative_app.guard.targets import TargetKind
from operative_app.store.settings import DEFAULT_HOTKEY

LIMIT_S = 60.0


@pytest.mark.parametrize(
    ("platform", "environment", "says"),
    [
        ("linux", {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, ON_WAYLAND),
        ("linux", {"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, ON_WAYLAND),
        ("linux", {}, "there is no display"),
        ("darwin", {}, ""),
        ("win32", {}, ""),
    ],
)
def test_where_no_key_is_heard_is_known_before_one_is_waited_for(
    platform: str, environment: dict[str, str], says: str
) -> None:
    assert why_deaf(environment, platform) == says


@pytest.mark.parametrize(
    ("platform", "environment", "why", "remedy"),
    [
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, ON_WAYLAND, "In an X11 (Xorg) session it is heard."),
        ("darwin", {}, NOT_ALLOWED, "Allow Operative under System Settings"),
        ("linux", {"DISPLAY": ":0"}, "the display does not answer", ""),
    ],
)
def test_what_stops_a_run_instead_is_said(platform: str, environment: dict[str, str], why: str, remedy: str) -> None:
    words = how_to_stop(f"The hotkey is not heard: {why}.", environment, platform)
    assert words.startswith(f"The hotkey is not heard: {why}. {remedy}".strip())
    assert "Stop in the window" in words
    assert words.endswith("Ctrl+C in the terminal it began in.")


def guarding_without_a_display(post: Callable[[Command], None]) -> tuple[Guarding, tuple[bool, str]]:
    told: queue.SimpleQueue[tuple[bool, str]] = queue.SimpleQueue()
    guarding = Guarding(DEFAULT_HOTKEY, RunControl(post), on_started=lambda works, reason: told.put((works, reason)))
    guarding.start()
    return guarding, told.get(timeout=LIMIT_S)


def test_without_a_guard_it_is_told_and_a_stop_elsewhere_still_ends_what_injects() -> None:
    posted: list[Command] = []
    guarding, (works, reason) = guarding_without_a_display(posted.append)
    try:
        assert not works
        assert "there is no display" in reason
        assert "Stop in the window" in reason
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as injector:
            guarding.processes_started(TargetKind.INPUT, [injector.pid])
            guarding.press()
            assert injector.wait(timeout=LIMIT_S) != 0
        assert [command.reason for command in posted if isinstance(command, Stop)] == [CHOSEN]
    finally:
        guarding.close()
    guarding.close()


def test_closing_while_the_guard_starts_leaves_no_process_and_no_handle(virtual_display: str) -> None:
    here = psutil.Process()
    gc.collect()  # what tests before have left open goes now
    before = here.num_fds()
    guarding = Guarding(DEFAULT_HOTKEY, RunControl(lambda command: None))
    guarding.start()
    guarding.close()

    assert not guarding.works
    assert [child for child in here.children() if "guard.listener" in " ".join(child.cmdline())] == []
    assert here.num_fds() <= before
    guarding.start()  # nothing begins anew once it is closed
    assert not guarding.wait()
