"""The step log: every action with its outcome, a filter, and the details of the selected one."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.run import OutcomeStatus
from operative_app.gui.models.step_table import NUMERIC, TONE_ROLE, Column, StepFilter, StepTable
from operative_app.gui.panels.header import PanelHeader
from operative_app.gui.panels.step_details import StepDetails
from operative_app.gui.pictures import Pictures
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ChoiceBox, text_button
from operative_app.gui.widgets.delegates import ChipDelegate
from operative_app.gui.widgets.labels import hairline, text_label
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import OUTCOME_WORDS

_ROW_HEIGHT_PX = 28
_WIDTHS_PX = {
    Column.NUMBER: 44,
    Column.TIME: 84,
    Column.TASK: 150,
    Column.ACTION: 220,
    Column.TARGET: 180,
    Column.OUTCOME: 130,
    Column.MS: 70,
    Column.TOKENS: 76,
    Column.COST: 84,
}
_HIDDEN_BELOW_PX = {
    Column.TASK: 760,
    Column.COST: 720,
    Column.TOKENS: 640,
    Column.TARGET: 560,
    Column.TIME: 440,
}


class StepLogPanel(QWidget):
    """Shows the rows of a view state.

    Signals:
        step_selected(int): The person selected this step; 0 when none is selected any more.
        exchanges_requested(int): What a model was asked for this step is to be shown; 0 for the whole run.
    """

    step_selected = Signal(int)
    exchanges_requested = Signal(int)

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("stepLogPanel")
        self._state = ViewState()
        self._is_showing = False
        self._sticks = True
        self.model = StepTable(self)
        self.filtered = StepFilter(self.model, self)
        self.header = PanelHeader(self.tr("Step log"), "stepLogHeader")
        self.outcome = ChoiceBox(theme, "stepOutcomeFilter", self.tr("Show steps with this outcome"))
        self.outcome.addItem(self.tr("All outcomes"), "")
        for status in OutcomeStatus:
            self.outcome.addItem(OUTCOME_WORDS[status], status.value)
        self.outcome.currentIndexChanged.connect(lambda: self._filter())
        self.search = QLineEdit()
        self.search.setObjectName("stepFilter")
        self.search.setAccessibleName(self.tr("Filter the steps"))
        self.search.setPlaceholderText(self.tr("Filter…"))
        self.search.setClearButtonEnabled(False)
        self.search.setMinimumWidth(80)
        self.search.setMaximumWidth(170)
        self.search.textChanged.connect(lambda: self._filter())
        self.asked = text_button(
            self.tr("Model calls"),
            "modelCallsButton",
            look="link",
            hint=self.tr("What the model was asked in this run, planning included, and what it answered"),
        )
        self.asked.clicked.connect(lambda: self.exchanges_requested.emit(0))
        self.asked.hide()
        self.header.row.addWidget(self.asked)
        self.header.row.addWidget(self.outcome)
        self.header.row.addWidget(self.search)
        self.table = self._make_table(theme)
        self._empty = text_label(self.tr("No steps yet."), look="empty", name="stepLogEmpty")
        self._empty.setContentsMargins(12, 4, 12, 4)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        self.details = StepDetails(theme, pictures)
        self.details.closed.connect(self.clear_selection)
        self.details.exchanges_requested.connect(self.exchanges_requested)
        self.details.hide()
        left = QWidget()
        self._column = column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(hairline())
        column.addWidget(self._stack, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setObjectName("stepLogSplitter")
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.details)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setCollapsible(0, False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.splitter)
        self.setMinimumHeight(120)

    def _make_table(self, theme: Theme) -> QTableView:
        table = QTableView()
        table.setObjectName("stepTable")
        table.setAccessibleName(self.tr("Step log"))
        table.setModel(self.filtered)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT_PX)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(36)
        header.setFixedHeight(_ROW_HEIGHT_PX)
        for column, width in _WIDTHS_PX.items():
            table.setColumnWidth(column, width)
            if column in NUMERIC:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.ACTION, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(Column.TARGET, QHeaderView.ResizeMode.Stretch)
        table.setItemDelegateForColumn(Column.OUTCOME, ChipDelegate(theme, TONE_ROLE, table))
        table.selectionModel().selectionChanged.connect(lambda: self._on_selection_changed())
        copy = QAction(self.tr("Copy"), table)
        copy.setObjectName("copyStepsAction")
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(lambda: self.copy_selected())
        leave = QAction(self.tr("Close the details"), table)
        leave.setShortcut(QKeySequence(Qt.Key.Key_Escape))
        leave.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        leave.triggered.connect(self.clear_selection)
        table.addActions([copy, leave])
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        bar = table.verticalScrollBar()
        bar.valueChanged.connect(self._on_scrolled)
        bar.rangeChanged.connect(self._on_range_changed)
        theme.changed.connect(table.viewport().update)
        return table

    # Showing

    def show_state(self, state: ViewState, changed: set[int] | None) -> None:
        """Show the rows of this state; `changed` None when it is another run."""
        self._state = state
        at_end = self._is_at_end()
        self._is_showing = True
        self.model.show(state.rows, changed)
        self._is_showing = False
        self._stack.setCurrentIndex(1 if state.rows else 0)
        self.show_thinking(state)
        if at_end and not self.selected_steps():
            self.table.scrollToBottom()
        self._show_details()

    def show_thinking(self, state: ViewState) -> None:
        """Offer what a model was asked as soon as there is something."""
        self.asked.setVisible(bool(state.ledger.exchanges))

    def _is_at_end(self) -> bool:
        bar = self.table.verticalScrollBar()
        return bar.value() >= bar.maximum() - 1

    def _on_scrolled(self) -> None:
        self._sticks = self._is_at_end()

    def _on_range_changed(self) -> None:
        """In a lower window the newest step stays in sight."""
        if self._sticks and not self.selected_steps():
            self.table.scrollToBottom()

    def _filter(self) -> None:
        self.filtered.set_words(self.search.text())
        self.filtered.set_outcome(str(self.outcome.currentData() or ""))

    def selected_steps(self) -> list[int]:
        """The numbers of the selected steps, in their order."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.step_row(self.filtered.mapToSource(self.filtered.index(row, 0)).row()).step for row in rows]

    def select_step(self, step: int) -> None:
        """Select a step's row and bring it into sight, without telling `step_selected`."""
        row = self.model.row_of_step(step)
        index = self.filtered.mapFromSource(self.model.index(row, 0)) if row >= 0 else self.filtered.index(-1, 0)
        self._is_showing = True
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            self.table.scrollTo(index)
        else:
            self.table.clearSelection()
        self._is_showing = False
        self._show_details()

    def clear_selection(self) -> None:
        self.table.clearSelection()
        self._show_details()

    def _on_selection_changed(self) -> None:
        if self._is_showing:
            return
        steps = self.selected_steps()
        self._show_details()
        self.step_selected.emit(steps[-1] if steps else 0)

    def _show_details(self) -> None:
        steps = self.selected_steps()
        row = self._state.row(steps[-1]) if steps else None
        was_hidden = self.details.isHidden()
        self.details.setVisible(row is not None)
        if row is not None:
            self.details.show_row(row, self._state)
            if was_hidden:
                width = self.splitter.width()
                self.splitter.setSizes([round(width * 0.7), round(width * 0.3)])
        self._hide_columns()

    def copy_selected(self) -> None:
        """Put the selected rows on the clipboard, cells parted by tabs."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        lines = [
            "\t".join(str(self.filtered.index(row, column).data() or "") for column in range(len(Column)))
            for row in rows
        ]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()
        room_px = self.height() - self.header.height() - 1 - _ROW_HEIGHT_PX
        self._column.setContentsMargins(0, 0, 0, max(0, room_px) % _ROW_HEIGHT_PX)  # whole rows only

    def _hide_columns(self) -> None:
        room_px = self.splitter.sizes()[0]
        spent = self._state.ledger.spent
        is_empty = {Column.TOKENS: not spent.tokens, Column.COST: not spent.cost_words}
        for column, least_px in _HIDDEN_BELOW_PX.items():
            self.table.setColumnHidden(column, 0 < room_px < least_px or is_empty.get(column, False))
