"""Writes a run's report, step log and events into a folder, with the marks drawn over its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from operative_app.core.events import Event, MarkSeen, Observed, StepStarted
from operative_app.core.screen import Element, Picture, ScreenState, SurfaceKind
from operative_app.perception.marks import draw_marks
from operative_app.presentation.report import write_record
from operative_app.store.runs import RunStore


def keep_record(folder: Path, events: Sequence[Event], store: RunStore) -> None:
    """Write the record of a run; raises StoreError."""
    write_record(folder, events, store.picture, draw=_with_marks)


def _with_marks(content: bytes, seen: Observed, started: StepStarted | None) -> bytes:
    """A kept picture with the marks of its observation, the step's target outlined."""
    state = ScreenState(
        observation=seen.observation,
        surface=SurfaceKind.BROWSER,
        elements=tuple(_element(mark) for mark in seen.marks),
        pixel_ratio=seen.pixel_ratio,
    )
    target = str(started.mark) if started is not None and started.mark else ""
    return draw_marks(Picture(data=content), state, target_key=target).data


def _element(mark: MarkSeen) -> Element:
    return Element(key=str(mark.mark), mark=mark.mark, role="", name=mark.label, box=mark.box)
