"""`operative secrets`: a value comes from stdin, never from the arguments, and is never printed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from keyring.errors import NoKeyringError

from operative_app.cli.options import SecretsOptions, SecretsTask
from operative_app.cli.parser import parse
from operative_app.cli.secrets import WITHOUT_KEYRING, manage_secrets
from operative_app.core.errors import SettingsError
from operative_app.store.keyrings import SecretUnavailable
from operative_app.store.secret_book import SecretStore
from tests.store.test_secrets import Box, Failing

MARKER = "marker-3Qz8-value"


@pytest.fixture
def store(tmp_path: Path) -> SecretStore:
    return SecretStore(tmp_path, Box(), {"SHOP_PW": "from-environment"})


def told(store: SecretStore, *arguments: str, typed: str = "") -> str:
    options = parse(["secrets", *arguments])
    assert isinstance(options, SecretsOptions)
    out = io.StringIO()
    assert manage_secrets(options, store, typed=io.StringIO(typed), out=out) == 0
    return out.getvalue()


def test_a_secret_is_set_listed_changed_and_removed(store: SecretStore) -> None:
    assert "No secret is saved yet" in told(store, "list")
    said = told(store, "set", "shop", "--site", "shop.example", "--app", "keepassxc", typed=f"{MARKER}\n")
    assert said == "“shop” is saved for shop.example, the program keepassxc.\n"
    assert store.value("shop") == MARKER
    assert told(store, "list") == "shop  shop.example, the program keepassxc\n"
    assert json.loads(told(store, "list", "--json"))["sites"] == ["shop.example"]
    told(store, "set", "shop", "--site", "*.shop.example", "--keep-value")
    assert (store.entries()[0].sites, store.value("shop")) == (("*.shop.example",), MARKER)
    assert "keepassxc" in told(store, "set", "shop", typed="second")
    assert store.value("shop") == "second"
    told(store, "remove", "shop")
    assert store.entries() == ()


def test_an_environment_variable_holds_it_where_there_is_no_keyring(store: SecretStore) -> None:
    said = told(store, "set", "shop", "--site", "shop.example", "--env", "SHOP_PW")
    assert said.splitlines()[1:] == ["SHOP_PW is not set here: set it before Operative is to use the secret."]
    assert store.value("shop") == "from-environment"
    assert "in the environment variable SHOP_PW" in told(store, "list")


def test_without_a_keyring_the_option_that_helps_is_named(tmp_path: Path) -> None:
    store = SecretStore(tmp_path, Failing(NoKeyringError("none")), instead=WITHOUT_KEYRING)
    options = parse(["secrets", "set", "shop", "--site", "shop.example"])
    assert isinstance(options, SecretsOptions)
    with pytest.raises(SecretUnavailable, match=r"no keyring.*Nothing was changed.*--env VAR"):
        manage_secrets(options, store, typed=io.StringIO(MARKER), out=io.StringIO())
    assert store.entries() == ()


def test_no_value_is_taken_from_the_arguments(store: SecretStore, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (["--value", MARKER], [MARKER]):
        with pytest.raises(SystemExit) as end:
            parse(["secrets", "set", "shop", "--site", "shop.example", *more])
        assert end.value.code == 2
    assert parse(["secrets", "list"]) == SecretsOptions(SecretsTask.LIST)
    assert "value" not in {name for name in SecretsOptions.__dataclass_fields__ if name != "keeps_value"}
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["set", "shop"], "Name the sites or programs"),
        (["set", "shop", "--site", "http://shop.example"], "plain http"),
        (["set", "{shop}", "--site", "shop.example"], "without braces"),
        (["set", "shop", "--site", "shop.example", "--keep-value"], "No secret named"),
        (["remove", "shop"], "No secret named"),
    ],
)
def test_what_is_wrong_is_said_before_a_value_is_read(store: SecretStore, arguments: list[str], words: str) -> None:
    options = parse(["secrets", *arguments])
    assert isinstance(options, SecretsOptions)
    typed = io.StringIO(MARKER)
    with pytest.raises(SettingsError, match=words):
        manage_secrets(options, store, typed=typed, out=io.StringIO())
    assert typed.tell() == 0
