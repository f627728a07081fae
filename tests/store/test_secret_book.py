"""Saved secrets: the file holds names and places, the keyring holds values, and each failure is told in words."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked, NoKeyringError

from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError, StoreError
from operative_app.core.screen import SurfaceKind
from operative_app.core.secrets import SavedSecret
from operative_app.store.keyrings import SecretUnavailable
from operative_app.store.secret_book import SECRETS_NAME, SERVICE, SecretEntry, SecretStore
from tests.store.test_secrets import Box, Failing, shipped

MARKER = "marker-9Xk2-value"
SHOP = SecretEntry(name="shop password", sites=("shop.example",))


def test_a_value_is_in_the_keyring_and_in_no_file(tmp_path: Path) -> None:
    keyring = Box()
    store = SecretStore(tmp_path, keyring)
    store.save(SHOP, MARKER)
    assert keyring.kept == {(SERVICE, "shop password"): MARKER}
    assert SecretStore(tmp_path, keyring).value("Shop Password") == MARKER
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.name for path in files] == [SECRETS_NAME]
    assert MARKER.encode() not in files[0].read_bytes()
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600


def test_what_is_told_of_a_secret_is_where_it_may_be_used(tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Box())
    store.save(SHOP, MARKER)
    store.save(SecretEntry(name="notes", apps=("KeePassXC",)), MARKER)
    notes, shop = store.names()
    assert shop == SavedSecret(name="shop password", sites=("shop.example",))
    assert (shop.is_for(SurfaceKind.BROWSER), shop.is_for(SurfaceKind.DESKTOP)) == (True, False)
    assert (notes.is_for(SurfaceKind.BROWSER), notes.is_for(SurfaceKind.DESKTOP)) == (False, True)
    assert MARKER not in repr(store.entries())


def test_places_are_changed_without_the_value_and_names_differ_by_more_than_case(tmp_path: Path) -> None:
    keyring = Box()
    store = SecretStore(tmp_path, keyring)
    store.save(SHOP, MARKER)
    assert store.save(SecretEntry(name="SHOP password", sites=("other.example",))).name == "shop password"
    assert [one.sites for one in store.entries()] == [("other.example",)]
    assert store.value("shop password") == MARKER
    assert len(keyring.kept) == 1


def test_a_secret_that_is_removed_is_gone_from_the_keyring(tmp_path: Path) -> None:
    keyring = Box()
    store = SecretStore(tmp_path, keyring)
    store.save(SHOP, MARKER)
    store.remove("shop password")
    assert keyring.kept == {}
    assert store.entries() == ()
    with pytest.raises(SettingsError, match="No secret named"):
        store.remove("shop password")
    with pytest.raises(SettingsError, match="No secret named"):
        store.value("shop password")


@pytest.mark.parametrize("source", [KeySource.ENVIRONMENT, KeySource.SESSION])
def test_a_value_that_is_held_elsewhere_leaves_the_keyring(source: KeySource, tmp_path: Path) -> None:
    keyring = Box()
    store = SecretStore(tmp_path, keyring, {"SHOP_PW": "elsewhere"})
    store.save(SHOP, MARKER)
    elsewhere = SHOP.model_copy(update={"source": source, "variable": "SHOP_PW"})
    store.save(elsewhere, "elsewhere" if source is KeySource.SESSION else None)
    assert keyring.kept == {}
    assert store.value("shop password") == "elsewhere"


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        (Failing(KeyringLocked("locked")), "Unlock it"),
        (Failing(NoKeyringError("none")), "has no keyring"),
        (Failing(OSError(MARKER)), "cannot be used"),
        (shipped("null"), "did not keep it"),
    ],
)
def test_a_keyring_that_does_not_serve_changes_nothing(backend: Box, words: str, tmp_path: Path) -> None:
    store = SecretStore(tmp_path, backend)
    with pytest.raises(SecretUnavailable, match=words) as caught:
        store.save(SHOP, MARKER)
    assert MARKER not in str(caught.value)
    assert store.entries() == ()
    assert store.trouble() is not None


def test_without_a_keyring_memory_or_the_environment_holds_the_value(tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Failing(NoKeyringError("none")), {"SHOP_PW": MARKER})
    store.save(SHOP.model_copy(update={"source": KeySource.SESSION}), "in-memory")
    assert store.value("shop password") == "in-memory"
    anew = SecretStore(tmp_path, Failing(NoKeyringError("none")), {"SHOP_PW": MARKER})
    with pytest.raises(SettingsError, match="until Operative closed"):
        anew.value("shop password")
    anew.save(SHOP.model_copy(update={"source": KeySource.ENVIRONMENT, "variable": " SHOP_PW "}))
    assert anew.value("shop password") == MARKER
    with pytest.raises(SettingsError, match=r"SHOP_PW.*is not set"):
        SecretStore(tmp_path, Box(), {}).value("shop password")


@pytest.mark.parametrize(
    ("entry", "value", "words"),
    [
        (SHOP, None, "Type in the value"),
        (SHOP, " ", "no value to save"),
        (SHOP, "two\nlines", "one line of text"),
        (SecretEntry(name="x"), MARKER, "Name the sites or programs"),
        (SecretEntry(name="{x}", sites=("a.example",)), MARKER, "without braces"),
        (SecretEntry(name="x", sites=("http://a.example",)), MARKER, "plain http"),
        (SecretEntry(name="x", sites=("a.example",), source=KeySource.ENVIRONMENT), None, "environment variable"),
        (SHOP.model_copy(update={"source": KeySource.ENVIRONMENT, "variable": "A B"}), None, "such as SHOP_PW"),
    ],
)
def test_what_would_not_hold_is_refused(entry: SecretEntry, value: str | None, words: str, tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Box())
    with pytest.raises(SettingsError, match=words):
        store.save(entry, value)
    assert store.entries() == ()


def test_a_damaged_list_is_kept_aside_and_said(tmp_path: Path) -> None:
    (tmp_path / SECRETS_NAME).write_text("{broken")
    store = SecretStore(tmp_path, Box())
    with pytest.raises(StoreError, match="was damaged and is kept as"):
        store.entries()
    assert store.names() == ()
    assert len(list(tmp_path.glob("secrets.damaged-*.json"))) == 1


def test_that_a_secret_was_used_is_kept_until_it_gets_a_new_value(tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Box())
    store.save(SHOP, MARKER)
    assert [one.was_used for one in store.names()] == [False]
    store.note_used("shop password")
    store.save(SHOP.model_copy(update={"sites": ("other.example",)}))
    assert [one.was_used for one in SecretStore(tmp_path, Box()).names()] == [True]
    store.save(SHOP, "second")
    assert [one.was_used for one in store.names()] == [False]
