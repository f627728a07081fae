"""Windows beside the main one, which do not keep from working with it: what a model was asked, and the prompts."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from operative_app.gui.dialogs.exchanges import ExchangesDialog
from operative_app.gui.dialogs.prompts import PromptsDialog
from operative_app.gui.theme import Theme
from operative_app.presentation.ports import PromptDesk
from operative_app.presentation.view_state import ViewState


class SideWindows(QObject):
    """At most one of each. Lives on the GUI thread; `close` closes them without a question."""

    def __init__(self, theme: Theme, prompts: PromptDesk | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._desk = prompts
        self._window = parent
        self._exchanges: ExchangesDialog | None = None
        self._followed_run = ""
        self._prompts: PromptsDialog | None = None

    def show_exchanges(self, state: ViewState, step: int) -> None:
        """Show what a model was asked for a step; 0 shows the whole run and follows it."""
        if self._exchanges is not None:
            self._exchanges.close()
        asked = state.ledger.asked_for(step)
        if not step:
            title = self.tr("What the model was asked in this run")
        elif asked.with_step != step:
            title = self.tr("What the model was asked for step {number}, decided together with step {first}")
        else:
            title = self.tr("What the model was asked for step {number}")
        dialog = ExchangesDialog(self._theme, title.format(number=step, first=asked.with_step), self._window)
        dialog.show_exchanges(asked.exchanges if step else state.ledger.exchanges)
        self._followed_run = "" if step else state.run_id
        self._exchanges = dialog
        dialog.finished.connect(lambda _result: self._forget(dialog))
        dialog.show()

    def follow(self, state: ViewState) -> None:
        """Show the newest exchanges of a run whose exchanges are shown."""
        if self._exchanges is not None and self._followed_run and self._followed_run == state.run_id:
            self._exchanges.show_exchanges(state.ledger.exchanges)

    def show_prompts(self) -> None:
        """Show the prompts, or bring them to the front."""
        if self._desk is None:
            return
        if self._prompts is None:
            dialog = PromptsDialog(self._theme, self._desk, self._window)
            self._prompts = dialog
            dialog.finished.connect(lambda _result: self._forget(dialog))
            dialog.show()
        self._prompts.raise_()
        self._prompts.activateWindow()

    def keeps_open(self) -> bool:
        """Whether a changed prompt is not saved; the person is asked about it then."""
        if self._prompts is None or not self._prompts.has_unsaved:
            return False
        self.show_prompts()
        self._prompts.close()  # asks
        return True

    def close(self) -> None:
        """Close all without a question. Idempotent."""
        if self._exchanges is not None:
            self._exchanges.close()
        if self._prompts is not None:
            self._prompts.drop_and_close()

    def _forget(self, dialog: QDialog) -> None:
        if self._exchanges is dialog:
            self._exchanges = None
        if self._prompts is dialog:
            self._prompts = None
