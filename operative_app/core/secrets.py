"""Saved secrets as the engine and the surfaces see them: names and bindings; a value is fetched for its field alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from operative_app.core.screen import SurfaceKind
from operative_app.core.values import Value


class SavedSecret(Value):
    """A secret by its name, and where it may be used; never its value.

    Attributes:
        sites: Patterns of sites as `safety.sites` reads them; empty: in no web page.
        apps: Names of programs' executables; empty: in no program of the desktop.
        was_used: It was filled in before, so that it may stand on a screen.
    """

    name: str
    sites: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    was_used: bool = False

    def is_for(self, surface: SurfaceKind) -> bool:
        return bool(self.sites if surface is SurfaceKind.BROWSER else self.apps)


class FieldPlace(Value):
    """Where a text would go, as the surface itself knows it and not as a page tells it.

    Attributes:
        key: Names the very field; `fill` and `type_text` refuse any other one.
        label: How a person reads it.
        origin: Scheme, host and port of the document the field is in ("https://shop.example"); "" on the desktop.
        app: The executable of the program the field is in; "" in the browser, or when it is not known.
        is_password: What it holds cannot be read on the screen.
        takes_text: It takes text that is typed.
    """

    key: str
    label: str = ""
    origin: str = ""
    app: str = ""
    is_password: bool = False
    takes_text: bool = True


@dataclass(frozen=True, slots=True)
class Revealed:
    """A text for a field. `place` is the only field it may go into; None when no secret is in it."""

    text: str = field(repr=False)
    place: FieldPlace | None = None


class SecretBook(Protocol):
    """The saved secrets. Any thread."""

    def names(self) -> tuple[SavedSecret, ...]:
        """All of them, by name. Reads a small file; never raises."""
        ...

    def value(self, name: str) -> str:
        """The value of a secret. Blocks (a keyring may ask for a password): call it from a worker.

        Raises:
            SettingsError: There is none in the place named.
            StoreError: The keyring cannot be read.
        """
        ...

    def note_used(self, name: str) -> None:
        """A secret is about to be filled in; `SavedSecret.was_used` says so from now on. Raises StoreError."""
        ...


class NoSecrets:
    """A SecretBook without any."""

    def names(self) -> tuple[SavedSecret, ...]:
        return ()

    def value(self, name: str) -> str:
        raise KeyError(name)

    def note_used(self, name: str) -> None:
        raise KeyError(name)
