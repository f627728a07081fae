"""Follows what is held down, and tells when the stop key's chord becomes complete."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from operative_app.guard.chords import Chord

_META_KEYS = {0xFFE7: "alt_l", 0xFFE8: "alt_r"}
"""Meta_L and Meta_R: what X keyboards call the Alt keys while Shift is held down."""
_MODIFIERS = frozenset({"ctrl", "alt", "shift", "cmd"})


def _none_held() -> Collection[str]:
    return ()


def _no_letters(key: Any) -> Collection[str]:
    return ()


class Presses:
    """One keyboard's presses. Called on pynput's thread alone.

    A chord is complete as soon as its key and its modifiers are down, in whatever order they went down; a held key
    repeats its press, and only a chord that was not complete before counts. Either of the two Ctrl keys will do.

    Args:
        chord: What to wait for.
        keyboard: `pynput.keyboard`, or something with the same names of keys.
        held: The modifiers the system has down (ctrl, alt, shift, cmd). Asked when the key is down and a modifier was
            not seen: it was down before, or something that injects let go of the one a person holds.
        letters: The letters and digits that stand on a key besides what it types in the present layout.
    """

    def __init__(
        self,
        chord: Chord,
        keyboard: Any,
        *,
        held: Callable[[], Collection[str]] = _none_held,
        letters: Callable[[Any], Collection[str]] = _no_letters,
    ) -> None:
        self._chord = chord
        self._keyboard = keyboard
        self._held = held
        self._letters = letters
        self.canonical: Callable[[Any], Any] = lambda key: key
        self._modifiers: dict[str, str] = {}
        self._keys: set[Any] = set()
        self._was_complete = False

    def press(self, key: Any) -> bool:
        """Note a press; True when it completes the chord."""
        if (name := _name(key)) is not None:
            self._modifiers[name] = _kind(name)
        elif self._is_key(key):
            self._keys.add(key)
        else:
            return False
        was_complete, self._was_complete = self._was_complete, self._is_complete()
        return self._was_complete and not was_complete

    def release(self, key: Any) -> None:
        """Note that a key was let go of."""
        if (name := _name(key)) is not None:
            self._modifiers.pop(name, None)
        elif self._is_key(key):
            self._keys.clear()  # it may have another name by now: layouts and Shift change what a key types
        else:
            return
        self._was_complete = self._was_complete and self._is_complete()

    def _is_complete(self) -> bool:
        if not self._keys:
            return False
        missing = self._chord.modifiers - set(self._modifiers.values())
        return not missing or missing <= set(self._held())

    def _is_key(self, key: Any) -> bool:
        if len(self._chord.key) > 1:
            return bool(key == getattr(self._keyboard.Key, self._chord.key, None))
        typed = (getattr(self.canonical(key), "char", None) or "").lower()
        if typed == self._chord.key:
            return True
        is_other = typed.isascii() and typed.isalnum()
        return bool(typed) and not is_other and self._chord.key in self._letters(key)


def _name(key: Any) -> str | None:
    """A modifier by its own name, such as "ctrl_r"; None for other keys."""
    meta = _META_KEYS.get(getattr(key, "vk", None) or 0)
    if meta is not None:
        return meta
    name = getattr(key, "name", "") or ""
    return name if _kind(name) in _MODIFIERS else None


def _kind(name: str) -> str:
    return name.removesuffix("_l").removesuffix("_r").removesuffix("_gr")
