from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from operative_app.core.run import Oversight
from operative_app.engine.control import Start
from operative_app.gui.settings import WindowSettings
from operative_app.gui.tokens import DARK, LIGHT, ThemeName, Tokens
from tests.gui.conftest import MakeStage


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    path = tmp_path / "new" / "window.json"
    saved = WindowSettings(
        path=path,
        theme=ThemeName.DARK,
        oversight=Oversight.EVERY,
        review_plan=True,
        has_marks=False,
        hand_off_minutes=30,
        answer_minutes=5,
        geometry=b"\x00\xff",
    )
    assert saved.save() == ""
    assert WindowSettings.load(path) == saved


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"theme": 3, "oversight": null, "geometry": "%%", "hand_off_minutes": "ten"}', "\udcff"]
)
def test_damaged_settings_give_the_defaults(tmp_path: Path, content: str) -> None:
    path = tmp_path / "window.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert WindowSettings.load(path) == WindowSettings(path=path)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "could not be saved" in WindowSettings(path=tmp_path / "file" / "window.json").save()


def test_what_was_chosen_is_there_at_the_next_start(make_stage: MakeStage, tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    first = make_stage(settings=WindowSettings.load(path))
    first.button("oversightChoice_none").click()
    first.button("reviewPlanButton").click()
    first.button("marksButton").click()
    first.of(QAction, "theme_dark").trigger()
    assert first.of(QAction, "wait_10").isChecked()
    first.of(QAction, "wait_30").trigger()
    first.of(QAction, "answerWait_60").trigger()
    first.window.resize(1111, 777)
    first.window.close()
    second = make_stage(settings=WindowSettings.load(path))
    second.window.resize(second.window.size())
    assert second.button("oversightChoice_none").isChecked()
    assert second.button("reviewPlanButton").isChecked()
    assert not second.button("marksButton").isChecked()
    assert second.window.theme.tokens is DARK
    assert second.of(QAction, "wait_30").isChecked()
    assert second.of(QAction, "answerWait_60").isChecked()
    QTest.keyClicks(second.of(QPlainTextEdit, "goalEdit"), "Buy it")
    second.button("runButton").click()
    (command,) = second.commands
    assert isinstance(command, Start)
    assert (command.request.hand_off_minutes, command.request.answer_minutes) == (30, 60)


def test_the_theme_changes_at_once(make_stage: MakeStage) -> None:
    stage = make_stage(settings=WindowSettings(theme=ThemeName.LIGHT))
    icon = stage.button("reviewPlanButton").icon().pixmap(16).toImage()
    stage.of(QAction, "theme_dark").trigger()
    assert QApplication.palette().color(QPalette.ColorRole.Window) == QColor(DARK.panel)
    assert stage.button("reviewPlanButton").icon().pixmap(16).toImage() != icon
    stage.of(QAction, "theme_light").trigger()
    assert QApplication.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.panel)


def luminance(name: str) -> float:
    def part(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    color = QColor(name)
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF())


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


PAIRS = (
    ("ink", "panel"),
    ("ink", "ground"),
    ("ink", "raised"),
    ("secondary", "panel"),
    ("secondary", "field"),
    ("secondary", "neutral_soft"),
    ("on_accent", "accent"),
    ("accent_ink", "accent_soft"),
    ("on_bubble", "bubble"),
    ("ok", "ok_soft"),
    ("warning", "warning_soft"),
    ("error", "error_soft"),
    ("error", "panel"),
    ("ink", "warning_soft"),
    ("ink", "accent_soft"),
    ("secondary", "raised"),
    ("secondary", "hover"),
    ("secondary", "accent_soft"),
    ("on_accent", "accent_hover"),
    ("on_target", "target"),
)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_text_can_be_read_on_its_ground(tokens: Tokens, ink: str, ground: str) -> None:
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5
