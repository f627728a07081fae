"""A person's hand on X11: raw events of XInput 2, which name the device they come from.

What a program sends by XTEST comes from devices of that name. What of that was not announced comes from somewhere else
(a remote screen, an on-screen keyboard, another program) and counts as a person's hand, as do all other devices.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, assert_never

from operative_app.core.keys import MODIFIERS
from operative_app.core.taking import Hand
from operative_app.surfaces.desktop.input.key_names import KEYSYMS
from operative_app.surfaces.desktop.input.person import Announced, Touch, Tremble
from operative_app.surfaces.desktop.input.x11_keymap import character_of

if TYPE_CHECKING:
    from Xlib.display import Display

_KEY_PRESS, _KEY_RELEASE, _BUTTON_PRESS, _BUTTON_RELEASE, _MOTION, _TOUCH = 13, 14, 15, 16, 17, 22
_MASK = 1 << _KEY_PRESS | 1 << _KEY_RELEASE | 1 << _BUTTON_PRESS | 1 << _BUTTON_RELEASE | 1 << _MOTION | 1 << _TOUCH
_TOLD_KEYS: Final = {
    0xFF0D: "Enter",
    0xFF8D: "Enter",
    0xFF1B: "Escape",
    **{keysym: name for name, keysym in KEYSYMS.items() if name[:1] == "F" and name[1:].isdigit()},
}
_NAMES: Final = {0xFF8D: "Enter", 0xFE20: "Tab", **{keysym: name for name, keysym in KEYSYMS.items()}}
_MODIFIERS: Final = {
    **{0xFFE3: "Control", 0xFFE4: "Control", 0xFFE9: "Alt", 0xFFEA: "Alt"},
    **{0xFFE1: "Shift", 0xFFE2: "Shift", 0xFFEB: "Meta", 0xFFEC: "Meta"},
}
_VERSION: Final = (2, 2)
"""From this version on raw events also come while a program has grabbed mouse or keyboard."""
_HEADER = struct.Struct("<HIIHHI4x")
_FIXED = struct.Struct("<iI")


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event of a device. `x`, `y` are what the device says: a place or a distance; None when it did not move so.

    Each comes twice: from the device itself (`device` is `source`) when it happened, and from the screen's own pointer
    or keyboard when that took it in.
    """

    kind: int
    detail: int
    device: int
    source: int
    x: float | None = None
    y: float | None = None
    time_ms: int = 0


