"""A virtual display for tests: an Xvfb that chooses its own number, with a window manager on it."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

START_S = 60.0
START_ATTEMPTS = 3
END_S = 30.0


@contextmanager
def running_display(home: Path) -> Iterator[str]:
    """Run a virtual display of 1440x900 pixels with openbox on it.

    Args:
        home: An empty folder which the window manager takes for the user's home.

    Yields:
        The name of the display, such as ":7". Both processes are ended by pid at the end.
    """
    server, name = _start_server()
    try:
        environment = {**os.environ, "DISPLAY": name, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        environment.pop("WAYLAND_DISPLAY", None)
        ready = home / "ready"
        os.mkfifo(ready)
        ready_command = shlex.join(["sh", "-c", f"echo >{shlex.quote(str(ready))}"])
        manager = _start([program("openbox"), "--sm-disable", "--startup", ready_command], environment=environment)
        try:
            _wait_until_written(ready)
            yield name
        finally:
            _end(manager)
    finally:
        _end(server)


@contextmanager
def running_server(*options: str) -> Iterator[str]:
    """Run a virtual display without a window manager, and yield its name."""
    server, name = _start_server(*options)
    try:
        yield name
    finally:
        _end(server)


def program(name: str) -> str:
    """Return the path of an installed program; the test fails clearly when it is absent."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed; packaging/test installs it.", pytrace=False)
    return found


def _start_server(*options: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start Xvfb; one that chose the number of a server which is just ending gives up, and the next chooses anew."""
    for _ in range(START_ATTEMPTS):
        reading, writing = os.pipe()
        try:
            screen = ["-screen", "0", "1440x900x24", "-dpi", "96", "-nolisten", "tcp", "-noreset"]
            server = _start([program("Xvfb"), "-displayfd", str(writing), *screen, *options], keep_open=(writing,))
        finally:
            os.close(writing)
        timer = threading.Timer(START_S, server.kill)  # closes the other end of the pipe, which ends the read below
        timer.daemon = True
        timer.start()
        try:
            with os.fdopen(reading, "rb") as answer:
                number = answer.readline().strip()
        finally:
            timer.cancel()
        if number:
            return server, f":{number.decode()}"
        _end(server)
    pytest.fail(f"Xvfb did not name its display in {START_ATTEMPTS} attempts.", pytrace=False)


def _wait_until_written(fifo: Path) -> None:
    """Wait until the window manager works: before that, windows have no frames and no focus."""
    reading = os.open(fifo, os.O_RDWR)  # for reading alone it would wait here, without a limit
    try:
        if not select.select([reading], [], [], START_S)[0]:
            pytest.fail(f"openbox was not ready within {START_S:g} s.", pytrace=False)
    finally:
        os.close(reading)


def _start(
    command: list[str], *, environment: dict[str, str] | None = None, keep_open: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=environment,
        pass_fds=keep_open,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=END_S)
