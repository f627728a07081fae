"""Saved secrets in the window: what is listed, saved and removed, and that a value is never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from keyring.errors import NoKeyringError
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from operative_app.core.endpoint import KeySource
from operative_app.gui.dialogs.secrets import SecretsDialog
from operative_app.gui.theme import Theme
from operative_app.store.secret_book import SecretEntry, SecretStore
from tests.store.test_secrets import Box, Failing

MARKER = "marker-7H2q9-value"
Opener = Callable[[SecretStore], SecretsDialog]


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Opener]:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    theme = Theme(parent=parent)
    made: list[SecretsDialog] = []

    def open_dialog(store: SecretStore) -> SecretsDialog:
        dialog = SecretsDialog(theme, store, parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        made.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: dialog.is_ready)
        return dialog

    yield open_dialog
    for dialog in made:
        dialog.close()


def shown_texts(dialog: SecretsDialog) -> list[str]:
    return [field.text() for field in dialog.findChildren(QLineEdit)] + [dialog.told.text()]


def test_a_new_secret_is_saved_and_its_value_is_gone_from_the_dialog(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    store = SecretStore(tmp_path, Box())
    dialog = opened(store)
    assert dialog.empty.isVisible()
    assert not dialog.list.isVisible()
    assert dialog.value.echoMode() is QLineEdit.EchoMode.Password

    dialog.name.setText("shop")
    dialog.sites.setText("shop.example; *.bank.example")
    dialog.value.setText(MARKER)
    dialog.save_button.click()
    qtbot.waitUntil(lambda: "is saved" in dialog.told.text())

    assert store.value("shop") == MARKER
    assert store.entries()[0].sites == ("shop.example", "*.bank.example")
    assert dialog.list.item(0).text() == "shop\nfor shop.example, *.bank.example"
    assert all(MARKER not in text for text in shown_texts(dialog))


def test_sites_are_changed_without_the_value_and_a_value_is_replaced(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    store = SecretStore(tmp_path, Box())
    store.save(SecretEntry(name="shop", sites=("shop.example",)), MARKER)
    dialog = opened(store)
    dialog.list.setCurrentRow(0)
    assert dialog.name.isReadOnly()
    assert dialog.value.text() == ""
    dialog.sites.setText("other.example")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: store.entries()[0].sites == ("other.example",))
    qtbot.waitUntil(lambda: "is saved" in dialog.told.text())
    assert store.value("shop") == MARKER

    dialog.value.setText("second-value")
    dialog.save_button.click()
    qtbot.waitUntil(lambda: store.value("shop") == "second-value")


def test_a_secret_is_removed_from_the_list_and_the_keyring(qtbot: QtBot, opened: Opener, tmp_path: Path) -> None:
    keyring = Box()
    store = SecretStore(tmp_path, keyring)
    store.save(SecretEntry(name="shop", sites=("shop.example",)), MARKER)
    dialog = opened(store)
    dialog.list.setCurrentRow(0)
    dialog.remove_button.click()
    qtbot.waitUntil(lambda: "is removed" in dialog.told.text())
    assert keyring.kept == {}
    assert dialog.empty.isVisible()


def test_without_a_keyring_the_dialog_says_what_can_be_done_and_does_it(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    store = SecretStore(tmp_path, Failing(NoKeyringError("none")))
    dialog = opened(store)
    qtbot.waitUntil(lambda: "has no keyring" in dialog.told.text())
    dialog.name.setText("shop")
    dialog.sites.setText("shop.example")
    dialog.source.setCurrentIndex(dialog.source.findData(KeySource.SESSION))
    dialog.value.setText(MARKER)
    dialog.save_button.click()
    qtbot.waitUntil(lambda: "is saved" in dialog.told.text())
    assert store.value("shop") == MARKER
    assert MARKER not in (tmp_path / "secrets.json").read_text()


def test_a_site_reached_in_the_open_is_refused_in_words(qtbot: QtBot, opened: Opener, tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Box())
    dialog = opened(store)
    dialog.name.setText("shop")
    dialog.sites.setText("http://shop.example")
    dialog.value.setText(MARKER)
    dialog.save_button.click()
    qtbot.waitUntil(lambda: "plain http" in dialog.told.text())
    assert store.entries() == ()
