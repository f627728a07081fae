from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.core import load_keyring
from keyring.errors import InitError, KeyringError, KeyringLocked, PasswordDeleteError

from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError, StoreError
from operative_app.store.keyrings import KeyringTrouble, SecretUnavailable
from operative_app.store.secrets import KeySafe
from operative_app.store.settings import ModelSettings, Settings, load_settings, save_settings

HERE = "https://models.example/v1"
THERE = "http://localhost:8080/v1"
KEY = "sk-test-FAKE000000000000000000000000"


def shipped(name: str) -> KeyringBackend:
    """A backend of the package itself: "null" keeps nothing, "fail" stands for none at all."""
    backend: KeyringBackend = load_keyring(f"keyring.backends.{name}.Keyring")
    return backend


class Box(KeyringBackend):
    """A keyring in memory, as the backends of the systems behave."""

    priority = 1.0

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not found")
        del self.kept[service, username]


class Cutting(Box):
    def set_password(self, service: str, username: str, password: str) -> None:
        super().set_password(service, username, password[:10])


class Failing(Box):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.error


def test_a_key_is_saved_read_back_and_taken_out() -> None:
    box = Box()
    safe = KeySafe(box)

    safe.save(HERE, f"  {KEY}\n")

    assert safe.key(HERE, KeySource.KEYRING) == KEY
    assert KeySafe(box).key(HERE, KeySource.KEYRING) == KEY
    assert box.kept == {("Operative", HERE): KEY}
    assert safe.trouble() is None
    with pytest.raises(SettingsError, match="no key for this address"):
        safe.key(THERE, KeySource.KEYRING)
    safe.leave_keyring(HERE)
    safe.leave_keyring(HERE)
    assert box.kept == {}


@pytest.mark.parametrize(
    ("backend", "trouble", "words"),
    [
        (shipped("null"), KeyringTrouble.FORGETFUL, "did not keep it"),
        (Cutting(), KeyringTrouble.FORGETFUL, "did not keep it"),
        (shipped("fail"), KeyringTrouble.MISSING, "has no keyring"),
        (Failing(KeyringLocked("locked")), KeyringTrouble.LOCKED, "Unlock it and try again"),
        (Failing(InitError("no service")), KeyringTrouble.MISSING, "is not running"),
        (Failing(KeyringError(f"odd: {KEY}")), KeyringTrouble.BROKEN, "cannot be used (KeyringError)"),
        (Failing(OSError("bus is gone")), KeyringTrouble.BROKEN, "cannot be used (OSError)"),
    ],
    ids=["null", "cuts", "none", "locked", "not running", "odd", "foreign"],
)
def test_a_keyring_that_does_not_serve_is_said_with_what_can_be_done(
    backend: KeyringBackend, trouble: KeyringTrouble, words: str
) -> None:
    with pytest.raises(SecretUnavailable) as caught:
        KeySafe(backend).save(HERE, KEY)

    error = caught.value
    assert isinstance(error, StoreError)
    assert error.trouble is trouble
    assert error.can_retry is (trouble is KeyringTrouble.LOCKED)
    assert words in str(error)
    assert "environment variable" in str(error)
    assert "until Operative closes" in str(error)
    assert KEY not in str(error)


@pytest.mark.parametrize("backend", [shipped("null"), shipped("fail"), Failing(KeyringLocked("locked"))])
def test_whether_a_keyring_serves_is_known_before_a_key_is_typed(backend: KeyringBackend) -> None:
    assert isinstance(KeySafe(backend).trouble(), SecretUnavailable)


def test_reading_from_a_locked_keyring_is_said_too() -> None:
    with pytest.raises(SecretUnavailable, match="locked"):
        KeySafe(Failing(KeyringLocked("locked"))).key(HERE, KeySource.KEYRING)


def test_a_key_for_now_is_in_memory_only() -> None:
    box = Box()
    safe = KeySafe(box)

    safe.keep_until_closed(HERE, KEY)

    assert safe.key(HERE, KeySource.SESSION) == KEY
    assert box.kept == {}
    with pytest.raises(SettingsError, match="until Operative closed"):
        KeySafe(box).key(HERE, KeySource.SESSION)


def test_a_key_of_the_environment_is_read_when_it_is_needed() -> None:
    environment = {"MY_KEY": f"{KEY}\n"}
    safe = KeySafe(Box(), environment)

    assert safe.key(HERE, KeySource.ENVIRONMENT, "MY_KEY") == KEY
    environment.clear()
    with pytest.raises(SettingsError, match="variable MY_KEY is not set"):
        safe.key(HERE, KeySource.ENVIRONMENT, "MY_KEY")
    with pytest.raises(SettingsError, match="is not set"):
        safe.key(HERE, KeySource.ENVIRONMENT)


def test_an_endpoint_without_a_key_needs_no_keyring() -> None:
    assert KeySafe(shipped("fail")).key(HERE, KeySource.NONE) == ""


@pytest.mark.parametrize("key", ["", "  \n"])
def test_an_empty_key_is_not_kept(key: str) -> None:
    with pytest.raises(SettingsError, match="empty"):
        KeySafe(Box()).save(HERE, key)
    with pytest.raises(SettingsError, match="empty"):
        KeySafe(Box()).keep_until_closed(HERE, key)


@pytest.fixture
def system_keyring() -> Iterator[Box]:
    """What the `keyring` package finds on this system, a keyring in memory for this test."""
    before, box = keyring.get_keyring(), Box()
    keyring.set_keyring(box)
    yield box
    keyring.set_keyring(before)


def test_the_keyring_of_the_system_is_used_and_the_key_is_nowhere_else(
    system_keyring: Box, isolation: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    safe = KeySafe()

    safe.save(HERE, KEY)
    save_settings(tmp_path, Settings(model=ModelSettings(base_url=HERE, model="m", key_source=KeySource.KEYRING)))

    model = load_settings(tmp_path).settings.model
    assert safe.key(model.base_url, model.key_source) == KEY
    assert system_keyring.kept
    files = [path for folder in (isolation, tmp_path) for path in folder.rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)
    assert KEY not in caplog.text
