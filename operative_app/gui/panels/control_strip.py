"""The strip that says “You have control” on top of other programs while the window is out of the way."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from operative_app.core.run import RunState
from operative_app.gui.panels.control_banner import ControlBanner
from operative_app.gui.theme import Theme
from operative_app.presentation.view_state import ViewState

_SIZE_PX = (760, 56)
_TOP_PX = 8


class ControlStrip(QWidget):
    """A small window on top that never gets the keyboard: the person goes on with what they do.

    Signals:
        hand_back_pressed(), teach_pressed()
    """

    hand_back_pressed = Signal()
    teach_pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(
            parent,
            Qt.WindowType.Window
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.WindowDoesNotAcceptFocus
            | Qt.WindowType.X11BypassWindowManagerHint,
        )
        self.setObjectName("controlStrip")
        self.setWindowTitle("Operative")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.banner = ControlBanner(theme)
        self.banner.setObjectName("controlStripBanner")
        for part in (self.banner.heading, self.banner.detail, self.banner.teach, self.banner.hand_back):
            part.setObjectName(f"strip_{part.objectName()}")
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.banner.hand_back_pressed.connect(self.hand_back_pressed)
        self.banner.teach_pressed.connect(self.teach_pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.banner)

    def show_state(self, state: ViewState, *, is_aside: bool) -> None:
        """Show or hide it, as the run under way stands; only while the window is out of the way."""
        self.banner.show_state(state)
        is_wanted = is_aside and state.state is RunState.TAKEN_OVER
        if is_wanted and not self.isVisible():
            area = QGuiApplication.primaryScreen().availableGeometry()
            width = min(_SIZE_PX[0], area.width())
            self.setFixedSize(width, _SIZE_PX[1])
            self.move(area.x() + (area.width() - width) // 2, area.y() + _TOP_PX)
        self.setVisible(is_wanted)
