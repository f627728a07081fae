"""The process that hears the hotkey: `python -m operative_app.guard.listener --chord ctrl+alt+escape`.

It speaks in lines on stdout: `ready`, then `pressed` for each press; or `unavailable: REASON` and exit code 3. It ends
when its stdin is closed, which also happens when the program that started it is killed, and on SIGTERM.
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

READY = "ready"
PRESSED = "pressed"
UNAVAILABLE = "unavailable: "
EXIT_UNAVAILABLE = 3
_READY_TIMEOUT_S = 10.0


class _Presses:
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
        return base if base in {"ctrl", "alt", "shift", "cmd"} else None

    def _is_key(self, key: Any) -> bool:
        if len(self._chord.key) > 1:
            return bool(key == getattr(self._keyboard.Key, self._chord.key, None))
        canonical = self.canonical(key)
        return (getattr(canonical, "char", None) or "").lower() == self._chord.key


def listen(chord: Chord) -> int:
    """Hear the chord until stdin is closed; returns the exit code. Main thread only."""
    try:
        from pynput import keyboard
    except Exception as error:  # noqa: BLE001 - what pynput raises without a display differs by system
        return _unavailable(error)
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    presses = _Presses(chord, keyboard)

    def on_press(key: Any) -> None:
        if presses.press(key):
            said.put(PRESSED)

    listener = keyboard.Listener(on_press=on_press, on_release=presses.release)
    presses.canonical = listener.canonical
    try:
        listener.start()
        waiting = threading.Thread(target=_wait_until_ready, args=(listener, said), daemon=True)
        waiting.start()
        waiting.join(_READY_TIMEOUT_S)
    except Exception as error:  # noqa: BLE001 - see above
        return _unavailable(error)
    if not listener.running or (sys.platform == "darwin" and not getattr(listener, "IS_TRUSTED", True)):
        return _unavailable(RuntimeError("the system does not allow this program to hear keys"))
    signal.signal(signal.SIGTERM, lambda *_: said.put(None))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the program that started this one
    threading.Thread(target=_watch_parent, args=(said,), daemon=True).start()
    threading.Thread(target=_watch_listener, args=(listener, said), daemon=True).start()
    while (line := said.get()) is not None:
        if not _say(line):
            break
    listener.stop()
    return 0


def _wait_until_ready(listener: Any, said: queue.SimpleQueue[str | None]) -> None:
    listener.wait()
    said.put(READY)


def _watch_parent(said: queue.SimpleQueue[str | None]) -> None:
    """The end of stdin: whoever started this process is gone or wants it to end."""
    try:
        while os.read(0, 4096):
            pass
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
