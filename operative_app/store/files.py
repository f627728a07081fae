"""Files and folders that only the user may read, and writing that is whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from operative_app.store.failures import in_words

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> Path:
    """Make a folder that only the user can enter; one that is there already is closed to others.

    Raises:
        StoreError: It can be neither made nor closed.
    """
    with in_words(f"The folder {folder} cannot be used"):
        if not folder.is_dir():
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            folder.chmod(FOLDER_MODE)
    return folder


def write_whole(path: Path, content: bytes) -> None:
    """Write a file of the user's own: a reader sees the old content or the new one, never a part.

    Raises:
        OSError: It cannot be written; what was there before is untouched.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def set_aside(path: Path) -> Path:
    """Rename a damaged file or folder, with the time in its name; nothing is ever overwritten.

    Raises:
        OSError: It cannot be renamed.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    number = 0
    while True:
        more = f"-{number}" if number else ""
        target = path.with_name(f"{path.stem}.damaged-{stamp}{more}{path.suffix}")
        if not os.path.lexists(target):
            return path.rename(target)
        number += 1
