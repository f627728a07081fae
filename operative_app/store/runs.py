"""The record of runs: every event in a database, every picture as a file beside it.

Each event is a transaction of its own in the write-ahead log, so what `record` returned from is still there after the
program ended in its middle (only a loss of power can take the last moments). Writing and reading have a connection
each: the window can read a long run while the agent goes on writing.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psutil
from pydantic import ValidationError

from operative_app.core.errors import StoreError
from operative_app.core.events import (
    EVENT_ADAPTER,
    Event,
    Observed,
    PlanChanged,
    RequestRaised,
    RunFinished,
    RunStarted,
    StateChanged,
    StepStarted,
    event_json,
)
from operative_app.core.requests import ApprovalRequest, HandOffRequest
from operative_app.core.screen import Picture
from operative_app.core.values import Value
from operative_app.store.database import connect, prepare
from operative_app.store.failures import in_words
from operative_app.store.pictures import PictureFolder

DATABASE_NAME = "runs.sqlite3"
PICTURES_NAME = "pictures"
INTERRUPTED = "interrupted"
_CLOCK_DRIFT_S = 5.0
"""How far two processes may differ about when a third one began, since the clock of the machine is set now and then."""
_WRITE_FAILED = "The record cannot be written"
_READ_FAILED = "The record cannot be read"


class RunSummary(Value):
    """One recorded run in the list.

    Attributes:
        state: A value of `RunState`, or `INTERRUPTED`: the program ended in the middle of the run.
        is_live: The run is still under way, in this program or another one.
        started_at_s: Unix time in seconds.
        duration_s: Up to the end, or to the last event of a run without one.
    """

    run_id: str
    goal: str
    state: str
    is_live: bool = False
    started_at_s: float
    steps: int = 0
    duration_s: float = 0
    reason: str = ""


class RunStore:
    """Writes and reads the runs in one folder; every method may be called from any thread.

    `record` and `keep_picture` make it a Recorder. Nothing here raises OSError or sqlite3.Error.

    Args:
        folder: Made when it is missing; only the user can read it.

    Attributes:
        notices: Sentences for the person, such as that a damaged record was set aside.

    Raises (all methods, and construction): StoreError, with a sentence for a person.
    """

    def __init__(self, folder: Path) -> None:
        database = folder / DATABASE_NAME
        self.notices: list[str] = prepare(database, pictures=folder / PICTURES_NAME)
        self._pictures = PictureFolder(folder / PICTURES_NAME)
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._owner = f"{_this_process()}:{uuid4().hex[:8]}"
        self._live_run = ""
        self._unrecorded: set[str] = set()
        self._is_closed = False
        with in_words("The record of runs cannot be opened"), contextlib.ExitStack() as opened:
            self._writer = opened.enter_context(contextlib.closing(connect(database)))
            self._reader = opened.enter_context(contextlib.closing(connect(database)))
            self._reader.execute("PRAGMA query_only = ON")
            opened.pop_all()  # nothing failed: `close` closes them

    def record(self, event: Event) -> None:
        """Write one event; it is committed when this returns."""
        try:
            text = event_json(event)
        except ValueError as error:
            raise StoreError(f"{_WRITE_FAILED}: an event of the kind {event.kind} is no plain value.") from error
        pictures = _pictures_of(event)
        with self._writing() as cursor:
            _keep_summary(cursor, event, self._owner)
            cursor.execute(
                "INSERT INTO events (run_id, sequence, time_s, kind, json) VALUES (?, ?, ?, ?, ?)",
                (event.run_id, event.sequence, event.time_s, event.kind, text),
            )
            cursor.executemany(
                "INSERT OR IGNORE INTO picture_uses (run_id, hash) VALUES (?, ?)",
                [(event.run_id, name) for name in pictures],
            )
            self._live_run = event.run_id
            self._unrecorded = set() if isinstance(event, RunFinished) else self._unrecorded - pictures

    def keep_picture(self, picture: Picture) -> str:
        """Store a picture; returns its content hash. One that no event comes to name is removed later."""
        with self._write_lock, in_words("The picture cannot be kept"):
            self._refuse_when_closed()
            name = self._pictures.keep(picture.data)
            self._unrecorded.add(name)
        return name

    def list_runs(self) -> list[RunSummary]:
        """All runs, newest first."""
        with self._reading() as cursor:
            rows = cursor.execute(
                "SELECT run_id, goal, state, is_finished, reason, started_at_s, last_event_at_s, duration_s, steps,"
                " owner FROM runs ORDER BY started_at_s DESC, rowid DESC"
            ).fetchall()
        return [self._summary(row) for row in rows]

    def events(self, run_id: str) -> list[Event]:
        """All events of a run in their order; those of another version that cannot be read are told in `notices`."""
        with self._reading() as cursor:
            rows = cursor.execute("SELECT json FROM events WHERE run_id = ? ORDER BY sequence", (run_id,)).fetchall()
        events: list[Event] = []
        for (text,) in rows:
            try:
                events.append(EVENT_ADAPTER.validate_json(text))
            except ValidationError:
                continue
        if left_out := len(rows) - len(events):
            self.notices.append(
                f"{left_out} of {len(rows)} events of the run {run_id} cannot be read here and are left out."
            )
        return events

    def picture(self, name: str) -> bytes | None:
        """The picture kept under a content hash; None when it is gone or was changed."""
        with in_words("The picture cannot be read"):
            return self._pictures.read(name)

    def delete_run(self, run_id: str) -> None:
        """Delete a run with its events, and the pictures that no other run shows. An unknown id deletes nothing.

        Raises:
            StoreError: The run is still under way.
        """
        if any(run.run_id == run_id and run.is_live for run in self.list_runs()):
            raise StoreError("This run is still under way. Stop it first, then delete it.")
        with self._writing() as cursor:
            mine = _hashes(cursor, "SELECT hash FROM picture_uses WHERE run_id = ?", run_id)
            cursor.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
        with self._write_lock, in_words("The run was deleted, but some of its pictures could not be"):
            self._refuse_when_closed()
            with contextlib.closing(self._writer.cursor()) as cursor:
                used = _hashes(cursor, "SELECT DISTINCT hash FROM picture_uses") | self._unrecorded
            self._pictures.remove(mine - used)
            self._pictures.remove(list(self._pictures.orphans(used)))
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()

    def close(self) -> None:
        """Close the files; a run still open counts as interrupted from now on. Idempotent, and never raises."""
        with self._write_lock, self._read_lock:
            if self._is_closed:
                return
            self._is_closed = True
            with contextlib.suppress(sqlite3.Error):  # without it the run counts as live until this process ends
                self._writer.execute("UPDATE runs SET owner = '' WHERE owner = ?", (self._owner,))
            for connection in (self._reader, self._writer):
                with contextlib.suppress(sqlite3.Error):
                    connection.close()

    def _summary(self, row: tuple[str, str, str, int, str, float, float, float, int, str]) -> RunSummary:
        run_id, goal, state, is_finished, reason, started_at_s, last_event_at_s, duration_s, steps, owner = row
        is_own = owner == self._owner
        is_live = not is_finished and (run_id == self._live_run if is_own else _is_running(owner))
        return RunSummary(
            run_id=run_id,
            goal=goal,
            state=state if is_finished or is_live else INTERRUPTED,
            is_live=is_live,
            started_at_s=started_at_s,
            steps=steps,
            duration_s=duration_s if is_finished else max(0.0, last_event_at_s - started_at_s),
            reason=reason,
        )

    # Cursors are closed by hand: one that an error's traceback keeps alive would keep the closed database open.

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        with self._write_lock, in_words(_WRITE_FAILED):
            self._refuse_when_closed()
            with contextlib.closing(self._writer.cursor()) as cursor:
                cursor.execute("BEGIN IMMEDIATE")
                try:
                    yield cursor
                    cursor.execute("COMMIT")
                except BaseException:
                    if self._writer.in_transaction:
                        cursor.execute("ROLLBACK")
                    raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with self._read_lock, in_words(_READ_FAILED):
            self._refuse_when_closed()
            with contextlib.closing(self._reader.cursor()) as cursor:
                yield cursor

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise StoreError("The record of runs is closed.")


def _keep_summary(cursor: sqlite3.Cursor, event: Event, owner: str) -> None:
    cursor.execute(
        "INSERT INTO runs (run_id, started_at_s, last_event_at_s, owner) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET last_event_at_s = excluded.last_event_at_s, owner = excluded.owner",
        (event.run_id, event.time_s, event.time_s, owner),
    )
    match event:
        case RunStarted():
            goal = event.request.goal.encode(errors="replace").decode()
            cursor.execute(
                "UPDATE runs SET goal = ?, started_at_s = ? WHERE run_id = ?", (goal, event.time_s, event.run_id)
            )
        case StateChanged():
            cursor.execute(
                "UPDATE runs SET state = ? WHERE run_id = ? AND NOT is_finished", (str(event.state), event.run_id)
            )
        case StepStarted():
            cursor.execute("UPDATE runs SET steps = max(steps, ?) WHERE run_id = ?", (event.step, event.run_id))
        case RunFinished():
            reason = event.reason.encode(errors="replace").decode()
            cursor.execute(
                "UPDATE runs SET state = ?, is_finished = 1, reason = ?, duration_s = ?, steps = max(steps, ?)"
                " WHERE run_id = ?",
                (str(event.state), reason, event.duration_s, event.steps, event.run_id),
            )


def _pictures_of(event: Event) -> set[str]:
    match event:
        case Observed() | StepStarted():
            names = {event.screenshot}
        case RequestRaised(request=ApprovalRequest() | HandOffRequest() as request):
            names = {request.screenshot}
        case PlanChanged():
            names = {task.checkpoint.screenshot for task in event.plan.walk() if task.checkpoint is not None}
        case _:
            names = set()
    return names - {""}


def _hashes(cursor: sqlite3.Cursor, query: str, *values: str) -> frozenset[str]:
    return frozenset(name for (name,) in cursor.execute(query, values))


def _this_process() -> str:
    return f"{os.getpid()}:{psutil.Process().create_time():.2f}"


def _is_running(owner: str) -> bool:
    """Whether the process named in `owner` ("pid:create time:…") still runs and its number was not given anew."""
    pid, _, rest = owner.partition(":")
    created, _, _ = rest.partition(":")
    if not pid.isdecimal():
        return False
    try:
        return abs(psutil.Process(int(pid)).create_time() - float(created)) < _CLOCK_DRIFT_S
    except (psutil.Error, ValueError):
        return False
