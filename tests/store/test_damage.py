"""A damaged, foreign, newer, full or read-only place: said in words, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from operative_app.core.errors import StoreError
from operative_app.core.events import EVENT_ADAPTER
from operative_app.core.screen import Picture
from operative_app.store.database import SCHEMA_VERSION, connect
from operative_app.store.runs import RunStore
from tests.store.run_events import Story

OpenStore = Callable[[Path], RunStore]


@pytest.fixture
def open_store() -> Iterator[OpenStore]:
    with ExitStack() as stack:

        def open_it(folder: Path) -> RunStore:
            store = RunStore(folder)
            stack.callback(store.close)
            return store

        yield open_it


@pytest.fixture
def folder(tmp_path: Path, open_store: OpenStore) -> Path:
    """A folder with a recorded run of 200 steps and a picture."""
    folder = tmp_path / "data"
    store, story = open_store(folder), Story("old")
    store.record(story.started())
    store.record(story.observed(store.keep_picture(Picture(data=b"old picture"))))
    for step in range(1, 200):
        store.record(story.step_started(step))
    store.record(story.finished())
    store.close()
    return folder


def overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(lambda path: path.write_text("something else entirely"), id="text"),
        pytest.param(lambda path: overwrite(path, 0, b"garbage!"), id="header"),
        pytest.param(lambda path: overwrite(path, 100, os.urandom(8000)), id="first pages"),
        pytest.param(lambda path: overwrite(path, 4096 * 3, os.urandom(4096 * 4)), id="middle"),
        pytest.param(truncate, id="cut"),
    ],
)
def test_a_damaged_record_is_set_aside_and_a_new_one_begun(
    folder: Path, open_store: OpenStore, damage: Callable[[Path], object]
) -> None:
    database = folder / "runs.sqlite3"
    damage(database)
    damaged = database.read_bytes()
    database.with_name("runs.sqlite3-wal").write_bytes(b"journal")

    store = open_store(folder)
    story = Story("new")
    for event in story.whole():
        store.record(event)

    (notice,) = store.notices
    (aside,) = folder.glob("runs.damaged-*.sqlite3")
    assert str(aside) in notice
    assert notice.startswith("The record of earlier runs was ") or "is no database" in notice
    assert aside.read_bytes() == damaged
    assert [run.run_id for run in store.list_runs()] == ["new"]
    assert [path.read_bytes() for path in folder.glob("pictures.damaged-*/*/*")] == [b"old picture"]
    store.close()
    assert open_store(folder).notices == []


def test_the_journal_goes_along_with_a_damaged_record(folder: Path, open_store: OpenStore) -> None:
    (folder / "runs.sqlite3").write_bytes(b"no database")
    (folder / "runs.sqlite3-wal").write_bytes(b"journal")
    (folder / "runs.sqlite3-shm").write_bytes(b"index")

    open_store(folder)

    (aside,) = folder.glob("runs.damaged-*.sqlite3")
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == b"journal"
    assert aside.with_name(f"{aside.name}-shm").read_bytes() == b"index"


def test_two_damaged_records_of_one_second_are_both_kept(folder: Path, open_store: OpenStore) -> None:
    for content in (b"first", b"second"):
        (folder / "runs.sqlite3").write_bytes(content)
        open_store(folder).close()

    assert {path.read_bytes() for path in folder.glob("runs.damaged-*.sqlite3")} == {b"first", b"second"}


def test_a_database_of_another_program_is_set_aside_whole(tmp_path: Path, open_store: OpenStore) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.sqlite3")) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")

    store = open_store(tmp_path)

    assert "belongs to another program" in store.notices[0]
    (aside,) = tmp_path.glob("runs.damaged-*.sqlite3")
    with closing(sqlite3.connect(aside)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]


def test_a_record_of_a_newer_version_is_refused_and_left_alone(folder: Path) -> None:
    database = folder / "runs.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = database.read_bytes()

    with pytest.raises(StoreError, match="newer version of Operative"):
        RunStore(folder)

    assert database.read_bytes() == before
    assert not list(folder.glob("*damaged*"))


def test_an_event_of_another_version_is_left_out_and_told(folder: Path, open_store: OpenStore) -> None:
    with closing(sqlite3.connect(folder / "runs.sqlite3")) as connection, connection:
        connection.execute('UPDATE events SET json = \'{"kind": "dreamt"}\' WHERE sequence = 5')

    store = open_store(folder)

    assert len(store.events("old")) == 201
    assert "1 of 202 events of the run old" in store.notices[0]


def test_a_file_in_place_of_the_folder_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("I am a file")

    with pytest.raises(StoreError, match="cannot be used: a file stands where a folder is needed"):
        RunStore(tmp_path / "data")


def test_a_record_that_is_damaged_while_in_use_fails_in_words(folder: Path, open_store: OpenStore) -> None:
    store = open_store(folder)
    overwrite(folder / "runs.sqlite3", 0, os.urandom(40_000))

    with pytest.raises(StoreError, match="is damaged"):
        store.events("old")


def fill_until_refused(store: RunStore) -> tuple[StoreError, int]:
    story, recorded = Story("big"), 0
    store.record(story.started())
    for step in range(1, 5000):
        try:
            store.record(story.step_started(step, "x" * 1000))
        except StoreError as error:
            return error, recorded
        recorded = step
    raise AssertionError("the disk was never full")


@contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    mount = shutil.which("mount")
    if mount is None or os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only the administrator can mount a small disk")
    place.mkdir(exist_ok=True)
    if subprocess.run(
        [mount, "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False
    ).returncode:
        pytest.skip("this machine does not allow mounting")
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_said_in_words_and_the_record_stays_sound(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "size=512k,mode=700"):
        store = RunStore(tmp_path / "small" / "data")
        try:
            error, recorded = fill_until_refused(store)
            with pytest.raises(StoreError, match="disk is full"):
                store.keep_picture(Picture(data=os.urandom(600_000)))
            read = store.events("big")
        finally:
            store.close()
        assert "The record cannot be written: the disk" in str(error)
        assert "full" in str(error)
        assert len(read) == recorded + 1
        assert not list((tmp_path / "small" / "data" / "pictures").rglob(".*"))
        again = RunStore(tmp_path / "small" / "data")
        try:
            assert again.notices == []
            assert len(again.events("big")) == recorded + 1
        finally:
            again.close()


def test_a_disk_that_is_full_from_the_beginning_is_said_in_words(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "size=8k,mode=700"), pytest.raises(StoreError, match="cannot be opened: the disk"):
        RunStore(tmp_path / "small" / "data")


def test_a_read_only_folder_is_said_in_words(tmp_path: Path) -> None:
    with (
        mounted(tmp_path / "fixed", "size=512k,mode=700,ro"),
        pytest.raises(StoreError, match="cannot be written to"),
    ):
        RunStore(tmp_path / "fixed" / "data")


def test_a_record_on_a_read_only_disk_is_said_in_words_and_not_set_aside(tmp_path: Path) -> None:
    place = tmp_path / "fixed"
    with mounted(place, "size=1m,mode=700"):
        store = RunStore(place / "data")
        for event in Story("r1").whole():
            store.record(event)
        store.close()
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        with pytest.raises(StoreError, match="cannot be written to"):
            RunStore(place / "data")
        assert not list(place.rglob("*damaged*"))


def test_a_full_database_is_said_in_words(folder: Path, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        return connection

    monkeypatch.setattr("operative_app.store.runs.connect", small)
    store = open_store(folder)

    error, recorded = fill_until_refused(store)

    assert str(error) == "The record cannot be written: the disk is full. Free some space and try again."
    assert [EVENT_ADAPTER.dump_python(event)["kind"] for event in store.events("big")][-1] == "step_started"
    assert len(store.events("big")) == recorded + 1
