"""What the window needs to connect a model: a port to the settings and endpoints, and the small values between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from operative_app.core.run import DEFAULT_MAX_STEPS
from operative_app.store.settings import BudgetSettings, ModelSettings


@dataclass(frozen=True, slots=True)
class Service:
    """An endpoint to choose from.

    Attributes:
        base_url: Where it answers; `{…}` is to be filled in by the person.
        key_variable: The environment variable that customarily holds its key, "" when it wants none.
        models: Names of models it is known to offer.
        is_running: It was found on this computer just now.
    """

    name: str
    base_url: str
    key_variable: str = ""
    models: tuple[str, ...] = ()
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionCheck:
    """One thing that was tried. `works` is None when it cannot be told; `sentence` is for the person."""

    works: bool | None
    sentence: str


@dataclass(frozen=True, slots=True)
class ModelForm:
    """What the dialog holds. `key` is "" when the one kept before is meant."""

    model: ModelSettings
    budget: BudgetSettings
    key: str = ""
    max_steps: int = DEFAULT_MAX_STEPS


class ModelDesk(Protocol):
    """Connects models. All methods but `cancel` block: worker threads only.

    Raises (all methods): OperativeError with a sentence for the person.
    """

    def current(self) -> ModelForm:
        """The settings as they are; without a key."""
        ...

    def services(self) -> Sequence[Service]:
        """What can be connected: model servers that run on this computer first, then the well-known ones."""
        ...

    def model_names(self, form: ModelForm) -> Sequence[str]:
        """The models the endpoint offers."""
        ...

    def keyring_trouble(self) -> str:
        """Why the system's keyring cannot keep a key, "" when it can."""
        ...

    def test(self, form: ModelForm, on_check: Callable[[ConnectionCheck], None]) -> None:
        """Try the connection; `on_check` gets each finding as soon as it is made, on the calling thread."""
        ...

    def cancel(self) -> None:
        """End a test or a listing under way. Any thread."""
        ...

    def save(self, form: ModelForm) -> None:
        """Keep settings and key, and plan the next run with it."""
        ...

    def prices(self) -> str:
        """The path of the person's own price file, made when there is none."""
        ...

    def use_builtin(self) -> None:
        """Plan the next run with the built-in planner; the model's settings are kept for later."""
        ...
