from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from operative_app.core.errors import StoreError
from operative_app.core.events import Notice
from operative_app.core.run import RunState
from operative_app.core.screen import Picture
from operative_app.store.runs import INTERRUPTED, RunStore
from tests.store.run_events import STARTED_AT_S, Story

OpenStore = Callable[[], RunStore]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def open_store(folder: Path) -> Iterator[OpenStore]:
    """Opens the store of `folder`, as often as wanted; all are closed at the end."""
    with ExitStack() as stack:

        def open_it() -> RunStore:
            store = RunStore(folder)
            stack.callback(store.close)
            return store

        yield open_it


def record_whole(store: RunStore, story: Story) -> None:
    for event in story.whole():
        store.record(event)


def test_a_run_is_read_back_as_it_was_recorded(open_store: OpenStore) -> None:
    events = Story("r1").whole()
    store = open_store()
    for event in events:
        store.record(event)
    store.close()

    again = open_store()

    assert again.events("r1") == events
    assert again.notices == []
    (run,) = again.list_runs()
    assert (run.goal, run.state, run.steps, run.duration_s) == ("Order a Mac mini", "done", 1, 7.5)
    assert run.started_at_s == STARTED_AT_S
    assert not run.is_live


def test_runs_are_listed_newest_first(open_store: OpenStore) -> None:
    store = open_store()
    for number in (2, 3, 1):
        record_whole(store, Story(f"r{number}", STARTED_AT_S + number * 100))

    assert [run.run_id for run in store.list_runs()] == ["r3", "r2", "r1"]


def test_a_run_under_way_is_live_and_shows_its_last_state(open_store: OpenStore) -> None:
    store, story = open_store(), Story("r1")
    store.record(story.started())
    store.record(story.state(RunState.PAUSED))
    store.record(story.step_started(3))

    for reader in (store, open_store()):
        (run,) = reader.list_runs()
        assert (run.state, run.is_live, run.steps, run.duration_s) == ("paused", True, 3, 2.0)


def test_a_run_without_an_end_is_interrupted_once_its_program_is_gone(folder: Path, open_store: OpenStore) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from operative_app.store.runs import RunStore
from tests.store.run_events import Story
store, story = RunStore(Path(sys.argv[1])), Story("r1")
store.record(story.started())
store.record(story.step_started())
os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-c", script, str(folder)], cwd=Path.cwd(), timeout=60, check=False)
    assert ended.returncode == -9

    store = open_store()

    (run,) = store.list_runs()
    assert (run.state, run.is_live, run.duration_s) == (INTERRUPTED, False, 1.0)
    assert [event.kind for event in store.events("r1")] == ["run_started", "step_started"]
    assert store.notices == []


def test_a_run_left_open_is_interrupted_when_the_store_closes_or_the_next_run_begins(open_store: OpenStore) -> None:
    store = open_store()
    store.record(Story("r1").started())
    store.record(Story("r2", STARTED_AT_S + 1).started())
    assert [(run.run_id, run.state) for run in store.list_runs()] == [("r2", "ready"), ("r1", INTERRUPTED)]
    store.close()

    assert [run.state for run in open_store().list_runs()] == [INTERRUPTED, INTERRUPTED]


def test_a_started_step_is_on_disk_when_record_returns(open_store: OpenStore) -> None:
    store, story = open_store(), Story("r1")
    store.record(story.started())
    step = story.step_started()
    store.record(step)

    assert open_store().events("r1")[-1] == step


def test_the_window_reads_while_the_agent_writes(open_store: OpenStore) -> None:
    store, story = open_store(), Story("r1")
    store.record(story.started())
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(1, 200):
                store.record(story.step_started(number))
        except BaseException as error:  # noqa: BLE001 - handed to the test below
            failures.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    seen = [0]
    while writer.is_alive():
        seen.append(len(store.events("r1")))
    writer.join()

    assert failures == []
    assert seen == sorted(seen)
    assert len(store.events("r1")) == 200


