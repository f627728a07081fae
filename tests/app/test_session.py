"""What one process of the application is put together from."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from operative_app.app.session import open_session
from operative_app.core.events import Event, RunFinished
from operative_app.core.run import RunRequest
from operative_app.store.settings import DEFAULT_HOTKEY, SETTINGS_NAME, Settings, SiteSettings, save_settings


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


def _home(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "o"))
    config = isolation / "home" / "o" / "config"
    config.mkdir(parents=True)
    return config


def test_what_is_written_is_read_as_each_run_begins(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Policy files and the sites of the settings count from the next run on, also damaged and set right ones."""
    config = _home(isolation, monkeypatch)
    session = open_session(keep_browser=False)
    try:
        assert session.policy().sites.judge("https://a.example/").is_allowed
        (config / "policy.toml").write_text('[sites]\ndeny = ["a.example"]\n', encoding="utf-8")
        save_settings(config, Settings(sites=SiteSettings(deny=("b.example",))))
        for site in ("a.example", "b.example"):
            assert not session.policy().sites.judge(f"https://{site}/").is_allowed
        (config / "policy.toml").write_text("[sites]\n\ndny = []\n", encoding="utf-8")
        assert "policy.toml cannot be used: line 3" in session.policy().fault
        (config / "policy.toml").unlink()
        assert session.policy().fault == ""
        assert session.policy().sites.judge("https://a.example/").is_allowed
    finally:
        session.close()


@pytest.mark.parametrize("content", ['{\n "sites":\n}', '{"sites": {"deny": ["a b"]}}'])
def test_a_list_of_sites_that_is_lost_lets_no_run_begin(
    isolation: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    config = _home(isolation, monkeypatch)
    (config / SETTINGS_NAME).write_text(content, encoding="utf-8")
    ends: list[RunFinished] = []
    ended = threading.Event()

    class Listener:
        def emit(self, event: Event) -> None:
            if isinstance(event, RunFinished):
                ends.append(event)
                ended.set()

    session = open_session(keep_browser=False)
    try:
        assert any("No run starts until they are set right." in notice for notice in session.notices)
        session.agent.add_sink(Listener())
        session.agent.start()
        session.agent.control.start(RunRequest(goal="Read the page", url="https://a.example/"))
        assert ended.wait(60)
        assert ends[0].reason == session.policy().fault
        assert ends[0].steps == 0
    finally:
        session.close()
