from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from tests.gui.conftest import Stage

ROOT = Path(__file__).resolve().parents[2]
MANY_CALLS = """
from operative_app.gui.application import create_qapplication
from PySide6.QtWidgets import QWidget
application = create_qapplication(["operative"])
widget = QWidget()
for _ in range(300_000):
    widget.update()
    widget.isVisible()
    widget.isEnabled()
print("alive")
"""
IMPORTED = """
import sys
import operative_app.gui.window
print(" ".join(sorted(name for name in sys.modules if name.startswith("PySide6.Qt"))))
"""


def run(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_process_outlives_any_number_of_calls_into_qt() -> None:
    assert run(MANY_CALLS).strip() == "alive"


def test_the_window_needs_four_parts_of_qt_alone() -> None:
    assert set(run(IMPORTED).split()) == {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtSvg", "PySide6.QtWidgets"}


def test_a_notice_without_a_run_is_shown_in_the_chat(stage: Stage) -> None:
    stage.window.show_notice("The damaged record was set aside.")
    stage.qtbot.waitUntil(stage.of(QLabel, "noticeText").isVisible)
    assert stage.of(QWidget, "chatEmpty").isVisible()
    stage.until_approval()
    assert stage.of(QLabel, "noticeText").text() == "The damaged record was set aside."


@pytest.mark.parametrize("works", [True, False])
def test_the_stop_key_can_be_told_later(stage: Stage, works: bool) -> None:
    stage.window.set_kill_switch(works=works, reason="" if works else "Another program has the key.")
    words = stage.of(QLabel, "killSwitchText")
    assert words.text().startswith("Stop everything") == works
    assert ("Another program has the key." in words.toolTip()) != works
