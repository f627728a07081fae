"""`operative runs`: lists the recorded runs, newest first."""

from __future__ import annotations

from datetime import datetime
from typing import TextIO

from operative_app.cli.exit_codes import DONE, FAILED
from operative_app.cli.options import RunsOptions
from operative_app.cli.ports import RunList
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.core.errors import StoreError
from operative_app.presentation.words import count, duration, plain, recorded_state_word
from operative_app.store.runs import RunSummary


def list_runs(options: RunsOptions, runs: RunList, *, out: TextIO, err: TextIO) -> int:
    """Print one line for each run; returns the exit code."""
    accept_any_text(out, encoding="utf-8" if options.json else None)
    accept_any_text(err)
    told, lines = Lines(err), Lines(out)
    try:
        listed = runs.list_runs()
    except StoreError as error:
        told.line(f"operative: {error}")
        return FAILED
    for notice in runs.notices:
        told.line(f"operative: {notice}")
    for run in listed:
        lines.line(harmless_json(run.model_dump_json()) if options.json else _line(run))
    if not listed and not options.json:
        lines.line("No run is recorded yet.")
    return DONE


def _line(run: RunSummary) -> str:
    started = datetime.fromtimestamp(run.started_at_s).astimezone()
    return "  ".join(
        [
            run.run_id,
            f"{started:%Y-%m-%d %H:%M}",
            f"{recorded_state_word(run.state):<15}",
            f"{count(run.steps, 'step'):>9}",
            f"{duration(run.duration_s):>11}",
            plain(run.goal),
        ]
    )
