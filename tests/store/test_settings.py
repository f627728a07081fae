from __future__ import annotations

import stat
from pathlib import Path

import pytest
from pydantic import ValidationError

from operative_app.core.errors import StoreError
from operative_app.store.settings import SETTINGS_NAME, Settings, load_settings, save_settings

CHOSEN = Settings(hotkey="ctrl+shift+f12", max_steps=7)


def test_settings_are_read_back_as_saved(tmp_path: Path) -> None:
    save_settings(tmp_path / "config", CHOSEN)

    loaded = load_settings(tmp_path / "config")

    assert loaded.settings == CHOSEN
    assert loaded.notice == ""
    assert [path.name for path in (tmp_path / "config").iterdir()] == [SETTINGS_NAME]
    assert stat.S_IMODE((tmp_path / "config" / SETTINGS_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "config").stat().st_mode) == 0o700


def test_without_a_file_the_defaults_hold_and_nothing_is_said(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path)

    assert loaded.settings == Settings()
    assert loaded.settings.hotkey == "ctrl+alt+escape"
    assert loaded.notice == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b'{"hotkey": 5}', b'{"max_steps": 0}', b'{"max_steps": "many"}']
)
def test_a_damaged_file_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SETTINGS_NAME).write_bytes(content)

    loaded = load_settings(tmp_path)

    (aside,) = tmp_path.iterdir()
    assert aside.name.startswith("settings.damaged-")
    assert aside.read_bytes() == content
    assert loaded.settings == Settings()
    assert str(aside) in loaded.notice


def test_a_file_that_cannot_be_read_is_told_and_left(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_NAME).mkdir()

    loaded = load_settings(tmp_path)

    assert loaded.settings == Settings()
    assert loaded.notice.startswith("The settings cannot be read")


def test_a_key_of_a_newer_version_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_NAME).write_text('{"max_steps": 9, "sound": "loud"}')

    loaded = load_settings(tmp_path)

    assert loaded.settings.max_steps == 9
    assert loaded.notice == ""


def test_settings_that_cannot_be_saved_are_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")

    with pytest.raises(StoreError, match="a file stands where a folder is needed"):
        save_settings(tmp_path / "config", CHOSEN)


def test_settings_are_frozen_and_checked() -> None:
    with pytest.raises(ValidationError):
        Settings(max_steps=0)
    with pytest.raises(ValidationError):
        CHOSEN.max_steps = 3  # type: ignore[misc]
