"""The pointer, by pyautogui.

Its fail-safe stays on: a pointer that a person has put into a corner of the screen stops everything but letting go.
Nothing here goes to a corner by itself, so a pointer found there is a person's.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from operative_app.surfaces.desktop.input.injector import InputRefused, InputUnavailable

_LOAD_S = 20.0
_BESIDE_PX = 2
_NOTCH_UNITS = {"win32": 120, "darwin": 5}
IN_CORNER = (
    "The pointer is in a corner of the screen, which means stop. "
    "Move it away from there by hand, then let the work go on."
)


class Pointer:
    """Moves, buttons and wheel. One thread uses it; loading the library happens in a thread of its own, which ends.

    Args:
        platform: As `sys.platform` has it; decides how far one notch of the wheel is.
    """

    def __init__(self, platform: str) -> None:
        self._notch = _NOTCH_UNITS.get(platform, 1)
        self._library: Any = None
        self._failure = ""
        self._loading = threading.Thread(target=self._load, name="load-pyautogui", daemon=True)
        self._loading.start()

    def position(self) -> tuple[int, int]:
        x, y = self._loaded().position()
        return int(x), int(y)

    def move(self, x: int, y: int, *, approach: bool) -> tuple[int, int]:
        library = self._loaded()
        if (x, y) in library.FAILSAFE_POINTS:
            raise InputRefused("That is a corner of the screen, which means stop; choose a place a few pixels beside.")
        for place in self.way_to(x, y, approach=approach):
            self._call("moveTo", *place)
        return self.position()

    def way_to(self, x: int, y: int, *, approach: bool) -> tuple[tuple[int, int], ...]:
        """The places `move` goes to, one after the other."""
        if approach and self.position() != (x, y):
            return (x - _BESIDE_PX if x > _BESIDE_PX else x + _BESIDE_PX, y), (x, y)
        return ((x, y),)

    def button_down(self, button: str) -> None:
        self._call("mouseDown", button=button)

    def button_up(self, button: str) -> None:
        """Let go of a button; works in a corner too."""
        library = self._loaded()
        library.FAILSAFE = False
        try:
            self._call("mouseUp", button=button)
        finally:
            library.FAILSAFE = True

    def wheel(self, axis: str, notches: int) -> None:
        if axis == "x":
            self._call("hscroll", notches * self._notch)
        else:
            self._call("scroll", -notches * self._notch)

    def check_corner(self) -> None:
        """Refuse when the pointer is in a corner."""
        library = self._loaded()
        try:
            library.failSafeCheck()
        except library.FailSafeException:
            raise InputRefused(IN_CORNER) from None

    def _call(self, name: str, *arguments: int, **named: str) -> None:
        library = self._loaded()
        try:
            getattr(library, name)(*arguments, _pause=False, **named)
        except library.FailSafeException:
            raise InputRefused(IN_CORNER) from None

    def _loaded(self) -> Any:
        if self._library is None:
            self._loading.join(_LOAD_S)
            if self._library is None:
                raise InputUnavailable(self._failure or "The library for the pointer (pyautogui) did not load in time.")
        return self._library

    def _load(self) -> None:
        try:
            self._library = load_pyautogui()
        except Exception as error:  # noqa: BLE001 - the top of a thread; it fails with whatever the platform raises
            self._failure = f"The library for the pointer (pyautogui) cannot be used: {error!r}."


def load_pyautogui() -> Any:
    """The library, without its pauses and without its window for people.

    That window (mouseinfo) ends the whole process at import where tkinter is not installed; pyautogui does without it.
    """
    sys.modules.setdefault("mouseinfo", None)  # type: ignore[arg-type]  # makes its import an ImportError
    import pyautogui

    pyautogui.PAUSE = 0
    return pyautogui
