"""Input on Windows and macOS: pointer and keys by pyautogui, text by pynput, which both systems take as Unicode."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Any

from operative_app.surfaces.desktop.input.injector import BUTTONS, FocusLost, InputRefused, InputUnavailable
from operative_app.surfaces.desktop.input.key_names import PYAUTOGUI_NAMES
from operative_app.surfaces.desktop.input.person import PersonWatch
from operative_app.surfaces.desktop.input.pointer import Pointer, load_pyautogui

_IS_WINDOWS = str(sys.platform) == "win32"
_AS_KEYS = {"\n": "enter", "\t": "tab"}


class SystemInjector:
    """`Injector` for Windows and macOS. Both send characters as such, so nothing is borrowed or given back.

    Windows tells which window has the focus; macOS tells it to programs with the right to accessibility only, which
    the surface checks, so that `focused_window` is 0 there.
    """

    def __init__(self) -> None:
        try:
            self._library = load_pyautogui()
            from pynput.keyboard import Controller
        except Exception as error:
            raise InputUnavailable(f"The libraries for mouse and keyboard cannot be used here: {error!r}.") from error
        self._keyboard: Any = Controller()
        self._pointer = Pointer(sys.platform)
        self._held: list[str] = []
        self._own_pids: frozenset[int] = frozenset()

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(self._held)

    @property
    def owes(self) -> bool:
        return False

    def set_own(self, pids: list[int], windows: list[int]) -> None:
        self._own_pids = frozenset(pids)

    def position(self) -> tuple[int, int]:
        return self._pointer.position()

    def move(self, x: int, y: int, *, approach: bool = False) -> tuple[int, int]:
        return self._pointer.move(x, y, approach=approach)

    def button_down(self, button: str) -> None:
        self._pointer.button_down(button)
        self._held.append(button)

    def button_up(self, button: str) -> None:
        self._pointer.button_up(button)
        self._forget(button)

    def click(self, button: str, count: int) -> None:
        for _ in range(count):
            self.button_down(button)
            self.button_up(button)

    def wheel(self, axis: str, notches: int) -> None:
        self._pointer.wheel(axis, notches)

    def chord(self, keys: list[str]) -> None:
        pressed: list[str] = []
        try:
            for key in keys:
                self.key_down(key)
                pressed.append(key)
        finally:
            for key in reversed(pressed):
                self.key_up(key)

    def key_down(self, key: str) -> None:
        self._check_own()
        self._pointer.check_corner()
        name = self._name(key)
        self._held.append(key)
        self._library.keyDown(name, _pause=False)

    def key_up(self, key: str) -> None:
        self._library.FAILSAFE = False  # letting go is allowed in a corner too
        try:
            self._library.keyUp(self._name(key), _pause=False)
        finally:
            self._library.FAILSAFE = True
        self._forget(key)

    def focused_window(self) -> int:
        return int(_user32().GetForegroundWindow()) if _IS_WINDOWS else 0

    def prepare(self, text: str, *, may_replace: bool) -> int:
        return len(text)

    def stroke(self, character: str, window: int) -> bool:
        self._pointer.check_corner()
        if window and self.focused_window() not in (0, window):
            raise FocusLost("Another window has the keyboard focus now")
        self._check_own()
        if character in _AS_KEYS:
            self._library.press(_AS_KEYS[character], _pause=False)
        else:
            self._keyboard.type(character)
        return True

    def is_taken(self, window: int) -> bool:
        return True

    def give_back(self) -> None:
        """Nothing was borrowed."""

    def release(self, names: list[str] | None) -> None:
        for name in reversed(self.held):
            if names is None or name in names:
                with contextlib.suppress(InputRefused):
                    (self.button_up if name in BUTTONS else self.key_up)(name)

    def watch_person(self) -> PersonWatch | None:
        from operative_app.surfaces.desktop.input.system_person import SystemPerson

        try:
            return SystemPerson()
        except Exception:  # noqa: BLE001 - it fails with whatever the platform raises
            return None

    def close(self) -> None:
        """Nothing is open."""

    def _name(self, key: str) -> str:
        name = PYAUTOGUI_NAMES.get(key, key)
        if not self._library.isValidKey(name):
            raise InputRefused(f"This keyboard has no key {key}")
        return name

    def _forget(self, name: str) -> None:
        if name in self._held:
            self._held.remove(name)

    def _check_own(self) -> None:
        if not _IS_WINDOWS or not self._own_pids:
            return
        pid = ctypes.c_ulong()
        _user32().GetWindowThreadProcessId(self.focused_window(), ctypes.byref(pid))
        if pid.value in self._own_pids:
            raise InputRefused("Operative's own window has the keyboard focus; no keys are sent to it")


def _user32() -> Any:
    return vars(ctypes)["windll"].user32  # exists on Windows alone
