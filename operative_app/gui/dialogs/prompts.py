"""The prompts: what a model is instructed with, read, changed and taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.errors import OperativeError
from operative_app.gui.background import Background
from operative_app.gui.dialogs.messages import DropChangesDialog
from operative_app.gui.theme import Theme, code_font
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.delegates import EntryDelegate
from operative_app.gui.widgets.labels import ElidedLabel, breakable, hairline, set_look, text_label
from operative_app.presentation.ports import PromptDesk
from operative_app.presentation.words import ROLE_WORDS, plain

_SIZE_PX = (940, 620)
_SMALLEST_PX = (640, 420)
_LIST_PX = 216


@dataclass(frozen=True, slots=True)
class _Read:
    """A prompt as it stands. `fault` says why it cannot be used or read, "" when it can."""

    text: str = ""
    place: str = ""
    is_own: bool = False
    is_outdated: bool = False
    fault: str = ""


@dataclass(slots=True)
class _Entry:
    role: str
    document: QTextDocument
    read: _Read


class PromptsDialog(QDialog):
    """Does not keep from working with the window. The desk is asked on a worker thread of the dialog's own.

    Each role has a document of its own, so that what was typed and can be undone stays when another role is looked at.

    Attributes:
        is_ready: The prompts were read and are shown.
    """

    def __init__(self, theme: Theme, desk: PromptDesk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("promptsDialog")
        self.setWindowTitle(self.tr("Prompts"))
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(*_SMALLEST_PX)
        self.resize(*_SIZE_PX)
        self._desk = desk
        self._background = Background(self)
        self._entries: list[_Entry] = []
        self._is_busy = False
        self._may_drop = False
        self.is_ready = False
        self.list = QListWidget()
        self.list.setObjectName("promptList")
        self.list.setAccessibleName(self.tr("Prompts"))
        self.list.setProperty("look", "entries")
        self.list.setItemDelegate(EntryDelegate(theme, self.list))
        self.list.setFixedWidth(_LIST_PX)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(lambda _row: self._show())
        self.title = text_label(look="heading", name="promptTitle")
        self.purpose = text_label(look="secondary", name="promptPurpose")
        self.mark = text_label(wrap=False, look="chip", name="promptMark")
        self.mark.hide()
        self.editor = QPlainTextEdit()
        self.editor.setObjectName("promptEditor")
        self.editor.setAccessibleName(self.tr("Text of the prompt"))
        self.editor.setProperty("look", "code")
        self.editor.setFont(code_font())
        self.editor.setTabChangesFocus(True)
        self.editor.setEnabled(False)
        self.place = ElidedLabel()
        self.place.setObjectName("promptPlace")
        self.place.setProperty("look", "secondary")
        self.told = text_label(self.tr("Reading the prompts…"), look="secondary", name="promptTold")
        self.reset_button = text_button(self.tr("Reset to the shipped text"), "promptResetButton")
        self.reset_button.clicked.connect(self._on_reset)
        self.close_button = text_button(self.tr("Close"), "promptsCloseButton")
        self.close_button.clicked.connect(self.close)
        self.save_button = text_button(
            self.tr("Save"), "promptSaveButton", look="primary", hint=self.tr("Used from the next request on (Ctrl+S)")
        )
        self.save_button.clicked.connect(self._on_save)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self).activated.connect(self.save_button.click)
        theme.changed.connect(self.update)
        self._compose()
        self._refresh()
        roles = tuple(desk.roles)
        self._background.call(lambda: [(role, _read(desk, role)) for role in roles], self._on_read, self._on_failed)

    def _compose(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self.mark)
        head.addStretch(1)
        right = QVBoxLayout()
        right.setContentsMargins(16, 12, 16, 12)
        right.setSpacing(6)
        right.addLayout(head)
        right.addWidget(self.purpose)
        right.addWidget(self.editor, 1)
        right.addWidget(self.place)
        right.addWidget(self.told)
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.list)
        middle.addWidget(hairline(vertical=True))
        middle.addLayout(right, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 10, 16, 12)
        foot.setSpacing(8)
        foot.addWidget(self.reset_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(middle, 1)
        column.addWidget(hairline())
        column.addLayout(foot)

    # Showing

    @property
    def has_unsaved(self) -> bool:
        """Whether a text was changed and not saved."""
        return any(entry.document.isModified() for entry in self._entries)

    @property
    def _entry(self) -> _Entry | None:
        row = self.list.currentRow()
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def _on_read(self, found: Sequence[tuple[str, _Read]]) -> None:
        for role, read in found:
            document = QTextDocument(self)
            document.setDocumentLayout(QPlainTextDocumentLayout(document))
            document.setDefaultFont(code_font())
            document.setPlainText(read.text)
            document.setModified(False)
            document.modificationChanged.connect(lambda _is: self._refresh())
            self._entries.append(_Entry(role, document, read))
            self.list.addItem(role)
        self.is_ready = True
        self.editor.setEnabled(True)
        self.list.setCurrentRow(0)
        self._show()

    def _show(self) -> None:
        entry = self._entry
        if entry is None:
            return
        name, purpose = _words(entry.role)
        self.title.setText(name)
        self.purpose.setText(purpose)
        self.purpose.setVisible(bool(purpose))
        self.editor.setDocument(entry.document)
        self.editor.setFont(code_font())
        self._tell_about(entry)
        self._refresh()

    def _tell_about(self, entry: _Entry) -> None:
        if entry.read.fault:
            self._tell(entry.read.fault, look="error")
        elif entry.read.is_outdated:
            self._tell(
                self.tr(
                    "A newer text ships with this version than the one yours was made from. “Reset” shows it; Ctrl+Z "
                    "then brings yours back into the editor."
                )
            )
        else:
            self._tell("")

    def _refresh(self) -> None:
        """Show marks and which buttons make sense."""
        for row, entry in enumerate(self._entries):
            words = self._mark(entry) or self.tr("as shipped")
            self.list.item(row).setText(f"{_words(entry.role)[0]}\n{words}")
        chosen = self._entry
        if chosen is None:
            self.save_button.setEnabled(False)
            self.reset_button.setEnabled(False)
            return
        read, is_changed = chosen.read, chosen.document.isModified()
        self.save_button.setEnabled(is_changed and not self._is_busy)
        self.reset_button.setEnabled((read.is_own or is_changed) and not self._is_busy)
        mark = self._mark(chosen)
        self.mark.setText(mark[:1].upper() + mark[1:])
        self.mark.setVisible(bool(mark))
        tone = "warning" if is_changed else "error" if read.fault else "warning" if read.is_outdated else "accent"
        set_look(self.mark, f"chip-{tone}")
        self.place.set_text(read.place)

    def _mark(self, entry: _Entry) -> str:
        if entry.document.isModified():
            return self.tr("not saved")
        if entry.read.fault:
            return self.tr("cannot be used")
        if entry.read.is_outdated:
            return self.tr("yours, of an older version")
        return self.tr("yours") if entry.read.is_own else ""

    def _tell(self, sentence: str, *, look: str = "secondary") -> None:
        set_look(self.told, look)
        self.told.setText(breakable(plain(sentence)))
        self.told.setVisible(bool(sentence))

    # What the person asks for

    def _on_save(self) -> None:
        entry = self._entry
        if entry is None or self._is_busy:
            return
        desk, role, text = self._desk, entry.role, entry.document.toPlainText()

        def save() -> _Read:
            desk.override(role, text)
            return _read(desk, role)

        def saved(read: _Read) -> None:
            entry.read = read
            if entry.document.toPlainText() == text:  # not typed on meanwhile
                entry.document.setModified(False)
            self._end(entry, self.tr("Saved. It is used from the next request on."))

        self._do(entry, save, saved)

    def _on_reset(self) -> None:
        entry = self._entry
        if entry is None or self._is_busy:
            return
        desk, role = self._desk, entry.role

        def reset() -> _Read:
            desk.reset(role)
            return _read(desk, role)

        def done(read: _Read) -> None:
            entry.read = read
            cursor = QTextCursor(entry.document)
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(read.text)  # so that undoing brings the person's text back
            entry.document.setModified(False)
            self._end(entry, self.tr("The shipped text is used again. Ctrl+Z brings yours back into the editor."))

        self._do(entry, reset, done)

    def _do(self, entry: _Entry, work: Callable[[], _Read], then: Callable[[_Read], None]) -> None:
        self._is_busy = True
        self._refresh()
        self._background.call(work, then, lambda sentence: self._end(entry, sentence, look="error"))

    def _end(self, entry: _Entry, sentence: str, *, look: str = "secondary") -> None:
        self._is_busy = False
        self._refresh()
        if entry is self._entry:
            self._tell(sentence, look=look)

    def _on_failed(self, sentence: str) -> None:
        self._tell(sentence, look="error")

    # Closing

    def reject(self) -> None:
        """Close; asks first when a change would be lost."""
        if not self._may_drop and self.has_unsaved:
            if not any(one.isVisible() for one in self.findChildren(DropChangesDialog)):
                names = [_words(one.role)[0] for one in self._entries if one.document.isModified()]
                DropChangesDialog(self, names, self.drop_and_close).open()
            return
        super().reject()

    def drop_and_close(self) -> None:
        """Close without a question; what was not saved is lost."""
        self._may_drop = True
        self.close()

    def done(self, result: int) -> None:
        self._background.close()
        super().done(result)


def _words(role: str) -> tuple[str, str]:
    """Name and purpose of a role."""
    return ROLE_WORDS.get(role, (role, ""))


def _read(desk: PromptDesk, role: str) -> _Read:
    """A prompt as it stands, also when it is wrong. Worker thread."""
    text, place, is_own = "", "", False
    try:
        place, is_own = str(desk.path(role)), desk.is_own(role)
        text = desk.text(role)
        return _Read(text, place, is_own, desk.is_outdated(role))
    except OperativeError as error:
        return _Read(text, place, is_own, fault=str(error))
