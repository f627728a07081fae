"""Where an application is stopped: its process, a window to type into, a page that tells what it gets, and the key.

Nothing here shares a thread or a process with what it watches: the key is pressed by another client of the display,
input on the display is seen by a tap of its own (`tap`), input in the page is told by the page to a loopback server.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from Xlib import XK, X, display
from Xlib.error import BadDrawable, BadWindow
from Xlib.ext import xtest

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
CHORD = ("Control_L", "Alt_L", "Escape")
MARK = "Shift_R"
WINDOW = """
import sys
from PySide6.QtWidgets import QApplication, QPlainTextEdit
app = QApplication([])
edit = QPlainTextEdit()
edit.setGeometry(250, 150, 1000, 600)
app.focusChanged.connect(lambda old, new: new is edit and print("focused", flush=True))
edit.setAcceptDrops(False)
edit.show()
edit.activateWindow()
edit.setFocus()
app.exec()
"""
PAGE = """<!doctype html><title>told</title><style>body { margin: 0; height: 900px }
button { position: absolute; left: 20px; top: 400px } input { position: absolute; left: 20px; top: 20px; width: 600px }
</style><input id=field aria-label=Field autofocus><button>Go</button><script>
const told = [], hand = ['Control', 'Alt', 'Escape'], works = [];
function tell(e) {
  if (!e.isTrusted || hand.includes(e.key)) return;
  told.push([e.type, performance.timeOrigin + e.timeStamp, e.clientX || 0, e.clientY || 0]);
  fetch('/told', {method: 'POST', keepalive: true, body: JSON.stringify(told.splice(0))});
}
for (const kind of ['keydown', 'mousedown', 'mouseup', 'mousemove', 'wheel']) addEventListener(kind, tell, true);
async function beat() {
  const answer = await fetch('/told', {method: 'POST', body: '[["beat", 0, 0, 0]]'}).then((it) => it.text());
  if (answer == 'rest') for (const one of works.splice(0)) clearInterval(one);
  setTimeout(beat, answer == 'rest' ? 1000 : 100);
}
beat();
field.focus();
if (location.search.includes('moving')) works.push(setInterval(() => {
  document.querySelector('button').style.left = 20 + Math.random() * 500 + 'px' }, 15));
if (location.search.includes('busy')) works.push(setInterval(() => {
  const end = performance.now() + 250; while (performance.now() < end); }, 300));
</script>"""


class Key:
    """A hand on the keyboard: a client of the display that belongs to nobody else."""

    def __init__(self, name: str) -> None:
        self._display = display.Display(name)
        self.codes = [self._display.keysym_to_keycode(XK.string_to_keysym(key)) for key in CHORD]
        self.mark = self._display.keysym_to_keycode(XK.string_to_keysym(MARK))

    def press(self) -> None:
        """Press the stop key and let go of it."""
        for kind, codes in ((X.KeyPress, self.codes), (X.KeyRelease, self.codes[::-1])):
            for code in codes:
                xtest.fake_input(self._display, kind, code)
        self._display.sync()

    def touch(self) -> None:
        """Press a key that does nothing, once the display has served everybody twice: after what others had sent."""
        for _ in range(2):
            self.held()
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, self.mark)
        self._display.sync()

    def hold(self) -> None:
        """Press a key that does nothing, and hold it."""
        xtest.fake_input(self._display, X.KeyPress, self.mark)
        self._display.sync()

    def click(self, x: int, y: int, button: int = 1) -> None:
        self.put_pointer(x, y)
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, kind, button)
        self._display.sync()

    def menu_of(self, pid: int) -> tuple[int, int] | None:
        """Where the first entry of the menu is that a process shows; None while it shows none."""
        kind = self._display.intern_atom("_NET_WM_PID")
        for window in self._display.screen().root.query_tree().children:
            with contextlib.suppress(BadWindow, BadDrawable):  # it has gone meanwhile
                attributes, place = window.get_attributes(), window.get_geometry()
                owner = window.get_full_property(kind, X.AnyPropertyType)
                is_shown = attributes.override_redirect and attributes.map_state == X.IsViewable
                if is_shown and owner is not None and list(owner.value) == [pid]:
                    return place.x + place.width // 2, place.y + 15
        return None

    def put_pointer(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def held(self) -> int:
        """How many keys and buttons the display has down."""
        mask: int = self._display.screen().root.query_pointer().mask
        keymap: Sequence[int] = self._display.query_keymap()
        return sum(byte.bit_count() for byte in keymap) + (mask >> 8 & 0x1F).bit_count()

    def close(self) -> None:
        self._display.close()


class Subject:
    """The application's process and what it told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.told: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, name="subject", daemon=True)
        self._reader.start()

    def order(self, **order: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def run(self, what: str, surface: str, **more: Any) -> None:
        self.told.clear()
        self.order(do="run", what=what, surface=surface, **more)

    def halt(self, fault: str, gate: Path) -> None:
        """Have it hang: “stopped”, or what `subject.App` blocks. `go_on` ends that."""
        if fault == "stopped":
            self.process.send_signal(signal.SIGSTOP)
            assert until(self._has_stopped)  # until a thread has time to take the signal, the others go on and answer
        elif fault:
            if not gate.exists():
                os.mkfifo(gate)
            self.order(do="block", thread=fault, gate=str(gate))
            self.wait("blocked")

    def _has_stopped(self) -> bool:
        states = []
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):  # a thread that has just ended
                states.append(stat.read_text().rpartition(")")[2].split()[0])
        return set(states) == {"T"}

    def go_on(self, fault: str, gate: Path) -> None:
        if fault == "stopped":
            self.process.send_signal(signal.SIGCONT)
        elif fault:
            gate.open("wb").close()

    def wait(self, event: str, *, timeout_s: float = LIMIT_S, **fields: Any) -> dict[str, Any]:
        """Wait until it told this; raises AssertionError when it does not come."""

        def found() -> dict[str, Any] | None:
            for one in list(self.told):
                if one["event"] == event and all(one.get(name) == value for name, value in fields.items()):
                    return one
            return None

        with self._changed:
            seen = self._changed.wait_for(found, timeout=timeout_s)
        assert seen, f"no {event} {fields} came; there were {self.told[-12:]}"
        return seen

    def children(self, *words: str) -> list[psutil.Process]:
        """Its processes whose command line holds one of the words, all without."""
        found = []
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if not words or any(word in part for part in child.cmdline() for word in words):
                    found.append(child)
        return found

    def browser(self) -> list[psutil.Process]:
        """Driver and browser with all they started."""
        tops = self.children("run-driver", "--user-data-dir=")
        return list({one.pid: one for top in tops for one in [top, *_children(top)]}.values())

    def close(self) -> None:
        """After its process has ended."""
        assert self.process.stdout is not None
        self._reader.join(LIMIT_S)
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.told.append(json.loads(line))
                self._changed.notify_all()


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs; one whose parent hangs stays in the list of processes after its end."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


