"""What a model was asked and what it answered, exchange by exchange, exactly as it went over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.events import ModelAsked
from operative_app.gui.theme import Theme, code_font
from operative_app.gui.widgets.buttons import Segmented, text_button
from operative_app.gui.widgets.delegates import EntryDelegate
from operative_app.gui.widgets.labels import breakable, hairline, text_label
from operative_app.presentation.spending import NOTHING, sizes_words, spent_by, unfolded
from operative_app.presentation.understood import understood_lines
from operative_app.presentation.words import count, duration_ms, plain, purpose_words

_SIZE_PX = (940, 620)
_SMALLEST_PX = (640, 420)
_LIST_PX = 264
_READABLE = "readable"
_EXACT = "exact"


class ExchangesDialog(QDialog):
    """Does not keep from working with the window: a run goes on, and its Stop button stays in reach.

    Holds the events it is given, no copies of their texts but the two that are shown.
    """

    def __init__(self, theme: Theme, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("exchangesDialog")
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(*_SMALLEST_PX)
        self.resize(*_SIZE_PX)
        self._exchanges: list[ModelAsked] = []
        self.list = QListWidget()
        self.list.setObjectName("exchangeList")
        self.list.setAccessibleName(self.tr("Exchanges"))
        self.list.setProperty("look", "entries")
        self.list.setItemDelegate(EntryDelegate(theme, self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedWidth(_LIST_PX)
        self.list.currentRowChanged.connect(lambda _row: self._show())
        self.layout_choice = Segmented(
            "exchangeLayout",
            self.tr("How it is shown"),
            [(_READABLE, self.tr("Readable")), (_EXACT, self.tr("As it was sent"))],
        )
        self.layout_choice.set_value(_READABLE)
        self.layout_choice.chosen.connect(lambda _key: self._show())
        self.facts = text_label(name="exchangeFacts", look="secondary")
        self.fault = text_label(name="exchangeFault", look="error")
        self.fault.hide()
        self.understood, self._understood_part = self._text_part(theme, "exchangeUnderstood", self.tr("Understood"))
        self.understood.setFont(self.font())
        self.sent, sent_part = self._text_part(theme, "exchangeSent", self.tr("Sent"))
        self.received, received_part = self._text_part(theme, "exchangeReceived", self.tr("Received"))
        self.received.setPlaceholderText(self.tr("Nothing came back."))
        self.total = text_label(name="exchangeTotal", look="secondary", wrap=False)
        self._compose(sent_part, received_part)

    def _text_part(self, theme: Theme, name: str, title: str) -> tuple[QPlainTextEdit, QWidget]:
        text = QPlainTextEdit()
        text.setObjectName(name)
        text.setAccessibleName(title)
        text.setReadOnly(True)
        text.setTabChangesFocus(True)
        text.setProperty("look", "code")
        text.setFont(code_font())
        copy = text_button(self.tr("Copy"), f"{name}CopyButton", look="link")
        copy.setAccessibleName(self.tr("Copy what was {words}").format(words=title.lower()))
        theme.set_icon(copy, "copy", "secondary")
        copy.clicked.connect(lambda: self._copy(text, copy))
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(text_label(title, look="title", wrap=False))
        head.addStretch(1)
        head.addWidget(copy)
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(text, 1)
        return text, part

    def _compose(self, sent: QWidget, received: QWidget) -> None:
        texts = QSplitter(Qt.Orientation.Vertical)
        texts.setObjectName("exchangeSplitter")
        texts.setProperty("look", "gap")
        texts.setHandleWidth(10)
        texts.setChildrenCollapsible(False)
        texts.addWidget(self._understood_part)
        texts.addWidget(sent)
        texts.addWidget(received)
        for place, share in enumerate((2, 3, 2)):
            texts.setStretchFactor(place, share)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.facts, 1)
        head.addWidget(self.layout_choice, 0, Qt.AlignmentFlag.AlignTop)
        right = QVBoxLayout()
        right.setContentsMargins(16, 12, 16, 12)
        right.setSpacing(8)
        right.addLayout(head)
        right.addWidget(self.fault)
        right.addWidget(texts, 1)
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.list)
        middle.addWidget(hairline(vertical=True))
        middle.addLayout(right, 1)
        close = text_button(self.tr("Close"), "exchangesCloseButton")
        close.setDefault(True)
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 10, 16, 12)
        foot.addWidget(self.total)
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(middle, 1)
        column.addWidget(hairline())
        column.addLayout(foot)

    def show_exchanges(self, exchanges: Sequence[ModelAsked]) -> None:
        """Show these, of which the first may be shown already; the chosen one stays chosen."""
        for exchange in exchanges[len(self._exchanges) :]:
            self._exchanges.append(exchange)
            spent = spent_by(exchange).words
            place = self.tr("after step {number}") if exchange.step else self.tr("at the start")
            words = " · ".join(part for part in (place.format(number=exchange.step), spent) if part)
            mark = "✗ " if exchange.fault else ""
            self.list.addItem(QListWidgetItem(f"{mark}{purpose_words(exchange.purpose)}\n{words}"))
        total = sum(map(spent_by, self._exchanges), NOTHING).words
        number = count(len(self._exchanges), self.tr("exchange"))
        self.total.setText(" · ".join(part for part in (number, total) if part))
        if self.list.currentRow() < 0 and self._exchanges:
            self.list.setCurrentRow(0)

    def _show(self) -> None:
        row = self.list.currentRow()
        if not 0 <= row < len(self._exchanges):
            return
        one = self._exchanges[row]
        time = datetime.fromtimestamp(one.time_s).astimezone().strftime("%H:%M:%S")
        parts = (plain(one.model), time, duration_ms(one.duration_ms), sizes_words(one), spent_by(one).cost_words)
        self.facts.setText(breakable(" · ".join(part for part in parts if part)))
        self.fault.setText(breakable(plain(one.fault)))
        self.fault.setVisible(bool(one.fault))
        understood = understood_lines(one)
        self.understood.setPlainText("\n".join(f"{title}: {words}" for title, words in understood))
        self._understood_part.setVisible(bool(understood))
        is_readable = self.layout_choice.value == _READABLE
        for text, words in ((self.sent, one.sent), (self.received, one.received)):
            text.setPlainText(unfolded(words) if is_readable else words)

    def _copy(self, text: QPlainTextEdit, button: QPushButton) -> None:
        QGuiApplication.clipboard().setText(text.toPlainText())
        button.setText(self.tr("Copied"))
        text.textChanged.connect(lambda: button.setText(self.tr("Copy")), Qt.ConnectionType.SingleShotConnection)
