"""Connecting a model: the dialog against a desk that notes what it is asked, and the real desk against an endpoint."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from operative_app.app.model_desk import ModelAssistant
from operative_app.app.session import Session, open_session
from operative_app.core.coordinates import Grid
from operative_app.core.endpoint import Api, KeySource, ModelWays, PictureUse
from operative_app.core.errors import OperativeError, SettingsError
from operative_app.gui.dialogs.model import ModelDialog
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import CheckBox
from operative_app.presentation.models import ConnectionCheck, ModelForm, Service
from operative_app.store.secrets import KeySafe
from operative_app.store.settings import BudgetSettings, ModelSettings, Settings, load_settings
from tests.gui.conftest import part
from tests.llm.endpoint_server import EndpointServer, Says
from tests.store.test_secrets import Box


class FakeDesk:
    """Answers at once; a test waits until it is cancelled when `holds` is set."""

    def __init__(self) -> None:
        self.form = ModelForm(ModelSettings(), BudgetSettings())
        self.offered: Sequence[Service] = ()
        self.saved: list[ModelForm] = []
        self.cancelled = threading.Event()
        self.holds = False
        self.trouble = ""
        self.fault = ""

    def current(self) -> ModelForm:
        return self.form

    def services(self) -> Sequence[Service]:
        return self.offered

    def model_names(self, form: ModelForm) -> Sequence[str]:
        return ["large", "small"]

    def keyring_trouble(self) -> str:
        return self.trouble

    def test(self, form: ModelForm, on_check: Callable[[ConnectionCheck], None]) -> None:
        on_check(ConnectionCheck(True, "It answers."))
        on_check(ConnectionCheck(False, "It sees no pictures."))
        if self.holds:
            self.cancelled.wait(100)
            raise OperativeError("It was not tried to the end.")

    def cancel(self) -> None:
        self.cancelled.set()

    def save(self, form: ModelForm) -> None:
        if self.fault:
            raise OperativeError(self.fault)
        self.saved.append(form)

    def prices(self) -> str:
        return "/home/ada/prices.toml"

    def use_builtin(self) -> None:
        raise AssertionError


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


Opener = Callable[[FakeDesk], ModelDialog]


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Opener]:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    theme = Theme(parent=parent)
    made: list[ModelDialog] = []

    def open_dialog(desk: FakeDesk) -> ModelDialog:
        dialog = ModelDialog(theme, desk, parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        made.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: dialog.is_ready)
        return dialog

    yield open_dialog
    for dialog in made:
        dialog.close()


def findings(dialog: ModelDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel, "modelFinding")]


def test_a_model_that_runs_here_is_filled_in_by_itself(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    desk.offered = [Service("Ollama", "http://localhost:11434/v1", models=("qwen",), is_running=True)]
    dialog = opened(desk)
    assert dialog.address.text() == "http://localhost:11434/v1"
    assert dialog.model.currentText() == "qwen"
    assert dialog.source.currentData() == KeySource.NONE
    with qtbot.waitSignal(dialog.saved):
        dialog.save_button.click()
    assert desk.saved[0].model == ModelSettings(base_url="http://localhost:11434/v1", model="qwen")
    assert not dialog.isVisible()


def test_a_service_with_a_key_asks_for_it_and_limits_are_read(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    desk.offered = [Service("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY")]
    dialog = opened(desk)
    dialog.service.setCurrentIndex(1)
    dialog.service.activated.emit(1)
    assert dialog.key.isVisible()
    dialog.model.setEditText("gpt")
    dialog.key.setText("sk-1")
    assert dialog.steps.text() == "60"
    dialog.steps.setText("25")
    dialog.tokens.setText("20,000")
    dialog.cost.setText("0.5")
    with qtbot.waitSignal(dialog.saved):
        dialog.save_button.click()
    form = desk.saved[0]
    assert (form.key, form.model.key_source) == ("sk-1", KeySource.KEYRING)
    assert form.max_steps == 25
    assert form.budget == BudgetSettings(max_tokens=20_000, max_cost=0.5)


@pytest.mark.parametrize("name", ["modelMinutes", "modelSteps"])
@pytest.mark.parametrize("limit", ["0", "-1", "many", "nan", "inf"])
def test_a_limit_that_is_none_is_told_and_nothing_is_saved(
    qtbot: QtBot, opened: Opener, desk: FakeDesk, name: str, limit: str
) -> None:
    desk.form = ModelForm(ModelSettings(base_url="http://localhost/v1", model="m"), BudgetSettings())
    dialog = opened(desk)
    qtbot.waitUntil(lambda: dialog.address.text() != "")
    part(dialog, QLineEdit, name).setText(limit)
    dialog.save_button.click()
    assert "a number above 0" in dialog.told.text()
    assert desk.saved == []


def test_the_test_tells_each_finding_and_can_be_stopped(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    desk.form = ModelForm(ModelSettings(base_url="http://localhost/v1", model="m"), BudgetSettings())
    desk.holds = True
    dialog = opened(desk)
    qtbot.waitUntil(lambda: dialog.address.text() != "")
    dialog.test_button.click()
    qtbot.waitUntil(lambda: len(findings(dialog)) == 2)
    assert findings(dialog) == ["✓  It answers.", "✗  It sees no pictures."]
    assert not dialog.save_button.isEnabled()
    dialog.test_button.click()
    qtbot.waitUntil(lambda: "not tried to the end" in dialog.told.text())
    assert dialog.save_button.isEnabled()


def test_what_cannot_be_saved_is_told_and_the_dialog_stays(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    desk.form = ModelForm(ModelSettings(base_url="http://localhost/v1", model="m"), BudgetSettings())
    desk.fault = "The keyring is locked."
    dialog = opened(desk)
    qtbot.waitUntil(lambda: dialog.address.text() != "")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: dialog.told.text() == desk.fault)
    assert dialog.isVisible()


def test_a_missing_keyring_is_told_with_what_can_be_done(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    desk.trouble = "This system has no keyring to keep the key in."
    dialog = opened(desk)
    dialog.source.setCurrentIndex(dialog.source.findData(KeySource.ENVIRONMENT))
    assert dialog.variable.isVisible()
    dialog.source.setCurrentIndex(dialog.source.findData(KeySource.KEYRING))
    qtbot.waitUntil(lambda: dialog.told.text() == desk.trouble)
    dialog.source.setCurrentIndex(dialog.source.findData(KeySource.SESSION))
    assert not dialog.told.isVisible()


def test_a_missing_keyring_is_still_told_when_the_models_here_were_looked_for(
    qtbot: QtBot, opened: Opener, desk: FakeDesk
) -> None:
    desk.trouble = "This system has no keyring to keep the key in."
    dialog = opened(desk)
    assert dialog.source.currentData() == KeySource.KEYRING
    assert (dialog.told.text(), dialog.told.isVisible()) == (desk.trouble, True)


def test_each_separate_call_can_be_chosen_with_what_it_costs(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    ways = ModelWays(second_look=False, pictures=PictureUse.NEVER)
    model = ModelSettings(base_url="http://localhost/v1", model="m", summary_model="small", ways=ways)
    desk.form = ModelForm(model, BudgetSettings())
    dialog = opened(desk)
    qtbot.waitUntil(lambda: dialog.address.text() != "")
    dialog.ways_button.click()
    boxes = {box.objectName(): box for box in dialog.findChildren(CheckBox)}
    assert set(boxes) == {f"modelWay_{name}" for name, one in ModelWays.model_fields.items() if one.annotation is bool}
    assert all(box.isVisible() and box.accessibleDescription() for box in boxes.values())
    for box in boxes.values():
        box.click()
    dialog.ways.pictures.setCurrentIndex(dialog.ways.pictures.findData(PictureUse.ALWAYS))
    dialog.ways.grid.setCurrentIndex(dialog.ways.grid.findData(Grid.THOUSAND))
    dialog.ways.api.setCurrentIndex(dialog.ways.api.findData(Api.RESPONSES))
    dialog.ways.context_tokens.setText("8192")
    dialog.ways.summary_model.setText("smaller")
    dialog.ways_button.click()
    assert dialog.address.isVisible()
    with qtbot.waitSignal(dialog.saved):
        dialog.save_button.click()
    kept = desk.saved[0].model
    assert (kept.summary_model, kept.api) == ("smaller", Api.RESPONSES)
    assert kept.ways == ModelWays(
        grid=Grid.THOUSAND,
        context_tokens=8192,
        pictures=PictureUse.ALWAYS,
        separate_perception=True,
        plan_on_screen=True,
        second_look=True,
        summary_by_model=False,
        history_by_model=False,
    )


def test_the_prices_are_opened_from_the_dialog(qtbot: QtBot, opened: Opener, desk: FakeDesk) -> None:
    dialog = opened(desk)
    with qtbot.waitSignal(dialog.prices_ready) as told:
        dialog.prices_button.click()
    assert told.args == ["/home/ada/prices.toml"]


@pytest.fixture
def session(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "operative"))
    made = open_session(keep_browser=False)
    yield made
    made.close()


def test_the_real_desk_lists_tests_saves_and_chooses(session: Session) -> None:
    told: list[tuple[str, bool]] = []
    assistant = ModelAssistant(
        session, lambda name, settings: told.append((name, settings.planning_model.is_configured))
    )
    checks: list[ConnectionCheck] = []
    with EndpointServer([Says({"sum": 5})], key="sk-2") as server:
        form = ModelForm(
            ModelSettings(base_url=f"{server.base_url}/", model="stub", key_source=KeySource.SESSION),
            BudgetSettings(max_cost=2),
            "sk-2",
        )
        assert assistant.model_names(form) == ["stub"]
        assistant.test(form, checks.append)
        assistant.save(form)
        assert any(check.works and "answers" in check.sentence for check in checks)
        kept = load_settings(session.folders.config).settings
        assert (kept.model.base_url, kept.budget.max_cost) == (server.base_url, 2)
        assert b"sk-2" not in b"".join(path.read_bytes() for path in session.folders.config.rglob("*"))
        assistant.use_builtin()
        assistant.save(assistant.current())
    assert told == [("stub", True), ("built-in", False), ("stub", True)]


@pytest.mark.parametrize("source", [KeySource.SESSION, KeySource.NONE])
def test_a_key_that_is_held_elsewhere_leaves_the_keyring(session: Session, source: KeySource) -> None:
    keyring = Box()
    assistant = ModelAssistant(replace(session, keys=KeySafe(keyring)), lambda name, settings: None)
    model = ModelSettings(base_url="http://localhost:1/v1", model="m", key_source=KeySource.KEYRING)
    assistant.save(ModelForm(model, BudgetSettings(), "sk-1"))
    assert list(keyring.kept.values()) == ["sk-1"]
    moved = model.model_copy(update={"key_source": source})
    assistant.save(ModelForm(moved, BudgetSettings(), "sk-1" if source is KeySource.SESSION else "", max_steps=7))
    assert keyring.kept == {}
    assert load_settings(session.folders.config).settings.max_steps == 7


def test_a_key_that_is_not_there_is_told_when_it_is_saved(session: Session) -> None:
    assistant = ModelAssistant(session, lambda name, settings: None)
    model = ModelSettings(
        base_url="http://localhost:1/v1", model="m", key_source=KeySource.ENVIRONMENT, key_variable="NOT_SET_HERE"
    )
    with pytest.raises(SettingsError, match="NOT_SET_HERE is not set"):
        assistant.save(ModelForm(model, BudgetSettings()))
    assert load_settings(session.folders.config).settings == Settings()
    assert isinstance(session.keys, KeySafe)


def test_a_price_file_of_ones_own_is_made_once_and_counts_from_the_next_run(session: Session) -> None:
    assistant = ModelAssistant(session, lambda name, settings: None)
    path = Path(assistant.prices())
    assert path.parent == session.folders.config
    path.write_text('[[model]]\nname = "mine"\ninput = 1\noutput = 2\n', encoding="utf-8")
    assert Path(assistant.prices()) == path
    assert "mine" in path.read_text(encoding="utf-8")