def test_another_program_that_takes_long_to_write_ends_no_run(open_store: OpenStore, folder: Path) -> None:
    store, story = open_store(), Story("r1")
    other = sqlite3.connect(folder / "runs.sqlite3", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    slow = threading.Timer(3.0, lambda: other.execute("COMMIT"))
    slow.start()
    store.record(story.started())
    slow.join()
    other.close()
    assert [event.kind for event in store.events("r1")] == ["run_started"]


def test_half_a_surrogate_pair_from_a_page_does_not_stop_the_record(open_store: OpenStore) -> None:
    store, story = open_store(), Story("r1")
    store.record(story.started("Buy \ud83d"))
    store.record(story.step_started(label="Click “\udc00”"))

    assert store.list_runs()[0].goal == "Buy \N{REPLACEMENT CHARACTER}"
    assert store.events("r1")[-1].model_dump()["label"] == "Click “?”"


def test_a_value_that_is_no_json_is_refused_in_words(open_store: OpenStore) -> None:
    event = Story("r1").step_started().model_copy(update={"parameters": {"target": object()}})

    with pytest.raises(StoreError, match=r"step_started is no plain value"):
        open_store().record(event)


def test_an_event_of_the_same_number_is_refused_and_the_first_one_stays(open_store: OpenStore) -> None:
    store = open_store()
    first = Notice(run_id="r1", sequence=1, time_s=1, text="first")
    store.record(first)

    with pytest.raises(StoreError, match="already written"):
        store.record(Notice(run_id="r1", sequence=1, time_s=1, text="second"))

    assert store.events("r1") == [first]


def test_an_unknown_run_has_no_events(open_store: OpenStore) -> None:
    assert open_store().events("nobody") == []


def test_a_picture_is_kept_once_under_its_hash(open_store: OpenStore, folder: Path) -> None:
    store, content = open_store(), b"\x89PNG picture"
    names = {store.keep_picture(Picture(data=content)) for _ in range(2)}

    assert names == {hashlib.sha256(content).hexdigest()}
    assert store.picture(names.pop()) == content
    assert len([path for path in (folder / "pictures").rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("name", ["", "0" * 64, "../runs.sqlite3", "/etc/passwd", "A" * 64])
def test_what_is_no_hash_of_a_picture_gives_none(open_store: OpenStore, name: str) -> None:
    assert open_store().picture(name) is None


def test_a_changed_picture_file_is_not_shown_and_is_written_anew(open_store: OpenStore, folder: Path) -> None:
    store, content = open_store(), b"the true picture"
    name = store.keep_picture(Picture(data=content))
    (folder / "pictures" / name[:2] / name).write_bytes(b"cut")

    assert store.picture(name) is None
    assert store.keep_picture(Picture(data=content)) == name
    assert store.picture(name) == content


def test_deleting_a_run_takes_its_pictures_along_but_not_those_of_others(open_store: OpenStore) -> None:
    store = open_store()
    shared, seen, asked, saved, unnamed = (
        store.keep_picture(Picture(data=text)) for text in (b"shared", b"seen", b"asked", b"saved", b"unnamed")
    )
    for story, own in ((Story("r1"), seen), (Story("r2"), shared)):
        store.record(story.started())
        store.record(story.observed(shared))
        store.record(story.observed(own))
        if story.run_id == "r1":
            store.record(story.asked(asked))
            store.record(story.planned(saved))
        store.record(story.finished())

    store.delete_run("r1")

    assert [run.run_id for run in store.list_runs()] == ["r2"]
    assert store.events("r1") == []
    assert [store.picture(name) for name in (seen, asked, saved)] == [None, None, None]
    assert store.picture(shared) == b"shared"
    assert store.picture(unnamed) == b"unnamed"  # just written: its event may be on the way


def test_deleting_leaves_a_picture_whose_event_is_still_to_come(open_store: OpenStore) -> None:
    store, old, new = open_store(), Story("r1"), Story("r2")
    name = store.keep_picture(Picture(data=b"same screen"))
    for event in (old.started(), old.observed(name), old.finished(), new.started()):
        store.record(event)
    store.keep_picture(Picture(data=b"same screen"))

    store.delete_run("r1")
    store.record(new.observed(name))

    assert store.picture(name) == b"same screen"


def test_pictures_no_run_ever_named_are_removed_after_a_day(open_store: OpenStore, folder: Path) -> None:
    store = open_store()
    name = store.keep_picture(Picture(data=b"lost"))
    path = folder / "pictures" / name[:2] / name
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 25 * 3600))
    record_whole(store, Story("r1"))

    store.delete_run("r1")

    assert not path.exists()


def test_what_was_deleted_is_gone_from_the_files_too(open_store: OpenStore, folder: Path) -> None:
    store, story = open_store(), Story("r1")
    for event in (story.started("Order the purple elephant"), story.finished()):
        store.record(event)

    store.delete_run("r1")

    left = b"".join(path.read_bytes() for path in folder.glob("runs.sqlite3*"))
    assert b"purple elephant" not in left


def test_a_run_under_way_is_not_deleted(open_store: OpenStore) -> None:
    store = open_store()
    store.record(Story("r1").started())

    with pytest.raises(StoreError, match="still under way"):
        store.delete_run("r1")

    assert len(store.list_runs()) == 1


def test_deleting_an_unknown_run_changes_nothing(open_store: OpenStore) -> None:
    store = open_store()
    record_whole(store, Story("r1"))

    store.delete_run("nobody")

    assert len(store.list_runs()) == 1


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_only_the_user_can_read_the_record(open_store: OpenStore, folder: Path) -> None:
    folder.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        store = open_store()
        store.keep_picture(Picture(data=b"private"))
        store.record(Story("r1").started())
    finally:
        os.umask(before)

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {"runs.sqlite3", "runs.sqlite3-wal", "runs.sqlite3-shm"} <= {path.name for path in modes}


def test_a_closed_store_says_so(open_store: OpenStore) -> None:
    store = open_store()
    store.close()
    store.close()

    for use in (
        lambda: store.record(Story("r1").started()),
        lambda: store.keep_picture(Picture(data=b"x")),
        store.list_runs,
        lambda: store.events("r1"),
    ):
        with pytest.raises(StoreError, match="is closed"):
            use()
