"""Frames of the chat: a card with a coloured edge, a bubble."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operative_app.gui.theme import Theme
from operative_app.gui.tokens import CARD_CORNER_PX
from operative_app.gui.widgets.labels import text_label

_EDGE_PX = 3
_BUBBLE_CORNER_PX = 10


class Card(QFrame):
    """A raised frame. `edge` names the token of its left edge, "" for none; `column` takes the content."""

    def __init__(self, theme: Theme, edge: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._edge = edge
        self.setProperty("look", "card")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(14, 10, 12, 12)
        self.column.setSpacing(6)
        theme.changed.connect(self.update)

    def set_edge(self, edge: str) -> None:
        self._edge = edge
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._edge:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()), CARD_CORNER_PX, CARD_CORNER_PX)
        painter.setClipPath(outline)
        painter.fillRect(0, 0, _EDGE_PX, self.height(), QColor(getattr(self._theme.tokens, self._edge)))


class Bubble(QWidget):
    """What the person said: a filled bubble at the right side."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(32, 0, 0, 0)
        row.addStretch(1)
        self._body = _BubbleBody(theme, text)
        row.addWidget(self._body, 100)


class _BubbleBody(QWidget):
    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__()
        self._theme = theme
        self._label = text_label(text)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.addWidget(self._label)
        theme.changed.connect(self._on_theme)
        self._on_theme()

    def _on_theme(self) -> None:
        palette = self._label.palette()
        color = self._theme.tokens.on_bubble
        palette.setColor(palette.ColorRole.WindowText, QColor(color))
        self._label.setPalette(palette)
        self._label.setStyleSheet(f"color: {color};")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.tokens.bubble))
        body = QRectF(self.rect())
        painter.drawRoundedRect(body, _BUBBLE_CORNER_PX, _BUBBLE_CORNER_PX)
        corner = QRectF(body.right() - _BUBBLE_CORNER_PX, body.bottom() - _BUBBLE_CORNER_PX, 10, 10)
        painter.drawRoundedRect(corner, 2, 2)
