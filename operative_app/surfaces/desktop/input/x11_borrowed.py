"""Keys without a symbol, borrowed for characters that the keyboard layout does not have.

Each program reads the keyboard map when it reads the key, which may be much later than the key was sent. So a key
keeps its character until the program is known to have read it (`X11Focus.is_taken`); changing it at once is what makes
"every third character come out as the one before".

Which keys are borrowed stands in a property of the root window: a process that was ended in the middle leaves the
note, and the next one (or `release.release_all`) gives them back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from operative_app.surfaces.desktop.input.x11_keymap import KeyMap, keysym_of

if TYPE_CHECKING:
    from Xlib.display import Display

NOTE = "_OPERATIVE_BORROWED_KEYS"


class BorrowedKeys:
    """The keys this process has borrowed, by character."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._keycodes: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._keycodes)

    def keycode(self, character: str) -> int:
        """The key that gives a character now, 0 when none was borrowed for it."""
        return self._keycodes.get(character, 0)

    def check(self, keymap: KeyMap) -> None:
        """Forget keys that something else (a change of the layout) has changed meanwhile."""
        self._keycodes = {
            character: keycode
            for character, keycode in self._keycodes.items()
            if keymap.symbol_at(keycode) == keysym_of(character)
        }

    def borrow(self, character: str, spare: list[int]) -> bool:
        """Let a spare key give a character; False when none is left. The caller syncs."""
        taken = set(self._keycodes.values())
        keycode = next((code for code in spare if code not in taken), 0)
        if not keycode:
            return False
        self._keycodes[character] = keycode
        _write_note(self._display, list(self._keycodes.values()))
        # Both levels of both groups: neither Shift nor the chosen layout may change what it gives.
        self._display.change_keyboard_mapping(keycode, [[keysym_of(character)] * 4])
        return True

    def give_back(self) -> None:
        """Make them keys without a symbol again. The caller syncs."""
        _clear(self._display, list(self._keycodes.values()))
        self._keycodes.clear()


def give_back_noted(display: Display) -> None:
    """Give back what an ended process has left borrowed."""
    from Xlib import Xatom

    note = display.screen().root.get_full_property(display.intern_atom(NOTE), Xatom.CARDINAL)
    if note is not None:
        _clear(display, [int(code) for code in note.value])


def _clear(display: Display, keycodes: list[int]) -> None:
    for keycode in keycodes:
        if 8 <= keycode <= 255:
            display.change_keyboard_mapping(keycode, [[0, 0, 0, 0]])
    display.screen().root.delete_property(display.intern_atom(NOTE))


def _write_note(display: Display, keycodes: list[int]) -> None:
    from Xlib import Xatom

    display.screen().root.change_property(display.intern_atom(NOTE), Xatom.CARDINAL, 32, keycodes)
