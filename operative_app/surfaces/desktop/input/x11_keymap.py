"""Which key gives which character on the present X11 keyboard layout. Pure: built from what the server tells."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

SHIFT_L, LEVEL3_SHIFT, CAPS_LOCK, NUM_LOCK, SCROLL_LOCK = 0xFFE1, 0xFE03, 0xFFE5, 0xFF7F, 0xFF14
_UNICODE = 0x01000000
_FIRST_FUNCTION_KEY = 0xFD00


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key with the modifiers that make it give one character."""

    keycode: int
    has_shift: bool = False
    has_level3: bool = False


class KeyMap:
    """The layout as the core protocol tells it.

    A row holds the symbols of one key: first group plain and shifted, second group plain and shifted, then the first
    group's third and fourth level (XKB protocol, "Core keyboard mapping to XKB"). The second group's higher levels
    and further groups stand at places that depend on the layout, and are not used.

    Args:
        first_keycode: The keycode of the first row.
        rows: Symbols of each key.
        modifiers: Keycodes of the eight modifiers (Shift, Lock, Control, Mod1 to Mod5).
    """

    def __init__(self, first_keycode: int, rows: Sequence[Sequence[int]], modifiers: Sequence[Sequence[int]]) -> None:
        self._first = first_keycode
        self._rows = rows
        self._modifiers = modifiers
        self._strokes: dict[int, dict[str, Stroke]] = {}
        self.spare = _without_first([first_keycode + place for place, row in enumerate(rows) if not any(row)])
        self.shift = self._modifier_key(SHIFT_L)
        self.level3 = self._modifier_key(LEVEL3_SHIFT)
        self.caps_lock = self._modifier_key(CAPS_LOCK)
        self.lock_mask = 1 << 1 | self._mask_of(NUM_LOCK) | self._mask_of(SCROLL_LOCK)

    def stroke(self, character: str, group: int) -> Stroke | None:
        """The key for a character on the layout in use (`group` counts from 0), None when it has none."""
        if group not in self._strokes:
            self._strokes[group] = self._read(group)
        return self._strokes[group].get(character)

    def keycode_of(self, keysym: int) -> int:
        """The key that gives a symbol without any modifier, 0 when there is none."""
        for place, row in enumerate(self._rows):
            if row and row[0] == keysym:
                return self._first + place
        return 0

    def symbol_at(self, keycode: int) -> int:
        """The plain symbol of a key, 0 when it has none."""
        row = self._rows[keycode - self._first]
        return row[0] if row else 0

    def _read(self, group: int) -> dict[str, Stroke]:
        found: dict[str, Stroke] = {}
        for column, has_shift, has_level3 in _levels(group):
            if (has_shift and not self.shift) or (has_level3 and not self.level3):
                continue
            for place, row in enumerate(self._rows):
                character = character_of(row[column]) if column < len(row) else ""
                if character and character not in found:
                    found[character] = Stroke(self._first + place, has_shift, has_level3)
        return found

    def _modifier_key(self, keysym: int) -> int:
        """A key with this symbol that is attached to a modifier; else pressing it would change nothing."""
        attached = {keycode for keycodes in self._modifiers for keycode in keycodes if keycode}
        for place, row in enumerate(self._rows):
            if row and row[0] == keysym and self._first + place in attached:
                return self._first + place
        return 0

    def _mask_of(self, keysym: int) -> int:
        for bit, keycodes in enumerate(self._modifiers):
            for keycode in keycodes:
                if keycode and keysym in self._rows[keycode - self._first]:
                    return 1 << bit
        return 0


def _without_first(empty: Sequence[int]) -> tuple[int, ...]:
    """Keys without a symbol that may be given one, the last first.

    The first is left to other tools: xdotool looks for it when it presses and again when it lets go, and lets go of
    another key when that one was borrowed or given back in between; then the pressed one would stay down.
    """
    return tuple(reversed(empty[1:] or empty))


def _levels(group: int) -> tuple[tuple[int, bool, bool], ...]:
    match group:
        case 0:
            return (0, False, False), (1, True, False), (4, False, True), (5, True, True)
        case 1:
            return (2, False, False), (3, True, False)
        case _:
            return ()


def keysym_of(character: str) -> int:
    """The symbol of a character (X11 protocol, appendix A)."""
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code


@lru_cache(maxsize=4096)
def character_of(keysym: int) -> str:
    """The character a symbol stands for, "" for none: function keys, the number pad, dead keys."""
    if 0x20 <= keysym <= 0x7E or 0xA0 <= keysym <= 0xFF:
        return chr(keysym)
    if _UNICODE + 0x100 <= keysym <= _UNICODE + 0x10FFFF:
        return chr(keysym - _UNICODE)
    if not keysym or keysym >= _FIRST_FUNCTION_KEY:
        return ""
    library = _xkbcommon()
    code = library.xkb_keysym_to_utf32(keysym) if library is not None else 0
    return chr(code) if code >= 0x20 else ""


@lru_cache(maxsize=1)
def _xkbcommon() -> ctypes.CDLL | None:
    """The library with the table of old symbols (Cyrillic_a and the like); without it they count as not on the map."""
    try:
        library = ctypes.CDLL("libxkbcommon.so.0")
    except OSError:
        return None
    library.xkb_keysym_to_utf32.argtypes = [ctypes.c_uint32]
    library.xkb_keysym_to_utf32.restype = ctypes.c_uint32
    return library
