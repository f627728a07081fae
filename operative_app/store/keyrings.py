"""The system's keyring: read, write and read back, delete, and in words why it does not serve.

All of it may block (a keyring may ask for a password in a window of its own): call it from a worker.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from operative_app.core.errors import StoreError


class KeyringTrouble(StrEnum):
    """Why a keyring does not serve."""

    MISSING = "missing"
    LOCKED = "locked"
    FORGETFUL = "forgetful"
    BROKEN = "broken"


class SecretUnavailable(StoreError):
    """Something secret cannot be kept or had; the sentence says what can be done.

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


@dataclass(frozen=True, slots=True)
class Wording:
    """How what is kept is called, and what can be done where it cannot be kept."""

    thing: str
    instead: str


class SystemKeyring:
    """Entries of one service in a keyring.

    Args:
        backend: The keyring; None is the one the system offers, found at first use.
    """

    def __init__(self, service: str, wording: Wording, backend: Keyring | None = None) -> None:
        self._service = service
        self._wording = wording
        self._backend = backend

    def read(self, entry: str) -> str | None:
        """What is kept, None when nothing is. Raises SecretUnavailable."""
        try:
            return self._found().get_password(self._service, entry)
        except Exception as error:
            raise self._unavailable(error) from error

    def write(self, entry: str, value: str) -> None:
        """Keep a value and read it back.

        Raises:
            SecretUnavailable: It is not kept.
        """
        try:
            self._found().set_password(self._service, entry, value)
        except Exception as error:
            raise self._unavailable(error) from error
        if self.read(entry) != value:
            raise SecretUnavailable(
                f"The keyring took the {self._wording.thing} but did not keep it. {self._wording.instead}",
                KeyringTrouble.FORGETFUL,
            )

    def delete(self, entry: str) -> None:
        """Take an entry out; one that is not there is fine.

        Raises:
            SecretUnavailable: The keyring still holds it.
        """
        if not self.read(entry):
            return
        try:
            self._found().delete_password(self._service, entry)
        except Exception as error:
            raise self._unavailable(error) from error

    def trouble(self) -> SecretUnavailable | None:
        """Why the keyring does not serve, None when it seems to; nothing is written for it."""
        try:
            self.read("availability")
        except SecretUnavailable as unavailable:
            return unavailable
        if _keeps_nothing(self._found()):
            return SecretUnavailable(
                f"The keyring of this system is switched off. {self._wording.instead}", KeyringTrouble.FORGETFUL
            )
        return None

    def _found(self) -> Keyring:
        if self._backend is None:
            import keyring

            self._backend = keyring.get_keyring()
        return self._backend

    def _unavailable(self, error: Exception) -> SecretUnavailable:
        """A backend's error in words. Backends are plug-ins: it may be of any type, its text may hold anything."""
        from keyring import errors

        thing, instead = self._wording.thing, self._wording.instead
        if isinstance(error, errors.NoKeyringError):
            return SecretUnavailable(
                f"This system has no keyring to keep the {thing} in. {instead}", KeyringTrouble.MISSING
            )
        if isinstance(error, errors.KeyringLocked):
            return SecretUnavailable(
                f"The keyring is locked. Unlock it and try again. {instead}", KeyringTrouble.LOCKED
            )
        if isinstance(error, errors.InitError):
            return SecretUnavailable(f"The system's keyring is not running. {instead}", KeyringTrouble.MISSING)
        return SecretUnavailable(
            f"The keyring cannot be used ({type(error).__name__}). {instead}", KeyringTrouble.BROKEN
        )


def _keeps_nothing(backend: Keyring) -> bool:
    from keyring.backends import null

    return isinstance(backend, null.Keyring)
