"""What `packaging/run` starts, and that it cleans up behind itself on every way out."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.packaging.machine import LIMIT_S, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine that is set up, with a real X server and window manager."""
    machine = Machine(tmp_path)
    machine.start("run", DISPLAY=":9")
    machine.installed.write_text(machine.installed.read_text() + "xvfb\nopenbox\n")
    for program in ("Xvfb", "openbox", "xdotool"):
        machine.link(program)
    machine.calls()
    return machine


def test_a_goal_reaches_the_window_as_one_argument(machine: Machine) -> None:
    machine.start("run", 'search for "Mac mini"', DISPLAY=":9")
    assert machine.calls() == ['operative <window> <--goal> <search for "Mac mini">']


def test_a_goal_without_quotes_is_joined(machine: Machine) -> None:
    machine.start("run", "open", "the", "shop", DISPLAY=":9")
    assert machine.calls() == ["operative <window> <--goal> <open the shop>"]


@pytest.mark.parametrize("arguments", [("",), ("  ",), ("--gaol",)])
def test_wrong_usage_is_said_and_starts_nothing(machine: Machine, arguments: tuple[str, ...]) -> None:
    result = machine.start("run", *arguments, DISPLAY=":9")
    assert result.returncode == 2
    assert result.stderr
    assert machine.calls() == []


def test_without_a_display_the_demonstration_runs_on_a_virtual_one(machine: Machine) -> None:
    size = 'echo "size $(xdotool getdisplaygeometry)" >>"$CALLS"'
    result = machine.start("run", OPERATIVE_DOES=size)
    out = machine.root / "out"
    assert result.returncode == 0, result.stderr
    assert machine.calls() == [
        f"operative <window> <--demo> <--out> <{out}> <--quit-when-done>",
        "size 1440 900",
    ]


def test_a_goal_replaces_the_demonstration_and_results_are_named(machine: Machine) -> None:
    out = machine.root / "out"
    result = machine.start("run", "open practice:shop", OPERATIVE_DOES='mkdir -p "$5"')
    assert result.returncode == 0, result.stderr
    assert machine.calls() == [f"operative <window> <--goal> <open practice:shop> <--out> <{out}> <--quit-when-done>"]
    assert str(out) in result.stderr


def test_the_exit_code_is_passed_on(machine: Machine) -> None:
    assert machine.start("run", OPERATIVE_DOES="exit 4").returncode == 4


@contextmanager
def window_open(machine: Machine) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the running script once its window is open; wait at the end until each process below has ended."""
    ready, tell = os.pipe()
    on_end = """trap 'echo ended >>"$CALLS"; exit 0' TERM"""
    process = subprocess.Popen(
        machine.command("run"),
        env={
            **machine.environment,
            "OPERATIVE_DOES": f"{on_end}; echo >&{tell}; while :; do sleep 0.1; done",
        },
        pass_fds=(tell,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(tell)
    with os.fdopen(ready, "rb") as pipe:
        pipe.readline()
        yield process
        process.wait(timeout=LIMIT_S)
        pipe.read()  # all of them hold the other end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_the_window_and_the_display(machine: Machine, number: signal.Signals) -> None:
    with window_open(machine) as process:
        process.send_signal(number)
    assert process.returncode == 128 + signal.SIGTERM
    assert machine.calls()[-1] == "ended"


def test_nothing_goes_on_when_the_script_is_killed(machine: Machine) -> None:
    with window_open(machine) as process:
        process.kill()
    assert machine.calls()[-1] == "ended"


def test_a_display_that_gives_up_is_started_again(machine: Machine) -> None:
    real = (machine.path / "Xvfb").resolve()
    machine.program("Xvfb", f'[[ -e $HOME/tried ]] && exec {real} "$@"; echo >"$HOME/tried"; exit 1')
    result = machine.start("run")
    assert result.returncode == 0, result.stderr
    assert len(machine.calls()) == 1


def test_a_display_that_does_not_start_is_said(machine: Machine) -> None:
    machine.program("Xvfb", "echo no memory >&2; exit 1")
    result = machine.start("run")
    assert result.returncode == 1
    assert "no memory" in result.stderr
    assert machine.calls() == []