@contextmanager
def subject(name: str, folder: Path, *listener: str) -> Iterator[Subject]:
    """Start the application and wait until its guard works. All of it is ended afterwards.

    Args:
        listener: The program of its guard's process, when not the usual one.
    """
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), folder / "home")
    places = {**homes, "XDG_RUNTIME_DIR": folder / "run", "TMPDIR": folder / "tmp"}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    shown = {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.guard.subject", str(folder), *listener],
        cwd=ROOT, env={**os.environ, **shown, **{key: str(place) for key, place in places.items()}},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    app = Subject(process)
    try:
        app.wait("guard", works=True)
        yield app
    finally:
        end_subject(app)


def end_subject(app: Subject) -> None:
    """Have it close itself; what does not is killed."""
    process = app.process
    with contextlib.suppress(OSError, psutil.Error):
        psutil.Process(process.pid).resume()
    with contextlib.suppress(OSError, ValueError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(timeout=25)
    except subprocess.TimeoutExpired:
        left = [psutil.Process(process.pid), *_children(psutil.Process(process.pid))]
        for one in left:
            with contextlib.suppress(psutil.Error):
                one.kill()
        process.wait()
    app.close()


@contextmanager
def window(name: str) -> Iterator[None]:
    """A window of another program to type and drag in."""
    environment = {**os.environ, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb"}
    process = subprocess.Popen([sys.executable, "-c", WINDOW], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "focused\n"
        yield
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@dataclass(frozen=True, slots=True)
class Told:
    """An input event of the page, with the time the browser took it (epoch, ms) and where in the viewport."""

    kind: str
    time_ms: float
    x: float
    y: float


class Page:
    """A page on loopback that tells each input event it gets.

    Attributes:
        events: Kind and time of what was sent, letting go of a button not among it.
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, float]] = []
        self.beats = 0
        self._told: list[Told] = []
        self._loads = 0
        self._is_resting = False
        self._changed = threading.Condition()
        told = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(PAGE.encode())

            def do_POST(self) -> None:
                events = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with told._changed:
                    told._note([Told(*one) for one in events])
                    told._changed.notify_all()
                self._send(b"rest" if told._is_resting else b"")

            def _send(self, body: bytes) -> None:
                with contextlib.suppress(ConnectionError):  # the browser was ended
                    self._write(body)

            def _write(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, _format: str, *_arguments: Any) -> None:
                return

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, name="page", daemon=True).start()

    def _note(self, events: list[Told]) -> None:
        self.beats += sum(one.kind == "beat" for one in events)
        self._told += [one for one in events if one.kind != "beat"]
        self.events += [(one.kind, one.time_ms) for one in events if one.kind not in {"beat", "mouseup"}]

    @property
    def held(self) -> int:
        """How many buttons the page has seen go down and not come up."""
        kinds = [one.kind for one in self.told()]
        return max(0, kinds.count("mousedown") - kinds.count("mouseup"))

    def told(self) -> list[Told]:
        with self._changed:
            return list(self._told)

    def begin(self) -> None:
        """Forget what was told."""
        with self._changed:
            self.events.clear()
            self._told.clear()
            self._is_resting = False

    def rest(self) -> None:
        """Have a page that is busy or moves do so no longer; it goes on telling what it gets."""
        self._is_resting = True

    def url(self, mode: str = "") -> str:
        """Of a fresh load, "moving" or "busy"."""
        self._loads += 1
        return f"http://127.0.0.1:{self._server.server_port}/?{mode}{self._loads}"

    def wait(self, number: int, kind: str = "", *, timeout_s: float = LIMIT_S) -> bool:
        with self._changed:
            return self._changed.wait_for(
                lambda: sum(not kind or one == kind for one, _ in self.events) >= number, timeout=timeout_s
            )

    def wait_for_beats(self, number: int = 3) -> bool:
        """Wait until the page has come round to its own work again so often: what it had to take before, it has."""
        goal = self.beats + number
        with self._changed:
            return self._changed.wait_for(lambda: self.beats >= goal, timeout=LIMIT_S)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def page() -> Iterator[Page]:
    made = Page()
    try:
        yield made
    finally:
        made.close()


def until(look: Callable[[], Any], timeout_s: float = LIMIT_S) -> bool:
    """Look again and again, without a pause worth speaking of; whether it came true in time."""
    end_s = time.monotonic() + timeout_s
    while not look():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.001)
    return True
