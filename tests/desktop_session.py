"""A desktop for tests: the virtual display with a session bus and an accessibility bus, and real programs on it.

Ask for `desktop`. One session serves all tests of a test process; the programs a test starts are ended after it. For a
program that serves a whole module, take `desktop_session` and end it yourself.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from Xlib.display import Display
from Xlib.error import BadDrawable, BadWindow
from Xlib.X import InputOutput, IsViewable
from Xlib.xobject.drawable import Window

from tests.display import program
from tests.leftovers import MARK_VARIABLE

START_S = 60.0
ASKED_S = 1.0
"""A program that was asked to end gets this; most of those in tests end at once, some never."""
END_S = 30.0
# One service alone: no file systems, portals and keyrings are started by themselves.
BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={place}/bus</listen>
  <servicedir>{place}/services</servicedir>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
ACCESSIBILITY_SERVICE = """[D-BUS Service]
Name=org.a11y.Bus
Exec={launcher}
"""
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")

T = TypeVar("T")


class DesktopSession:
    """A display, a session bus and an accessibility bus.

    Attributes:
        display: Name of the display, such as ":7".
        bus_address: Address of the session bus (`DBUS_SESSION_BUS_ADDRESS`).
        home: The home of programs that are started outside of a test, which has its own.
    """

    def __init__(self, display: str, bus_address: str, home: Path) -> None:
        self.display = display
        self.bus_address = bus_address
        self.home = home
        self._programs: list[subprocess.Popen[bytes]] = []

    def start(self, name: str, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start a program and wait until its first window is shown. It is ended after the test.

        Args:
            name: A program on the path, or an absolute path.
            arguments: Its arguments.
            variables: Environment variables it gets beside those of the test.
        """
        started = self.launch(name, *arguments, **variables)
        self.wait_for_window(started.pid)
        return started

    def launch(self, name: str, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start a program without waiting for a window. It is ended after the test."""
        own = {} if MARK_VARIABLE in os.environ else self._homes()
        started = subprocess.Popen(
            [program(name), *arguments],
            env={**os.environ, **own, **self.variables, "LC_ALL": "C.UTF-8", **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._programs.append(started)
        return started

    @property
    def variables(self) -> Mapping[str, str]:
        """What a program needs in its environment to be part of this desktop."""
        return {
            "DISPLAY": self.display,
            "DBUS_SESSION_BUS_ADDRESS": self.bus_address,
            "GSETTINGS_BACKEND": "memory",
            "GIO_USE_VFS": "local",
            "GTK_USE_PORTAL": "0",
            "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb",
        }

    def beside(self) -> DesktopSession:
        """The same session for the programs of a module: they stay until its `end_all`."""
        return DesktopSession(self.display, self.bus_address, self.home)

    def press(self, *keys: str) -> None:
        """Press keys on the window in front, in xdotool's names ("alt+f")."""
        self._xdotool("key", *keys)

    def click(self, x_px: float, y_px: float) -> None:
        """Press the left button at a place of the screen."""
        self._xdotool("mousemove", "--sync", str(round(x_px)), str(round(y_px)), "click", "1")

    def minimise(self, window_id: int) -> None:
        self._xdotool("windowminimize", "--sync", str(window_id))

    def menus(self) -> int:
        """How many menus and tips are shown: windows that pass by the window manager."""
        connection = Display(self.display)
        try:
            return sum(_is_menu(one) for one in connection.screen().root.query_tree().children)
        finally:
            connection.close()

    def wait_for_window(self, pid: int) -> int:
        """Wait until a program shows a window; returns the window's number."""
        return window_of(pid, {**os.environ, "DISPLAY": self.display})

    def end(self, started: subprocess.Popen[bytes]) -> None:
        """End a program now. One that was stopped is ended too."""
        started.terminate()
        try:
            started.wait(timeout=ASKED_S)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait(timeout=END_S)

    def end_all(self) -> None:
        """End all programs that were started here, and wait until their windows are gone."""
        for started in self._programs:
            self.end(started)
        self._programs.clear()

    def _homes(self) -> dict[str, str]:
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
        return dict.fromkeys(names, str(self.home))

    def _xdotool(self, *arguments: str) -> str:
        try:
            found = subprocess.run(
                [program("xdotool"), *arguments],
                env={**os.environ, "DISPLAY": self.display},
                capture_output=True,
                text=True,
                timeout=START_S,
                check=True,
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            pytest.fail(f"xdotool {' '.join(arguments)} found nothing within {START_S:g} s.", pytrace=False)
        return found.stdout


def _is_menu(window: Window) -> bool:
    try:
        seen = window.get_attributes()
    except (BadWindow, BadDrawable):  # it has gone meanwhile
        return False
    return bool(seen.override_redirect and seen.map_state == IsViewable and seen.win_class == InputOutput)


def end_programs_left() -> None:
    """End what a program under test started and left open, as it should."""
    left = [process for process in psutil.process_iter() if _is_of_this_test(process)]
    for process in left:
        with suppress(psutil.NoSuchProcess):  # it went with the one before
            process.kill()
    psutil.wait_procs(left, timeout=END_S)


def _is_of_this_test(process: psutil.Process) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARK_VARIABLE) == os.environ[MARK_VARIABLE]
    except psutil.Error:
        return False


def until(look: Callable[[], T], *, timeout_s: float = 60.0, what: str = "what was waited for") -> T:
    """Look again and again until something true is seen, and return it; the test fails when that does not come."""
    pause = threading.Event()
    end = time.monotonic() + timeout_s
    while not (seen := look()):
        if time.monotonic() > end:
            pytest.fail(f"{what} did not come within {timeout_s:g} s; last seen: {seen!r}", pytrace=False)
        pause.wait(0.02)
    return seen


def window_of(pid: int, environment: Mapping[str, str]) -> int:
    """Wait until a program shows a window; returns the window's number.

    Each look is one search: a window of another program that goes while it is looked at ends the whole search.
    """
    search = [program("xdotool"), "search", "--onlyvisible", "--pid", str(pid)]

    def look() -> list[str]:
        return subprocess.run(
            search, env=dict(environment), capture_output=True, text=True, timeout=START_S, check=False
        ).stdout.split()

    return int(until(look, timeout_s=START_S, what=f"a window of process {pid}")[-1])


@contextmanager
def running_buses(display: str, place: Path) -> Iterator[str]:
    """Run a session bus and an accessibility bus on a display, and yield the session bus's address.

    Args:
        display: Name of the display the programs are on.
        place: An empty folder with a short path, for sockets and as a home.
    """
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"WAYLAND_DISPLAY", "XAUTHORITY"}},
        "DISPLAY": display,
        "HOME": str(place),
        "XDG_RUNTIME_DIR": str(place),
        "XDG_CONFIG_HOME": str(place),
        "XDG_CACHE_HOME": str(place),
        "XDG_DATA_HOME": str(place),
        "GSETTINGS_BACKEND": "memory",
    }
    reading, writing = os.pipe()
    configuration = place / "bus.conf"
    configuration.write_text(BUS_CONFIGURATION.format(place=place))
    services = place / "services"
    services.mkdir()
    (services / "org.a11y.Bus.service").write_text(ACCESSIBILITY_SERVICE.format(launcher=_launcher()))
    command = [program("dbus-daemon"), f"--config-file={configuration}", "--nofork", "--nopidfile"]
    bus = _start([*command, f"--print-address={writing}"], environment, keep_open=(writing,))
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as answer:
            if not select.select([answer], [], [], START_S)[0]:
                pytest.fail(f"dbus-daemon did not answer within {START_S:g} s.", pytrace=False)
            address = answer.readline().decode().strip()
        environment["DBUS_SESSION_BUS_ADDRESS"] = address
        _ask_for_accessibility_bus(environment)
        yield address
    finally:
        _end(bus)


