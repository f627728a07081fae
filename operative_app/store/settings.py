"""The settings of the application: a small frozen model in a JSON file. The window keeps its own beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError

from operative_app.core.run import DEFAULT_MAX_STEPS
from operative_app.core.values import Value
from operative_app.store.failures import in_words
from operative_app.store.files import make_private_folder, set_aside, write_whole

SETTINGS_NAME = "settings.json"
DEFAULT_HOTKEY = "ctrl+alt+escape"


class Settings(Value):
    """What a person chose. A key that a newer version wrote is passed over, so that going back loses no more than it.

    Attributes:
        max_steps: The step limit of a run that sets none itself.
        hotkey: The chord of the kill switch, as `guard.chords` reads it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    hotkey: str = DEFAULT_HOTKEY
    max_steps: int = Field(default=DEFAULT_MAX_STEPS, ge=1)


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, with a sentence for the person when they are not those of the file."""

    settings: Settings
    notice: str = ""


def load_settings(folder: Path) -> LoadedSettings:
    """Read the settings in a folder. Never raises: a damaged file is kept aside, and the defaults hold."""
    path = folder / SETTINGS_NAME
    try:
        return LoadedSettings(Settings.model_validate_json(path.read_bytes()))
    except FileNotFoundError:
        return LoadedSettings(Settings())
    except OSError as error:
        return LoadedSettings(
            Settings(), f"The settings cannot be read ({error.strerror or error}); the defaults are used."
        )
    except ValidationError:
        return LoadedSettings(Settings(), _put_aside(path))


def save_settings(folder: Path, settings: Settings) -> None:
    """Write the settings whole; the folder is made when it is missing.

    Raises:
        StoreError: They cannot be written; the file is as it was.
    """
    with in_words("The settings cannot be saved"):
        make_private_folder(folder)
        write_whole(folder / SETTINGS_NAME, settings.model_dump_json(indent=2).encode() + b"\n")


def _put_aside(path: Path) -> str:
    try:
        aside = set_aside(path)
    except OSError:
        return f"The settings in {path} are damaged; the defaults are used."
    return f"The settings were damaged; they were kept as {aside} and the defaults are used."
