"""Whether keys can be heard here at all, and what the X server knows about the keyboard.

| where | why a hotkey would not fire |
|---|---|
| Wayland | a program hears the keys that are meant for its own windows only |
| X11 without RECORD | nothing tells which keys are pressed |
| macOS without permission | the system keeps keys from programs that were not allowed to hear them |
| no display | there are no keys |
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from typing import Any

ON_WAYLAND = "on Wayland a program hears only the keys that are meant for its own windows"
NO_DISPLAY = "there is no display"
NO_RECORD = "this display tells no program which keys are pressed (its RECORD extension is off)"
NOT_ALLOWED = "the system does not allow this program to hear keys"
_STATE_BITS = {"shift": 1 << 0, "ctrl": 1 << 2}
_NUMBERED = {"alt": ("Alt_L", "Alt_R", "Meta_L"), "cmd": ("Super_L", "Super_R")}


def why_deaf(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Why no hotkey can be heard here, as words that go after a colon; "" when nothing is known against it."""
    given = os.environ if environment is None else environment
    if platform in {"win32", "darwin"}:
        return ""
    if given.get("WAYLAND_DISPLAY") or given.get("XDG_SESSION_TYPE") == "wayland":
        return ON_WAYLAND
    if not given.get("DISPLAY"):
        return NO_DISPLAY
    return _deaf_display(given["DISPLAY"])


def _deaf_display(name: str) -> str:
    from Xlib import display, error

    try:
        server = display.Display(name)
    except (error.DisplayError, error.XError, OSError, OverflowError):
        return f"the display {name} does not answer or refuses"
    try:
        extensions = server.list_extensions()
        if "XWAYLAND" in extensions:
            return ON_WAYLAND
        return "" if "RECORD" in extensions else NO_RECORD
    finally:
        server.close()


class X11Keyboard:
    """What the X server says of its keyboard, over a connection of its own. One thread at a time; never raises."""

    def __init__(self) -> None:
        """Raises whatever python-xlib raises without a display."""
        from Xlib import XK, display

        self._display: Any = display.Display()
        self._numbers: Any = XK.string_to_keysym
        self._bits = dict(_STATE_BITS)
        self._find_numbered()

    def held(self) -> Collection[str]:
        """The modifiers that are down now, whoever holds them."""
        try:
            mask = self._display.screen().root.query_pointer().mask
        except Exception:  # noqa: BLE001 - the display may be gone; then nothing is held
            return ()
        return {name for name, bit in self._bits.items() if mask & bit}

    def letters(self, key: Any) -> Collection[str]:
        """The letters and digits on the key that gave this: in a Cyrillic layout K's key is still K's key."""
        number = getattr(key, "vk", None)
        if not number:
            return ()
        try:
            first = self._display.display.info.min_keycode
            count = self._display.display.info.max_keycode - first + 1
            rows = self._display.get_keyboard_mapping(first, count)
        except Exception:  # noqa: BLE001 - see above
            return ()
        return {chr(one).lower() for row in rows if number in row for one in row if 0x20 < one < 0x7F}

    def close(self) -> None:
        self._display.close()

    def _find_numbered(self) -> None:
        """Which of the five numbered modifiers Alt and Super are differs by keyboard."""
        modifiers = self._display.get_modifier_mapping()
        for name, symbols in _NUMBERED.items():
            codes = {self._display.keysym_to_keycode(self._numbers(symbol)) for symbol in symbols} - {0}
            for place, row in enumerate(modifiers):
                if codes & set(row):
                    self._bits[name] = self._bits.get(name, 0) | 1 << place
