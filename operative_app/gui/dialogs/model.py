"""Connect a model: which service, which model, where its key is kept, what a run may take, and whether it works."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.endpoint import KeySource
from operative_app.gui.background import Background
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ChoiceBox, text_button
from operative_app.gui.widgets.labels import hairline, set_look, text_label
from operative_app.presentation.models import ConnectionCheck, ModelDesk, ModelForm, Service
from operative_app.store.settings import BudgetSettings, ModelSettings

_WIDTH_PX = 560
_SIGNS = {True: "✓", False: "✗", None: "–"}
_LOOKS = {True: "found", False: "error", None: "secondary"}
_MOST_CHECKS = 12


class ModelDialog(QDialog):
    """Does not block; the desk is asked on a worker thread of the dialog's own.

    Attributes:
        is_ready: What can be connected was found and is shown.

    Signals:
        saved(): The settings were kept; the next run is planned by the model.
    """

    saved = Signal()
    _check_made = Signal(object)

    def __init__(self, theme: Theme, desk: ModelDesk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("modelDialog")
        self.setWindowTitle(self.tr("Connect a model"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(_WIDTH_PX)
        self._desk = desk
        self._background = Background(self)
        self._services: Sequence[Service] = ()
        self._is_busy = False
        self.is_ready = False
        self._summary_model = ""
        self._api = ModelSettings().api
        self._make_fields(theme)
        self._make_buttons()
        self._compose()
        self._check_made.connect(self._on_check, Qt.ConnectionType.QueuedConnection)
        self._show_key_fields()
        self._load()

    # Composing

    def _make_fields(self, theme: Theme) -> None:
        self.service = ChoiceBox(theme, "modelService", self.tr("Service"), look="")
        self.service.addItem(self.tr("Another address"))
        self.service.activated.connect(self._on_service)
        self.address = _line("modelAddress", "https://api.openai.com/v1")
        self.model = ChoiceBox(theme, "modelName", self.tr("Model"), look="")
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.list_button = text_button(self.tr("List"), "modelListButton", small=True)
        self.list_button.setToolTip(self.tr("Ask the service which models it offers."))
        self.list_button.clicked.connect(self._on_list)
        self.source = ChoiceBox(theme, "modelKeySource", self.tr("Where the key is kept"), look="")
        for source, words in (
            (KeySource.KEYRING, self.tr("In the system's keyring")),
            (KeySource.SESSION, self.tr("Until Operative closes")),
            (KeySource.ENVIRONMENT, self.tr("In an environment variable")),
            (KeySource.NONE, self.tr("No key is needed")),
        ):
            self.source.addItem(words, source)
        self.source.currentIndexChanged.connect(lambda _index: self._show_key_fields())
        self.key = _line("modelKey", self.tr("Key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.variable = _line("modelKeyVariable", "OPENAI_API_KEY")
        self.minutes = _line("modelMinutes", self.tr("no limit"))
        self.tokens = _line("modelTokens", self.tr("no limit"))
        self.cost = _line("modelCost", self.tr("no limit"))
        self.told = text_label(name="modelTold")
        self.told.hide()
        self._findings = QVBoxLayout()
        self._findings.setSpacing(3)

    def _make_buttons(self) -> None:
        self.test_button = text_button(self.tr("Test connection"), "modelTestButton")
        self.test_button.clicked.connect(self._on_test)
        self.cancel_button = text_button(self.tr("Cancel"), "modelCancelButton")
        self.cancel_button.clicked.connect(self.close)
        self.save_button = text_button(self.tr("Connect"), "modelSaveButton", look="primary")
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self._on_save)

    def _compose(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(20, 14, 20, 14)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        self._add_row(grid, self.tr("Service"), self.service)
        self._add_row(grid, self.tr("Address"), self.address)
        self._add_row(grid, self.tr("Model"), _beside(self.model, self.list_button))
        self._add_row(grid, self.tr("Key"), self.source)
        self._add_row(grid, "", _beside(self.key, self.variable))
        limits = QHBoxLayout()
        limits.setSpacing(8)
        for field, words in (
            (self.minutes, self.tr("minutes")),
            (self.tokens, self.tr("tokens")),
            (self.cost, self.tr("dollars")),
        ):
            field.setAccessibleName(self.tr("Limit of a run in {unit}").format(unit=words))
            limits.addWidget(field)
            limits.addWidget(text_label(words, look="secondary", wrap=False))
        self._add_row(grid, self.tr("A run may take"), limits)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(grid)
        results = QVBoxLayout()
        results.setContentsMargins(20, 0, 20, 12)
        results.setSpacing(6)
        results.addWidget(self.told)
        results.addLayout(self._findings)
        column.addLayout(results)
        column.addWidget(hairline())
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 10, 20, 12)
        foot.setSpacing(8)
        foot.addWidget(self.test_button)
        foot.addStretch(1)
        foot.addWidget(self.cancel_button)
        foot.addWidget(self.save_button)
        column.addLayout(foot)
        column.setSizeConstraint(column.SizeConstraint.SetFixedSize)

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

    def _load(self) -> None:
        self._ask(self._desk.current, self._show_form)
        self._tell(self.tr("Looking for models on this computer…"))
        self._ask(self._desk.services, self._show_services)

    def _show_form(self, form: ModelForm) -> None:
        model, budget = form.model, form.budget
        self._summary_model, self._api = model.summary_model, model.api
        if model.base_url:
            self.address.setText(model.base_url)
            self.model.setEditText(model.model)
            self.source.setCurrentIndex(self.source.findData(model.key_source))
            self.variable.setText(model.key_variable)
            if model.key_source in {KeySource.KEYRING, KeySource.SESSION}:
                self.key.setPlaceholderText(self.tr("The key kept before"))
        for field, limit in (
            (self.minutes, budget.max_minutes),
            (self.tokens, budget.max_tokens),
            (self.cost, budget.max_cost),
        ):
            field.setText("" if limit is None else f"{limit:g}" if limit < 1e6 else f"{limit:.0f}")

    def _show_services(self, services: Sequence[Service]) -> None:
        if not self._is_busy:
            self._tell("")
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
            if self._source is KeySource.NONE:
                self.source.setCurrentIndex(self.source.findData(KeySource.KEYRING))
        else:
            self.source.setCurrentIndex(self.source.findData(KeySource.NONE))

    def _show_models(self, names: Sequence[str]) -> None:
        typed = self.model.currentText()
        self.model.clear()
        self.model.addItems(list(names))
        self.model.setEditText(typed if typed and (not names or typed in names) else names[0] if names else "")

    @property
    def _source(self) -> KeySource:
        return KeySource(self.source.currentData())  # Qt keeps its text alone

    def _show_key_fields(self) -> None:
        source = self._source
        self.key.setVisible(source in {KeySource.KEYRING, KeySource.SESSION})
        self.variable.setVisible(source is KeySource.ENVIRONMENT)
        if source is KeySource.KEYRING and not self._is_busy:
            self._ask(self._desk.keyring_trouble, self._show_trouble)

    def _show_trouble(self, trouble: str) -> None:
        if trouble and self._source is KeySource.KEYRING:
            self._tell(trouble, look="error")

    # What the person asks for

    def _on_list(self) -> None:
        if (form := self._form()) is not None:
            self._begin(self.tr("Asking for the list of models…"))
            self._ask(lambda: self._desk.model_names(form), self._on_listed)

    def _on_listed(self, names: Sequence[str]) -> None:
        self._end("" if names else self.tr("The service lists no models; type the name."))
        self._show_models(names)
        if names:
            self.model.showPopup()

    def _on_test(self) -> None:
        if self._is_busy:
            self._desk.cancel()
            return
        if (form := self._form()) is not None:
            self._clear_findings()
            self._begin(self.tr("Trying…"))
            self.test_button.setText(self.tr("Stop the test"))
            self.test_button.setEnabled(True)
            self._ask(lambda: self._desk.test(form, self._check_made.emit), lambda _none: self._end(""))

    @Slot(object)
    def _on_check(self, check: ConnectionCheck) -> None:
        if self._findings.count() < _MOST_CHECKS:
            line = f"{_SIGNS[check.works]}  {check.sentence}"
            self._findings.addWidget(text_label(line, look=_LOOKS[check.works], name="modelFinding"))

    def _on_save(self) -> None:
        if (form := self._form()) is not None:
            self._begin(self.tr("Saving…"))
            self._ask(lambda: self._desk.save(form), lambda _none: self._on_saved())

    def _on_saved(self) -> None:
        self.saved.emit()
        self.close()

    def _form(self) -> ModelForm | None:
        """What the fields hold; None, with the reason told, when a field cannot be read."""
        model = ModelSettings(
            base_url=self.address.text().strip(),
            model=self.model.currentText().strip(),
            summary_model=self._summary_model,
            api=self._api,
            key_source=self._source,
            key_variable=self.variable.text().strip() if self._source is KeySource.ENVIRONMENT else "",
        )
        try:
            budget = BudgetSettings(
                max_minutes=_amount(self.minutes),
                max_tokens=None if (tokens := _amount(self.tokens)) is None else round(tokens),
                max_cost=_amount(self.cost),
            )
        except ValueError:
            self._tell(self.tr("A limit is a number above 0, or nothing."), look="error")
            return None
        if not model.base_url or (not model.model and self.sender() is not self.list_button):
            self._tell(self.tr("The address and the name of the model are needed."), look="error")
            return None
        return ModelForm(model, budget, self.key.text() if self.key.isVisible() else "")

    # Being busy

    def _ask(self, work: Callable[[], object], then: Callable[..., None]) -> None:
        self._background.call(work, then, self._on_failed)

    def _on_failed(self, sentence: str) -> None:
        self._end(sentence, look="error")

    def _begin(self, sentence: str) -> None:
        self._is_busy = True
        for button in (self.test_button, self.save_button, self.list_button):
            button.setEnabled(False)
        self._tell(sentence)

    def _end(self, sentence: str, *, look: str = "secondary") -> None:
        self._is_busy = False
        self.test_button.setText(self.tr("Test connection"))
        for button in (self.test_button, self.save_button, self.list_button):
            button.setEnabled(True)
        self._tell(sentence, look=look)

    def _tell(self, sentence: str, *, look: str = "secondary") -> None:
        set_look(self.told, look)
        self.told.setText(sentence)
        self.told.setVisible(bool(sentence))

    def _clear_findings(self) -> None:
        while (item := self._findings.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def done(self, result: int) -> None:
        self._desk.cancel()
        self._background.close()
        super().done(result)


def _line(name: str, placeholder: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(placeholder)
    return field


def _beside(field: QWidget, other: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(field, 1)
    row.addWidget(other, 1 if isinstance(other, QLineEdit) else 0)
    return row


def _amount(field: QLineEdit) -> float | None:
    """The number a field holds, None when it is empty; raises ValueError."""
    text = field.text().strip().replace(",", "")
    return float(text) if text else None
