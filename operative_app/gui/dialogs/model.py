"""Connect a model: which service, which model, where its key is kept, what a run may take, and whether it works."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.endpoint import Api, KeySource
from operative_app.core.run import DEFAULT_MAX_STEPS
from operative_app.gui.dialogs.desk_dialog import DeskDialog, field_grid, field_line
from operative_app.gui.dialogs.kept_value import KeptValue
from operative_app.gui.dialogs.model_ways import WaysPage
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ChoiceBox, text_button
from operative_app.gui.widgets.labels import text_label
from operative_app.presentation.models import ConnectionCheck, ModelDesk, ModelForm, Service
from operative_app.store.settings import BudgetSettings, ModelSettings

_SIGNS = {True: "✓", False: "✗", None: "–"}
_LOOKS = {True: "found", False: "error", None: "secondary"}
_MOST_CHECKS = 12
_LIMIT_PX = 76


class ModelDialog(DeskDialog):
    """Two pages over the same buttons: the connection, and how the model works.

    Signals:
        saved(): The settings were kept; the next run is planned by the model.
        prices_ready(str): The person's own price file is at this path; they want to see it.
    """

    saved = Signal()
    prices_ready = Signal(str)
    _check_made = Signal(object)

    def __init__(self, theme: Theme, desk: ModelDesk, parent: QWidget) -> None:
        super().__init__("modelDialog", parent)
        self.setWindowTitle(self.tr("Connect a model"))
        self._desk = desk
        self._services: Sequence[Service] = ()
        self._looking = self.tr("Looking for models on this computer…")
        self._make_fields(theme)
        self._make_buttons()
        self._compose()
        self._check_made.connect(self._on_check, Qt.ConnectionType.QueuedConnection)
        self.kept.show()
        self.ask(self._desk.current, self._show_form)
        self.tell(self._looking)
        self.ask(self._desk.services, self._show_services)

    # Composing

    def _make_fields(self, theme: Theme) -> None:
        self.service = ChoiceBox(theme, "modelService", self.tr("Service"), look="")
        self.service.addItem(self.tr("Another address"))
        self.service.activated.connect(self._on_service)
        self.address = field_line("modelAddress", "https://api.openai.com/v1")
        self.model = ChoiceBox(theme, "modelName", self.tr("Model"), look="")
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.list_button = text_button(self.tr("List"), "modelListButton", small=True)
        self.list_button.setToolTip(self.tr("Ask the service which models it offers."))
        self.list_button.clicked.connect(self._on_list)
        self.key = field_line("modelKey", self.tr("Key"))
        self.variable = field_line("modelKeyVariable", "OPENAI_API_KEY")
        self.kept = KeptValue(
            self,
            theme,
            source=("modelKeySource", self.tr("Where the key is kept")),
            sources=(KeySource.KEYRING, KeySource.SESSION, KeySource.ENVIRONMENT, KeySource.NONE),
            value=self.key,
            variable=self.variable,
            trouble=self._desk.keyring_trouble,
        )
        self.source = self.kept.box
        self.steps = field_line("modelSteps", str(DEFAULT_MAX_STEPS))
        self.minutes = field_line("modelMinutes", self.tr("no limit"))
        self.tokens = field_line("modelTokens", self.tr("no limit"))
        self.cost = field_line("modelCost", self.tr("no limit"))
        self.ways = WaysPage(theme)
        self._findings = QVBoxLayout()
        self._findings.setSpacing(3)

    def _make_buttons(self) -> None:
        self.ways_button = text_button(self.tr("How it works…"), "modelWaysButton")
        self.ways_button.clicked.connect(self._on_ways)
        self.prices_button = text_button(self.tr("Open the prices…"), "modelPricesButton", small=True)
        self.prices_button.setToolTip(self.tr("A file of your own with what a million tokens cost, by model."))
        self.prices_button.clicked.connect(lambda: self.ask(self._desk.prices, self.prices_ready.emit))
        self.test_button = text_button(self.tr("Test connection"), "modelTestButton")
        self.test_button.clicked.connect(self._on_test)
        self.cancel_button = text_button(self.tr("Cancel"), "modelCancelButton")
        self.cancel_button.clicked.connect(self.close)
        self.save_button = text_button(self.tr("Connect"), "modelSaveButton", look="primary")
        self.save_button.clicked.connect(self._on_save)

    def _compose(self) -> None:
        grid = field_grid(bottom_px=14)
        self._add_row(grid, self.tr("Service"), self.service)
        self._add_row(grid, self.tr("Address"), self.address)
        self._add_row(grid, self.tr("Model"), _beside(self.model, self.list_button))
        self._add_row(grid, self.tr("Key"), self.source)
        self._add_row(grid, "", _beside(self.key, self.variable))
        limits = QHBoxLayout()
        limits.setSpacing(8)
        for field, words in (
            (self.steps, self.tr("steps")),
            (self.minutes, self.tr("minutes")),
            (self.tokens, self.tr("tokens")),
            (self.cost, self.tr("dollars")),
        ):
            field.setAccessibleName(self.tr("Limit of a run in {unit}").format(unit=words))
            field.setFixedWidth(_LIMIT_PX)
            limits.addWidget(field)
            limits.addWidget(text_label(words, look="secondary", wrap=False))
        limits.addStretch(1)
        self._add_row(grid, self.tr("A run may take"), limits)
        prices = QHBoxLayout()
        prices.addWidget(self.prices_button)
        prices.addStretch(1)
        self._add_row(grid, self.tr("What it costs"), prices)
        column = self._compose_column()
        grid.setRowStretch(grid.rowCount(), 1)
        connection = QWidget()
        connection.setObjectName("modelConnectionPage")
        connection.setLayout(grid)
        self.pages = QStackedWidget()
        self.pages.addWidget(connection)
        self.pages.addWidget(self.ways)
        column.addWidget(self.pages)
        results = QVBoxLayout()
        results.setContentsMargins(20, 0, 20, 12)
        results.setSpacing(6)
        results.addWidget(self.told)
        results.addLayout(self._findings)
        column.addLayout(results)
        self._compose_foot(column, (self.ways_button, self.test_button), (self.cancel_button, self.save_button))

    def _add_row(self, grid: QGridLayout, words: str, content: QWidget | QHBoxLayout) -> None:
        row = grid.rowCount()
        label = text_label(words, look="secondary", wrap=False)
        grid.addWidget(label, row, 0)
        if isinstance(content, QWidget):
            content.setAccessibleName(words or content.accessibleName())
            label.setBuddy(content)
            grid.addWidget(content, row, 1)
        else:
            grid.addLayout(content, row, 1)

    # The desk's answers

    def _show_form(self, form: ModelForm) -> None:
        model, budget = form.model, form.budget
        self.ways.show_ways(model.ways, model.summary_model, model.api)
        if model.base_url:
            self.address.setText(model.base_url)
            self.model.setEditText(model.model)
            self.kept.choose(model.key_source)
            self.variable.setText(model.key_variable)
            if model.key_source in {KeySource.KEYRING, KeySource.SESSION}:
                self.key.setPlaceholderText(self.tr("The key kept before"))
        for field, limit in (
            (self.steps, form.max_steps),
            (self.minutes, budget.max_minutes),
            (self.tokens, budget.max_tokens),
            (self.cost, budget.max_cost),
        ):
            field.setText("" if limit is None else f"{limit:g}" if limit < 1e6 else f"{limit:.0f}")

    def _show_services(self, services: Sequence[Service]) -> None:
        if self.told.text() == self._looking:
            self.tell("")
        self._services = services
        for service in services:
            running = self.tr("{name}, running on this computer")
            self.service.addItem(running.format(name=service.name) if service.is_running else service.name)
        chosen = next((place for place, one in enumerate(services) if one.base_url == self.address.text()), -1)
        if chosen < 0 and not self.address.text():
            chosen = next((place for place, one in enumerate(services) if one.is_running), -1)
            if chosen >= 0:
                self._fill_in(services[chosen])
        self.service.setCurrentIndex(chosen + 1)
        self.is_ready = True

    def _on_service(self, index: int) -> None:
        if index > 0:
            self._fill_in(self._services[index - 1])

    def _fill_in(self, service: Service) -> None:
        self.address.setText(service.base_url)
        self._show_models(service.models)
        if service.key_variable:
            self.variable.setText(service.key_variable)
            if self.kept.source is KeySource.NONE:
                self.kept.choose(KeySource.KEYRING)
        else:
            self.kept.choose(KeySource.NONE)

    def _show_models(self, names: Sequence[str]) -> None:
        typed = self.model.currentText()
        self.model.clear()
        self.model.addItems(list(names))
        self.model.setEditText(typed if typed and (not names or typed in names) else names[0] if names else "")

    # What the person asks for

    def _on_ways(self) -> None:
        """The other page."""
        is_shown = self.pages.currentWidget() is not self.ways
        self.pages.setCurrentIndex(1 if is_shown else 0)
        self.ways_button.setText(self.tr("Connection…") if is_shown else self.tr("How it works…"))
        self.setWindowTitle(self.tr("How the model works") if is_shown else self.tr("Connect a model"))

    def _on_list(self) -> None:
        if (form := self._form()) is not None:
            self._begin(self.tr("Asking for the list of models…"))
            self.ask(lambda: self._desk.model_names(form), self._on_listed)

    def _on_listed(self, names: Sequence[str]) -> None:
        self._end("" if names else self.tr("The service lists no models; type the name."))
        self._show_models(names)
        if names:
            self.model.showPopup()

    def _on_test(self) -> None:
        if self.is_busy:
            self._desk.cancel()
            return
        if (form := self._form()) is not None:
            self._clear_findings()
            self._begin(self.tr("Trying…"))
            self.test_button.setText(self.tr("Stop the test"))
            self.test_button.setEnabled(True)
            self.ask(lambda: self._desk.test(form, self._check_made.emit), lambda _none: self._end(""))

    @Slot(object)
    def _on_check(self, check: ConnectionCheck) -> None:
        if self._findings.count() < _MOST_CHECKS:
            line = f"{_SIGNS[check.works]}  {check.sentence}"
            self._findings.addWidget(text_label(line, look=_LOOKS[check.works], name="modelFinding"))

    def _on_save(self) -> None:
        if (form := self._form()) is not None:
            self._begin(self.tr("Saving…"))
            self.ask(lambda: self._desk.save(form), lambda _none: self._on_saved())

    def _on_saved(self) -> None:
        self.saved.emit()
        self.close()

    def _form(self) -> ModelForm | None:
        """What the fields hold; None, with the reason told, when a field cannot be read."""
        model = ModelSettings(
            base_url=self.address.text().strip(),
            model=self.model.currentText().strip(),
            summary_model=self.ways.summary_model.text().strip(),
            ways=self.ways.ways,
            api=Api(self.ways.api.currentData()),
            key_source=self.kept.source,
            key_variable=self.variable.text().strip() if self.kept.source is KeySource.ENVIRONMENT else "",
        )
        try:
            budget = BudgetSettings(
                max_minutes=_amount(self.minutes),
                max_tokens=None if (tokens := _amount(self.tokens)) is None else round(tokens),
                max_cost=_amount(self.cost),
            )
            max_steps = round(_amount(self.steps) or DEFAULT_MAX_STEPS)
        except ValueError:
            self.tell(self.tr("A limit is a number above 0, or nothing."), look="error")
            return None
        if not model.base_url or (not model.model and self.sender() is not self.list_button):
            self.tell(self.tr("The address and the name of the model are needed."), look="error")
            return None
        return ModelForm(model, budget, self.key.text() if self.key.isVisible() else "", max_steps)

    def _show_busy(self) -> None:
        for button in (self.test_button, self.save_button, self.list_button):
            button.setEnabled(not self.is_busy)
        if not self.is_busy:
            self.test_button.setText(self.tr("Test connection"))

    def _clear_findings(self) -> None:
        while (item := self._findings.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def done(self, result: int) -> None:
        self._desk.cancel()
        super().done(result)


def _beside(field: QWidget, other: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(field, 1)
    row.addWidget(other, 1 if isinstance(other, QLineEdit) else 0)
    return row


def _amount(field: QLineEdit) -> float | None:
    """The number a field holds, None when it is empty; raises ValueError when it is none above 0."""
    text = field.text().strip().replace(",", "")
    if not text:
        return None
    if not 0 < (number := float(text)) < math.inf:
        raise ValueError(text)
    return number
