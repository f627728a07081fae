"""What every test stands on: a place of its own, no leftovers, and a display for those that ask for one.

A test sees an empty home, empty XDG folders, an empty temporary folder, no keyring, no display and no network
beyond this machine. Ask for `virtual_display` to get a real X server with a window manager, and for
`chromium_path` to get a real browser.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

REAL_TEMP = Path(tempfile.gettempdir())
MARK_VARIABLE = "OPERATIVE_TEST_MARK"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
CHROMIUM_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
DISPLAY_START_S = 20.0
PROCESS_END_S = 5.0
LEFTOVER_GRACE_S = 2.0
UNSET = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)


# --- the network ends at this machine -------------------------------------------------------------------------


class OutsideNetworkError(OSError):
    """A test tried to reach another machine."""


def _refuse_other_machines(event: str, args: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = args[1]
    if not isinstance(address, tuple) or not address or not isinstance(address[0], str):
        return
    host = address[0]
    try:
        is_here = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        is_here = host == "localhost"
    if not is_here:
        raise OutsideNetworkError(f"A test tried to connect to {host}; tests stay on the loopback interface.")


sys.addaudithook(_refuse_other_machines)


# --- leftovers ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Surroundings:
    """What existed before a test, to tell what the test left behind."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    pids: frozenset[int] = field(default_factory=lambda: frozenset(_descendants()))
    threads: frozenset[int] = field(
        default_factory=lambda: frozenset(thread.ident or 0 for thread in threading.enumerate())
    )
    folders: frozenset[Path] = field(default_factory=lambda: frozenset(REAL_TEMP.glob("operative-*")))

    def processes_left(self) -> dict[int, str]:
        """Return living processes which the test started, by pid, with their command line."""
        mine = _descendants()
        left = {
            pid: _command(pid)
            for pid, ancestors in mine.items()
            if pid not in self.pids and not ancestors & self.pids
        }
        # A process that was given away to init is known by the mark in its environment.
        left |= {pid: _command(pid) for pid in _marked(self.mark) if pid not in mine and pid not in self.pids}
        return left

    def threads_left(self) -> list[threading.Thread]:
        """Return living threads, daemons excepted, which the test started."""
        return [
            thread
            for thread in threading.enumerate()
            if thread.ident not in self.threads and not thread.daemon and thread.is_alive()
        ]

    def folders_left(self, temp: Path) -> list[Path]:
        """Return temporary folders of the application which the test left in `temp` or in the real place."""
        return [*temp.glob("operative-*"), *(set(REAL_TEMP.glob("operative-*")) - self.folders)]


def _descendants() -> dict[int, frozenset[int]]:
    """Return the living descendants of this process, each with its ancestors below this process."""
    found: dict[int, frozenset[int]] = {}
    me = os.getpid()
    parents: dict[int, int] = {}
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                parents[child.pid] = child.ppid()
        except psutil.NoSuchProcess:
            continue
    for pid in parents:
        ancestors: set[int] = set()
        above = parents[pid]
        while above in parents and above != me and above not in ancestors:
            ancestors.add(above)
            above = parents[above]
        found[pid] = frozenset(ancestors)
    return found


def _marked(mark: str) -> list[int]:
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    pids: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (entry / "environ").read_bytes() and _is_alive(int(entry.name)):
                pids.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in pids if pid != os.getpid()]


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _command(pid: int) -> str:
    try:
        return " ".join(psutil.Process(pid).cmdline())[:200]
    except psutil.Error:
        return "(gone)"


def _wait_for_processes(surroundings: Surroundings) -> dict[int, str]:
    """Give processes which are just ending a moment; return those that did not end."""
    left = surroundings.processes_left()
    if left:
        psutil.wait_procs(_alive(left), timeout=LEFTOVER_GRACE_S)
        left = surroundings.processes_left()
    return left


