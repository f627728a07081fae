"""What every test stands on: a place of its own, no leftovers, and a display for those that ask for one.

A test sees an empty home, empty XDG folders, an empty temporary folder, no keyring, no display and no network
beyond this machine. Ask for `virtual_display` to get a real X server with a window manager, for `desktop` to get
real programs with an accessibility tree on it, and for `chromium_path` to get a real browser.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from pytestqt.qtbot import QtBot

from tests.display import running_display
from tests.leftovers import MARK_VARIABLE, REAL_TEMP, Surroundings

pytest_plugins = ["tests.desktop_session"]

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
CHROMIUM_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
UNSET = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY", "OPENAI_API_KEY", "OPENAI_BASE_URL", *PROXIES)
LOOPBACK = "localhost,127.0.0.1,::1"
QT_PATIENCE_MS = 60_000


# A machine that is busy finds no fault: neither that an example took long, nor that making it did. Every run tries the
# same examples, so that a failure belongs to what was changed; `--hypothesis-profile explore` looks for new ones.
hypothesis.settings.register_profile(
    "operative", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], derandomize=True, database=None
)
hypothesis.settings.register_profile(
    "explore", hypothesis.settings.get_profile("operative"), derandomize=False, max_examples=3000
)
hypothesis.settings.load_profile("operative")


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

# Started in the background, or by nohup, the tests would hand on to the programs they start that these are ignored.
for _signal, _handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if (_number := getattr(signal, _signal, None)) is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


SECURITY_ROOMS = ("tests/security/", "tests/safety/")
SECURITY_FILES = frozenset(
    f"test_{name}.py"
    for name in ("policy", "secrets", "secret_book", "sites", "contract", "stop_key", "input_safety", "kill_switch")
)
"""Tables of other rooms that show the same; single tests elsewhere carry the mark themselves."""


LONG_ROOMS = ("tests/e2e/", "tests/surfaces/", "tests/engine/", "tests/planning/", "tests/guard/", "tests/security/")
"""Those whose files take long, the longest first: given out last, one would keep one test process busy alone."""

OURS = tuple(Path(__file__).parents[1] / name for name in ("tests", "operative_app", "packaging"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the security cases, so that they can be counted and run: `pytest --collect-only -q -m security`.

    Long rooms come first; within a room the order stays.
    """
    for item in items:
        if item.nodeid.startswith(SECURITY_ROOMS) or item.path.name in SECURITY_FILES:
            item.add_marker(pytest.mark.security)
    items.sort(key=lambda item: [not item.nodeid.startswith(room) for room in LONG_ROOMS])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave out of a traceback what stands above our own code; `--tb=native` would print all of pytest's frames."""
    if call.excinfo is not None:
        frames = call.excinfo.traceback
        ours = (at for at, frame in enumerate(frames) if any(map(Path(frame.path).is_relative_to, OURS)))
        call.excinfo.traceback = frames[next(ours, 0) :]
    return (yield)


@pytest.fixture(autouse=True)
def isolation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give the test an own, empty place, and fail it when it leaves something behind.

    Yields:
        The folder of the test which holds `home`, `tmp` and `run`. Its path is short, because the sockets of
        browsers and of D-Bus live below it and a socket's path may have 107 characters at most.
    """
    tmp_path_factory.getbasetemp()  # fixed before TMPDIR is moved
    display = request.getfixturevalue("virtual_display") if "virtual_display" in request.fixturenames else None
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
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
        "QT_QPA_PLATFORM": "xcb" if display else "offscreen",
    }
    if display:
        settings["DISPLAY"] = display
    for name, value in settings.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(tempfile, "tempdir", None)  # so that TMPDIR is read again
    problems: list[str] = []
    try:
        yield place
        problems = surroundings.leftovers(temp)
    finally:
        _remove(place)
    if problems:
        pytest.fail("The test left behind:\n" + "\n".join(problems), pytrace=False)


def _remove(place: Path) -> None:
    """Remove a test's folder: most tests leave it as it was made, which is far cheaper to remove."""
    try:
        for folder in (place / "home", place / "tmp", place / "run", place):
            folder.rmdir()
    except OSError:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="session")
def virtual_display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a virtual display with a window manager, one for each test process, and yield its name (":7")."""
    with running_display(tmp_path_factory.mktemp("display")) as name:
        yield name


@pytest.fixture(scope="session")
def qapp_args(request: pytest.FixtureRequest) -> list[str]:
    """Choose the platform of the one QApplication of this test process, before pytest-qt makes it.

    A QApplication cannot change its platform. When any collected test wants a Qt window on a virtual display,
    all Qt tests of the process run there; otherwise they run offscreen.
    """
    on_display = any(
        {"virtual_display", "qapp"} <= set(getattr(item, "fixturenames", ())) for item in request.session.items
    )
    if on_display:
        os.environ["DISPLAY"] = request.getfixturevalue("virtual_display")
    os.environ["QT_QPA_PLATFORM"] = "xcb" if on_display else "offscreen"
    return ["operative"]


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """pytest-qt's, which waits as long as a busy machine needs; its own five seconds are not enough there."""
    for name in ("waitUntil", "waitSignal", "waitSignals", "waitActive", "waitExposed"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=QT_PATIENCE_MS))
    return qtbot


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
