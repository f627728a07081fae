"""Writes a run's report, step log and events into a folder, with the marks drawn over its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from operative_app.core.events import Event
from operative_app.presentation.report import write_record
from operative_app.store.runs import RunStore


def keep_record(folder: Path, events: Sequence[Event], store: RunStore) -> None:
    """Write the record of a run; raises StoreError."""
    write_record(folder, events, store.picture)
