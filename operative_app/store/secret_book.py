"""Saved secrets: names and bindings in a file of the user's own, values in the keyring.

Principle: no value is ever written to a file of ours. Where no keyring serves, the person chooses what holds the value
instead: an environment variable, or the memory of this process until it closes; nothing is chosen in silence.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path

from pydantic import ConfigDict, ValidationError

from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError, StoreError
from operative_app.core.secrets import SavedSecret
from operative_app.core.values import Value
from operative_app.safety import secret_rules
from operative_app.store.failures import in_words
from operative_app.store.files import make_private_folder, set_aside, write_whole
from operative_app.store.keyrings import Keyring, SecretUnavailable, SystemKeyring, Wording

SECRETS_NAME = "secrets.json"
SERVICE = "Operative secrets"
_INSTEAD = "Name an environment variable that holds it instead, or keep it until Operative closes."


class SecretEntry(Value):
    """What the file holds of a secret. `variable` is the environment variable, for that source."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    sites: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    source: KeySource = KeySource.KEYRING
    variable: str = ""
    was_used: bool = False

    @property
    def saved(self) -> SavedSecret:
        return SavedSecret(name=self.name, sites=self.sites, apps=self.apps, was_used=self.was_used)


class _File(Value):
    model_config = ConfigDict(frozen=True, extra="ignore")

    secrets: tuple[SecretEntry, ...] = ()


