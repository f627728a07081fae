"""The list of past runs with a search; opening one shows it read-only in the window."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.run import RunState
from operative_app.gui.models.step_table import TONE_ROLE
from operative_app.gui.theme import Theme, text_font
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.delegates import ChipDelegate
from operative_app.gui.widgets.labels import hairline, text_label, tip
from operative_app.presentation.ports import RunSummary
from operative_app.presentation.words import STATE_WORDS, duration, plain

_ID_ROLE = int(Qt.ItemDataRole.UserRole) + 9
_TONES = {
    RunState.DONE: "ok",
    RunState.NOT_VERIFIED: "warning",
    RunState.FAILED: "error",
    RunState.STOPPED: "neutral",
}


class HistoryDialog(QDialog):
    """Signals: run_chosen(str): open the run with this id."""

    run_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("historyDialog")
        self.setWindowTitle(self.tr("Past runs"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 460)
        self.search = QLineEdit()
        self.search.setObjectName("historySearch")
        self.search.setAccessibleName(self.tr("Search the past runs"))
        self.search.setPlaceholderText(self.tr("Search goals…"))
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(lambda: self._open())
        self.table = self._make_table(theme)
        self.words = text_label(self.tr("Reading the record…"), look="secondary", name="historyWords")
        self.open_button = text_button(self.tr("Open"), "historyOpenButton", look="primary")
        self.open_button.setEnabled(False)
        self.open_button.clicked.connect(lambda: self._open())
        close = text_button(self.tr("Close"), "historyCloseButton")
        close.clicked.connect(self.close)
        head = QHBoxLayout()
        head.setContentsMargins(16, 14, 16, 10)
        head.addWidget(self.search)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 10, 16, 12)
        foot.setSpacing(8)
        foot.addWidget(self.words, 1)
        foot.addWidget(close)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hairline())
        column.addWidget(self.table, 1)
        column.addWidget(hairline())
        column.addLayout(foot)

    def _make_table(self, theme: Theme) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setObjectName("historyTable")
        table.setAccessibleName(self.tr("Past runs"))
        titles = (self.tr("Goal"), self.tr("Outcome"), self.tr("Started"), self.tr("Steps"), self.tr("Time"))
        for column, title in enumerate(titles):
            heading = QTableWidgetItem(title)
            heading.setTextAlignment(_alignment(column))
            table.setHorizontalHeaderItem(column, heading)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(30)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 110), (2, 165), (3, 60), (4, 90)):
            table.setColumnWidth(column, width)
        table.setItemDelegateForColumn(1, ChipDelegate(theme, TONE_ROLE, table))
        table.itemSelectionChanged.connect(lambda: self.open_button.setEnabled(bool(table.selectedItems())))
        table.itemActivated.connect(lambda _item: self._open())
        return table

    def show_runs(self, runs: Sequence[RunSummary]) -> None:
        """Fill the list, in the order given."""
        self.table.setRowCount(len(runs))
        for row, run in enumerate(runs):
            started = datetime.fromtimestamp(run.started_at_s).astimezone().strftime("%d %b %Y, %H:%M")
            words, tone = self._state_words(str(run.state))
            cells = (plain(run.goal), words, started, f"{run.steps:,}", duration(run.duration_s))
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(_alignment(column))
                if column >= 2:
                    item.setFont(text_font(tabular=True))
                item.setData(_ID_ROLE, run.run_id)
                item.setData(TONE_ROLE, tone)
                if column == 0:
                    item.setToolTip(tip(run.goal))
                self.table.setItem(row, column, item)
        self._filter()
        self.search.setFocus()

    def _state_words(self, state: str) -> tuple[str, str]:
        """Words and tone; a word that is no state stands for a run that never came to its end."""
        known = next((one for one in RunState if one.value == state), None)
        return (STATE_WORDS[known], _TONES.get(known, "accent")) if known else (self.tr("Interrupted"), "neutral")

    def show_error(self, sentence: str) -> None:
        self.words.setText(sentence)

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        shown = 0
        first = -1
        for row in range(self.table.rowCount()):
            items = [self.table.item(row, column) for column in (0, 1, 2)]
            text = " ".join(item.text() for item in items if item is not None).casefold()
            is_shown = all(word in text for word in words)
            self.table.setRowHidden(row, not is_shown)
            if is_shown and first < 0:
                first = row
            shown += is_shown
        if first >= 0:
            self.table.selectRow(first)
        else:
            self.table.clearSelection()
        if self.table.rowCount() == 0:
            self.words.setText(self.tr("No runs yet. Each run is kept here with everything it saw and did."))
        elif shown == 0:
            self.words.setText(self.tr("No run has these words."))
        else:
            self.words.setText(self.tr("{shown} of {all}").format(shown=shown, all=self.table.rowCount()))

    def _open(self) -> None:
        items = self.table.selectedItems()
        if items:
            self.run_chosen.emit(str(items[0].data(_ID_ROLE)))
            self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Up} and self.search.hasFocus():
            self.table.setFocus()
            return
        super().keyPressEvent(event)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column >= 3 else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
