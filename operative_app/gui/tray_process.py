"""The tray icon's process: `python -m operative_app.gui.tray_process --stop-line FILE`. Not on Windows and macOS.

It hears a JSON object a line on stdin: {"show": {…}} with the fields of `tray_icon.Shown`, or {"say": [TITLE, TEXT]}.
It says what was chosen, a word of `tray_icon` a line, on stdout. A stop goes to the guard first, by the open file it
was given (`guard.listener`), so that it needs nothing of the application. It ends when its stdin is closed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
from typing import Final

from PySide6.QtCore import QSocketNotifier

from operative_app.gui.application import create_qapplication
from operative_app.gui.tray_icon import STOP, Shown, TrayIcon

_BLOCK: Final = 65_536
_PRESS: Final = b"press\n"


class _Lines:
    """What the application tells, as it comes, for the icon to show. GUI thread."""

    def __init__(self, icon: TrayIcon) -> None:
        self._icon = icon
        self._rest = b""

    def read(self) -> bool:
        """Take what there is; False at the end, when the application is gone or wants this process to end."""
        block = os.read(0, _BLOCK)
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(block)

    def _take(self, told: dict[str, object]) -> None:
        match told:
            case {"show": dict(shown)}:
                self._icon.show_state(Shown(**shown))
            case {"say": [str(title), str(text)]}:
                self._icon.notify(title, text)
            case _:
                pass


def _say(file: int, line: bytes) -> None:
    """Nobody may read there, or be there, any more: a click waits for nobody."""
    with contextlib.suppress(OSError):
        os.write(file, line)


def main() -> int:
    parser = argparse.ArgumentParser(prog="operative-tray", description="Show the tray icon of the application.")
    parser.add_argument("--stop-line", type=int, required=True, metavar="FILE")
    stop_line: int = parser.parse_args().stop_line
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is for the program that started this one
    for file in (1, stop_line):
        os.set_blocking(file, False)
    application = create_qapplication(["operative"])
    application.setQuitOnLastWindowClosed(False)
    icon = TrayIcon()
    lines = _Lines(icon)

    def choose(word: str) -> None:
        if word == STOP:
            _say(stop_line, _PRESS)
        _say(1, f"{word}\n".encode())

    def hear() -> None:
        if not lines.read():
            notifier.setEnabled(False)
            icon.close()
            application.quit()

    icon.chosen.connect(choose)
    notifier = QSocketNotifier(0, QSocketNotifier.Type.Read)
    notifier.activated.connect(hear)
    return application.exec()


if __name__ == "__main__":
    code = main()
    os._exit(code)  # nothing is left to tidy up
