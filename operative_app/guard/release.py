"""Lets go of every key and mouse button of the system, whoever pressed it: what a process that was ended left down."""

from __future__ import annotations

import os
import sys
from typing import Any, Protocol

_BUTTONS = 9
_MASKED_BUTTONS = 5
"""Only these are told by the pointer's state (X11 core protocol, QueryPointer); the others are let go of blindly."""


class Releaser(Protocol):
    """Made before it is needed, so that letting go takes no connection."""

    def release(self) -> None:
        """Let go of all keys and buttons that are down. Never raises."""
        ...

    def close(self) -> None: ...


class X11Releaser:
    """On an X server, by XTEST."""

    def __init__(self) -> None:
        """Raises whatever python-xlib raises without a display."""
        from Xlib import X, display
        from Xlib.ext import xtest

        self._x: Any = X
        self._fake: Any = xtest.fake_input
        self._display: Any = display.Display()
        if not self._display.has_extension("XTEST"):
            raise RuntimeError("the display has no XTEST")

    def release(self) -> None:
        try:
            for keycode in self._down_keys():
                self._fake(self._display, self._x.KeyRelease, keycode)
            mask = self._display.screen().root.query_pointer().mask
            for button in range(1, _BUTTONS + 1):
                if button > _MASKED_BUTTONS or mask & (self._x.Button1Mask << (button - 1)):
                    self._fake(self._display, self._x.ButtonRelease, button)
            self._display.sync()
        except Exception:  # noqa: BLE001 - the display may be gone; then nothing is held either
            return

    def _down_keys(self) -> list[int]:
        keymap = self._display.query_keymap()
        return [8 * place + bit for place, byte in enumerate(keymap) for bit in range(8) if byte & (1 << bit)]

    def close(self) -> None:
        self._display.close()


class ControllerReleaser:
    """Elsewhere, by pynput: modifiers and buttons, the keys that do harm when they stay down."""

    def __init__(self) -> None:
        from pynput import keyboard, mouse

        self._keys = keyboard.Controller()
        self._buttons = mouse.Controller()
        names = ("ctrl", "ctrl_l", "ctrl_r", "shift", "shift_l", "shift_r", "alt", "alt_l", "alt_r", "alt_gr", "cmd")
        self._modifiers = [key for name in names if (key := getattr(keyboard.Key, name, None)) is not None]
        self._pressable = [mouse.Button.left, mouse.Button.right, mouse.Button.middle]

    def release(self) -> None:
        for key in self._modifiers:
            try:
                self._keys.release(key)
            except Exception:  # noqa: BLE001, S112 - a key this system does not know
                continue
        for button in self._pressable:
            try:
                self._buttons.release(button)
            except Exception:  # noqa: BLE001, S112 - see above
                continue

    def close(self) -> None:
        """Nothing is held."""


def make_releaser() -> Releaser | None:
    """The one for this system; None where there is none (no display)."""
    try:
        if sys.platform in {"win32", "darwin"}:
            return ControllerReleaser()
        return X11Releaser() if os.environ.get("DISPLAY") else None
    except Exception:  # noqa: BLE001 - what the libraries raise without a display differs by system
        return None
