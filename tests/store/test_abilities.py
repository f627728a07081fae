from __future__ import annotations

import stat
from pathlib import Path

from operative_app.core.endpoint import Api, Capabilities
from operative_app.store.abilities import ABILITIES_NAME, AbilityStore

HERE = "http://localhost:8080/v1"
KNOWN = Capabilities(has_vision=False, context_tokens=4096, api=Api.CHAT, refused_parameters=frozenset({"strict"}))


def test_what_is_known_is_kept_by_address_and_model(tmp_path: Path) -> None:
    AbilityStore(tmp_path / "config").remember(HERE, "small", KNOWN)

    again = AbilityStore(tmp_path / "config")
    assert again.recall(HERE, "small") == KNOWN
    assert again.recall(HERE, "large") is None
    assert again.recall("http://localhost:1234/v1", "small") is None
    assert stat.S_IMODE((tmp_path / "config" / ABILITIES_NAME).stat().st_mode) == 0o600


def test_a_model_can_begin_anew(tmp_path: Path) -> None:
    store = AbilityStore(tmp_path)
    store.remember(HERE, "small", KNOWN)
    store.remember(HERE, "large", KNOWN)

    store.forget(HERE, "small")
    store.forget(HERE, "small")

    assert store.recall(HERE, "small") is None
    assert store.recall(HERE, "large") == KNOWN


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / ABILITIES_NAME).write_text("{")
    store = AbilityStore(tmp_path)

    assert store.recall(HERE, "small") is None
    store.remember(HERE, "small", KNOWN)
    assert store.recall(HERE, "small") == KNOWN


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")

    AbilityStore(tmp_path / "config").remember(HERE, "small", KNOWN)


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    store = AbilityStore(tmp_path)
    for number in range(201):
        store.remember(HERE, f"model {number}", KNOWN)
    store.remember(HERE, "model 1", KNOWN)
    store.remember(HERE, "newest", KNOWN)

    assert store.recall(HERE, "model 0") is None
    assert store.recall(HERE, "model 2") is None
    assert store.recall(HERE, "model 1") == KNOWN
    assert store.recall(HERE, "newest") == KNOWN