@pytest.fixture(scope="session")
def desktop_session(virtual_display: str) -> Iterator[DesktopSession]:
    """One session for each test process."""
    place = Path(tempfile.mkdtemp(prefix="opd-"))
    try:
        with running_buses(virtual_display, place) as address:
            yield DesktopSession(virtual_display, address, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def desktop(
    desktop_session: DesktopSession, isolation: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DesktopSession]:
    """The session with no program on it. The environment of the test is that of the desktop."""
    for name, value in desktop_session.variables.items():
        monkeypatch.setenv(name, value)
    yield desktop_session
    desktop_session.end_all()


def _launcher() -> str:
    found = next((path for path in LAUNCHERS if Path(path).exists()), None)
    if found is None:
        pytest.fail("at-spi2-core is not installed; packaging/test installs it.", pytrace=False)
    return found


def _ask_for_accessibility_bus(environment: Mapping[str, str]) -> None:
    """Have the accessibility bus started, and wait until it is there. It ends with the session bus."""
    command = ["--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"]
    subprocess.run(
        [program("dbus-send"), *command],
        env=dict(environment),
        check=True,
        capture_output=True,
        timeout=START_S,
    )


def _start(
    command: list[str], environment: Mapping[str, str], *, keep_open: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=dict(environment),
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
