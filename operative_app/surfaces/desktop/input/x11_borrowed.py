"""Keys without a symbol, borrowed for characters that the keyboard layout does not have.

Each program reads the keyboard map when it reads the key, which may be much later than the key was sent. So a key
keeps its character until the program is known to have read it (`X11Focus.is_taken`); changing it at once is what makes
"every third character come out as the one before". And each change costs every program time, so that many keys are
borrowed, and all given back, by one change.

Which keys are borrowed stands in a property of the root window: a process that was ended in the middle leaves the
note, and the next one (or `release.release_all`) gives them back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from operative_app.surfaces.desktop.input.x11_keymap import KeyMap, keysym_of
from operative_app.surfaces.desktop.input.x11_xkb import NO_SYMBOL, KeySymbols, letter, one_symbol

if TYPE_CHECKING:
    from Xlib.display import Display

NOTE = "_OPERATIVE_BORROWED_KEYS"


class BorrowedKeys:
    """The keys this process has borrowed, by character. The input process's one thread.

    Args:
        connect: Opens a connection for changes; called at the first one.
    """

    def __init__(self, connect: Callable[[], Display]) -> None:
        self._connect = connect
        self._display: Display | None = None
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

    def room(self, spare: Sequence[int], *, may_replace: bool) -> int:
        """For how many characters there are keys. `may_replace`: what was sent has been read, all may be changed."""
        return len(spare) + (len(self._keycodes) if may_replace else 0)

    def borrow(self, characters: Sequence[str], spare: Sequence[int]) -> None:
        """Let keys give these characters: spare ones first, then those borrowed longest ago. Returns when it is so."""
        replaceable = [code for code in self._keycodes.values() if code not in spare]
        keycodes = dict(zip(characters, (*spare, *replaceable), strict=False))
        self._keycodes = {c: code for c, code in self._keycodes.items() if code not in keycodes.values()} | keycodes
        display = self._opened()
        _write_note(display, list(self._keycodes.values()))
        _change(display, {code: _entry(character) for character, code in keycodes.items()})

    def give_back(self) -> None:
        """Make them keys without a symbol again. Returns when it is so."""
        if self._keycodes:
            _clear(self._opened(), list(self._keycodes.values()))
            self._keycodes.clear()

    def close(self) -> None:
        if self._display is not None:
            self._display.close()

    def _opened(self) -> Display:
        self._display = self._display or self._connect()
        return self._display


def give_back_noted(display: Display) -> None:
    """Give back what an ended process has left borrowed. The connection is not to be used for the map afterwards."""
    from Xlib import Xatom

    note = display.screen().root.get_full_property(display.intern_atom(NOTE), Xatom.CARDINAL)
    if note is not None:
        _clear(display, [int(code) for code in note.value])


def has_note(display: Display) -> bool:
    return display.screen().root.get_full_property(display.intern_atom(NOTE), 0) is not None


def _entry(character: str) -> bytes:
    capital = character.upper()
    if capital != character and len(capital) == 1:
        return letter(keysym_of(character), keysym_of(capital))
    return one_symbol(keysym_of(character))


def _clear(display: Display, keycodes: Sequence[int]) -> None:
    _change(display, dict.fromkeys(keycodes, NO_SYMBOL))
    display.screen().root.delete_property(display.intern_atom(NOTE))
    display.sync()


def _change(display: Display, changes: Mapping[int, bytes]) -> None:
    """Change some keys by one request; those between them are written as they are, nobody else changing them."""
    lowest, highest = display.display.info.min_keycode, display.display.info.max_keycode
    wanted = [code for code in changes if lowest <= code <= highest]
    if not wanted:
        return
    first = min(wanted)
    symbols = KeySymbols(display)
    display.grab_server()
    try:
        entries = symbols.read(first, max(wanted) - first + 1)
        for code in wanted:
            entries[code - first] = changes[code]
        symbols.write(first, entries)
    finally:
        display.ungrab_server()
        display.sync()


def _write_note(display: Display, keycodes: Sequence[int]) -> None:
    from Xlib import Xatom

    display.screen().root.change_property(display.intern_atom(NOTE), Xatom.CARDINAL, 32, list(keycodes))
