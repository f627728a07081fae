"""A run as files to keep and pass on: an HTML report in one file, a step log as text, the events as JSON lines.

The functions are pure but for `write_record`. Every text in a run may come from a hostile page: the template escapes
all of it, the report allows itself neither scripts nor anything from the network, and page addresses are no links.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from operative_app.core.events import Event, Observed, RunStarted, StepFinished, StepStarted, event_json
from operative_app.core.resources import resource_path
from operative_app.presentation.narration import Narration
from operative_app.presentation.report_model import ReportStep, report_model
from operative_app.presentation.words import clock, plain
from operative_app.store.failures import in_words
from operative_app.store.files import FOLDER_MODE, write_whole

PictureReader = Callable[[str], bytes | None]
"""Gives the picture with a content hash; None when it is gone."""

DrawMarks = Callable[[bytes, Observed, StepStarted | None], bytes]
"""Draws the marks of an observation on its encoded picture, and outlines the target of the step taken on it."""

REPORT_NAME = "report.html"
STEPS_NAME = "steps.txt"
EVENTS_NAME = "events.jsonl"
PICTURES_NAME = "pictures"

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
)


def report_html(events: Sequence[Event], picture_of: PictureReader, *, draw: DrawMarks | None = None) -> str:
    """The report of one run as a document that needs no other file.

    Args:
        events: All events of the run in order; a run without its end is reported as interrupted.
        draw: Without it the pictures are shown as they were taken.
    """
    model = report_model(events)
    steps = [_with_picture(step, picture_of, draw) for step in model.steps]
    last = model.last_seen
    environment = Environment(
        loader=FileSystemLoader(resource_path("report")), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html").render(
        title=f"Operative: {model.goal}",
        goal=model.goal,
        state=model.state,
        tone=model.tone,
        facts=model.facts,
        reason=model.reason,
        answer=model.answer,
        changes=model.changes,
        plan=model.plan,
        talk=model.talk,
        steps=steps,
        has_cost=any(step.cost for step in model.steps),
        last_picture=_data_uri(_drawn(picture_of(last.screenshot), last, None, draw)) if last else "",
    )


def steps_text(events: Sequence[Event]) -> str:
    """The step log: what the terminal prints, each line with the minutes and seconds since the run began."""
    narration = Narration()
    began_s = events[0].time_s if events else 0.0
    lines: list[str] = []
    for event in events:
        lines += [f"{clock(event.time_s - began_s)}  {line}" for line in narration.lines(event)]
    return "".join(f"{line}\n" for line in lines)


def events_text(events: Sequence[Event]) -> str:
    """One event a line, as JSON."""
    return "".join(f"{event_json(event)}\n" for event in events)


def write_record(
    folder: Path, events: Sequence[Event], picture_of: PictureReader, *, draw: DrawMarks | None = None
) -> None:
    """Write report, step log, events and the pictures they name into a folder, which is made when it is missing.

    Raises:
        StoreError: Something could not be written; the message names the folder.
    """
    with in_words(f"The record cannot be written to {folder}"):
        pictures = folder / PICTURES_NAME
        pictures.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        for name in sorted(_picture_names(events)):
            if content := picture_of(name):
                write_whole(pictures / f"{name}{_kind(content)[1]}", content)
        write_whole(folder / EVENTS_NAME, events_text(events).encode())
        write_whole(folder / STEPS_NAME, steps_text(events).encode())
        write_whole(folder / REPORT_NAME, report_html(events, picture_of, draw=draw).encode(errors="replace"))


def record_folder_name(events: Sequence[Event]) -> str:
    """A folder name for a run: its id, which is safe on every system, after the first words of its goal."""
    goal = next((event.request.goal for event in events if isinstance(event, RunStarted)), "run")
    kept = "".join(char if char.isalnum() and char.isascii() else " " for char in plain(goal).lower())
    words = "-".join(kept.split()[:6])[:48] or "run"
    return f"{words}-{events[0].run_id}" if events else words


def _with_picture(step: ReportStep, picture_of: PictureReader, draw: DrawMarks | None) -> dict[str, object]:
    fields = step.as_fields() | {"taken": _data_uri(picture_of(step.taken)) if step.taken else ""}
    if step.seen is None or not step.seen.screenshot:
        return fields | {"picture": "", "picture_is_gone": False}
    uri = _data_uri(_drawn(picture_of(step.seen.screenshot), step.seen, step.started, draw))
    return fields | {"picture": uri, "picture_is_gone": not uri}


def _drawn(content: bytes | None, seen: Observed, started: StepStarted | None, draw: DrawMarks | None) -> bytes | None:
    return draw(content, seen, started) if content and draw is not None else content


def _picture_names(events: Sequence[Event]) -> set[str]:
    seen = {event.screenshot for event in events if isinstance(event, Observed | StepStarted)}
    return (seen | {event.picture for event in events if isinstance(event, StepFinished)}) - {""}


def _kind(content: bytes) -> tuple[str, str]:
    """Media type and file ending of an encoded picture; ("", ".bin") for what is none."""
    for start, media_type, ending in _KINDS:
        if content.startswith(start):
            return media_type, ending
    return "", ".bin"


def _data_uri(content: bytes | None) -> str:
    media_type = _kind(content)[0] if content else ""
    if not content or not media_type:
        return ""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"
