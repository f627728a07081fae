"""Paints a task of the plan: status icon, goal, small second line, tags, breakpoint."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from operative_app.core.plan import Task, TaskStatus
from operative_app.gui.models.plan_tree import SECOND_LINE_ROLE, TAG_ROLE, TASK_ROLE
from operative_app.gui.theme import Theme, paint_icon, text_font
from operative_app.gui.widgets.delegates import chip_colors, chip_width, paint_chip
from operative_app.presentation.words import plain

_ONE_LINE_PX: Final = 28
_TWO_LINES_PX: Final = 44
_DISC_PX: Final = 18
_TEXT_LEFT_PX: Final = 36
_SIGNS: Final = {
    TaskStatus.PENDING: ("", "neutral"),
    TaskStatus.ACTIVE: ("active", "accent"),
    TaskStatus.WAITING: ("alert", "warning"),
    TaskStatus.DONE: ("check", "ok"),
    TaskStatus.UNVERIFIED: ("unsure", "warning"),
    TaskStatus.FAILED: ("cross", "error"),
    TaskStatus.SKIPPED: ("skip", "neutral"),
}
_Index = QModelIndex | QPersistentModelIndex


class PlanDelegate(QStyledItemDelegate):
    """Row height follows whether there is a second line."""

    def __init__(self, theme: Theme, asks: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._asks = asks

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(120, _TWO_LINES_PX if index.data(SECOND_LINE_ROLE) else _ONE_LINE_PX)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("taskEdit")
        editor.setAccessibleName(self.tr("Task"))
        del option, index
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: _Index) -> None:
        row = option.rect
        height = min(row.height(), 26)
        editor.setGeometry(QRect(row.left() + _TEXT_LEFT_PX - 5, row.top() + 1, row.width() - _TEXT_LEFT_PX, height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        task: Task | None = index.data(TASK_ROLE)
        if task is None:
            return
        tokens = self._theme.tokens
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = rect.adjusted(4, 1, -6, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft))
            painter.drawRoundedRect(ground, 4, 4)
            if option.state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(QColor(tokens.accent), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(ground.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.hover))
            painter.drawRoundedRect(ground, 4, 4)
        self._paint_sign(painter, task, rect)
        right = rect.right() - 12
        for place, tag in enumerate(reversed(index.data(TAG_ROLE) or [])):
            right -= chip_width(tag)
            tone = "warning" if tag == self._asks else "neutral"
            paint_chip(painter, tokens, tone, tag, right, rect.top() + _ONE_LINE_PX / 2)
            right -= 4 if place >= 0 else 0
        if task.breakpoint:
            right -= 18
            paint_icon(painter, "breakpoint", tokens.error, QRectF(right, rect.top() + 7, 14, 14))
        self._paint_text(painter, task, str(index.data(SECOND_LINE_ROLE) or ""), rect, right - 6)
        painter.restore()

    def _paint_sign(self, painter: QPainter, task: Task, rect: QRectF) -> None:
        tokens = self._theme.tokens
        disc = QRectF(rect.left() + 11, rect.top() + (_ONE_LINE_PX - _DISC_PX) / 2, _DISC_PX, _DISC_PX)
        name, tone = _SIGNS[task.status]
        if task.by_human and task.status is TaskStatus.PENDING:
            name, tone = "user", "warning"
        if not name:
            painter.setPen(QPen(QColor(tokens.secondary), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(disc.adjusted(1.5, 1.5, -1.5, -1.5))
            return
        ink, ground = chip_colors(tokens, tone)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawEllipse(disc)
        paint_icon(painter, name, ink, disc.adjusted(3, 3, -3, -3))

    def _paint_text(self, painter: QPainter, task: Task, second: str, rect: QRectF, right: float) -> None:
        tokens = self._theme.tokens
        left = rect.left() + _TEXT_LEFT_PX
        font = text_font()
        font.setStrikeOut(task.status is TaskStatus.SKIPPED)
        painter.setFont(font)
        painter.setPen(QColor(tokens.secondary if task.status is TaskStatus.SKIPPED else tokens.ink))
        line = QRectF(left, rect.top(), max(10.0, right - left), _ONE_LINE_PX)
        shown = QFontMetricsF(font).elidedText(plain(task.goal), Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        if not second:
            return
        small = text_font(small=True)
        painter.setFont(small)
        painter.setPen(QColor(tokens.secondary))
        width = max(10.0, rect.right() - 12 - left)
        shown = QFontMetricsF(small).elidedText(second, Qt.TextElideMode.ElideRight, width)
        line = QRectF(left, rect.top() + 23, width, 17)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
