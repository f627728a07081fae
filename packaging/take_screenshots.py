"""Carries out real goals in the real window and keeps pictures of it under `resources/screenshots/`.

Meant for the project, not for a run: `packaging/take-screenshots` renews what README.md shows.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from operative_app.app.examples import DEMONSTRATION  # noqa: E402 - found by the line above
from operative_app.app.session import open_session  # noqa: E402
from operative_app.app.window import Front  # noqa: E402
from operative_app.cli.options import WindowOptions  # noqa: E402
from operative_app.gui.application import create_qapplication  # noqa: E402
from operative_app.gui.bridge import EventBridge  # noqa: E402
from operative_app.gui.tokens import ThemeName  # noqa: E402
from operative_app.gui.window import MainWindow  # noqa: E402

FLIGHT = "Open practice:flights and book a flight from SFO to JFK on 15 March for Ada Lovelace"
SIZES_PX = ((1280, 800), (1920, 1080))
COLORS = 160
LARGEST_BYTES = 150_000
LOOK_EVERY_MS = 100
SETTLE_MS = 600
"""After this a resized window has laid itself out and its picture is scaled anew."""
GIVE_UP_MS = 90_000

Step = Callable[[], bool]


def main() -> int:
    """Take the pictures; returns 0, or 1 when a run did not come to what is to be shown."""
    parser = argparse.ArgumentParser(prog="packaging/take-screenshots", description="Renew the pictures of the window.")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "resources" / "screenshots")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="screenshots-") as home:
        os.environ["OPERATIVE_HOME"] = home
        application = create_qapplication(["operative"])
        bridge = EventBridge()
        session = open_session(keep_browser=True, on_frame=bridge.frame_listener)
        front = Front(session, bridge, WindowOptions())
        front.show()
        tour = Tour(_tour(front.window, folder))
        application.exec()
        front.close()
    return 0 if tour.is_complete else 1


class Tour:
    """Goes through the steps of a tour, each time waiting until a condition holds; quits the application at the end."""

    def __init__(self, steps: Iterator[Step]) -> None:
        self.is_complete = False
        self._steps = steps
        self._waited_ms = 0
        self._timer = QTimer()
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._wanted: Step = lambda: True
        self._timer.start()

    def _look(self) -> None:
        self._waited_ms += LOOK_EVERY_MS
        if self._wanted():
            self._waited_ms = 0
            try:
                self._wanted = next(self._steps)
            except StopIteration:
                self.is_complete = True
                self._end()
        elif self._waited_ms > GIVE_UP_MS:
            sys.stderr.write("A picture could not be taken: what it shows did not come.\n")
            self._end()

    def _end(self) -> None:
        self._timer.stop()
        QApplication.quit()


def _tour(window: MainWindow, folder: Path) -> Iterator[Step]:
    state = window.view_state
    window.theme.choose(ThemeName.LIGHT)
    window.resize(*SIZES_PX[0])
    _start(window, DEMONSTRATION)
    yield lambda: bool(state.rows) and not state.is_active
    for theme in (ThemeName.LIGHT, ThemeName.DARK):
        window.theme.choose(theme)
        for width, height in SIZES_PX:
            window.resize(width, height)
            yield _after(SETTLE_MS)
            _save(window.grab(), folder / f"window-{theme}-{width}x{height}.png")
    window.theme.choose(ThemeName.LIGHT)
    window.resize(*SIZES_PX[0])
    _press(window, "newButton")
    _start(window, FLIGHT)
    yield lambda: window.findChild(QDialog, "requestDialog") is not None
    yield _after(SETTLE_MS)
    dialog = window.findChild(QDialog, "requestDialog")
    if dialog is not None:
        _save(_with_dialog(window, dialog), folder / "approval-light-1280x800.png")
        _press(dialog, "dialogStopButton")
    yield lambda: not state.is_active


def _start(window: MainWindow, goal: str) -> None:
    window.chat.editor.set_text(goal)
    _press(window, "sendButton")


def _press(root: QDialog | MainWindow, name: str) -> None:
    button = root.findChild(QPushButton, name)
    if button is None:
        raise LookupError(f"There is no {name}.")
    button.click()


def _after(delay_ms: int) -> Step:
    """A step that holds once the delay is over."""
    is_over: list[bool] = []
    QTimer.singleShot(delay_ms, lambda: is_over.append(True))
    return lambda: bool(is_over)


def _with_dialog(window: MainWindow, dialog: QDialog) -> QPixmap:
    """The window with the dialog over it, as a person sees both."""
    picture = window.grab()
    place = dialog.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0))
    painter = QPainter(picture)
    painter.fillRect(picture.rect(), "#33000000")
    painter.drawPixmap(place, dialog.grab())
    painter.setPen("#40000000")
    painter.drawRect(place.x() - 1, place.y() - 1, dialog.width() + 1, dialog.height() + 1)
    painter.end()
    return picture


def _save(picture: QPixmap, path: Path) -> None:
    """Save with few colours, so that the repository stays small."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    colors = COLORS
    while True:
        small = io.BytesIO()
        image = Image.open(io.BytesIO(buffer.data().data())).convert("RGB")
        image.quantize(colors, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
        if small.tell() <= LARGEST_BYTES or colors <= 16:
            break
        colors //= 2
    path.write_bytes(small.getvalue())
    sys.stdout.write(f"{path.name}: {small.tell() / 1000:.0f} kB, {colors} colours\n")


if __name__ == "__main__":
    sys.exit(main())
