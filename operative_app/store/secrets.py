"""Keys of endpoints: in the system's keyring, in an environment variable, or in memory until the application closes.

Principle: a key is never written to a file of ours, and a save counts only when the key can be read back. Where a
keyring is missing, locked, or forgets, that is said in words with what can be done instead; nothing is chosen in
silence.

All methods may block (a keyring may ask for a password in a window of its own): call them from a worker.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError, StoreError

SERVICE = "Operative"
_INSTEAD = "Name an environment variable that holds the key instead, or keep the key until Operative closes."


class KeyringTrouble(StrEnum):
    """Why a keyring does not serve."""

    MISSING = "missing"
    LOCKED = "locked"
    FORGETFUL = "forgetful"
    BROKEN = "broken"


class SecretUnavailable(StoreError):
    """A key cannot be kept or had; the sentence says what can be done.

    Attributes:
        trouble: Why; a locked keyring is worth another try.
    """

    def __init__(self, message: str, trouble: KeyringTrouble) -> None:
        super().__init__(message)
        self.trouble = trouble

    @property
    def can_retry(self) -> bool:
        return self.trouble is KeyringTrouble.LOCKED


class Keyring(Protocol):
    """What is used of a backend of the `keyring` package."""

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


class KeySafe:
    """Keeps keys by the address of their endpoint.

    Args:
        backend: The keyring; None is the one the system offers, found at first use.
    """

    def __init__(self, backend: Keyring | None = None, environment: Mapping[str, str] = os.environ) -> None:
        self._backend = backend
        self._environment = environment
        self._session: dict[str, str] = {}

    def key(self, base_url: str, source: KeySource, variable: str = "") -> str:
        """The key of an endpoint; "" when its source is NONE.

        Raises:
            SettingsError: There is none in the place named.
            SecretUnavailable: The keyring cannot be read.
        """
        match source:
            case KeySource.NONE:
                return ""
            case KeySource.SESSION:
                if base_url not in self._session:
                    raise SettingsError("The key was kept until Operative closed. Type it in again in the settings.")
                return self._session[base_url]
            case KeySource.ENVIRONMENT:
                key = self._environment.get(variable, "").strip() if variable else ""
                if not key:
                    name = f"variable {variable}" if variable else "variable for the key"
                    raise SettingsError(f"The environment {name} is not set. Set it, or choose another place.")
                return key
            case KeySource.KEYRING:
                key = self._read(base_url) or ""
                if not key:
                    raise SettingsError("The keyring holds no key for this address. Type it in again in the settings.")
                return key

    def save(self, base_url: str, key: str) -> None:
        """Save a key in the keyring and read it back.

        Raises:
            SettingsError: There is no key to save.
            SecretUnavailable: It is not kept.
        """
        key = _whole(key)
        try:
            self._found().set_password(SERVICE, base_url, key)
        except Exception as error:
            raise _unavailable(error) from error
        if self._read(base_url) != key:
            raise SecretUnavailable(
                f"The keyring took the key but did not keep it. {_INSTEAD}", KeyringTrouble.FORGETFUL
            )
        self._session.pop(base_url, None)

    def keep_until_closed(self, base_url: str, key: str) -> None:
        """Keep a key in memory only.

        Raises:
            SettingsError: There is no key to keep.
        """
        self._session[base_url] = _whole(key)

    def forget(self, base_url: str) -> None:
        """Take the key of an address out of memory and keyring; one that is not there is fine.

        Raises:
            SecretUnavailable: The keyring still holds it.
        """
        self._session.pop(base_url, None)
        if not self._read(base_url):
            return
        try:
            self._found().delete_password(SERVICE, base_url)
        except Exception as error:
            raise _unavailable(error) from error

    def trouble(self) -> SecretUnavailable | None:
        """Why the keyring does not serve, None when it seems to; nothing is written for it."""
        try:
            self._read("availability")
        except SecretUnavailable as unavailable:
            return unavailable
        if _keeps_nothing(self._found()):
            return SecretUnavailable(
                f"The keyring of this system is switched off. {_INSTEAD}", KeyringTrouble.FORGETFUL
            )
        return None

    def _read(self, base_url: str) -> str | None:
        try:
            return self._found().get_password(SERVICE, base_url)
        except Exception as error:
            raise _unavailable(error) from error

    def _found(self) -> Keyring:
        if self._backend is None:
            import keyring

            self._backend = keyring.get_keyring()
        return self._backend


def _whole(key: str) -> str:
    key = key.strip()
    if not key:
        raise SettingsError("There is no key to keep; the field is empty.")
    return key


def _keeps_nothing(backend: Keyring) -> bool:
    from keyring.backends import null

    return isinstance(backend, null.Keyring)


def _unavailable(error: Exception) -> SecretUnavailable:
    """A backend's error in words. Backends are plug-ins, so it may be of any type; its text may hold anything."""
    from keyring import errors

    if isinstance(error, errors.NoKeyringError):
        return SecretUnavailable(f"This system has no keyring to keep the key in. {_INSTEAD}", KeyringTrouble.MISSING)
    if isinstance(error, errors.KeyringLocked):
        return SecretUnavailable(f"The keyring is locked. Unlock it and try again. {_INSTEAD}", KeyringTrouble.LOCKED)
    if isinstance(error, errors.InitError):
        return SecretUnavailable(f"The system's keyring is not running. {_INSTEAD}", KeyringTrouble.MISSING)
    return SecretUnavailable(f"The keyring cannot be used ({type(error).__name__}). {_INSTEAD}", KeyringTrouble.BROKEN)
