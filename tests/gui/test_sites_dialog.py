"""The lists of sites in the window: shown, checked line by line, saved, and what holds then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from operative_app.app.policy import run_policy
from operative_app.app.site_desk import SettingsSites
from operative_app.gui.dialogs.sites import SitesDialog
from operative_app.gui.theme import Theme
from operative_app.store.settings import SETTINGS_NAME, Settings, SiteSettings, load_settings, save_settings

Opener = Callable[[], SitesDialog]


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Iterator[Opener]:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    theme = Theme(parent=parent)
    made: list[SitesDialog] = []

    def open_dialog() -> SitesDialog:
        dialog = SitesDialog(theme, SettingsSites(tmp_path), parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        made.append(dialog)
        dialog.open()
        qtbot.waitUntil(lambda: dialog.is_ready)
        return dialog

    yield open_dialog
    for dialog in made:
        dialog.close()


def save(qtbot: QtBot, dialog: SitesDialog) -> None:
    dialog.save_button.click()
    qtbot.waitUntil(lambda: dialog.told.text().startswith("Saved."))


def test_lists_are_saved_beside_the_other_settings_and_hold_from_the_next_run_on(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    save_settings(tmp_path, Settings(max_steps=7))
    dialog = opened()
    assert not dialog.allow.isEnabled()
    dialog.only.box.click()
    dialog.allow.setPlainText("shop.example\n\n  *.bank.example ")
    dialog.deny.setPlainText("ads.shop.example")
    save(qtbot, dialog)
    assert load_settings(tmp_path).settings == Settings(
        max_steps=7, sites=SiteSettings(allow=("shop.example", "*.bank.example"), deny=("ads.shop.example",))
    )
    rules = run_policy(tmp_path).sites
    assert [rules.judge(f"https://{site}/").is_allowed for site in ("a.bank.example", "ads.shop.example")] == [
        True,
        False,
    ]
    again = opened()
    assert again.only.box.isChecked()
    assert (again.allow.toPlainText(), again.deny.toPlainText()) == ("shop.example\n*.bank.example", "ads.shop.example")


def test_wrong_lines_are_named_and_nothing_is_saved(opened: Opener, tmp_path: Path) -> None:
    dialog = opened()
    dialog.only.box.click()
    dialog.allow.setPlainText("shop.example\nno site")
    dialog.deny.setPlainText("*.com\nads.example\nfile://x")
    dialog.save_button.click()
    told = dialog.told.text().splitlines()
    assert [line.partition(":")[0] for line in told] == [
        "Only these sites, line 2",
        "Never these sites, line 1",
        "Never these sites, line 3",
    ]
    assert "far too many sites" in told[1]
    assert not (tmp_path / SETTINGS_NAME).exists()


def test_an_empty_list_of_the_only_sites_says_that_nothing_may_be_touched(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    dialog = opened()
    dialog.only.box.click()
    save(qtbot, dialog)
    assert "no site may be touched" in dialog.told.text()
    assert load_settings(tmp_path).settings.sites.allow == ()
    dialog.only.box.click()
    save(qtbot, dialog)
    assert load_settings(tmp_path).settings.sites.allow is None


def test_damaged_settings_are_told_and_saving_begins_with_new_ones(
    qtbot: QtBot, opened: Opener, tmp_path: Path
) -> None:
    (tmp_path / SETTINGS_NAME).write_text("{", encoding="utf-8")
    dialog = opened()
    assert "cannot be used: line 1" in dialog.told.text()
    assert run_policy(tmp_path).fault
    dialog.deny.setPlainText("ads.example")
    save(qtbot, dialog)
    assert run_policy(tmp_path).fault == ""
    assert len(list(tmp_path.iterdir())) == 2
