"""The settings of the application: a small frozen model in a JSON file. The window keeps its own beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError

from operative_app.core.endpoint import Api, Endpoint, KeySource, ModelWays
from operative_app.core.errors import StoreError
from operative_app.core.run import DEFAULT_ANSWER_MINUTES, DEFAULT_HAND_OFF_MINUTES, DEFAULT_MAX_STEPS, Budget
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
        summary_model: The model that sums up what lies further back, and the run at its end; "" takes the same one.
        ways: What it is asked besides the one question for each step.
        key_source: Where the key comes from; `store.secrets` fetches it.
        key_variable: The environment variable, for that source.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    base_url: str = ""
    model: str = ""
    summary_model: str = ""
    ways: ModelWays = ModelWays()
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


class SiteSettings(Value):
    """Which sites any run may touch, as patterns that `safety.sites` reads; a run can only narrow it.

    Attributes:
        allow: The only sites that may be touched; None sets no such limit, an empty list allows nothing.
        deny: Sites that may not be touched.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


class Settings(Value):
    """What a person chose. A key that a newer version wrote is passed over, so that going back loses no more than it.

    Attributes:
        max_steps: The step limit of a run that sets none itself.
        hotkey: The chord of the kill switch, as `guard.chords` reads it.
        hand_off_minutes: How long a person has for what only they can do, such as signing in.
        answer_minutes: How long a person has to answer approvals and questions.
        use_model: False keeps the model for later and lets the built-in planner plan.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    hotkey: str = DEFAULT_HOTKEY
    max_steps: int = Field(default=DEFAULT_MAX_STEPS, ge=1)
    hand_off_minutes: float = Field(default=DEFAULT_HAND_OFF_MINUTES, gt=0, allow_inf_nan=False)
    answer_minutes: float = Field(default=DEFAULT_ANSWER_MINUTES, gt=0, allow_inf_nan=False)
    model: ModelSettings = ModelSettings()
    use_model: bool = True
    budget: BudgetSettings = BudgetSettings()
    sites: SiteSettings = SiteSettings()

    @property
    def planning_model(self) -> ModelSettings:
        """The model that plans; one that is not configured when the built-in planner does."""
        return self.model if self.use_model else ModelSettings()


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, with what is to be said of them.

    Attributes:
        notice: A sentence for the person when one of them is another one than in the file.
        fault: Why the file cannot be used, so that the defaults stand here; no run starts then, since the sites that
            are denied may be in it.
    """

    settings: Settings
    notice: str = ""
    fault: str = ""


def load_settings(folder: Path) -> LoadedSettings:
    """Read the settings in a folder. Never raises: a damaged file is left as it is, and told of."""
    path = folder / SETTINGS_NAME
    try:
        return LoadedSettings(Settings.model_validate_json(path.read_bytes()))
    except FileNotFoundError:
        return LoadedSettings(Settings())
    except OSError as error:
        return LoadedSettings(Settings(), fault=_broken(path, 1, str(error.strerror or error)))
    except ValidationError as error:
        return LoadedSettings(Settings(), fault=_broken(path, *_place_of(error, path)))


def save_settings(folder: Path, settings: Settings, *, instead_of_damaged: bool = False) -> None:
    """Write the settings whole; the folder is made when it is missing.

    Args:
        instead_of_damaged: A damaged file is kept under another name, and these take its place.

    Raises:
        StoreError: They cannot be written, or would replace a damaged file; the file is as it was.
    """
    with in_words("The settings cannot be saved"):
        make_private_folder(folder)
    if fault := load_settings(folder).fault:
        if not instead_of_damaged:
            raise StoreError(f"Nothing was saved. {fault}")
        with in_words("The damaged settings cannot be kept aside"):
            set_aside(folder / SETTINGS_NAME)
    with in_words("The settings cannot be saved"):
        write_whole(folder / SETTINGS_NAME, settings.model_dump_json(indent=2).encode() + b"\n")


def _broken(path: Path, line: int, reason: str) -> str:
    return f"The settings in {path} cannot be used: line {line}: {reason}. No run starts until they are set right."


def _place_of(error: ValidationError, path: Path) -> tuple[int, str]:
    """The line on which the first fault is, and the fault in words."""
    first = error.errors()[0]
    text = path.read_text("utf-8", "replace")
    words = str(first["msg"]).removeprefix("Invalid JSON: ").rstrip(".")
    if found := re.search(r" at line (\d+) column \d+$", words):
        return max(1, int(found[1])), words[: found.start()]
    names = [str(part) for part in first["loc"] if isinstance(part, str)]
    place = 0
    for name in names:
        place = max(place, text.find(f'"{name}"', place))
    words = words[:1].lower() + words[1:]
    return text.count("\n", 0, place) + 1, f"“{'.'.join(names)}”: {words}" if names else words
