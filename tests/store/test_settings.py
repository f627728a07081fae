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
    assert loaded.fault == ""
    assert [path.name for path in (tmp_path / "config").iterdir()] == [SETTINGS_NAME]
    assert stat.S_IMODE((tmp_path / "config" / SETTINGS_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "config").stat().st_mode) == 0o700


def test_without_a_file_the_defaults_hold_and_nothing_is_said(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path)

    assert loaded.settings == Settings()
    assert loaded.settings.hotkey == "ctrl+alt+escape"
    assert loaded.fault == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"", "line 1: EOF while parsing"),
        (b'{\n"sites": {"deny": ["a.example"]},\n"max_steps": 5', "line 3: EOF while parsing"),
        (b"[]", "line 1: "),
        (b"\xff\xfe", "line 1: "),
        (b'{"max_steps": 5,\n "hotkey": 5}', "line 2: “hotkey”: "),
        (b'{"hotkey": "f9",\n\n "max_steps": 0}', "line 3: “max_steps”: "),
        (b'{"max_steps": 5,\n "sites":\n {"deny":\n "a.example"}}', "line 3: “sites.deny”: "),
    ],
)
def test_a_damaged_file_is_left_and_told_of_by_line_and_nothing_takes_its_place_unasked(
    tmp_path: Path, content: bytes, where: str
) -> None:
    path = tmp_path / SETTINGS_NAME
    path.write_bytes(content)
    loaded = load_settings(tmp_path)
    assert loaded.settings == Settings()
    assert loaded.fault.startswith(f"The settings in {path} cannot be used: {where}")
    assert loaded.fault.endswith(". No run starts until they are set right.")
    with pytest.raises(StoreError, match=f"Nothing was saved. The settings in {path} cannot be used: line"):
        save_settings(tmp_path, CHOSEN)
    assert path.read_bytes() == content
    save_settings(tmp_path, CHOSEN, instead_of_damaged=True)
    assert load_settings(tmp_path).settings == CHOSEN
    (aside,) = (one for one in tmp_path.iterdir() if one != path)
    assert aside.name.startswith("settings.damaged-")
    assert aside.read_bytes() == content


def test_a_file_that_cannot_be_read_is_told_and_left(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_NAME).mkdir()

    loaded = load_settings(tmp_path)

    assert loaded.settings == Settings()
    assert "cannot be used: line 1: " in loaded.fault


def test_a_key_of_a_newer_version_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_NAME).write_text('{"max_steps": 9, "sound": "loud"}')

    loaded = load_settings(tmp_path)

    assert loaded.settings.max_steps == 9
    assert loaded.fault == ""


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
