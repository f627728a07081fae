"""Input on X11: the pointer is moved by pyautogui, buttons and keys are pressed by XTEST.

pyautogui presses no button here: it goes to where the pointer is first, waits for the display six times for each click,
and so draws apart the presses of a double-click on a busy machine.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from operative_app.surfaces.desktop.input.injector import BUTTONS, InputRefused, InputUnavailable
from operative_app.surfaces.desktop.input.person import Announced, PersonWatch
from operative_app.surfaces.desktop.input.pointer import Pointer
from operative_app.surfaces.desktop.input.x11_focus import X11Focus
from operative_app.surfaces.desktop.input.x11_keyboard import X11Keyboard

if TYPE_CHECKING:
    from Xlib.display import Display

P = ParamSpec("P")
R = TypeVar("R")

ON_WAYLAND = (
    "This session runs on Wayland, where no program may type or click for another. "
    "Log out, choose a session “on Xorg” (X11) at the login screen, and try again."
)
NO_DISPLAY = "There is no display here (DISPLAY is not set), so the desktop cannot be used."
_WHEEL_BUTTONS = {"y": (4, 5), "x": (6, 7)}
"""What turning the wheel up and down, left and right is to X11."""
_BETWEEN_PRESSES_MS = 5
"""Two presses at one time are no double-click to Qt. Short: a stop cannot call back what the server has already."""


class X11Injector:
    """`Injector` for X11. Raises InputUnavailable when the display cannot be used."""

    def __init__(self) -> None:
        self._display = connect(os.environ)
        self._focus = X11Focus(self._display)
        self._announced = Announced()
        self._keyboard = X11Keyboard(
            self._display, self._focus, lambda: connect(os.environ), lambda code: self._announced.add("key", code)
        )
        self._pointer = Pointer("linux")
        self._buttons: dict[str, int] = {}

    @property
    def held(self) -> tuple[str, ...]:
        return (*self._keyboard.held, *self._buttons)

    @property
    def owes(self) -> bool:
        return self._keyboard.owes

    def set_own(self, pids: list[int], windows: list[int]) -> None:
        self._focus.own_pids = frozenset(pids)
        self._focus.own_windows = frozenset(self._top_of(window) for window in windows)

    def position(self) -> tuple[int, int]:
        return self._ask(self._position)

    def move(self, x: int, y: int, *, approach: bool = False) -> tuple[int, int]:
        width, height = self._ask(self._size)
        if not (0 <= x < width and 0 <= y < height):  # one rectangle around all monitors
            raise InputRefused(f"The place {x}, {y} lies outside the screen ({width} × {height}).")
        for place in self._pointer.way_to(x, y, approach=approach):
            self._announced.add("place", place)
        return self._ask(self._pointer.move, x, y, approach=approach)

    def button_down(self, button: str) -> None:
        self._ask(self._button_down, button)

    def button_up(self, button: str) -> None:
        self._ask(self._button_up, button)

    def click(self, button: str, count: int) -> None:
        self._ask(self._click, button, count)

    def wheel(self, axis: str, notches: int) -> None:
        self._ask(self._tap, _WHEEL_BUTTONS[axis][notches > 0], abs(notches))

    def chord(self, keys: list[str]) -> None:
        self._ask(self._keyboard.chord, keys)

    def key_down(self, key: str) -> None:
        self._ask(self._keyboard.key_down, key)

    def key_up(self, key: str) -> None:
        self._ask(self._keyboard.key_up, key)

    def focused_window(self) -> int:
        self._focus.forget()
        return self._ask(self._focus.focused)

    def prepare(self, text: str, *, may_replace: bool) -> int:
        return self._ask(self._keyboard.prepare, text, may_replace=may_replace)

    def stroke(self, character: str, window: int) -> bool:
        return self._ask(self._keyboard.stroke, character, window)

    def is_taken(self, window: int) -> bool:
        return self._ask(self._focus.is_taken, window)

    def give_back(self) -> None:
        self._ask(self._keyboard.give_back)

    def release(self, names: list[str] | None) -> None:
        for name in reversed(self.held):
            if names is None or name in names:
                with contextlib.suppress(InputRefused):
                    (self.button_up if name in BUTTONS else self.key_up)(name)

    def watch_person(self) -> PersonWatch | None:
        from operative_app.surfaces.desktop.input.x11_person import X11Person

        try:
            return self._ask(X11Person, lambda: connect(os.environ), self._announced)
        except (InputUnavailable, InputRefused):  # no XInput 2.2
            return None

    def close(self) -> None:
        from Xlib.error import XError

        with contextlib.suppress(XError, OSError):
            self._keyboard.close()
            self._display.close()

    def _top_of(self, window: int) -> int:
        """The window a terminal's own window is in."""
        with contextlib.suppress(InputRefused):
            return self._ask(self._focus.top_of, self._display.create_resource_object("window", window))
        return window

    def _size(self) -> tuple[int, int]:
        """Asked for each time: monitors come and go."""
        screen = self._display.screen().root.get_geometry()
        return int(screen.width), int(screen.height)

    def _position(self) -> tuple[int, int]:
        pointer = self._display.screen().root.query_pointer()
        return int(pointer.root_x), int(pointer.root_y)

    def _button_down(self, button: str) -> None:
        self._check_place()
        number = self._number_of(button)
        self._buttons[button] = number  # before it is sent: rather one let go in vain than one that stays down
        self._send(number, is_down=True)
        self._display.sync()

    def _button_up(self, button: str) -> None:
        self._send(self._buttons.get(button) or self._number_of(button), is_down=False)
        self._display.sync()
        self._buttons.pop(button, None)

    def _click(self, button: str, count: int) -> None:
        self._tap(self._number_of(button), count)
        self._buttons.pop(button, None)

    def _tap(self, number: int, count: int) -> None:
        """Press a button some times; the server itself waits in between, so that a busy machine draws nothing apart."""
        self._check_place()
        for place in range(count):
            self._send(number, is_down=True, after_ms=_BETWEEN_PRESSES_MS if place else 0)
            self._send(number, is_down=False)
        self._display.sync()

    def _send(self, number: int, *, is_down: bool, after_ms: int = 0) -> None:
        from Xlib import X
        from Xlib.ext import xtest

        if is_down:
            self._announced.add("button", number)
        xtest.fake_input(self._display, X.ButtonPress if is_down else X.ButtonRelease, number, after_ms)

    def _check_place(self) -> None:
        self._pointer.check_corner()
        self._focus.forget()
        if self._focus.is_own(self._focus.at_pointer()):
            raise InputRefused("Operative's own window lies there; nothing is clicked in it.")

    def _number_of(self, button: str) -> int:
        """The button whose press programs see as this one: a left-handed person's are swapped by the server."""
        mapping = list(self._display.get_pointer_mapping())[: len(BUTTONS)]
        wanted = BUTTONS.index(button) + 1
        return mapping.index(wanted) + 1 if wanted in mapping else wanted

    def _ask(self, call: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        from Xlib.error import ConnectionClosedError, DisplayError, XError

        try:
            return call(*arguments, **named)
        except (ConnectionClosedError, DisplayError, OSError) as error:
            raise InputUnavailable("The display is gone.") from error
        except XError as error:
            raise InputRefused("A window went away meanwhile; nothing was sent to it.") from error


def connect(environment: Mapping[str, str]) -> Display:
    """Open the display.

    Raises:
        InputUnavailable: There is none, it is Wayland's, or it refuses.
    """
    from Xlib.display import Display
    from Xlib.error import DisplayError, XError

    name = environment.get("DISPLAY", "")
    if not name:
        raise InputUnavailable(ON_WAYLAND if environment.get("WAYLAND_DISPLAY") else NO_DISPLAY)
    try:
        display = Display(name)
    except (DisplayError, XError, OSError, OverflowError) as error:
        raise InputUnavailable(f"The display {name} cannot be used: it does not answer or refuses.") from error
    if is_wayland(display.list_extensions(), _output_names(display)):
        display.close()
        raise InputUnavailable(ON_WAYLAND)
    if not display.has_extension("XTEST"):
        display.close()
        raise InputUnavailable(f"The display {name} lets no program type or click (its XTEST extension is off).")
    return display


def is_wayland(extensions: Collection[str], outputs: Collection[str]) -> bool:
    """Whether a display is Xwayland's: newer ones have an extension of that name, older ones name their outputs so."""
    return "XWAYLAND" in extensions or any(name.startswith("XWAYLAND") for name in outputs)


def _output_names(display: Display) -> list[str]:
    from Xlib.error import XError
    from Xlib.ext import randr

    if not display.has_extension("RANDR"):
        return []
    try:
        resources = randr.get_screen_resources(display.screen().root)
        return [
            str(randr.get_output_info(display.screen().root, output, resources.config_timestamp).name)
            for output in resources.outputs
        ]
    except XError:
        return []
