"""Three requests of the X keyboard extension, which the X library lacks: the symbols of a range of keys, read and set.

With the core protocol every key is a change of its own, and after each change every program reads the keyboard anew;
window managers also renew all their hotkeys, which takes some of them a twentieth of a second. Here a range is one
change, in which the keys between the borrowed ones stay as they are, bit for bit (XKB protocol 1.0, "GetMap" and
"SetMap").
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from operative_app.surfaces.desktop.input.injector import InputUnavailable

if TYPE_CHECKING:
    from Xlib.display import Display

_EXTENSION = "XKEYBOARD"
_CORE_KEYBOARD = 0x100
_KEY_SYMS = 1 << 1
_HEAD = struct.Struct("=4BBBH")  # four types, groups, width, number of symbols
_SYMBOL = struct.Struct("=I")
NO_SYMBOL = _HEAD.pack(0, 0, 0, 0, 0, 0, 0)


def one_symbol(keysym: int) -> bytes:
    """The entry of a key that gives one symbol whatever is held: one group of the type ONE_LEVEL."""
    return _HEAD.pack(0, 0, 0, 0, 1, 1, 1) + _SYMBOL.pack(keysym)


def letter(small: int, capital: int) -> bytes:
    """The entry of a letter's key, which Shift makes a capital: one group of the type ALPHABETIC."""
    return _HEAD.pack(2, 0, 0, 0, 1, 2, 2) + _SYMBOL.pack(small) + _SYMBOL.pack(capital)


class KeySymbols:
    """Reads and sets symbols. A connection that used these requests is told of changes in another way than before,
    so it wants one of its own.
    """  # noqa: D205

    def __init__(self, display: Display) -> None:
        found = display.query_extension(_EXTENSION)
        if found is None:
            raise InputUnavailable("This display has no keyboard extension (XKEYBOARD).")
        self._display = display.display
        self._opcode = int(found.major_opcode)
        self._first = int(display.display.info.min_keycode)
        self._last = int(display.display.info.max_keycode)
        use, self._get_map, self._set_map = _requests()
        use(display=self._display, opcode=self._opcode, major=1, minor=0)

    def read(self, first: int, count: int) -> list[bytes]:
        """The entries of a range of keys, as the server keeps them."""
        reply = self._get_map(display=self._display, opcode=self._opcode, first=first, count=count)
        raw, entries, place = bytes(reply.entries), [], 0
        for _ in range(count):
            end = place + _HEAD.size + _SYMBOL.size * _HEAD.unpack_from(raw, place)[-1]
            entries.append(raw[place:end])
            place = end
        return entries

    def write(self, first: int, entries: Sequence[bytes]) -> None:
        """Set the entries of a range of keys: one change."""
        symbols = sum(_HEAD.unpack_from(entry)[-1] for entry in entries)
        self._set_map(
            display=self._display,
            opcode=self._opcode,
            lowest=self._first,
            highest=self._last,
            first=first,
            count=len(entries),
            symbols=symbols,
            entries=b"".join(entries),
        )


def _requests() -> tuple[Any, Any, Any]:
    """The requests as the X library wants them described; loaded with it."""
    from Xlib.protocol import rq

    class UseExtension(rq.ReplyRequest):  # type: ignore[misc]
        _request = rq.Struct(
            rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor")
        )
        _reply = rq.Struct(
            rq.ReplyCode(), rq.Card8("is_supported"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(24)
        )

    class GetMap(rq.ReplyRequest):  # type: ignore[misc]
        _request = rq.Struct(
            rq.Card8("opcode"),
            rq.Opcode(8),
            rq.RequestLength(),
            rq.Card16("device", _CORE_KEYBOARD),
            rq.Card16("full", 0),
            rq.Card16("partial", _KEY_SYMS),
            rq.Pad(2),
            rq.Card8("first"),
            rq.Card8("count"),
            rq.Pad(14),
        )
        _reply = rq.Struct(
            rq.ReplyCode(),
            rq.Card8("device"),
            rq.Card16("sequence_number"),
            rq.ReplyLength(),
            rq.Pad(32),
            rq.Binary("entries"),
        )

    class SetMap(rq.Request):  # type: ignore[misc]
        _request = rq.Struct(
            rq.Card8("opcode"),
            rq.Opcode(9),
            rq.RequestLength(),
            rq.Card16("device", _CORE_KEYBOARD),
            rq.Card16("present", _KEY_SYMS),
            rq.Card16("flags", 0),
            rq.Card8("lowest"),
            rq.Card8("highest"),
            rq.Pad(2),
            rq.Card8("first"),
            rq.Card8("count"),
            rq.Card16("symbols"),
            rq.Pad(18),
            rq.Binary("entries"),
        )

    return UseExtension, GetMap, SetMap
