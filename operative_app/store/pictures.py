"""Pictures as files by content hash: the same picture is kept once, and a changed file is no longer the picture."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from operative_app.store.files import make_private_folder, write_whole

_HASH = re.compile(r"[0-9a-f]{64}")
_ORPHAN_AGE_S = 24 * 3600.0
"""A picture that no event names may belong to a run that is just being written, of this program or another one."""


class PictureFolder:
    """A folder of pictures, spread over sub-folders by the first two characters of their hash.

    Every method may be called from any thread, and may raise OSError (`make_private_folder`: StoreError).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        """Store a picture; returns the SHA-256 of its bytes, in hex."""
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        try:
            if path.stat().st_size == len(content):
                return name
        except FileNotFoundError:
            make_private_folder(self._folder)
            make_private_folder(path.parent)
        write_whole(path, content)
        return name

    def read(self, name: str) -> bytes | None:
        """The bytes kept under a hash; None when there are none, or the file is not what was written."""
        if not _HASH.fullmatch(name):
            return None
        try:
            content = self._path(name).read_bytes()
        except FileNotFoundError:
            return None
        return content if hashlib.sha256(content).hexdigest() == name else None

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            if _HASH.fullmatch(name):
                self._path(name).unlink(missing_ok=True)

    def orphans(self, used: frozenset[str]) -> Iterator[str]:
        """Hashes of files that are not in `used` and were written more than a day ago."""
        newest_s = time.time() - _ORPHAN_AGE_S
        for path in self._folder.glob("??/*"):
            if _HASH.fullmatch(path.name) and path.name not in used and path.stat().st_mtime < newest_s:
                yield path.name

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name
