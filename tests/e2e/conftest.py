"""The real window on the virtual display, with the real agent, a real browser and the practice site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from operative_app.app.session import open_session
from operative_app.app.window import Front
from operative_app.cli.options import WindowOptions
from operative_app.core.events import Event
from operative_app.gui.bridge import EventBridge
from tests.e2e.desk import Desk, Human


@pytest.fixture
def desk(
    virtual_display: str,
    chromium_path: Path,
    isolation: Path,
    monkeypatch: pytest.MonkeyPatch,
    qapp: QApplication,
    qtbot: QtBot,
) -> Iterator[Desk]:
    """A window that is open and whose agent has started."""
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "operative"))
    bridge = EventBridge()
    session = open_session(keep_browser=True, on_frame=bridge.frame_listener)
    front = Front(session, bridge, WindowOptions())
    events: list[Event] = []
    bridge.events_arrived.connect(events.extend)
    front.show()
    qtbot.waitExposed(front.window)
    try:
        yield Desk(front, session, events, qtbot)
    finally:
        session.agent.control.stop()
        front.close()
        front.window.close()
        front.window.deleteLater()
        qapp.processEvents()


@pytest.fixture
def human(desk: Desk) -> Human:
    return Human(desk)
