"""What endpoints turned out to be able to do, from one start to the next: a small JSON file, by address and model."""

from __future__ import annotations

import contextlib
import json
import threading
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from operative_app.core.endpoint import Capabilities
from operative_app.core.errors import StoreError
from operative_app.store.files import make_private_folder, write_whole

ABILITIES_NAME = "endpoints.json"
_MOST_ENTRIES = 200
_FILE = TypeAdapter(dict[str, Capabilities])


class AbilityStore:
    """Recalls and remembers; any thread. It is a convenience, so a file that cannot be used is as good as none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ABILITIES_NAME
        self._lock = threading.Lock()

    def recall(self, base_url: str, model: str) -> Capabilities | None:
        """What is known of a model at an address, None when it was never asked."""
        with self._lock:
            return self._read().get(_name(base_url, model))

    def remember(self, base_url: str, model: str, known: Capabilities) -> None:
        with self._lock:
            entries = self._read()
            entries.pop(_name(base_url, model), None)
            entries[_name(base_url, model)] = known  # the newest is the last
            self._write(dict(list(entries.items())[-_MOST_ENTRIES:]))

    def forget(self, base_url: str, model: str) -> None:
        """Begin anew with a model, such as after its server was set up differently."""
        with self._lock:
            entries = self._read()
            if entries.pop(_name(base_url, model), None) is not None:
                self._write(entries)

    def _read(self) -> dict[str, Capabilities]:
        try:
            return _FILE.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return {}

    def _write(self, entries: dict[str, Capabilities]) -> None:
        with contextlib.suppress(OSError, StoreError):
            make_private_folder(self._path.parent)
            write_whole(self._path, _FILE.dump_json(entries, indent=1) + b"\n")


def _name(base_url: str, model: str) -> str:
    return json.dumps([base_url, model])
