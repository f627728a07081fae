"""The icon in the system's tray and its menu, in whichever process it lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from operative_app.gui.theme import tinted_pixmap
from operative_app.gui.tokens import LIGHT, Tokens

STOP: Final = "stop"
PAUSE: Final = "pause"
RESUME: Final = "resume"
TAKE_OVER: Final = "take over"
SHOW: Final = "show"
_SIDES_PX: Final = (16, 22, 32, 48, 64)
_SHOWN_MS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Shown:
    """What the icon and its menu show.

    Attributes:
        dot: The colour of the state, by its name in `Tokens`; "" for none.
        tip: For the pointer over the icon.
        is_hand_back: What is held was taken over by the person.
    """

    dot: str = ""
    tip: str = "Operative"
    can_stop: bool = False
    can_pause: bool = False
    can_take_over: bool = False
    is_held: bool = False
    is_hand_back: bool = False


class TrayIcon(QObject):
    """GUI thread of its process.

    Signals:
        chosen(str): STOP, PAUSE, RESUME, TAKE_OVER or SHOW.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.menu = QMenu(parent)
        self.menu.setObjectName("trayMenu")
        self.stop = self._add(self.tr("Stop now"), STOP, "trayStopAction")
        self.menu.addSeparator()
        self.pause = self._add(self.tr("Pause"), PAUSE, "trayPauseAction")
        self.resume = self._add(self.tr("Resume"), RESUME, "trayResumeAction")
        self.take_over = self._add(self.tr("Take over"), TAKE_OVER, "trayTakeOverAction")
        self.menu.addSeparator()
        self._add(self.tr("Show the window"), SHOW, "trayShowAction")
        self._dot: str | None = None
        self.icon = QSystemTrayIcon(self)
        self.icon.setObjectName("trayIcon")
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.messageClicked.connect(lambda: self.chosen.emit(SHOW))

    def show_state(self, shown: Shown) -> None:
        """Show how the run stands and which commands there are. Shows the icon the first time."""
        self.stop.setEnabled(shown.can_stop)
        self.pause.setEnabled(shown.can_pause)
        self.pause.setVisible(not shown.is_held)
        self.resume.setVisible(shown.is_held)
        self.resume.setText(self.tr("Hand back") if shown.is_hand_back else self.tr("Resume"))
        self.take_over.setEnabled(shown.can_take_over and not shown.is_hand_back)
        self.icon.setToolTip(shown.tip)
        if shown.dot != self._dot:
            self._dot = shown.dot
            self.icon.setIcon(sign(shown.dot))
        self.icon.show()

    def notify(self, title: str, text: str) -> None:
        """Say something beside the tray, without a sound of ours."""
        if QSystemTrayIcon.supportsMessages():
            self.icon.showMessage(title, text, self.icon.icon(), _SHOWN_MS)

    def close(self) -> None:
        """Take the icon and its menu away. Idempotent."""
        self.menu.close()
        self.icon.hide()

    def _add(self, words: str, name: str, object_name: str) -> QAction:
        action: QAction = self.menu.addAction(words, lambda: self.chosen.emit(name))
        action.setObjectName(object_name)
        return action

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick}:
            self.chosen.emit(SHOW)


def sign(dot: str, tokens: Tokens = LIGHT) -> QIcon:
    """The sign of the application, with a dot in a colour of the tokens or, for "", without one."""
    icon = QIcon()
    for side_px in _SIDES_PX:
        pixmap = QPixmap(tinted_pixmap("planner", tokens.accent, side_px))
        if dot:
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            place = QRectF(side_px * 0.52, side_px * 0.52, side_px * 0.46, side_px * 0.46)
            painter.setPen(Qt.GlobalColor.white)
            painter.setBrush(QColor(getattr(tokens, dot)))
            painter.drawEllipse(place)
            painter.end()
        icon.addPixmap(pixmap)
    return icon
