"""Whether what a model claims is shown by the screen: by code first, without believing the model.

| claim | holds when |
|---|---|
| a task is done | its evidence and the quoted words of its condition can be read on the screen or in what a step read, and could not when the task began, or a step brought them |
| a value is the answer | the evidence can be read, and every number of the answer too; it repeats some of the evidence |
| a sentence of the summary | the step it names was carried out, and every number in it occurs in what was seen |
"""  # noqa: E501 - a table

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from operative_app.actions.declare import Action, EffectKind
from operative_app.core.plan import Task
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import ScreenState
from operative_app.planning.model.sight import Sight, folded, is_shown, texts_of
from operative_app.planning.port import StepRecord

_QUOTED = re.compile(r"“([^”]{2,120})”|\"([^\"]{2,120})\"")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_NOT_DIGIT = re.compile(r"\D")
_WORD = re.compile(r"\w{2,}")
_MARK = re.compile(r"^\s*[=+-]?\s*\[\d+\]\s*")
"""The number in front of an element's line, which a model may copy."""

_LEAST_EVIDENCE = 2


class Standing(StrEnum):
    """How a claim stands: shown by the screen; shown but brought about by nothing; not shown."""

    SHOWN = "shown"
    DOUBTFUL = "doubtful"
    NOT_SHOWN = "not_shown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim's standing, and what is wrong with it in words for the model."""

    standing: Standing
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TextSeen:
    """The words can be read afterwards, and could not before when they are to come by the act."""

    text: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        if is_shown(after, self.text) or folded(self.text) in folded(outcome.value):
            return ""
        return f"“{self.text}” is not to be seen"


@dataclass(frozen=True, slots=True)
class TextGone:
    """The words cannot be read any more."""

    text: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return f"“{self.text}” is still to be seen" if is_shown(after, self.text) else ""


@dataclass(frozen=True, slots=True)
class AddressHolds:
    """The page's address contains the part."""

    part: str

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str:
        return "" if self.part.casefold() in after.url.casefold() else f"the address {after.url} is not “{self.part}”"


@dataclass(frozen=True, slots=True)
class Sighting:
    """All that can be read at one moment.

    Attributes:
        text: The texts of the state and the lines shown to the model, folded.
    """

    text: str

    @staticmethod
    def of(state: ScreenState, sight: Sight) -> Sighting:
        return Sighting(folded("\n".join((*texts_of(state), *sight.lines))))

    def holds(self, quote: str) -> bool:
        wanted = folded(_MARK.sub("", quote))
        return bool(wanted) and wanted in self.text


def judge(
    evidence: str, answer: str, task: Task, now: Sighting, begun: Sighting | None, records: Sequence[StepRecord]
) -> Verdict:
    """How the claim that a task is done stands.

    Args:
        begun: What could be read when the task began; None when that is not known.
        records: The steps of the run so far, oldest first.
    """
    quotes = [evidence, *quotes_of(task.done_when)]
    quotes = [quote for quote in quotes if len(folded(quote)) >= _LEAST_EVIDENCE]
    if not quotes:
        return Verdict(Standing.NOT_SHOWN, "no evidence was given: words on the screen that show it")
    for quote in quotes:
        if not (now.holds(quote) or was_read(quote, records)):
            return Verdict(Standing.NOT_SHOWN, f"“{quote}” can be read neither on the screen nor in what was read")
    known = "\n".join((now.text, *(one.outcome.value for one in records if one.outcome.is_done)))
    unsupported = unsupported_numbers(answer, known)
    if long := [number for number in unsupported if len(number) > 1]:
        return Verdict(Standing.NOT_SHOWN, f"the answer's {long[0]} can be read nowhere")
    if unsupported:  # it may have been counted
        return Verdict(Standing.DOUBTFUL, f"the answer's {unsupported[0]} can be read nowhere")
    acts = [one for one in records if one.task_id == task.id and one.action.spec.effect is not EffectKind.READ]
    if acts and acts[-1].outcome.status in {OutcomeStatus.FAILED, OutcomeStatus.REFUSED}:
        return Verdict(Standing.DOUBTFUL, f"the last action for it did not work: {acts[-1].outcome.detail}")
    is_new = begun is not None and not begun.holds(evidence)
    is_brought = any(folded(evidence) in folded(one.difference) for one in records if one.outcome.is_done and evidence)
    if is_new or is_brought or _is_about(answer, evidence) or was_read(evidence, records):
        return Verdict(Standing.SHOWN)
    return Verdict(Standing.DOUBTFUL, "nothing that was carried out brought it")


def was_read(quote: str, records: Iterable[StepRecord]) -> bool:
    """Whether a step read the words."""
    wanted = folded(quote)
    return bool(wanted) and any(one.outcome.is_done and wanted in folded(one.outcome.value) for one in records)


def quotes_of(condition: str) -> list[str]:
    """The words that a condition puts into quotation marks."""
    return [first or second for first, second in _QUOTED.findall(condition)]


def _is_about(answer: str, evidence: str) -> bool:
    """Whether the answer repeats something of its evidence, which then need not have come by an action."""
    return bool(set(_WORD.findall(folded(answer))) & set(_WORD.findall(folded(evidence))))


def expectations(text: str, url: str, gone: str) -> tuple[TextSeen | TextGone | AddressHolds, ...]:
    """What a model says is to be seen afterwards, as checks of the engine."""
    found: list[TextSeen | TextGone | AddressHolds] = []
    if text.strip():
        found.append(TextSeen(text.strip()))
    if url.strip():
        found.append(AddressHolds(url.strip()))
    if gone.strip():
        found.append(TextGone(gone.strip()))
    return tuple(found)


def unsupported_numbers(text: str, known: str) -> list[str]:
    """The numbers of a sentence that occur nowhere in what is known."""
    held = {form for number in _NUMBER.findall(known) for form in (*_forms(number), *_NOT_DIGIT.split(number))}
    return [number for number in _NUMBER.findall(text) if held.isdisjoint(_forms(number))]


def _forms(number: str) -> set[str]:
    """Its digits, and those without the zeros at its end that say nothing: 12.50 is 12.5."""
    digits = _NOT_DIGIT.sub("", number)
    return {digits, digits.rstrip("0")} if _DECIMAL.fullmatch(number) else {digits}
