"""A small coloured dot; never without words beside it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from operative_app.gui.theme import Theme

_SIDE_PX, _DOT_PX = 12, 8


class StatusDot(QWidget):
    """`role` names the token of its colour."""

    def __init__(self, theme: Theme, role: str = "faint", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.role = role
        self.setFixedSize(_SIDE_PX, _SIDE_PX)
        theme.changed.connect(self.update)

    def set_role(self, role: str) -> None:
        self.role = role
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self._theme.tokens, self.role)))
        margin = (_SIDE_PX - _DOT_PX) / 2
        painter.drawEllipse(QRectF(margin, margin, _DOT_PX, _DOT_PX))
