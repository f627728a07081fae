"""The real window on the virtual display, with the real agent, a real browser and the practice site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.e2e.desk import Desk, Human, open_desk


@pytest.fixture
def app_home(virtual_display: str, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the application keeps everything; not made yet. There is a display."""
    place = isolation / "home" / "operative"
    monkeypatch.setenv("OPERATIVE_HOME", str(place))
    return place


@pytest.fixture
def desk(app_home: Path, chromium_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Desk]:
    """A window that is open and whose agent has started."""
    with open_desk(qapp, qtbot) as opened:
        yield opened


@pytest.fixture
def human(desk: Desk) -> Human:
    return Human(desk)
