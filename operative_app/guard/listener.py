"""The guard's process, which hears the hotkey: `python -m operative_app.guard.listener --chord ctrl+alt+escape`.

| it says on stdout | when |
|---|---|
| `ready` | it hears keys |
| `unavailable: REASON` | it cannot; exit code 3 |
| `pressed` | the chord, or the pointer in the upper left corner while something injects; that was ended |
| `ended` | after a press nobody answered, so the browser was ended too |

| it hears on stdin | meaning |
|---|---|
| `guard input PID`, `guard browser PID` | end this process on a press (`guard.targets`) |
| `forget PID` | do not |
| `answered` | the engine has cancelled what ran |

On a press the input process is ended first, then all keys and buttons are let go of, then the press is told: nothing of
that waits for the application. It ends when its stdin is closed, which also happens when the program that started it is
killed, and on SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from operative_app.core.errors import SettingsError
from operative_app.guard.chords import Chord, parse_chord
from operative_app.guard.release import make_releaser
from operative_app.guard.targets import TargetKind, Targets

READY = "ready"
PRESSED = "pressed"
ENDED = "ended"
GUARD = "guard"
FORGET = "forget"
ANSWERED = "answered"
UNAVAILABLE = "unavailable: "
EXIT_UNAVAILABLE = 3
ANSWER_S = 0.15
"""How long the engine has to answer before the browser is ended too (ARCHITECTURE.md, decision 8)."""
_READY_TIMEOUT_S = 10.0
_CORNER_PX = 0
_META_KEYS = frozenset({0xFFE7, 0xFFE8})
"""Meta_L and Meta_R: what X keyboards call the Alt keys while Shift is held down."""


class Presses:
    """Follows what is held down and tells when the chord becomes complete. Called on pynput's thread alone.

    A held key repeats its press; only one after a release counts. Modifiers are known from their own presses, so a
    chord is complete with either of the two Ctrl keys.
    """

    def __init__(self, chord: Chord, keyboard: Any) -> None:
        self._chord = chord
        self._keyboard = keyboard
        self.canonical: Callable[[Any], Any] = lambda key: key
        self._modifiers: set[Any] = set()
        self._is_key_down = False

    def press(self, key: Any) -> bool:
        """Note a press; True when it completes the chord."""
        if (modifier := self._modifier(key)) is not None:
            self._modifiers.add((modifier, key))
            return False
        if not self._is_key(key) or self._is_key_down:
            return False
        self._is_key_down = True
        return self._chord.modifiers <= {name for name, _ in self._modifiers}

    def release(self, key: Any) -> None:
        if (modifier := self._modifier(key)) is not None:
            self._modifiers.discard((modifier, key))
        elif self._is_key(key):
            self._is_key_down = False

    def _modifier(self, key: Any) -> str | None:
        name = getattr(key, "name", "") or ""
        base = name.removesuffix("_l").removesuffix("_r").removesuffix("_gr")
        if getattr(key, "vk", None) in _META_KEYS:
            return "alt"
        return base if base in {"ctrl", "alt", "shift", "cmd"} else None

    def _is_key(self, key: Any) -> bool:
        if len(self._chord.key) > 1:
            return bool(key == getattr(self._keyboard.Key, self._chord.key, None))
        canonical = self.canonical(key)
        return (getattr(canonical, "char", None) or "").lower() == self._chord.key


class Guard:
    """What happens on a press. `stop` is called on pynput's threads, `hear` on the one that reads stdin."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._targets = Targets()
        self._releaser = make_releaser()
        self._answer: threading.Timer | None = None

    def stop(self) -> None:
        """End what injects, let go of everything, tell it, and wait for the answer."""
        with self._lock:
            self._targets.end(TargetKind.INPUT)
            if self._releaser is not None:
                self._releaser.release()
            self._say(PRESSED)
            if self._answer is None:
                self._answer = threading.Timer(ANSWER_S, self._end_browser)
                self._answer.daemon = True
                self._answer.start()

    def pointed(self, x: float, y: float) -> None:
        """The pointer moved: in the upper left corner it stops what injects. The agent itself never goes there."""
        if x <= _CORNER_PX and y <= _CORNER_PX and TargetKind.INPUT in self._targets:
            self.stop()

    def hear(self, line: str) -> None:
        """One line of the application; what is none of the known ones is left alone."""
        with self._lock:
            match line.split():
                case ["guard", kind, pid] if kind in set(TargetKind) and pid.isdecimal():
                    self._targets.add(TargetKind(kind), int(pid))
                case ["forget", pid] if pid.isdecimal():
                    self._targets.drop(int(pid))
                case ["answered"] if self._answer is not None:
                    self._answer.cancel()
                    self._answer = None
                case _:
                    pass

    def close(self) -> None:
        with self._lock:
            if self._answer is not None:
                self._answer.cancel()
            self._targets.close()

    def _end_browser(self) -> None:
        with self._lock:
            if self._answer is None:
                return
            self._answer = None
            if self._targets.end(TargetKind.BROWSER):
                self._say(ENDED)


def listen(chord: Chord) -> int:
    """Hear the chord until stdin is closed; returns the exit code. Main thread only."""
    try:
        from pynput import keyboard, mouse
    except Exception as error:  # noqa: BLE001 - what pynput raises without a display differs by system
        return _unavailable(error)
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    presses = Presses(chord, keyboard)
    guard = Guard(said.put)

    def on_press(key: Any) -> None:
        if presses.press(key):
            guard.stop()

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
        return _unavailable(error)
    if not listener.running or (sys.platform == "darwin" and not getattr(listener, "IS_TRUSTED", True)):
        return _unavailable(RuntimeError("the system does not allow this program to hear keys"))
    signal.signal(signal.SIGTERM, lambda *_: said.put(None))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the program that started this one
    threading.Thread(target=_hear_parent, args=(guard, said), daemon=True).start()
    threading.Thread(target=_watch_listener, args=(listener, said), daemon=True).start()
    while (line := said.get()) is not None:
        if not _say(line):
            break
    listener.stop()
    pointer.stop()
    guard.close()
    return 0


def _wait_until_ready(listener: Any, said: queue.SimpleQueue[str | None]) -> None:
    listener.wait()
    said.put(READY)


def _hear_parent(guard: Guard, said: queue.SimpleQueue[str | None]) -> None:
    """What the application asks for; the end of stdin: it is gone or wants this process to end."""
    rest = b""
    try:
        while block := os.read(0, 4096):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                guard.hear(line.decode(errors="replace"))
    except OSError:
        pass
    said.put(None)


def _watch_listener(listener: Any, said: queue.SimpleQueue[str | None]) -> None:
    """A listener that ends by itself lost its display; nothing is heard any more, so this process ends too."""
    listener.join()
    said.put(None)


def _unavailable(error: Exception) -> int:
    reason = " ".join(str(error).split()) or type(error).__name__
    _say(f"{UNAVAILABLE}{reason}")
    return EXIT_UNAVAILABLE


def _say(line: str) -> bool:
    try:
        os.write(1, f"{line}\n".encode(errors="replace"))
    except OSError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="operative-guard", description="Hear a hotkey and tell of it.")
    parser.add_argument("--chord", required=True)
    try:
        chord = parse_chord(parser.parse_args().chord)
    except SettingsError as error:
        parser.error(str(error))
    return listen(chord)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # pynput's thread may wait for a display that is gone
