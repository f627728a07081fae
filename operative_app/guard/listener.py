"""The guard's process, which hears the hotkey: `python -m operative_app.guard.listener --chord ctrl+alt+escape`.

| it says on stdout | when |
|---|---|
| `ready` | it hears keys |
| `unavailable: REASON` | it cannot; exit code 3 |
| `pressed N WAY` | what injects was ended; WAY is `key` (the chord), `corner` (the upper left) or `asked` (`press`) |
| `ended N` | after a press nobody answered, so the browser was ended too |
| `alive` | it was asked |

| it hears on stdin | meaning |
|---|---|
| `guard input PID`, `guard browser PID` | end this process on a press (`guard.targets`) |
| `forget PID` | do not |
| `press` | as if the chord had been pressed |
| `answered N` | the engine has cancelled what ran |
| `ping` | say that you live |
| `bye` | the end of stdin that follows is meant |

The tray icon's process says `press` by a line of its own (`--line FILE`), which no thread of the application reads.

On a press its number is put into the latch first (`guard.latch`, `--latch PLACE`). Then the input process is ended, all
keys and buttons are let go of, and the press is told: nothing of that waits for the application. It ends when its stdin
is closed, and on SIGTERM. When stdin is closed without a good-bye, the program that started it was killed: then what it
had started is ended too.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psutil

from operative_app.core.errors import SettingsError
from operative_app.guard.chords import Chord, parse_chord
from operative_app.guard.hearing import NOT_ALLOWED, X11Keyboard, why_deaf
from operative_app.guard.latch import Latch
from operative_app.guard.presses import Presses
from operative_app.guard.stopping import PRESS, Guard, StopWay

READY = "ready"
UNAVAILABLE = "unavailable: "
EXIT_UNAVAILABLE = 3
_READY_TIMEOUT_S = 10.0
_SWITCH_S = 0.0005
"""How long the thread that hears the pointer may keep the interpreter from the one that hears the keys."""
_NICE = -15
"""Before that of a browser, which asks for -8. Most systems grant neither to an ordinary user."""


def listen(chord: Chord, latch: Latch | None = None, stop_line: int | None = None) -> int:
    """Hear the chord until stdin is closed; returns the exit code. Main thread only.

    Args:
        latch: Gets the number of each press.
        stop_line: An open file by which another process of the application asks for a stop.
    """
    sys.setswitchinterval(_SWITCH_S)
    _come_first()
    if reason := why_deaf():
        return _unavailable(reason)
    try:
        from pynput import keyboard, mouse

        server = None if sys.platform in {"win32", "darwin"} else X11Keyboard()
    except Exception as error:  # noqa: BLE001 - what the libraries raise without a display differs by system
        return _unavailable(str(error) or type(error).__name__)
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    presses = Presses(chord, keyboard)
    if server is not None:
        presses = Presses(chord, keyboard, held=server.held, letters=server.letters)
    guard = Guard(said.put, _parent(), latch)

    def on_press(key: Any) -> None:
        if presses.press(key):
            guard.stop(StopWay.KEY)

    listener = keyboard.Listener(on_press=on_press, on_release=presses.release)
    presses.canonical = listener.canonical
    pointer = mouse.Listener(on_move=lambda x, y, *_: guard.pointed(x, y))
    try:
        listener.start()
        pointer.start()
        waiting = threading.Thread(target=_wait_until_ready, args=(listener, said), daemon=True)
        waiting.start()
        waiting.join(_READY_TIMEOUT_S)
    except Exception as error:  # noqa: BLE001 - see above
        return _unavailable(str(error) or type(error).__name__)
    if waiting.is_alive() or not listener.running:
        return _unavailable("the display did not answer in time")
    if sys.platform == "darwin" and not getattr(listener, "IS_TRUSTED", True):
        return _unavailable(NOT_ALLOWED)
    signal.signal(signal.SIGTERM, lambda *_: said.put(None))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the program that started this one
    threading.Thread(target=_hear_parent, args=(guard, said), daemon=True).start()
    if stop_line is not None:
        threading.Thread(target=_hear_line, args=(stop_line, guard), daemon=True).start()
    for one in (listener, pointer):
        threading.Thread(target=_watch_listener, args=(one, said), daemon=True).start()
    while (line := said.get()) is not None:
        _say(line)
    guard.close()
    return 0


def _come_first() -> None:
    """Have the system give this process its turn before others, where it lets a program ask for that."""
    with contextlib.suppress(psutil.Error, OSError):
        if sys.platform == "win32":
            psutil.Process().nice(psutil.HIGH_PRIORITY_CLASS)
        else:
            psutil.Process().nice(_NICE)


def _parent() -> psutil.Process | None:
    """The application that started this process."""
    try:
        return psutil.Process(os.getppid())
    except psutil.Error:
        return None


def _wait_until_ready(listener: Any, said: queue.SimpleQueue[str | None]) -> None:
    listener.wait()
    said.put(READY)


def _hear_parent(guard: Guard, said: queue.SimpleQueue[str | None]) -> None:
    """What the application asks for; the end of stdin: it is gone or wants this process to end."""
    for line in _lines(0):
        guard.hear(line)
    guard.parent_gone()
    said.put(None)


def _hear_line(file: int, guard: Guard) -> None:
    """What the tray icon's process asks for; nothing but a stop."""
    for line in _lines(file):
        if line == PRESS:
            guard.stop(StopWay.ASKED)


def _lines(file: int) -> Iterator[str]:
    """The lines of an open file until its end."""
    rest = b""
    with contextlib.suppress(OSError):
        while block := os.read(file, 4096):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")


def _watch_listener(listener: Any, said: queue.SimpleQueue[str | None]) -> None:
    """A listener that ends by itself lost its display; nothing is heard any more, so this process ends too."""
    threading.Thread.join(listener)  # pynput's own waits for a word that a lost display does not give
    said.put(None)


def _unavailable(reason: str) -> int:
    _say(f"{UNAVAILABLE}{' '.join(reason.split())}")
    return EXIT_UNAVAILABLE


def _say(line: str) -> None:
    """Nobody may be there any more: then the end of stdin is about to be seen."""
    with contextlib.suppress(OSError):
        os.write(1, f"{line}\n".encode(errors="replace"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="operative-guard", description="Hear a hotkey and tell of it.")
    parser.add_argument("--chord", required=True)
    parser.add_argument("--latch", default="", metavar="PLACE")
    parser.add_argument("--line", type=int, metavar="FILE")
    arguments = parser.parse_args()
    try:
        chord = parse_chord(arguments.chord)
    except SettingsError as error:
        parser.error(str(error))
    latch = None
    with contextlib.suppress(OSError, ValueError):  # without it a press is told by its line alone
        latch = Latch.open(arguments.latch) if arguments.latch else None
    return listen(chord, latch, arguments.line)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # pynput's thread may wait for a display that is gone
