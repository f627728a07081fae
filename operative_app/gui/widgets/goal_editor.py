"""The editor below the chat: Enter sends, Shift+Enter begins a new line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from operative_app.gui.theme import text_font
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import set_look, text_label

_MIN_LINES, _MAX_LINES = 2, 7


class GoalEditor(QFrame):
    """A multi-line editor with one button.

    Signals:
        submitted(str): Enter or the button was pressed and there are words.
        text_changed(): The words are others now.
    """

    submitted = Signal(str)
    text_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "editor")
        self.edit = QPlainTextEdit()
        self.edit.setObjectName("goalEdit")
        self.edit.setProperty("look", "bare")
        self.edit.setTabChangesFocus(True)
        self.edit.setFont(text_font())
        self.edit.document().setDocumentMargin(0)
        self.edit.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.edit.textChanged.connect(self._on_text_changed)
        self.edit.installEventFilter(self)
        self.button = text_button(self.tr("Run"), "sendButton", look="primary", small=True)
        self.button.clicked.connect(self.submit)
        self.hint = text_label("", look="secondary", wrap=False)
        row = QHBoxLayout()
        row.addWidget(self.hint, 1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.edit)
        column.addLayout(row)
        self.setFocusProxy(self.edit)
        self._can_submit = True
        self._fit()

    @property
    def text(self) -> str:
        return self.edit.toPlainText().strip()

    def set_text(self, text: str) -> None:
        self.edit.setPlainText(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)

    def offer(self, text: str) -> None:
        """Put words back to be changed, all selected; what was typed meanwhile stays."""
        if not self.text:
            self.edit.setPlainText(text)
            self.edit.selectAll()

    def set_purpose(self, *, button: str, placeholder: str, words: str, hint: str, can_submit: bool) -> None:
        """Say what sending does now; `words` is the accessible name."""
        self.button.setText(button)
        self.button.setAccessibleName(button)
        if self.edit.placeholderText() != placeholder:
            self.edit.setPlaceholderText(placeholder)
            self.edit.viewport().update()  # Qt paints another placeholder in the place of one at the next key only
        self.edit.setAccessibleName(words)
        self.hint.setText(hint)
        self._can_submit = can_submit
        self._update_button()

    def submit(self) -> None:
        """Send the words, if there are any and they may be sent now."""
        if self.text and self._can_submit:
            self.submitted.emit(self.text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.edit and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            is_enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
            if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.submit()
                return True
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.setProperty("focused", "true" if event.type() is QEvent.Type.FocusIn else "false")
            set_look(self, "")
            set_look(self, "editor")
        return super().eventFilter(watched, event)

    def _on_text_changed(self) -> None:
        self._update_button()
        self._fit()
        self.text_changed.emit()

    def _update_button(self) -> None:
        self.button.setEnabled(self._can_submit and bool(self.text))

    def _fit(self) -> None:
        line_px = self.edit.fontMetrics().lineSpacing()
        lines = min(_MAX_LINES, max(_MIN_LINES, round(self.edit.document().size().height())))
        self.edit.setFixedHeight(lines * line_px + 6)
