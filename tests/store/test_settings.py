from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from operative_app.core.endpoint import Api, Endpoint, KeySource
from operative_app.core.errors import StoreError
from operative_app.store.settings import (
    SETTINGS_NAME,
    BudgetSettings,
    ModelSettings,
    Settings,
    load_settings,
    save_settings,
)

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


def test_the_model_and_the_budget_are_kept(tmp_path: Path) -> None:
    model = ModelSettings(
        base_url="https://models.example/v1",
        model="large",
        summary_model="small",
        api=Api.RESPONSES,
        key_source=KeySource.ENVIRONMENT,
        key_variable="MY_KEY",
    )
    chosen = Settings(model=model, budget=BudgetSettings(max_minutes=2.5, max_tokens=100_000, max_cost=0.5))

    save_settings(tmp_path, chosen)

    assert load_settings(tmp_path).settings == chosen
    assert chosen.model.is_configured
    assert chosen.model.endpoint == Endpoint(base_url=model.base_url, model="large", api=Api.RESPONSES)


def test_without_a_model_nothing_is_configured_and_a_budget_has_no_limits() -> None:
    assert not Settings().model.is_configured
    assert not ModelSettings(base_url="https://models.example/v1").is_configured
    assert Settings().budget == BudgetSettings(max_minutes=None, max_tokens=None, max_cost=None)


@pytest.mark.parametrize("limits", [{"max_minutes": 0}, {"max_tokens": 0}, {"max_cost": -1}, {"max_cost": "inf"}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BudgetSettings(**limits)
