"""`operative actions`: prints what can be done, with parameters, checks and effects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from operative_app.actions.reference import ActionRow, parameter_words, reference
from operative_app.actions.registry import ALL_ACTIONS
from operative_app.cli.exit_codes import DONE
from operative_app.cli.options import ActionsOptions
from operative_app.cli.screen import Lines, accept_any_text, harmless_json


def list_actions(options: ActionsOptions, *, out: TextIO) -> int:
    """Print every action, with `json` as one array; returns the exit code."""
    accept_any_text(out, encoding="utf-8" if options.json else None)
    lines = Lines(out)
    rows = reference(ALL_ACTIONS)
    if options.json:
        lines.line(harmless_json(json.dumps([row.model_dump(mode="json") for row in rows], ensure_ascii=False)))
    else:
        for row in rows:
            for line in _told(row):
                lines.line(line)
    return DONE


def _told(row: ActionRow) -> Iterator[str]:
    yield f"{row.name}  ({row.category}; {', '.join(row.surfaces)}; {row.reversibility}; effect: {row.effect})"
    yield f"    {row.summary}"
    for one in row.parameters:
        yield f"    {one.name}  ({parameter_words(one)})  {one.description}"
    for sentence in row.before:
        yield f"    before  {sentence.replace('`', '')}"
    for sentence in row.after:
        yield f"    after   {sentence.replace('`', '')}"
