from __future__ import annotations

import stat
from pathlib import Path

import pytest

from operative_app.core.errors import StoreError
from operative_app.store.files import make_private_folder
from operative_app.store.folders import app_folders


def test_each_folder_lies_below_the_users_home(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = app_folders()

    places = {folders.data, folders.config, folders.profile, folders.downloads}
    assert len(places) == 4
    assert all(place.is_relative_to(Path.home()) for place in places)
    assert not any(place.exists() for place in places)


def test_operative_home_holds_all_of_them(tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"

    folders = app_folders({"OPERATIVE_HOME": str(home)}).create()

    assert {path.name for path in home.iterdir()} == {"data", "config", "profile", "downloads"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o700}
    assert folders.data == home / "data"


def test_operative_home_may_begin_with_a_tilde() -> None:
    assert app_folders({"OPERATIVE_HOME": "~/op"}).data == Path.home() / "op" / "data"


def test_an_empty_operative_home_counts_as_none() -> None:
    assert app_folders({"OPERATIVE_HOME": " "}) == app_folders({})


def test_an_open_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)

    make_private_folder(folder)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="a part of its path is a file and no folder"):
        make_private_folder(tmp_path / "file" / "below")
