"""`operative` whose window's thread can be blocked from outside: `python -m tests.e2e.blocked_window FOLDER window …`.

As soon as somebody opens the pipe `FOLDER/block` for writing, Qt's main thread goes into a call of the C library in a
slot and stays there, until somebody opens `FOLDER/go_on`. `FOLDER/blocked` is there while it does.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from operative_app.__main__ import main


class Blocker(QObject):
    """Lives on the main thread; a daemon thread waits for the pipe and ends with it."""

    asked = Signal()

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.asked.connect(self._block)
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        (self._folder / "block").open("rb").close()
        self.asked.emit()

    @Slot()
    def _block(self) -> None:
        library = ctypes.CDLL(None)
        (self._folder / "blocked").touch()
        library.close(library.open(str(self._folder / "go_on").encode(), os.O_RDONLY))
        (self._folder / "blocked").unlink()


if __name__ == "__main__":
    blocker = Blocker(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
