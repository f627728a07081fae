"""What one process of the application is put together from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operative_app.app.session import open_session
from operative_app.store.settings import DEFAULT_HOTKEY, SETTINGS_NAME


@pytest.mark.parametrize("hotkey", ["", "nonsense+++", "a", "ctrl+alt+\u0007"])
def test_a_hotkey_that_is_none_is_told_and_the_usual_one_is_used(
    isolation: Path, monkeypatch: pytest.MonkeyPatch, hotkey: str
) -> None:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "o"))
    config = isolation / "home" / "o" / "config"
    config.mkdir(parents=True)
    (config / SETTINGS_NAME).write_text(json.dumps({"hotkey": hotkey, "max_steps": 7}), encoding="utf-8")

    session = open_session(keep_browser=False)
    try:
        assert (session.settings.hotkey, session.settings.max_steps) == (DEFAULT_HOTKEY, 7)
        assert ["stop key" in notice for notice in session.notices] == [True]
    finally:
        session.close()


def test_a_sound_hotkey_is_kept(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "o"))
    config = isolation / "home" / "o" / "config"
    config.mkdir(parents=True)
    (config / SETTINGS_NAME).write_text(json.dumps({"hotkey": "ctrl+shift+f9"}), encoding="utf-8")

    session = open_session(keep_browser=False)
    try:
        assert session.settings.hotkey == "ctrl+shift+f9"
        assert session.notices == ()
    finally:
        session.close()
