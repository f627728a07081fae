"""Small dialogs that do not block: about, closing during a run, changes to lose, why the window cannot open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from operative_app import __version__
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import text_label


class _Small(QDialog):
    def __init__(self, parent: QWidget | None, name: str, title: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(420)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 18, 20, 16)
        self.column.setSpacing(8)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addStretch(1)


class AboutDialog(_Small):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "aboutDialog", self.tr("About Operative"))
        self.column.addWidget(text_label(f"Operative {__version__}", look="big"))
        self.column.addWidget(
            text_label(
                self.tr(
                    "Type a goal, watch the plan, and let it be carried out in a real browser. Everything it saw "
                    "and did stays on this computer."
                )
            )
        )
        close = text_button(self.tr("Close"), "aboutCloseButton")
        close.setDefault(True)
        close.clicked.connect(self.close)
        self.buttons.addWidget(close)
        self.column.addLayout(self.buttons)


class CloseDuringRunDialog(_Small):
    """Asks whether to stop the run and close. The default keeps the run going."""

    def __init__(self, parent: QWidget, stop_and_close: Callable[[], None]) -> None:
        super().__init__(parent, "closeDialog", self.tr("Close Operative?"))
        self._stop_and_close = stop_and_close
        self._text = text_label(self.tr("A run is going on. Closing stops it first; what was done so far is kept."))
        self.column.addWidget(text_label(self.tr("Stop the run and close?"), look="heading"))
        self.column.addWidget(self._text)
        self._keep = text_button(self.tr("Keep running"), "closeKeepButton")
        self._keep.setDefault(True)
        self._keep.clicked.connect(self.close)
        self._stop = text_button(self.tr("Stop and close"), "closeStopButton", look="danger")
        self._stop.clicked.connect(self._on_stop)
        self.buttons.addWidget(self._keep)
        self.buttons.addWidget(self._stop)
        self.column.addLayout(self.buttons)
        self._keep.setFocus()

    def _on_stop(self) -> None:
        self._stop.setEnabled(False)
        self._keep.setEnabled(False)
        self._text.setText(self.tr("Stopping…"))
        self._stop_and_close()


class DropChangesDialog(_Small):
    """Asks whether changes that were not saved may be lost. The default keeps them."""

    def __init__(self, parent: QWidget, names: Sequence[str], drop: Callable[[], None]) -> None:
        super().__init__(parent, "dropChangesDialog", self.tr("Changes are not saved"))
        self.column.addWidget(text_label(self.tr("Close without saving?"), look="heading"))
        told = self.tr("Your changes of these prompts would be lost: {names}.").format(names=", ".join(names))
        self.column.addWidget(text_label(told))
        keep = text_button(self.tr("Keep editing"), "dropKeepButton")
        keep.setDefault(True)
        keep.clicked.connect(self.close)
        lose = text_button(self.tr("Close without saving"), "dropChangesButton", look="danger")
        lose.clicked.connect(drop)
        self.buttons.addWidget(keep)
        self.buttons.addWidget(lose)
        self.column.addLayout(self.buttons)
        keep.setFocus()


class CannotStartDialog(_Small):
    """Says why there is no window, to somebody who may have no terminal to read it in."""

    def __init__(self, sentence: str) -> None:
        super().__init__(None, "cannotStartDialog", self.tr("Operative cannot start"))
        Theme(parent=self).apply()
        self.column.addWidget(text_label(self.tr("Operative cannot start"), look="heading"))
        self.column.addWidget(text_label(sentence, name="cannotStartText"))
        close = text_button(self.tr("Close"), "cannotStartCloseButton")
        close.setDefault(True)
        close.clicked.connect(self.close)
        self.buttons.addWidget(close)
        self.column.addLayout(self.buttons)
