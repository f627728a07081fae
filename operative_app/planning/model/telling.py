"""What came of actions, in words for a model: true to the record, nothing left out silently, no marks of our own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from operative_app.actions.declare import EffectKind
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import shorten
from operative_app.core.secrets import SavedSecret
from operative_app.planning.model.fence import fenced
from operative_app.planning.port import StepRecord
from operative_app.safety.secret_rules import words_of_places

VALUE_CHARS = 2000
"""A value read up to this length is given whole."""

_DETAIL_CHARS = 600
_LINE_CHARS = 180
_REST = re.compile(r"^\s*step\s+(\d+)(?:\s+from\s+(\d+))?\s*$", re.IGNORECASE)

_STATUS = {
    OutcomeStatus.DONE: "done",
    OutcomeStatus.UNVERIFIED: "carried out, but its effect is not to be seen",
    OutcomeStatus.FAILED: "failed",
    OutcomeStatus.REFUSED: "not carried out",
}


def told(records: Sequence[StepRecord]) -> str:
    """What came of the actions, for the next question; "" when there were none."""
    if not records:
        return ""
    parts = [f"What came of your actions:\n{fenced('outcomes', chr(10).join(_outcome(one) for one in records))}"]
    parts.extend(_value(one) for one in records if one.outcome.value.strip())
    return "\n".join(parts)


def saved(secrets: Sequence[SavedSecret]) -> str:
    """The names of saved secrets and how a model uses one; "" when there are none."""
    if not secrets:
        return ""
    names = "\n".join(f"- {{{{secret:{one.name}}}}} for {words_of_places(one)}" for one in secrets)
    return (
        "Saved secrets of the person. As the text for a field write the name just as it stands here; Operative puts "
        "the value in, on its own site or in its own program only. You never see a value; do not ask for one. "
        f"Where one fits, signing in with it is no work for a person.\n{names}"
    )


def line(record: StepRecord) -> str:
    """One step in one line, for what is remembered and for the summary."""
    return shorten(f"[step {record.step}] {_words(record)}{_read_value(record)}", _LINE_CHARS)


def rest_of(what: str, history: Sequence[StepRecord]) -> str:
    """The next part of what a step read, when that was asked for ("step 7 from 4000"); "" when it was not."""
    found = _REST.match(what)
    if found is None:
        return ""
    step, start = int(found[1]), int(found[2] or VALUE_CHARS)
    record = next((one for one in history if one.step == step), None)
    if record is None or not record.outcome.value:
        return f"Step {step} read nothing."
    return _part(record, start)


def changed(record: StepRecord) -> bool:
    """Whether the step may have changed something: it did not only look."""
    return record.action.spec.effect is not EffectKind.READ


def _outcome(record: StepRecord) -> str:
    return f"step {record.step}: {_words(record)}"


def _words(record: StepRecord) -> str:
    outcome = record.outcome
    parts = [f"{record.words or record.action.words} – {_STATUS[outcome.status]}"]
    if outcome.detail:
        parts.append(shorten(outcome.detail, _DETAIL_CHARS))
    words = ": ".join(parts) if not outcome.is_done else "; ".join(parts)
    if outcome.is_done and changed(record):
        words += f". {_folded(record.difference) or 'Nothing on the screen changed'}"
    return words


def _value(record: StepRecord) -> str:
    return _part(record, 0)


def _part(record: StepRecord, start: int) -> str:
    value = record.outcome.value
    part, end = value[start : start + VALUE_CHARS], start + VALUE_CHARS
    text = fenced(f"read by step {record.step}", part or "(nothing more)")
    if end < len(value):
        text += (
            f"\nThese are characters {start} to {end} of {len(value)}; "
            f"for the rest choose show with “step {record.step} from {end}”."
        )
    return text


def _read_value(record: StepRecord) -> str:
    value = " ".join(record.outcome.value.split())
    return f" It read: {shorten(value, 120)}" if value else ""


def _folded(text: str) -> str:
    return shorten(text, _DETAIL_CHARS) if text else ""


def remembered(records: Sequence[StepRecord], ceiling: int) -> Iterator[str]:
    """The newest steps as lines, oldest first."""
    yield from (line(one) for one in records[-ceiling:])
