"""Keys of `core.keys` as each system calls them, and what a chord means in keys that are pressed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from operative_app.core.keys import MODIFIERS

KEYSYMS = {
    "Control": 0xFFE3,
    "Shift": 0xFFE1,
    "Alt": 0xFFE9,
    "AltGraph": 0xFE03,
    "Meta": 0xFFEB,
    "Enter": 0xFF0D,
    "Tab": 0xFF09,
    "Escape": 0xFF1B,
    "Backspace": 0xFF08,
    "Delete": 0xFFFF,
    "Insert": 0xFF63,
    "Home": 0xFF50,
    "End": 0xFF57,
    "PageUp": 0xFF55,
    "PageDown": 0xFF56,
    "ArrowLeft": 0xFF51,
    "ArrowUp": 0xFF52,
    "ArrowRight": 0xFF53,
    "ArrowDown": 0xFF54,
    "Space": 0x0020,
    "CapsLock": 0xFFE5,
    "NumLock": 0xFF7F,
    "ScrollLock": 0xFF14,
    "Pause": 0xFF13,
    "PrintScreen": 0xFF61,
    "ContextMenu": 0xFF67,
    **{f"F{number}": 0xFFBD + number for number in range(1, 25)},
}
"""X11's numbers (keysymdef.h) of the named keys."""

PYAUTOGUI_NAMES = {
    "Control": "ctrl",
    "Shift": "shift",
    "Alt": "alt",
    "AltGraph": "altright",
    "Meta": "command" if sys.platform == "darwin" else "win",
    "Enter": "enter",
    "Tab": "tab",
    "Escape": "esc",
    "Backspace": "backspace",
    "Delete": "delete",
    "Insert": "insert",
    "Home": "home",
    "End": "end",
    "PageUp": "pageup",
    "PageDown": "pagedown",
    "ArrowLeft": "left",
    "ArrowUp": "up",
    "ArrowRight": "right",
    "ArrowDown": "down",
    "Space": "space",
    "CapsLock": "capslock",
    "NumLock": "numlock",
    "ScrollLock": "scrolllock",
    "Pause": "pause",
    "PrintScreen": "printscreen",
    "ContextMenu": "apps",
    **{f"F{number}": f"f{number}" for number in range(1, 25)},
}
"""pyautogui's names of the named keys; not each of them exists on each system."""


def physical(chord: Sequence[str]) -> tuple[str, ...]:
    """The keys of a chord as they are pressed here.

    `ControlOrMeta` becomes this system's own. Beside a modifier a capital letter is how people write the key
    ("Ctrl+A"): it means the letter's key, and Shift only when that is named too.
    """
    keys = [("Meta" if sys.platform == "darwin" else "Control") if key == "ControlOrMeta" else key for key in chord]
    if any(key in MODIFIERS for key in keys):
        keys = [key.lower() if len(key) == 1 and len(key.lower()) == 1 else key for key in keys]
    return tuple(keys)
