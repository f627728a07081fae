"""Reads the chord of a hotkey, such as “ctrl+alt+escape”, strictly: a kill switch that is misread is none.

| part | names |
|---|---|
| modifiers, at least one but shift | ctrl, alt, shift, cmd (also control, option, command, super, win) |
| key, exactly one | a letter or digit, f1 to f20, escape, pause, delete, insert, home, end, space, tab, enter, … |
"""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.errors import SettingsError

_MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "alt": "alt",
    "option": "alt",
    "shift": "shift",
    "cmd": "cmd",
    "command": "cmd",
    "super": "cmd",
    "win": "cmd",
    "meta": "cmd",
}
_KEYS = {
    "escape": "esc",
    "esc": "esc",
    "pause": "pause",
    "delete": "delete",
    "insert": "insert",
    "home": "home",
    "end": "end",
    "pageup": "page_up",
    "pagedown": "page_down",
    "space": "space",
    "tab": "tab",
    "enter": "enter",
    "backspace": "backspace",
    **{f"f{number}": f"f{number}" for number in range(1, 21)},
}
_CORE_MODIFIERS = {"ctrl": "Control", "alt": "Alt", "shift": "Shift", "cmd": "Meta"}
_CORE_NAMES = {"esc": "Escape", "page_up": "PageUp", "page_down": "PageDown"}


@dataclass(frozen=True, slots=True)
class Chord:
    """A set of modifiers (ctrl, alt, shift, cmd) and one key: a character, or a name as pynput has it."""

    modifiers: frozenset[str]
    key: str

    @property
    def key_names(self) -> frozenset[str]:
        """Its keys by the names of `core.keys`, for what must never send it."""
        named = _CORE_NAMES.get(self.key)
        key = named or (self.key if len(self.key) == 1 else self.key.capitalize())
        return frozenset({key, *(_CORE_MODIFIERS[name] for name in self.modifiers)})


def parse_chord(text: str) -> Chord:
    """Read a chord; capitals and blanks around the parts do not matter.

    Raises:
        SettingsError: It is no chord, or one that ordinary typing would press.
    """
    parts = [part.strip().lower() for part in text.split("+")]
    if "" in parts:
        raise SettingsError(f"“{text}” is no key combination; write it like ctrl+alt+escape.")
    modifiers = [_MODIFIERS[part] for part in parts if part in _MODIFIERS]
    keys = [part for part in parts if part not in _MODIFIERS]
    if len(set(modifiers)) != len(modifiers):
        raise SettingsError(f"“{text}” names a key twice.")
    if len(keys) != 1:
        raise SettingsError(f"“{text}” needs exactly one key besides ctrl, alt, shift and cmd, like ctrl+alt+escape.")
    key = keys[0]
    is_character = len(key) == 1 and key.isascii() and key.isalnum()
    if not is_character and key not in _KEYS:
        raise SettingsError(f"“{key}” is no key that a hotkey can use.")
    if not set(modifiers) - {"shift"}:
        raise SettingsError(f"“{text}” would be pressed in ordinary typing; add ctrl, alt or cmd.")
    return Chord(frozenset(modifiers), key if is_character else _KEYS[key])
