"""The prompts in the window, against the library that the planner reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QListWidget, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from operative_app.gui.dialogs.prompts import PromptsDialog
from operative_app.planning.model.prompts import PromptLibrary
from tests.gui.conftest import MakeStage, Stage, part

ROLE = "recovery"


@pytest.fixture
def library(tmp_path: Path) -> PromptLibrary:
    return PromptLibrary(tmp_path / "prompts")


def opened(stage: Stage, role: str = ROLE) -> PromptsDialog:
    """The dialog as the settings menu opens it, showing this role."""
    part(stage.window, QAction, "promptsAction").trigger()
    dialog = stage.of(PromptsDialog, "promptsDialog")
    stage.qtbot.waitUntil(lambda: dialog.is_ready)
    names = ["planning", "perception", "decision", "browser_decision", "desktop_decision", "recovery"]
    part(dialog, QListWidget, "promptList").setCurrentRow(names.index(role))
    return dialog


def told(dialog: QObject) -> str:
    return str(part(dialog, QLabel, "promptTold").text())


def mark(dialog: QObject) -> str:
    label = part(dialog, QLabel, "promptMark")
    return label.text() if label.isVisible() else ""


def test_without_a_library_there_is_no_entry(stage: Stage) -> None:
    assert not part(stage.window, QAction, "promptsAction").isVisible()


def test_a_changed_prompt_is_saved_marked_and_taken_back(
    make_stage: MakeStage, library: PromptLibrary, qtbot: QtBot
) -> None:
    shipped = library.text(ROLE)
    dialog = opened(make_stage(prompts=library))
    editor = part(dialog, QPlainTextEdit, "promptEditor")
    save, reset = part(dialog, QPushButton, "promptSaveButton"), part(dialog, QPushButton, "promptResetButton")
    assert editor.toPlainText() == shipped
    assert (mark(dialog), save.isEnabled(), reset.isEnabled()) == ("", False, False)
    editor.appendPlainText("Be brief.")
    assert mark(dialog) == "Not saved"
    save.click()
    qtbot.waitUntil(lambda: mark(dialog) == "Yours")
    assert library.get(ROLE).system.endswith("Be brief.")
    assert str(library.path(ROLE)) == part(dialog, QLabel, "promptPlace").text()
    reset.click()
    qtbot.waitUntil(lambda: mark(dialog) == "")
    assert not library.is_own(ROLE)
    assert editor.toPlainText() == shipped
    editor.undo()
    assert editor.toPlainText().endswith("Be brief.")
    assert mark(dialog) == "Not saved"
    dialog.drop_and_close()


def test_a_text_that_is_no_prompt_is_refused_in_words_and_nothing_is_lost(
    make_stage: MakeStage, library: PromptLibrary, qtbot: QtBot
) -> None:
    dialog = opened(make_stage(prompts=library))
    editor = part(dialog, QPlainTextEdit, "promptEditor")
    editor.appendPlainText("{{ weather }}")
    part(dialog, QPushButton, "promptSaveButton").click()
    qtbot.waitUntil(lambda: "uses weather, which it does not declare" in told(dialog))
    assert not library.is_own(ROLE)
    roles = part(dialog, QListWidget, "promptList")
    roles.setCurrentRow(0)
    assert "weather" not in editor.toPlainText()
    roles.setCurrentRow(5)
    assert editor.toPlainText().endswith("{{ weather }}")
    assert roles.item(5).text().endswith("not saved")
    dialog.drop_and_close()


def test_own_texts_that_are_old_or_broken_are_marked_and_can_be_reset(
    make_stage: MakeStage, library: PromptLibrary, tmp_path: Path, qtbot: QtBot
) -> None:
    library.override(ROLE, re.sub(r"version = \d+", "version = 0", library.text(ROLE)))
    (tmp_path / "prompts" / "planning.md").write_text("no front matter", encoding="utf-8")
    dialog = opened(make_stage(prompts=library))
    assert mark(dialog) == "Yours, of an older version"
    assert "A newer text ships" in told(dialog)
    part(dialog, QListWidget, "promptList").setCurrentRow(0)
    assert mark(dialog) == "Cannot be used"
    assert "does not begin with a front matter" in told(dialog)
    assert part(dialog, QPlainTextEdit, "promptEditor").toPlainText() == "no front matter"
    part(dialog, QPushButton, "promptResetButton").click()
    qtbot.waitUntil(lambda: mark(dialog) == "")
    assert not library.is_own("planning")
    dialog.close()


def test_closing_asks_before_a_change_is_lost(make_stage: MakeStage, library: PromptLibrary, qtbot: QtBot) -> None:
    stage = make_stage(prompts=library)
    dialog = opened(stage)
    part(dialog, QPlainTextEdit, "promptEditor").appendPlainText("Be brief.")
    part(dialog, QPushButton, "promptsCloseButton").click()
    assert dialog.isVisible()
    part(dialog, QPushButton, "dropKeepButton").click()
    stage.window.close()
    assert stage.window.isVisible()
    assert dialog.isVisible()
    questions = [one for one in dialog.findChildren(QPushButton, "dropChangesButton") if one.isVisible()]
    questions[0].click()
    assert not dialog.isVisible()
    assert not library.is_own(ROLE)
    stage.window.close()
    assert not stage.window.isVisible()
