"""Where something secret is kept: the choice, the field for its value or for a variable's name, a missing keyring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QLineEdit

from operative_app.core.endpoint import KeySource
from operative_app.gui.dialogs.desk_dialog import DeskDialog
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ChoiceBox


class KeptValue:
    """The three widgets of a dialog, in step with each other; a keyring that does not serve is told while it is chosen.

    Args:
        trouble: Why the keyring does not serve, "" when it seems to; asked on the dialog's worker.
        on_changed: Called after another place was chosen.
    """

    def __init__(
        self,
        dialog: DeskDialog,
        theme: Theme,
        *,
        source: tuple[str, str],
        sources: Sequence[KeySource],
        value: QLineEdit,
        variable: QLineEdit,
        trouble: Callable[[], str],
        on_changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`source`: the object's and the accessible name of the choice."""
        words = {
            KeySource.KEYRING: dialog.tr("In the system's keyring"),
            KeySource.SESSION: dialog.tr("Until Operative closes"),
            KeySource.ENVIRONMENT: dialog.tr("In an environment variable"),
            KeySource.NONE: dialog.tr("No key is needed"),
        }
        self.box = ChoiceBox(theme, *source, look="")
        for one in sources:
            self.box.addItem(words[one], one)
        self.value, self.variable = value, variable
        value.setEchoMode(QLineEdit.EchoMode.Password)
        self._dialog = dialog
        self._ask_trouble = trouble
        self._trouble = ""
        self._on_changed = on_changed
        self.box.currentIndexChanged.connect(lambda _index: self.show())

    @property
    def source(self) -> KeySource:
        return KeySource(self.box.currentData())  # Qt keeps its text alone

    def choose(self, source: KeySource) -> None:
        self.box.setCurrentIndex(self.box.findData(source))

    def show(self) -> None:
        """Show the field that the chosen place needs, and what is wrong with the keyring."""
        source = self.source
        self.value.setVisible(source in {KeySource.KEYRING, KeySource.SESSION})
        self.variable.setVisible(source is KeySource.ENVIRONMENT)
        self._on_changed()
        if source is KeySource.KEYRING and not self._dialog.is_busy:
            self._dialog.ask(self._ask_trouble, self._show_trouble)
        elif self._trouble and self._dialog.told.text() == self._trouble:
            self._dialog.tell("")

    def _show_trouble(self, trouble: str) -> None:
        self._trouble = trouble
        if trouble and self.source is KeySource.KEYRING and not self._dialog.is_busy:
            self._dialog.tell(trouble, look="error")