def _alive(pids: dict[int, str]) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for pid in pids:
        try:
            found.append(psutil.Process(pid))
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.fixture(autouse=True)
def isolation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give the test an own, empty place, and fail it when it leaves something behind.

    Yields:
        The folder of the test which holds `home`, `tmp` and `run`. It has a short path, because the sockets of
        browsers and of D-Bus live in it and their paths may have 107 characters at most.
    """
    tmp_path_factory.getbasetemp()  # fixed before TMPDIR is moved
    place = Path(tempfile.mkdtemp(prefix="opt-", dir=REAL_TEMP))
    home, temp, runtime = place / "home", place / "tmp", place / "run"
    for folder in (home, temp, runtime):
        folder.mkdir(mode=0o700)
    surroundings = Surroundings()
    for name in [*UNSET, *(name for name in os.environ if name.startswith("OPERATIVE_"))]:
        monkeypatch.delenv(name, raising=False)
    settings = {
        MARK_VARIABLE: surroundings.mark,
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": home / "AppData" / "Roaming",
        "LOCALAPPDATA": home / "AppData" / "Local",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_RUNTIME_DIR": runtime,
        "TMPDIR": temp,
        "TEMP": temp,
        "TMP": temp,
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "NO_PROXY": "localhost,127.0.0.1,::1",
        "no_proxy": "localhost,127.0.0.1,::1",
        "QT_QPA_PLATFORM": "offscreen",
    }
    if "virtual_display" in request.fixturenames:
        settings |= {"DISPLAY": request.getfixturevalue("virtual_display"), "QT_QPA_PLATFORM": "xcb"}
    for name, value in settings.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(tempfile, "tempdir", None)
    try:
        yield place
        problems = _leftovers(surroundings, temp)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if problems:
        pytest.fail("The test left behind:\n" + "\n".join(problems), pytrace=False)


def _leftovers(surroundings: Surroundings, temp: Path) -> list[str]:
    """Return a line for each thing left behind; processes are ended so that later tests are not disturbed."""
    processes = _wait_for_processes(surroundings)
    for process in _alive(processes):
        process.kill()
    threads = surroundings.threads_left()
    for thread in threads:
        thread.join(timeout=LEFTOVER_GRACE_S)
    return [
        *(f"  process {pid}: {command}" for pid, command in processes.items()),
        *(f"  thread {thread.name}: {thread!r}" for thread in threads if thread.is_alive()),
        *(f"  folder {folder}" for folder in surroundings.folders_left(temp)),
    ]


# --- the display ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def virtual_display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a virtual display with a window manager, one for each test process.

    Yields:
        The name of the display, such as ":7".
    """
    home = tmp_path_factory.mktemp("display")
    server, name = _start_xvfb()
    try:
        environment = {**os.environ, "DISPLAY": name, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        environment.pop("WAYLAND_DISPLAY", None)
        manager = subprocess.Popen(
            [_program("openbox"), "--sm-disable"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield name
        finally:
            _end(manager)
    finally:
        _end(server)


def _start_xvfb() -> tuple[subprocess.Popen[bytes], str]:
    """Start Xvfb and wait until it has said which display it chose."""
    reading, writing = os.pipe()
    try:
        server = subprocess.Popen(
            [
                *(_program("Xvfb"), "-displayfd", str(writing), "-screen", "0", "1440x900x24"),
                *("-nolisten", "tcp", "-noreset", "-dpi", "96"),
            ],
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    finally:
        os.close(writing)
    timer = threading.Timer(DISPLAY_START_S, server.kill)  # closes the pipe, which ends the wait below
    timer.daemon = True
    timer.start()
    try:
        with os.fdopen(reading, "rb") as answer:
            number = answer.readline().strip()
    finally:
        timer.cancel()
    if not number:
        _end(server)
        pytest.fail(f"Xvfb did not name its display within {DISPLAY_START_S:g} s.", pytrace=False)
    return server, f":{number.decode()}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process by its pid; kill it when it does not end in time."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=PROCESS_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=PROCESS_END_S)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed; packaging/test installs it.", pytrace=False)
    return found


@pytest.fixture(scope="session")
def qapp_args(request: pytest.FixtureRequest) -> list[str]:
    """Choose the platform of the one QApplication of this test process, before pytest-qt makes it.

    A QApplication cannot change its platform. When any collected test wants a Qt window on a virtual display, all
    Qt tests of the process run there; otherwise they run offscreen.
    """
    wants_display = any(
        {"virtual_display", "qapp"} <= set(getattr(item, "fixturenames", ()))
        for item in request.session.items
    )
    if wants_display:
        os.environ["DISPLAY"] = request.getfixturevalue("virtual_display")
        os.environ["QT_QPA_PLATFORM"] = "xcb"
    else:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return ["operative"]


# --- the browser ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the path of an installed Chromium, Chrome or Edge; a machine without one fails the test."""
    for name in CHROMIUM_NAMES:
        if found := shutil.which(name):
            return found
    for place in CHROMIUM_PLACES:
        if Path(place).exists():
            return place
    pytest.fail("No Chromium, Chrome or Edge is installed; packaging/test installs Chromium.", pytrace=False)
