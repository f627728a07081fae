"""The closing words: each claim with the step that shows it, then what was changed; checked against the record."""

from __future__ import annotations

from collections.abc import Sequence

from operative_app.core.plan import Plan, TaskStatus
from operative_app.core.screen import ScreenState
from operative_app.planning.model.evidence import numbers_in, unsupported_numbers
from operative_app.planning.model.replies import Shown, SummaryReply
from operative_app.planning.model.sight import folded, texts_of
from operative_app.planning.model.telling import changed
from operative_app.planning.model.wording import has_glue, missing_words, telling_words
from operative_app.planning.port import StepRecord

_MOST_CLAIMS = 6
_MOST_CHANGES = 8


def summary_of(reply: SummaryReply, history: Sequence[StepRecord], state: ScreenState | None, goal: str) -> str:
    """The summary as the chat shows it: “… [step 3]”. What no step shows is marked as not verified."""
    steps = {one.step: one for one in history}
    known = "\n".join(_known(history, state, goal))
    claims = [_linked(one, steps, known, goal) for one in reply.claims[:_MOST_CLAIMS] if one.text.strip()]
    changes = [one for one in reply.changed[:_MOST_CHANGES] if one.text.strip() and _is_change(one, steps)]
    parts = [" ".join(claims)]
    if changes:
        parts.append("Changed: " + " ".join(_linked(one, steps, known, goal) for one in changes))
    if reply.open.strip():
        parts.append(f"Open: {_sentence(reply.open)}")
    return "\n".join(part for part in parts if part)


def plain_summary(plan: Plan) -> str:
    """The summary without a model: how the tasks ended."""
    leaves = list(plan.leaves())
    done = [one for one in leaves if one.status is TaskStatus.DONE]
    parts = [f"{len(done)} of {len(leaves)} tasks are done." if len(done) < len(leaves) else "Everything is done."]
    parts += [f"{one.goal}: {_sentence(one.result)}" for one in done if one.result and one.result != "done by you"]
    for status, words in ((TaskStatus.UNVERIFIED, "Not verified"), (TaskStatus.FAILED, "Failed")):
        named = [one.goal for one in leaves if one.status is status]
        if named:
            parts.append(f"{words}: {'; '.join(named)}.")
    return " ".join(parts)


def _linked(claim: Shown, steps: dict[int, StepRecord], known: str, goal: str) -> str:
    text = _sentence(claim.text)
    record = steps.get(claim.step)
    if record is None or not record.outcome.is_done:
        return f"{text} [not verified: no step shows it]"
    if missing := unsupported_numbers(claim.text, known):
        return f"{text} [step {claim.step}; not verified: {missing[0]} was seen nowhere]"
    if not _is_shown(claim, record, goal):
        return f"{text} [step {claim.step}; not verified: the step does not show it]"
    return f"{text} [step {claim.step}]"


def _is_shown(claim: Shown, record: StepRecord, goal: str) -> bool:
    """Whether the step has some of the claim's words, and no fewer than are not to be found in it or in the goal.

    What a step shows: its words, what it read, what it brought, and the title and address it led to. A claim in another
    language cannot be compared word by word: words quoted from the step must show it.
    """
    after = record.after
    shows = "\n".join(
        (record.words or record.action.words, record.outcome.detail, record.outcome.value, record.difference)
        + ((after.title, after.url) if after is not None else ())
    )
    said = telling_words(claim.text)
    missing = missing_words(claim.text, shows)
    if claim.evidence and not has_glue(claim.text):
        return folded(claim.evidence) in folded(shows)
    foreign = missing_words(" ".join(missing), goal)
    held = len(said) - len(missing) + (_has_number(claim.text, shows))
    return held > 0 and held >= len(foreign)


def _has_number(text: str, shows: str) -> bool:
    """Whether it names a number, and the step shows it."""
    return bool(numbers_in(text)) and not unsupported_numbers(text, shows)


def _is_change(claim: Shown, steps: dict[int, StepRecord]) -> bool:
    record = steps.get(claim.step)
    return record is not None and changed(record)


def _known(history: Sequence[StepRecord], state: ScreenState | None, goal: str) -> list[str]:
    """All that was seen, read and asked for."""
    texts = [goal]
    for one in history:
        texts += [one.words or one.action.words, one.outcome.detail, one.outcome.value, one.difference]
        for screen in (one.before, one.after):
            if screen is not None:
                texts.extend(texts_of(screen))
    if state is not None:
        texts.extend(texts_of(state))
    return texts


def _sentence(text: str) -> str:
    words = " ".join(text.split())
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."
