"""Where the application keeps its things, on each system in the place meant for them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from operative_app.store.files import make_private_folder

HOME_VARIABLE = "OPERATIVE_HOME"
_NAME = "operative"


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders; none is made before `create` or `make_private_folder`.

    Attributes:
        data: The record of runs.
        config: The settings.
        profile: The profile of the managed browser.
        downloads: Files the managed browser fetched.
    """

    data: Path
    config: Path
    profile: Path
    downloads: Path

    def create(self) -> Folders:
        """Make all four, closed to everybody but the user.

        Raises:
            StoreError: One cannot be made.
        """
        for folder in (self.data, self.config, self.profile, self.downloads):
            make_private_folder(folder)
        return self


def app_folders(environment: Mapping[str, str] = os.environ) -> Folders:
    """The folders of this user; with OPERATIVE_HOME set, all of them lie below it."""
    if home := environment.get(HOME_VARIABLE, "").strip():
        root = Path(home).expanduser().absolute()
        return Folders(root / "data", root / "config", root / "profile", root / "downloads")
    data = platformdirs.user_data_path(_NAME, appauthor=False)
    return Folders(
        data=data,
        config=platformdirs.user_config_path(_NAME, appauthor=False),
        profile=data / "browser-profile",
        downloads=platformdirs.user_downloads_path() / "Operative",
    )