class X11Person:
    """`PersonWatch` by a connection of its own. Raises OSError or Xlib's errors when the display has no XInput 2.2."""

    def __init__(self, connect: Callable[[], Display], announced: Announced) -> None:
        from Xlib.ext import xinput

        self._announced = announced
        self._tremble = Tremble()
        self._held_back = 0
        self._down: dict[int, str] = {}
        self._display = connect()
        self._root = self._display.screen().root
        self._opcode = self._display.display.get_extension_major(xinput.extname)
        version = xinput.XIQueryVersion(
            display=self._display.display, opcode=self._opcode, major_version=_VERSION[0], minor_version=_VERSION[1]
        )
        if (version.major_version, version.minor_version) < _VERSION:
            self._display.close()
            raise OSError("this display has no XInput 2.2")
        self._relative: dict[int, bool] = {}
        self._xtest: frozenset[int] = frozenset()
        self._learn_devices()
        hierarchy = 1 << xinput.HierarchyChanged
        self._root.xinput_select_events([(xinput.AllDevices, _MASK | hierarchy)])
        self._display.sync()
        self._at = self._position()

    @property
    def is_held_back(self) -> bool:
        return self._held_back > 0

    def fileno(self) -> int:
        return int(self._display.fileno())

    def notice(self) -> Sequence[Touch]:
        from Xlib.ext.ge import GenericEventCode

        self._display.sync()  # all that was sent has been told of by its device now
        touches: list[Touch] = []
        has_moved = False
        while self._display.pending_events() or has_moved:
            if not self._display.pending_events():
                self._at, has_moved = self._position(), False  # more may have come meanwhile
                continue
            event = self._display.next_event()
            if event.type != GenericEventCode or event.extension != self._opcode:
                continue
            if not isinstance(event.data, bytes):
                self._learn_devices()  # a mouse was plugged in
                continue
            raw = raw_event(event.evtype, event.data)
            if raw.device == raw.source:
                self._held_back += raw.source in self._xtest
                continue
            self._held_back = max(0, self._held_back - (raw.source in self._xtest))
            self._note_modifier(raw)
            has_moved = has_moved or raw.kind == _MOTION
            if (hand := self._hand(raw)) is not None:
                touches.append(self._touch(hand, raw))
        if not self._held_back:
            self._announced.clear()
        return touches

    def close(self) -> None:
        self._display.close()

    def _touch(self, hand: Hand, raw: RawEvent) -> Touch:
        match hand:
            case Hand.CLICKED:
                x, y = self._position()
                button = raw.detail if raw.kind == _BUTTON_PRESS else 1
                return Touch(hand, button=button, x=x, y=y, time_ms=raw.time_ms)
            case Hand.TYPED:
                keysym = int(self._display.keycode_to_keysym(raw.detail, 0))
                return Touch(hand, key=told_key(keysym, self._down.values()), time_ms=raw.time_ms)
            case Hand.MOVED:
                return Touch(hand)
            case _:
                assert_never(hand)

    def _note_modifier(self, raw: RawEvent) -> None:
        """What the keyboard's state is by now may already be another one than when a key was pressed."""
        if raw.kind == _KEY_RELEASE:
            self._down.pop(raw.detail, None)
        elif raw.kind == _KEY_PRESS:
            name = _MODIFIERS.get(int(self._display.keycode_to_keysym(raw.detail, 0)))
            if name is not None:
                self._down[raw.detail] = name

    def _hand(self, raw: RawEvent) -> Hand | None:
        is_injected = raw.source in self._xtest
        match raw.kind:
            case 13 if not (is_injected and self._announced.take("key", raw.detail)):
                return Hand.TYPED
            case 15 if not (is_injected and self._announced.take("button", raw.detail)):
                return Hand.CLICKED
            case 22:  # its detail is the number of the touch
                return Hand.CLICKED
            case 17 if is_injected and self._announced.take("place", (raw.x, raw.y)):
                self._at = round(raw.x or 0), round(raw.y or 0)
            case 17 if self._is_move(raw, is_injected=is_injected):
                return Hand.MOVED
        return None

    def _is_move(self, raw: RawEvent, *, is_injected: bool) -> bool:
        x, y = self._position()  # a place in a device's own measure says nothing about the screen
        is_place = is_injected and (raw.x, raw.y) == (x, y)
        if self._relative.get(raw.source, False) and not is_place:
            return self._tremble.is_move(raw.x or 0.0, raw.y or 0.0, time.monotonic())
        dx, dy = x - self._at[0], y - self._at[1]
        self._at = x, y
        return self._tremble.is_move(dx, dy, time.monotonic())

    def _position(self) -> tuple[int, int]:
        pointer = self._root.query_pointer()
        return int(pointer.root_x), int(pointer.root_y)

    def _learn_devices(self) -> None:
        from Xlib.ext import xinput

        devices = self._display.xinput_query_device(xinput.AllDevices).devices
        self._xtest = frozenset(one.deviceid for one in devices if " XTEST " in f" {one.name} ")
        self._relative = {one.deviceid: _is_relative(one) for one in devices}


def told_key(keysym: int, down: Collection[str]) -> str:
    """What may be told of a key that is pressed while these modifiers are down; "" for what writes."""
    name = _NAMES.get(keysym) or character_of(keysym).lower()
    if not set(down) - {"Shift"} or keysym in _MODIFIERS or name in MODIFIERS or not name:
        return _TOLD_KEYS.get(keysym, "")
    return "+".join([*(one for one in ("Control", "Alt", "Meta", "Shift") if one in down), name])


def raw_event(kind: int, data: bytes) -> RawEvent:
    """Read one raw event of XInput 2 (XI2proto.h, xXIRawEvent), after its first ten bytes."""
    device, time_ms, detail, source, words, _ = _HEADER.unpack_from(data)
    mask = int.from_bytes(data[_HEADER.size : _HEADER.size + 4 * words], "little")
    start = _HEADER.size + 4 * words
    values: dict[int, float] = {}
    for place, axis in enumerate(axis for axis in range(32 * words) if mask >> axis & 1):
        whole, part = _FIXED.unpack_from(data, start + 8 * place)
        values[axis] = whole + part / 2**32
    return RawEvent(kind, detail, device, source, values.get(0), values.get(1), time_ms)


def _is_relative(device: Any) -> bool:
    """Whether the first axis of a device tells distances, as a mouse does, and not places, as a tablet does."""
    from Xlib.ext import xinput

    axes = [one for one in device.classes if one.type == xinput.ValuatorClass and one.number == 0]
    return bool(axes) and axes[0].mode == 0
