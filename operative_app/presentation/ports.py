"""What the window needs of the record, and the small values that pass between them.

The store knows nothing of this module: anything with these attributes fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from operative_app.core.errors import StoreError
from operative_app.core.events import Event
from operative_app.store.secret_book import SecretEntry


class RunSummary(Protocol):
    """One line of the list of past runs. `state` is a `RunState` value, or another word for a run that never ended.

    `started_at_s` is Unix time in seconds.
    """

    @property
    def run_id(self) -> str: ...

    @property
    def goal(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def started_at_s(self) -> float: ...

    @property
    def steps(self) -> int: ...

    @property
    def duration_s(self) -> float: ...


class RunReader(Protocol):
    """Reads recorded runs. The window calls it on one worker thread of its own, one call at a time.

    Raises (all methods): StoreError with a sentence for a person.
    """

    def list_runs(self) -> Sequence[RunSummary]:
        """All runs, newest first."""
        ...

    def events(self, run_id: str) -> Sequence[Event]:
        """The events of a run in order; empty when it is not known."""
        ...

    def picture(self, content_hash: str, /) -> bytes | None:
        """The encoded picture with that hash, None when it is gone."""
        ...


class PromptDesk(Protocol):
    """The texts a model is instructed with, one for each role. The window calls it on a worker thread.

    Raises (all methods): PromptError with a sentence for a person.
    """

    @property
    def roles(self) -> Sequence[str]: ...

    def text(self, role: str) -> str:
        """The file as it stands."""
        ...

    def path(self, role: str) -> Path:
        """Where it stands."""
        ...

    def is_own(self, role: str) -> bool:
        """Whether the person's own text is used."""
        ...

    def is_outdated(self, role: str) -> bool:
        """Whether the person's own text was made from an older version than the shipped one."""
        ...

    def override(self, role: str, text: str) -> None:
        """Use this text from the next request on."""
        ...

    def reset(self, role: str) -> None:
        """Go back to the shipped text."""
        ...


class SecretDesk(Protocol):
    """The saved secrets, for who lists and changes them; called on a worker thread. No value ever comes back.

    Raises (all methods): SettingsError or StoreError with a sentence for a person.
    """

    def entries(self) -> Sequence[SecretEntry]:
        """All of them by name."""
        ...

    def save(self, entry: SecretEntry, value: str | None = None) -> SecretEntry:
        """Save or change one; None keeps the value there is. The entry as it is kept."""
        ...

    def remove(self, name: str) -> None: ...

    def trouble(self) -> StoreError | None:
        """Why the keyring does not serve, None when it seems to."""
        ...


@dataclass(frozen=True, slots=True)
class SiteLists:
    """The patterns of sites in the settings. `allow` None sets no limit; `fault` says why they cannot be read."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    fault: str = ""


class SiteDesk(Protocol):
    """The lists of sites that narrow every run; called on a worker thread.

    Raises (all methods): SettingsError or StoreError with a sentence for a person.
    """

    def current(self) -> SiteLists: ...

    def save(self, lists: SiteLists) -> None:
        """Keep them; settings that are damaged are kept under another name, and new ones are begun."""
        ...


@dataclass(frozen=True, slots=True)
class Example:
    """A goal offered in the empty chat. `url` is where it begins, "" for none."""

    title: str
    goal: str
    url: str = ""
