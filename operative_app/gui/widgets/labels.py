"""Labels for text from outside: never rich text, nothing unseen in it, always able to wrap or to be shortened."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from operative_app.core.outside import harmless

_LONG_WORD = re.compile(r"\S{20,}")
_SEAM = re.compile(r"([/?&=_.,;:@#-]|\w{16})")
_ZERO_WIDTH_SPACE = "\u200b"


def breakable(text: str) -> str:
    """The text as it is seen, with places to wrap inside long words such as addresses."""
    return _LONG_WORD.sub(lambda word: _SEAM.sub(rf"\1{_ZERO_WIDTH_SPACE}", word.group()), harmless(text))


def tip(text: str) -> str:
    """A tooltip text that Qt does not take for markup."""
    return html.escape(harmless(text)).replace("\n", "<br>") if text else ""


def text_label(text: str = "", *, look: str = "", wrap: bool = True, name: str = "") -> QLabel:
    """A label that shows its text as it is. `look` chooses the rule of the style sheet."""
    label = QLabel(breakable(text) if wrap else harmless(text))
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if wrap:
        label.setMinimumWidth(24)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if look:
        label.setProperty("look", look)
    if name:
        label.setObjectName(name)
    return label


def set_look(widget: QWidget, look: str) -> None:
    """Change the rule of the style sheet a widget follows."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def hairline(parent: QWidget | None = None, *, vertical: bool = False) -> QFrame:
    """A line one pixel thin."""
    line = QFrame(parent)
    line.setProperty("look", "hairline")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


class ElidedLabel(QLabel):
    """One line of plain text, shortened at its end when the room is narrow; the whole is its tooltip."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        self.setText(harmless(text))
        self.setToolTip(tip(text))

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)
