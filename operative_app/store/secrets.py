"""Keys of endpoints: in the system's keyring, in an environment variable, or in memory until the application closes.

Principle: a key is never written to a file of ours, and a save counts only when the key can be read back. Where a
keyring is missing, locked, or forgets, that is said in words with what can be done instead; nothing is chosen in
silence.

All methods may block (a keyring may ask for a password in a window of its own): call them from a worker.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError
from operative_app.store.keyrings import Keyring, SecretUnavailable, SystemKeyring, Wording

SERVICE = "Operative"
_WORDING = Wording(
    "key", "Name an environment variable that holds the key instead, or keep the key until Operative closes."
)


class KeySafe:
    """Keeps keys by the address of their endpoint.

    Args:
        backend: The keyring; None is the one the system offers, found at first use.
    """

    def __init__(self, backend: Keyring | None = None, environment: Mapping[str, str] = os.environ) -> None:
        self._keyring = SystemKeyring(SERVICE, _WORDING, backend)
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
                key = self._keyring.read(base_url) or ""
                if not key:
                    raise SettingsError("The keyring holds no key for this address. Type it in again in the settings.")
                return key

    def save(self, base_url: str, key: str) -> None:
        """Save a key in the keyring and read it back.

        Raises:
            SettingsError: There is no key to save.
            SecretUnavailable: It is not kept.
        """
        self._keyring.write(base_url, _whole(key))
        self._session.pop(base_url, None)

    def keep_until_closed(self, base_url: str, key: str) -> None:
        """Keep a key in memory only.

        Raises:
            SettingsError: There is no key to keep.
        """
        self._session[base_url] = _whole(key)

    def leave_keyring(self, base_url: str) -> None:
        """Take the key of an address out of the keyring, since it is held elsewhere; one that is not there is fine.

        Raises:
            SecretUnavailable: The keyring still holds it.
        """
        self._keyring.delete(base_url)

    def trouble(self) -> SecretUnavailable | None:
        """Why the keyring does not serve, None when it seems to; nothing is written for it."""
        return self._keyring.trouble()


def _whole(key: str) -> str:
    key = key.strip()
    if not key:
        raise SettingsError("There is no key to keep; the field is empty.")
    return key
