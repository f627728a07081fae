"""Opens the database of runs: checks it, sets a damaged one aside, brings an older one up to date.

The file says by its `application_id` whose it is and by `user_version` which schema it has. Migrations are applied one
by one, each in a transaction of its own; none may ever be changed once released.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from filelock import FileLock, Timeout

from operative_app.core.errors import StoreError
from operative_app.store.failures import DAMAGE_CODES, in_words, primary_code
from operative_app.store.files import FILE_MODE, make_private_folder, set_aside

APPLICATION_ID = 0x4F505652  # "OPVR"
_HEADER = b"SQLite format 3\x00"
_OPEN_TIMEOUT_S = 10.0
_BUSY_TIMEOUT_S = 10.0
"""Until another program has written: a record that cannot be written ends the run."""

_MIGRATIONS = (
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY,
        goal TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL DEFAULT 'ready',
        is_finished INTEGER NOT NULL DEFAULT 0,
        reason TEXT NOT NULL DEFAULT '',
        started_at_s REAL NOT NULL,
        last_event_at_s REAL NOT NULL,
        duration_s REAL NOT NULL DEFAULT 0,
        steps INTEGER NOT NULL DEFAULT 0,
        owner TEXT NOT NULL DEFAULT ''
    );
    CREATE TABLE events (
        run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        time_s REAL NOT NULL,
        kind TEXT NOT NULL,
        json TEXT NOT NULL,
        PRIMARY KEY (run_id, sequence)
    );
    CREATE TABLE picture_uses (
        run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
        hash TEXT NOT NULL,
        PRIMARY KEY (run_id, hash)
    ) WITHOUT ROWID;
    CREATE INDEX picture_uses_by_hash ON picture_uses (hash);
    """,
)
SCHEMA_VERSION = len(_MIGRATIONS)


class _DamagedError(Exception):
    """The file is no sound database of this program; the message goes on "… because it"."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection for any one thread at a time, in autocommit mode; the file must have been prepared.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: Path, *, pictures: Path) -> list[str]:
    """Make `path` a sound database of the present schema, in a folder only the user can read.

    A damaged file is renamed together with its journal and the folder of its pictures, and a new one is begun.

    Returns:
        Sentences for the person about what was set aside.

    Raises:
        StoreError: It cannot be opened or written, or a newer version of the program made it.
    """
    make_private_folder(path.parent)
    notices: list[str] = []
    with in_words("The record of runs cannot be opened"):
        lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=_OPEN_TIMEOUT_S, mode=FILE_MODE)
        try:
            with lock:
                if os.path.lexists(path):
                    try:
                        _check(path)
                    except _DamagedError as damage:
                        notices.append(_set_all_aside(path, pictures, str(damage)))
                _migrate(path)
        except Timeout as error:
            raise StoreError(
                "The record of runs cannot be opened: another program is using it. Close that program and try again."
            ) from error
    return notices


def _check(path: Path) -> None:
    if not path.is_file():
        raise _DamagedError("is no file")
    with path.open("rb") as file:
        header = file.read(len(_HEADER))
    if header != _HEADER:
        raise _DamagedError("is no database" if header else "was empty")
    try:
        connection = connect(path)
        try:
            rows = connection.execute("PRAGMA quick_check(1)").fetchall()
            owner = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        if primary_code(error) in DAMAGE_CODES:
            raise _DamagedError("was damaged") from error
        raise
    if rows != [("ok",)]:
        raise _DamagedError("was damaged")
    if owner != APPLICATION_ID and tables:
        raise _DamagedError("belongs to another program")


def _set_all_aside(path: Path, pictures: Path, why: str) -> str:
    aside = set_aside(path)
    for ending in ("-wal", "-shm"):
        journal = path.with_name(path.name + ending)
        if journal.exists():
            journal.rename(aside.with_name(aside.name + ending))
    if pictures.is_dir():
        set_aside(pictures)
    return f"The record of earlier runs {why}; it was kept as {aside} and a new record was begun."


def _migrate(path: Path) -> None:
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    elif os.name == "posix":
        path.chmod(FILE_MODE)
    connection = connect(path)
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"The record of runs was written by a newer version of Operative (its format is {version}, this "
                f"version knows {SCHEMA_VERSION}). Install the newer version, or set OPERATIVE_HOME to another folder."
            )
        connection.execute("PRAGMA journal_mode = WAL")
        for number, script in enumerate(_MIGRATIONS[version:], start=version + 1):
            connection.executescript(
                f"BEGIN IMMEDIATE; {script}; PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {number}; COMMIT;"
            )
    finally:
        connection.close()
