"""Buttons in the window's looks, each with object name, accessible name and tooltip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from operative_app.gui.theme import Theme, paint_icon
from operative_app.gui.tokens import ICON_PX
from operative_app.gui.widgets.labels import text_label, tip


def text_button(text: str, name: str, *, look: str = "", small: bool = False, hint: str = "") -> QPushButton:
    """A button with words."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAccessibleName(text.replace("&", "").rstrip("…"))
    button.setAutoDefault(False)
    button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    if look:
        button.setProperty("look", look)
    if small:
        button.setProperty("size", "small")
    if hint:
        button.setToolTip(tip(hint))
    return button


class ElidedButton(QPushButton):
    """A button as wide as its column, whose words are shortened when the room is narrow."""

    def __init__(self, text: str, name: str, *, look: str = "", hint: str = "") -> None:
        super().__init__()
        self._words = text
        self.setObjectName(name)
        self.setAccessibleName(text)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setProperty("look", look)
        self.setToolTip(tip(hint))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self)
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room.width()))


def icon_button(theme: Theme, icon: str, name: str, words: str, *, checkable: bool = False) -> QToolButton:
    """A button with an icon alone; `words` is its tooltip and what a screen reader says."""
    button = QToolButton()
    button.setObjectName(name)
    button.setAccessibleName(words)
    button.setToolTip(tip(words))
    button.setCheckable(checkable)
    button.setIconSize(QSize(ICON_PX, ICON_PX))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    theme.set_icon(button, icon, "secondary")
    return button


class CheckBox(QCheckBox):
    """A box to tick without words, whose tick follows the theme."""

    def __init__(self, theme: Theme, name: str, words: str) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(words)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        place = QRectF(self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self))
        painter = QPainter(self)
        paint_icon(painter, "check", self._theme.tokens.on_accent, place.adjusted(2, 2, -2, -2))
        painter.end()


class TickLine(QWidget):
    """A box to tick with words beside it that wrap where the room is narrow; a click on the words ticks it too."""

    def __init__(self, theme: Theme, name: str, words: str, *, key: str = "") -> None:
        """`key`: the letter of the words that ticks it together with Alt, "" for none."""
        super().__init__()
        self.box = CheckBox(theme, name, words)
        shown = words.replace("&", "&&")
        label = text_label(shown.replace(key, f"&{key}", 1) if key else shown)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        label.setBuddy(self.box)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)

    @property
    def words_left_px(self) -> int:
        """Where the words begin."""
        self.box.ensurePolished()
        layout = self.layout()
        return self.box.sizeHint().width() + (layout.spacing() if layout is not None else 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.box.click()
        super().mouseReleaseEvent(event)


class ChoiceBox(QComboBox):
    """A combo box whose arrow follows the theme."""

    def __init__(self, theme: Theme, name: str, words: str, *, look: str = "link") -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setProperty("look", look)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side_px = 12
        place = QRectF(self.width() - side_px - 5, (self.height() - side_px) / 2, side_px, side_px)
        painter = QPainter(self)
        paint_icon(painter, "down", self._theme.tokens.secondary, place)
        painter.end()


class Segmented(QWidget):
    """A choice among a few, all in sight.

    Signals:
        chosen(str): The person chose this key.
    """

    chosen = Signal(str)

    def __init__(
        self, name: str, words: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: dict[str, QPushButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for place, (key, text) in enumerate(choices):
            button = text_button(text, f"{name}_{key}")
            button.setAccessibleName(f"{words}: {text}")
            button.setCheckable(True)
            last = place == len(choices) - 1
            button.setProperty("segment", "first" if place == 0 else "last" if last else "middle")
            self._group.addButton(button)
            self._buttons[key] = button
            layout.addWidget(button)
        self._group.buttonClicked.connect(self._on_clicked)

    def button(self, key: str) -> QPushButton:
        return self._buttons[key]

    @property
    def value(self) -> str:
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def set_value(self, key: str) -> None:
        """Show a choice without telling `chosen`."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def _on_clicked(self) -> None:
        self.chosen.emit(self.value)
