"""Failures of disk and database in words: the one place where `OSError` and `sqlite3.Error` become StoreError."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from operative_app.core.errors import StoreError

_FULL = "the disk is full. Free some space and try again."
_READ_ONLY = "its folder cannot be written to. Allow writing there, or choose another folder with OPERATIVE_HOME."
_DAMAGED = "its file is damaged. Start the program again: it sets the file aside and begins a new one."
_BUSY = "another program is using it. Close that program and try again."

_ERRNO_WORDS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.ENOTDIR: "a part of its path is a file and no folder.",
    errno.EEXIST: "a file stands where a folder is needed.",
    errno.EISDIR: "a folder stands where a file is needed.",
    errno.ENAMETOOLONG: "its path is too long.",
}
_SQLITE_WORDS = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_IOERR: "the disk reported an error; it may be full or was taken out.",
    sqlite3.SQLITE_CONSTRAINT: "a part of it was already written.",
}
DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code of an error; 0 when Python raised it by itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn failures inside the block into StoreError.

    Args:
        what: The beginning of the sentence, such as "The record cannot be written".

    Raises:
        StoreError: The block raised OSError or sqlite3.Error.
    """
    try:
        yield
    except sqlite3.Error as error:
        words = _SQLITE_WORDS.get(primary_code(error), f"the database says: {error}.")
        raise StoreError(f"{what}: {words}") from error
    except OSError as error:
        words = _ERRNO_WORDS.get(error.errno or 0, f"the system says: {error.strerror or error}.")
        raise StoreError(f"{what}: {words}") from error
