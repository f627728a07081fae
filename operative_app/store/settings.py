"""The settings of the application: a small frozen model in a JSON file. The window keeps its own beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError

from operative_app.core.endpoint import Api, Endpoint, KeySource
from operative_app.core.run import DEFAULT_MAX_STEPS, Budget
from operative_app.core.values import Value
from operative_app.store.failures import in_words
from operative_app.store.files import make_private_folder, set_aside, write_whole

SETTINGS_NAME = "settings.json"
DEFAULT_HOTKEY = "ctrl+alt+escape"


class ModelSettings(Value):
    """The model a person chose. No key stands here, only where it comes from.

    Attributes:
        base_url: Where the endpoint answers; "" leaves the built-in planner in charge.
        model: The model's name there.
        summary_model: The model that sums up what lies further back; "" takes the same one.
        key_source: Where the key comes from; `store.secrets` fetches it.
        key_variable: The environment variable, for that source.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    base_url: str = ""
    model: str = ""
    summary_model: str = ""
    api: Api = Api.AUTO
    key_source: KeySource = KeySource.NONE
    key_variable: str = ""

    @property
    def is_configured(self) -> bool:
        return bool(self.base_url and self.model)

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(base_url=self.base_url, model=self.model, api=self.api)


class BudgetSettings(Budget):
    """The budget of a run that sets none itself."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Settings(Value):
    """What a person chose. A key that a newer version wrote is passed over, so that going back loses no more than it.

    Attributes:
        max_steps: The step limit of a run that sets none itself.
        hotkey: The chord of the kill switch, as `guard.chords` reads it.
        use_model: False keeps the model for later and lets the built-in planner plan.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    hotkey: str = DEFAULT_HOTKEY
    max_steps: int = Field(default=DEFAULT_MAX_STEPS, ge=1)
    model: ModelSettings = ModelSettings()
    use_model: bool = True
    budget: BudgetSettings = BudgetSettings()

    @property
    def planning_model(self) -> ModelSettings:
        """The model that plans; one that is not configured when the built-in planner does."""
        return self.model if self.use_model else ModelSettings()


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
