"""A person's hand on Windows and macOS: pynput's listeners, which tell what was injected from what a device sent."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from typing import Any

from operative_app.core.taking import Hand
from operative_app.surfaces.desktop.input.person import Touch, Tremble


class SystemPerson:
    """`PersonWatch` by pynput.

    Its listeners are threads of their own, which wake by the system's events and end by `close`.
    Raises Exception as pynput does when the system does not allow it to listen.
    """

    def __init__(self) -> None:
        from pynput import keyboard, mouse

        self._lock = threading.Lock()
        self._touches: list[Touch] = []
        self._tremble = Tremble()
        self._at: tuple[float, float] | None = None
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        os.set_blocking(self._reading, False)
        self._listeners: list[Any] = [
            keyboard.Listener(on_press=lambda _key, injected=False: self._note(Hand.TYPED, injected=injected)),
            mouse.Listener(
                on_move=self._moved,
                on_click=lambda *event: self._note(Hand.CLICKED, injected=event[-1]),
                on_scroll=lambda *event: self._note(Hand.MOVED, injected=event[-1]),
            ),
        ]
        for listener in self._listeners:
            listener.start()

    @property
    def is_held_back(self) -> bool:
        return False

    def fileno(self) -> int:
        return self._reading

    def notice(self) -> Sequence[Touch]:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._reading, 4096):
                pass
        with self._lock:
            touches, self._touches = self._touches, []
        return touches

    def close(self) -> None:
        for listener in self._listeners:
            listener.stop()
        os.close(self._writing)
        os.close(self._reading)

    def _moved(self, x: float, y: float, injected: bool = False) -> None:
        before, self._at = self._at, (x, y)
        if (
            not injected
            and before is not None
            and self._tremble.is_move(x - before[0], y - before[1], time.monotonic())
        ):
            self._note(Hand.MOVED, injected=False)

    def _note(self, hand: Hand, *, injected: bool) -> None:
        if injected:
            return
        with self._lock:
            x, y = self._at or (0, 0)
            self._touches.append(Touch(hand, button=hand is Hand.CLICKED, x=round(x), y=round(y)))
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._writing, b".")
