"""The texts of an action as fields, to be changed before it is approved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from operative_app.core.requests import EditableField
from operative_app.gui.widgets.labels import text_label
from operative_app.presentation.words import plain

_LONG_HEIGHT_PX: Final = 78


class _Line(QLineEdit):
    """Enter goes to the next field: it must press no button of the dialog around it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.focusNextChild()
            event.accept()
            return
        super().keyPressEvent(event)


class EditForm(QWidget):
    """One field for each text, its fault below it.

    Signals:
        changed(): A text is another one now.
    """

    changed = Signal()

    def __init__(self, fields: Sequence[EditableField], place: str) -> None:
        """`place` begins the object names, as in `RequestBody`."""
        super().__init__()
        self.setObjectName(f"{place}EditForm")
        self._fields = tuple(fields)
        self._edits: dict[str, QLineEdit | QPlainTextEdit] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(4)
        for field in self._fields:
            label = text_label(plain(field.label), look="secondary")
            edit = self._edit(field)
            edit.setObjectName(f"{place}Edit_{field.name}")
            edit.setAccessibleName(plain(field.label))
            label.setBuddy(edit)
            column.addWidget(label)
            column.addWidget(edit)
            if field.fault:
                edit.setAccessibleDescription(plain(field.fault))
                column.addWidget(text_label(plain(field.fault), look="error", name=f"{place}Fault_{field.name}"))
            self._edits[field.name] = edit

    def _edit(self, field: EditableField) -> QLineEdit | QPlainTextEdit:
        if not field.is_long:
            line = _Line(field.value)
            line.textChanged.connect(self.changed)
            return line
        text = QPlainTextEdit(field.value)
        text.setTabChangesFocus(True)
        text.setFixedHeight(_LONG_HEIGHT_PX)
        text.textChanged.connect(self.changed)
        return text

    @property
    def has_fault(self) -> bool:
        return any(field.fault for field in self._fields)

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Name and text of what was changed; of all fields after a fault, since what was typed before was not taken."""
        texts = {name: _text_of(edit) for name, edit in self._edits.items()}
        return tuple(
            (field.name, texts[field.name])
            for field in self._fields
            if self.has_fault or texts[field.name] != field.value
        )

    def begin(self) -> None:
        """Put the cursor where something is to be changed: into the first field with a fault, else the first one."""
        name = next((field.name for field in self._fields if field.fault), self._fields[0].name)
        edit = self._edits[name]
        edit.setFocus()
        edit.selectAll()


def _text_of(edit: QLineEdit | QPlainTextEdit) -> str:
    return edit.text() if isinstance(edit, QLineEdit) else edit.toPlainText()
