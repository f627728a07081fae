"""What dialogs over a desk share: a worker of their own, one sentence for what came of it, and their outer shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from operative_app.gui.background import Background
from operative_app.gui.widgets.labels import hairline, set_look, text_label


class DeskDialog(QDialog):
    """Does not block; the desk is asked on a worker thread of the dialog's own.

    Args:
        name: The object's name; the sentence is `told` with what stands before "Dialog" in it, such as `secretsTold`.

    Attributes:
        is_ready: What there is was found and is shown.
        told: What is under way, came of it or is wrong.
    """

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.is_ready = False
        self.is_busy = False
        self.told = text_label(name=f"{name.removesuffix('Dialog')}Told")
        self.told.hide()
        self._background = Background(self)

    def ask(self, work: Callable[[], object], then: Callable[..., None]) -> None:
        """Do `work` on the worker, then `then(result)` here; what fails is told."""
        self._background.call(work, then, self._on_failed)

    def tell(self, sentence: str, *, look: str = "secondary") -> None:
        """Show the sentence; "" shows none."""
        set_look(self.told, look)
        self.told.setText(sentence)
        self.told.setVisible(bool(sentence))

    def done(self, result: int) -> None:
        self._background.close()
        super().done(result)

    def _begin(self, sentence: str) -> None:
        self.is_busy = True
        self._show_busy()
        self.tell(sentence)

    def _end(self, sentence: str, *, look: str = "secondary") -> None:
        self.is_busy = False
        self._show_busy()
        self.tell(sentence, look=look)

    def _show_busy(self) -> None:
        """Enable what can be pressed now, as `is_busy` stands."""
        raise NotImplementedError

    def _on_failed(self, sentence: str) -> None:
        self._end(sentence, look="error")
        self.is_ready = True

    def _compose_column(self) -> QVBoxLayout:
        """The layout of the dialog: full width, as large as what it holds."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        return column

    def _compose_foot(self, column: QVBoxLayout, left: Sequence[QPushButton], right: Sequence[QPushButton]) -> None:
        """The buttons below a line; the last one is pressed by Enter."""
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 10, 20, 12)
        foot.setSpacing(8)
        for button in left:
            foot.addWidget(button)
        foot.addStretch(1)
        for button in right:
            foot.addWidget(button)
        right[-1].setDefault(True)
        column.addWidget(hairline())
        column.addLayout(foot)


def field_line(name: str, placeholder: str) -> QLineEdit:
    """A field for one line; its accessible name is the placeholder as long as nothing better is known."""
    field = QLineEdit()
    field.setObjectName(name)
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(placeholder)
    return field


def field_grid(bottom_px: int) -> QGridLayout:
    """Two columns: words, and the field they name."""
    grid = QGridLayout()
    grid.setContentsMargins(20, 14, 20, bottom_px)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(10)
    grid.setColumnStretch(1, 1)
    return grid
