"""Keys on X11, by XTEST: the right key and level of the present layout, or a borrowed key.

pyautogui is not used for keys here: it reads the layout once, knows no level but Shift, and drops all other
characters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from operative_app.core.keys import MODIFIERS
from operative_app.surfaces.desktop.input.injector import FocusLost, InputRefused, ModifierDown
from operative_app.surfaces.desktop.input.key_names import KEYSYMS
from operative_app.surfaces.desktop.input.pointer import IN_CORNER
from operative_app.surfaces.desktop.input.x11_borrowed import BorrowedKeys, give_back_noted, has_note
from operative_app.surfaces.desktop.input.x11_focus import X11Focus
from operative_app.surfaces.desktop.input.x11_keymap import KeyMap, Stroke

if TYPE_CHECKING:
    from Xlib.display import Display

_MODIFIER_BITS = 0xFF
_GROUP_SHIFT = 13
_TYPED_AS_KEYS = {"\n": "Enter", "\t": "Tab"}


class X11Keyboard:
    """The keyboard of one display. The input process's one thread.

    While a slice looks at the focus and sends its keys, the server is held (XGrabServer), so that no window can take
    the focus in between; an ended process lets go of the server by its closed connection.

    Args:
        announce: Called with each key before it is pressed, so that it is not taken for a person's.
    """

    def __init__(
        self,
        display: Display,
        focus: X11Focus,
        connect: Callable[[], Display],
        announce: Callable[[int], None] = lambda keycode: None,
    ) -> None:
        from Xlib import X
        from Xlib.ext import xtest

        self._x = X
        self._xtest = xtest
        self._display = display
        self._root = display.screen().root
        self._size = (0, 0)
        self._focus = focus
        self._announce = announce
        self._borrowed = BorrowedKeys(connect)
        self._group = 0
        self._is_caps_off = False
        if has_note(display):
            other = connect()
            give_back_noted(other)
            other.close()
        self._settle_map()
        self.held: dict[str, tuple[int, ...]] = {}

    @property
    def owes(self) -> bool:
        """Whether there is something to give back."""
        return bool(self._borrowed) or self._is_caps_off

    def chord(self, keys: list[str]) -> None:
        self._act(self._codes(keys), is_tap=True)

    def key_down(self, key: str) -> None:
        if key in self.held:
            return
        codes = self._codes([key])
        self.held[key] = codes  # before it is sent: rather one key let go in vain than one that stays down
        try:
            self._act(codes, is_tap=False)
        except InputRefused:
            del self.held[key]
            raise

    def key_up(self, key: str) -> None:
        """Let go of a key, whichever window has the focus."""
        self._send_all(self.held.get(key, ())[::-1], is_down=False)
        self._display.sync()
        self.held.pop(key, None)

    def prepare(self, text: str, *, may_replace: bool) -> int:
        self._refresh()
        self._group = self._group_of(self._root.query_pointer().mask)
        ready, wanted = self._plan(text, kept=True, room=self._borrowed.room(self._map.spare, may_replace=False))
        if not ready and may_replace:
            room = self._borrowed.room(self._map.spare, may_replace=True)
            ready, wanted = self._plan(text, kept=False, room=room)
            if not ready and text:
                raise InputRefused(f"“{text[0]}” is not on the keyboard layout, and no key is free to give it")
        if wanted:
            self._borrowed.borrow(wanted, self._map.spare)
            self._settle_map()
        return ready

    def _plan(self, text: str, *, kept: bool, room: int) -> tuple[int, list[str]]:
        """How many characters can be typed with that many keys borrowed, and for which ones they are."""
        wanted: list[str] = []
        for place, character in enumerate(text):
            if character in wanted or character in _TYPED_AS_KEYS or self._map.stroke(character, self._group):
                continue
            if kept and self._borrowed.keycode(character):
                continue
            if len(wanted) == room:
                return place, wanted
            wanted.append(character)
        return len(text), wanted

    def stroke(self, character: str, window: int) -> bool:
        self._display.grab_server()
        try:
            pointer = self._root.query_pointer()
            self._check_corner(pointer.root_x, pointer.root_y)
            self._check_focus(window)
            self._focus.drain()
            if self._focus.is_map_changed or self._group_of(pointer.mask) != self._group:
                return False
            stroke = self._stroke_for(character)
            if stroke is None:
                return False
            self._check_modifiers(pointer.mask)
            if pointer.mask & self._x.LockMask:
                self._toggle_caps()
            self._send_stroke(stroke)
        finally:
            self._display.ungrab_server()
            self._display.sync()
        return True

    def give_back(self) -> None:
        """Give the borrowed keys back unless one is held down, and Caps Lock when it was on."""
        if self._borrowed and not self.held:
            self._borrowed.give_back()
            self._settle_map()
        if self._is_caps_off:
            self._toggle_caps()
            self._display.sync()

    def close(self) -> None:
        self._borrowed.close()

    # --- one slice ---

    def _act(self, codes: tuple[int, ...], *, is_tap: bool) -> None:
        """Press keys in order, and let go in reverse when it is a tap; not into a window of our own."""
        self._display.grab_server()
        try:
            pointer = self._root.query_pointer()
            self._check_corner(pointer.root_x, pointer.root_y)
            self._check_own(self._focused_or_none())
            self._send_all(codes, is_down=True)
            if is_tap:
                self._send_all(codes[::-1], is_down=False)
        finally:
            self._display.ungrab_server()
            self._display.sync()

    def _send_stroke(self, stroke: Stroke) -> None:
        levels = [self._map.shift] * stroke.has_shift + [self._map.level3] * stroke.has_level3
        codes = (*levels, stroke.keycode)
        self._send_all(codes, is_down=True)
        self._send_all(codes[::-1], is_down=False)

    def _send_all(self, codes: tuple[int, ...], *, is_down: bool) -> None:
        self._focus.ask_anew()
        for code in codes:
            if is_down:
                self._announce(code)
            self._xtest.fake_input(self._display, self._x.KeyPress if is_down else self._x.KeyRelease, code)

    def _toggle_caps(self) -> None:
        if not self._map.caps_lock:
            raise InputRefused("Caps Lock is on, and there is no key to turn it off")
        self._send_all((self._map.caps_lock,), is_down=True)
        self._send_all((self._map.caps_lock,), is_down=False)
        self._is_caps_off = not self._is_caps_off

    # --- checks ---

    def _check_corner(self, x: int, y: int) -> None:
        if x in (0, self._size[0] - 1) and y in (0, self._size[1] - 1):
            raise InputRefused(IN_CORNER)

    def _check_focus(self, window: int) -> None:
        focused = self._focus.focused()
        if focused != window:
            title = self._focus.title(focused)
            raise FocusLost(f"{f'The window “{title}”' if title else 'Another window'} has the keyboard focus now")
        self._check_own(focused)

    def _check_own(self, window: int) -> None:
        if self._focus.is_own(window):
            raise InputRefused("Operative's own window has the keyboard focus; no keys are sent to it")

    def _check_modifiers(self, mask: int) -> None:
        if mask & _MODIFIER_BITS & ~self._map.lock_mask:
            ours = [name for name in self.held if name in MODIFIERS]
            if ours:
                raise InputRefused(f"The key {ours[0]} is held down; let go of it before typing text")
            raise ModifierDown("A modifier key (Shift, Ctrl, Alt) is held down on the keyboard")

    def _focused_or_none(self) -> int:
        try:
            return self._focus.focused()
        except FocusLost:  # global hotkeys work without a window too
            return 0

    # --- the map ---

    def _stroke_for(self, character: str) -> Stroke | None:
        named = _TYPED_AS_KEYS.get(character)
        if named is not None:
            keycode = self._map.keycode_of(KEYSYMS[named])
            return Stroke(keycode) if keycode else None
        if borrowed := self._borrowed.keycode(character):
            return Stroke(borrowed)
        return self._map.stroke(character, self._group)

    def _codes(self, keys: list[str]) -> tuple[int, ...]:
        """The keys of a chord; a character that needs Shift or AltGr gets it, unless it is named already."""
        self._refresh()
        self._group = self._group_of(self._root.query_pointer().mask)
        codes: list[int] = []
        for key in keys:
            if len(key) > 1:
                codes.append(self._named(key))
                continue
            stroke = self._stroke_for(key)
            if stroke is None and self._map.spare:
                self._borrowed.borrow([key], self._map.spare)
                self._settle_map()
                stroke = self._stroke_for(key)
            if stroke is None:
                raise InputRefused(f"The key “{key}” is not on the keyboard layout, and no key is free to give it")
            shift = [self._map.shift] if stroke.has_shift and "Shift" not in keys else []
            level3 = [self._map.level3] if stroke.has_level3 and "AltGraph" not in keys else []
            codes += [code for code in (*shift, *level3, stroke.keycode) if code not in codes]
        return tuple(codes)

    def _named(self, key: str) -> int:
        keycode = self._map.keycode_of(KEYSYMS[key])
        if not keycode and key == "AltGraph":
            keycode = self._map.keycode_of(0xFFEA)  # Alt_R, where a layout has no third level
        if not keycode:
            raise InputRefused(f"This keyboard has no key {key}")
        return keycode

    def _refresh(self) -> None:
        screen = self._root.get_geometry()  # monitors come and go
        self._size = (screen.width, screen.height)
        self._focus.forget()
        self._focus.drain()
        if self._focus.is_map_changed:
            self._settle_map()

    def _settle_map(self) -> None:
        """Let the server finish, so that what it says of our own change is not taken for somebody else's."""
        self._display.sync()
        self._focus.drain()
        self._focus.is_map_changed = False
        self._map = self._read_map()
        self._borrowed.check(self._map)

    def _read_map(self) -> KeyMap:
        first = self._display.display.info.min_keycode
        count = self._display.display.info.max_keycode - first + 1
        rows = [tuple(row) for row in self._display.get_keyboard_mapping(first, count)]
        modifiers = [tuple(codes) for codes in self._display.get_modifier_mapping()]
        return KeyMap(first, rows, modifiers)

    @staticmethod
    def _group_of(mask: int) -> int:
        return mask >> _GROUP_SHIFT & 3