class SecretStore:
    """Implements `core.secrets.SecretBook`. Any thread; the file is read anew each time, as another process may write.

    Args:
        folder: Where the file of names lies.
        backend: The keyring; None is the one the system offers.
        instead: What a person can do where no keyring serves, in a sentence.
    """

    def __init__(
        self,
        folder: Path,
        backend: Keyring | None = None,
        environment: Mapping[str, str] = os.environ,
        instead: str = _INSTEAD,
    ) -> None:
        self._folder = folder
        self._keyring = SystemKeyring(SERVICE, Wording("secret", instead), backend)
        self._environment = environment
        self._session: dict[str, str] = {}
        self._lock = threading.Lock()

    # --- the book ---

    def names(self) -> tuple[SavedSecret, ...]:
        try:
            return tuple(entry.saved for entry in self.entries())
        except StoreError:
            return ()

    def value(self, name: str) -> str:
        entry = self._entry(name)
        match entry.source:
            case KeySource.SESSION:
                value = self._session.get(entry.name, "")
                fault = f"“{entry.name}” was kept until Operative closed. Type it in again under Saved secrets."
            case KeySource.ENVIRONMENT:
                value = self._environment.get(entry.variable, "")
                fault = f"The environment variable {entry.variable}, which holds “{entry.name}”, is not set."
            case _:
                value = self._keyring.read(entry.name) or ""
                fault = f"The keyring holds no value for “{entry.name}”. Type it in again under Saved secrets."
        if not value:
            raise SettingsError(fault)
        return secret_rules.checked_value(value)

    def note_used(self, name: str) -> None:
        with self._lock:
            entry = self._entry(name)
            if not entry.was_used:
                others = [one for one in self.entries() if one.name != entry.name]
                self._write((*others, entry.model_copy(update={"was_used": True})))

    # --- keeping it ---

    def entries(self) -> tuple[SecretEntry, ...]:
        """All entries by name.

        Raises:
            StoreError: The file cannot be read, or was damaged; a damaged one is kept aside.
        """
        path = self._folder / SECRETS_NAME
        try:
            found = _File.model_validate_json(path.read_bytes()).secrets
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(f"The list of saved secrets cannot be read ({error.strerror or error}).") from error
        except ValidationError as error:
            with in_words("The damaged list of saved secrets cannot be put aside"):
                aside = set_aside(path)
            raise StoreError(
                f"The list of saved secrets was damaged and is kept as {aside}. Save the secrets again."
            ) from error
        return tuple(sorted(found, key=lambda one: one.name.casefold()))

    def save(self, entry: SecretEntry, value: str | None = None) -> SecretEntry:
        """Save a new secret or change one; the entry as it is kept. A value that is held elsewhere leaves the keyring.

        Args:
            value: None keeps the value there is.

        Raises:
            SettingsError: Name, sites or value cannot be used, or there is no value yet.
            SecretUnavailable: The keyring does not keep it; nothing was changed.
        """
        entry = checked_entry(entry)
        with self._lock:
            kept = next((one for one in self.entries() if one.name.casefold() == entry.name.casefold()), None)
            if kept is not None:
                entry = entry.model_copy(update={"name": kept.name, "was_used": kept.was_used and value is None})
            others = [one for one in self.entries() if one.name != entry.name]
            if entry.source is KeySource.ENVIRONMENT:
                if not entry.variable:
                    raise SettingsError("Name the environment variable that holds the secret.")
            elif value is not None:
                self._keep(entry, secret_rules.checked_value(value))
            elif not self._has(entry):
                raise SettingsError(f"Type in the value of “{entry.name}”.")
            if entry.source is not KeySource.KEYRING and kept is not None and kept.source is KeySource.KEYRING:
                self._keyring.delete(entry.name)
            if entry.source is not KeySource.SESSION:
                self._session.pop(entry.name, None)
            self._write((*others, entry))
        return entry

    def remove(self, name: str) -> None:
        """Take a secret out of the list and the keyring.

        Raises:
            SettingsError: There is none of that name.
            SecretUnavailable: The keyring still holds it; it stays in the list.
        """
        with self._lock:
            entry = self._entry(name)
            self._session.pop(entry.name, None)
            if entry.source is KeySource.KEYRING:
                self._keyring.delete(entry.name)
            self._write(tuple(one for one in self.entries() if one.name != entry.name))

    def trouble(self) -> SecretUnavailable | None:
        """Why the keyring does not serve, None when it seems to. Blocks."""
        return self._keyring.trouble()

    def _keep(self, entry: SecretEntry, value: str) -> None:
        if entry.source is KeySource.SESSION:
            self._session[entry.name] = value
            return
        self._keyring.write(entry.name, value)

    def _has(self, entry: SecretEntry) -> bool:
        kept = next((one for one in self.entries() if one.name == entry.name), None)
        if kept is None or kept.source is not entry.source:
            return False
        return entry.source is KeySource.KEYRING or entry.name in self._session

    def _entry(self, name: str) -> SecretEntry:
        for entry in self.entries():
            if entry.name.casefold() == name.strip().casefold():
                return entry
        raise SettingsError(f"No secret named “{name}” is saved.")

    def _write(self, entries: tuple[SecretEntry, ...]) -> None:
        with in_words("The list of saved secrets cannot be saved"):
            make_private_folder(self._folder)
            content = _File(secrets=tuple(sorted(entries, key=lambda one: one.name.casefold())))
            write_whole(self._folder / SECRETS_NAME, content.model_dump_json(indent=2).encode() + b"\n")


def checked_entry(entry: SecretEntry) -> SecretEntry:
    """The entry as it is kept.

    Raises:
        SettingsError: Its name or one of its sites cannot be used, or it may be used nowhere.
    """
    checked = entry.model_copy(
        update={
            "name": secret_rules.checked_name(entry.name),
            "sites": secret_rules.checked_sites(entry.sites),
            "apps": secret_rules.checked_apps(entry.apps),
            "variable": entry.variable.strip(),
        }
    )
    if any(sign in "=\0" or sign.isspace() for sign in checked.variable):
        raise SettingsError(f"“{checked.variable}” is no name of an environment variable: write one such as SHOP_PW.")
    if not checked.sites and not checked.apps:
        raise SettingsError("Name the sites or programs the secret may be used on; it is used nowhere else.")
    return checked
