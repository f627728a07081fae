"""Painters of cells: outcome chips in tables, entries of two lines in lists."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from operative_app.gui.theme import Theme, text_font
from operative_app.gui.tokens import Tokens

_CHIP_HEIGHT_PX = 18


def chip_colors(tokens: Tokens, tone: str) -> tuple[str, str]:
    """Text and ground of a chip; `tone` is ok, warning, error, accent or neutral."""
    return {
        "ok": (tokens.ok, tokens.ok_soft),
        "warning": (tokens.warning, tokens.warning_soft),
        "error": (tokens.error, tokens.error_soft),
        "accent": (tokens.accent_ink, tokens.accent_soft),
    }.get(tone, (tokens.secondary, tokens.neutral_soft))


def chip_font() -> QFont:
    font = text_font()
    font.setPixelSize(11)
    return font


def chip_width(text: str) -> float:
    return QFontMetricsF(chip_font()).horizontalAdvance(text) + 16


def paint_chip(painter: QPainter, tokens: Tokens, tone: str, text: str, left: float, middle: float) -> None:
    """Paint a chip whose left edge and vertical middle are given."""
    ink, ground = chip_colors(tokens, tone)
    chip = QRectF(left, middle - _CHIP_HEIGHT_PX / 2, chip_width(text), _CHIP_HEIGHT_PX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(chip, _CHIP_HEIGHT_PX / 2, _CHIP_HEIGHT_PX / 2)
    painter.setPen(QColor(ink))
    painter.setFont(chip_font())
    painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)


class ChipDelegate(QStyledItemDelegate):
    """Shows a cell's text as a chip; the model gives the tone under `tone_role`."""

    def __init__(self, theme: Theme, tone_role: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone_role = tone_role

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        text = str(index.data() or "")
        bare = QStyleOptionViewItem(option)
        self.initStyleOption(bare, index)
        bare.text = ""
        style = option.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, bare, painter, option.widget)
        if text:
            painter.save()
            rect = QRectF(option.rect)
            tone = str(index.data(self._tone_role))
            paint_chip(painter, self._theme.tokens, tone, text, rect.left() + 11, rect.center().y())
            painter.restore()


class EntryDelegate(QStyledItemDelegate):
    """Shows an item's first line as usual and its second one small and paler; each is shortened on its own."""

    _HEIGHT_PX = 46
    _LEFT_PX = 14
    _TOP_PX = 6

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), self._HEIGHT_PX)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        first, _, second = str(index.data() or "").partition("\n")
        bare = QStyleOptionViewItem(option)
        self.initStyleOption(bare, index)
        bare.text = ""
        style = option.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, bare, painter, option.widget)
        room = QRectF(option.rect).adjusted(self._LEFT_PX, self._TOP_PX, -self._LEFT_PX, -self._TOP_PX)
        tokens = self._theme.tokens
        painter.save()
        for text, font, color, side in (
            (first, text_font(), tokens.ink, Qt.AlignmentFlag.AlignTop),
            (second, text_font(small=True), tokens.secondary, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font)
            painter.setPen(QColor(color))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, int(side | Qt.AlignmentFlag.AlignLeft), shown)
        painter.restore()
