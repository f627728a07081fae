"""The step log as a table model. Fed by the view state; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from operative_app.core.run import OutcomeStatus
from operative_app.gui.theme import text_font
from operative_app.gui.widgets.labels import tip
from operative_app.presentation.timeline import StepRow
from operative_app.presentation.words import OUTCOME_WORDS, part_words, plain

Index = QModelIndex | QPersistentModelIndex
_NONE: Final = QModelIndex()
ROW_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
TONE_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2


class Column(IntEnum):
    NUMBER = 0
    TIME = 1
    TASK = 2
    ACTION = 3
    TARGET = 4
    OUTCOME = 5
    MS = 6
    TOKENS = 7
    COST = 8


NUMERIC: Final = frozenset({Column.NUMBER, Column.MS, Column.TOKENS, Column.COST})
TONES: Final = {
    OutcomeStatus.DONE: "ok",
    OutcomeStatus.FAILED: "error",
    OutcomeStatus.UNVERIFIED: "warning",
    OutcomeStatus.REFUSED: "neutral",
}


class StepTable(QAbstractTableModel):
    """One row for each step. `ROW_ROLE` gives the `StepRow`, `TONE_ROLE` the tone of the outcome."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[StepRow] = []

    def show(self, rows: Sequence[StepRow], changed: set[int] | None = None) -> None:
        """Show these rows; `changed` numbers those that may differ, None stands for another run."""
        if changed is None:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()
            return
        if len(rows) < len(self._rows):
            self.beginRemoveRows(QModelIndex(), len(rows), len(self._rows) - 1)
            del self._rows[len(rows) :]
            self.endRemoveRows()
        for number in sorted(changed):
            if number < len(self._rows):
                self._rows[number] = rows[number]
                self.dataChanged.emit(self.index(number, 0), self.index(number, len(Column) - 1))
        if len(rows) > len(self._rows):
            self.beginInsertRows(QModelIndex(), len(self._rows), len(rows) - 1)
            self._rows.extend(rows[len(self._rows) :])
            self.endInsertRows()

    def step_row(self, row: int) -> StepRow:
        return self._rows[row]

    def row_of_step(self, step: int) -> int:
        """The row that shows a step, -1 when none does."""
        return next((place for place, row in enumerate(self._rows) if row.step == step), -1)

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(Column(section))
        return None

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
            case Qt.ItemDataRole.FontRole:
                return text_font(tabular=True) if column in NUMERIC or column is Column.TIME else None
            case Qt.ItemDataRole.ToolTipRole:
                text = row.detail if column is Column.OUTCOME and row.detail else self._text(row, column)
                return tip(text) or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._headings()[column]}: {self._text(row, column)}"
            case _:
                return row if role == ROW_ROLE else tone(row) if role == TONE_ROLE else None

    def _headings(self) -> tuple[str, ...]:
        return (
            self.tr("#"),
            self.tr("Time"),
            self.tr("Task"),
            self.tr("Action"),
            self.tr("Target"),
            self.tr("Outcome"),
            self.tr("ms"),
            self.tr("Tokens"),
            self.tr("Cost"),
        )

    def _alignment(self, column: Column) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in NUMERIC else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _text(self, row: StepRow, column: Column) -> str:
        match column:
            case Column.NUMBER:
                return str(row.step)
            case Column.TIME:
                return datetime.fromtimestamp(row.time_s).astimezone().strftime("%H:%M:%S")
            case Column.TASK:
                return plain(row.task)
            case Column.ACTION:
                return part_words(row.label, row.part_of)
            case Column.TARGET:
                return plain(row.target)
            case Column.OUTCOME:
                return self.outcome_words(row)
            case Column.MS:
                return f"{row.duration_ms:,.0f}" if row.status is not None else ""
            case Column.TOKENS:
                return f"{row.tokens:,}" if row.tokens else ""
            case Column.COST:
                return row.spent.cost_words.replace(self.tr("at least "), "≥ ")

    def outcome_words(self, row: StepRow) -> str:
        if row.is_waiting:
            return self.tr("waiting for you")
        return self.tr("working") if row.status is None else OUTCOME_WORDS[row.status]


def tone(row: StepRow) -> str:
    """Which colours an outcome has: ok, warning, error, neutral or accent."""
    if row.is_waiting:
        return "warning"
    return "accent" if row.status is None else TONES[row.status]


class StepFilter(QSortFilterProxyModel):
    """Shows the rows that hold all typed words and have the chosen outcome ("" for any)."""

    def __init__(self, source: StepTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self._outcome = ""
        self._source = source
        self.setSourceModel(source)

    def set_words(self, text: str) -> None:
        self._words = text.casefold().split()
        self.invalidate()

    def set_outcome(self, outcome: str) -> None:
        self._outcome = outcome
        self.invalidate()

    def filterAcceptsRow(self, source_row: int, _source_parent: Index) -> bool:
        row = self._source.step_row(source_row)
        if self._outcome and (row.status is None or row.status.value != self._outcome):
            return False
        text = " ".join((row.label, row.target, row.task, row.detail, row.value)).casefold()
        return all(word in text for word in self._words)
