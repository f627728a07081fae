"""Lets go of everything from outside, after an input process was ended in the middle of its work.

A program's injected keys stay down when it ends. Letting go of them is asked of the server for each key and button it
reports as down. That changes nothing about keys a person holds: an injected release counts for injected presses only.
"""

from __future__ import annotations

import os
import sys

_BUTTON_BITS = {1: 1 << 8, 2: 1 << 9, 3: 1 << 10, 4: 1 << 11, 5: 1 << 12}


def release_all() -> int:
    """Let go of all injected keys and buttons, and give borrowed keys back. Any thread or process; blocks briefly.

    Where the system lets go by itself (all but X11) nothing is to be done.

    Returns:
        How many keys and buttons were down.

    Raises:
        InputUnavailable: The display cannot be reached.
    """
    if sys.platform in ("win32", "darwin"):
        return _release_modifiers()
    from Xlib import X
    from Xlib.ext import xtest

    from operative_app.surfaces.desktop.input.x11_borrowed import give_back_noted
    from operative_app.surfaces.desktop.input.x11_injector import connect

    display = connect(os.environ)
    try:
        keys = [
            8 * place + bit
            for place, byte in enumerate(display.query_keymap())
            for bit in range(8)
            if int(byte) >> bit & 1
        ]
        mask = display.screen().root.query_pointer().mask
        buttons = [button for button, bit in _BUTTON_BITS.items() if mask & bit]
        for keycode in keys:
            xtest.fake_input(display, X.KeyRelease, keycode)
        for button in buttons:
            xtest.fake_input(display, X.ButtonRelease, button)
        give_back_noted(display)
        display.sync()
    finally:
        display.close()
    return len(keys) + len(buttons)


def _release_modifiers() -> int:
    from operative_app.surfaces.desktop.input.pointer import load_pyautogui

    library = load_pyautogui()
    for key in ("ctrl", "shift", "alt", "command" if sys.platform == "darwin" else "win"):
        library.keyUp(key, _pause=False)
    return 0
