"""Whether what a model claims is shown by the screen: by code first, without believing the model.

| claim | holds when |
|---|---|
| a task is done | its evidence and the quoted words of its condition can be read on the screen or in what a step read, and could not when the task began, or a step of this very task brought them, and they share a word or number with it; what the model itself typed proves nothing but that it was entered |
| a value is the answer | the task only wants something told, the evidence can be read, and all that the answer says stands in it or in the question |
| a sentence of the summary | the step it names was carried out and shows most of its words, and every number in it occurs in what was seen |

What the code cannot decide so is doubtful, as is what the model is not sure of itself: a second look decides.
"""  # noqa: E501 - a table

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from operative_app.actions.browser import Fill, Navigate
from operative_app.actions.composite import FillForm, SearchAndClick
from operative_app.actions.declare import Action, EffectKind
from operative_app.actions.keyboard import TypeText
from operative_app.core.plan import Task
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import ScreenState
from operative_app.planning.model.sight import Sight, folded, is_shown, texts_of
from operative_app.planning.model.wording import (
    is_check,
    is_for_entering,
    is_for_telling,
    missing_words,
    share_a_word,
    telling_words,
)
from operative_app.planning.port import StepRecord

_QUOTED = re.compile(r"“([^”]{2,120})”|\"([^\"]{2,120})\"")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_NOT_DIGIT = re.compile(r"\D")
_MARK = re.compile(r"^\s*[=+-]?\s*\[\d+\]\s*")
"""The number in front of an element's line, which a model may copy."""

_BETWEEN_QUOTES = re.compile(r"\s*(?:;|\n|\.\.\.|…)\s*")
"""What stands between several pieces of evidence."""

_LEAST_EVIDENCE = 2
LEAST_CONFIDENCE = 0.5
"""What a model is less sure of than that is looked at again."""


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


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a model says of the present task.

    Attributes:
        question: The person's goal and newest words: what an answer may repeat without having read it.
        confidence: How sure the model says it is, 0 to 1.
    """

    task: Task
    evidence: str
    answer: str = ""
    question: str = ""
    confidence: float = 1.0


def judge(claim: Claimed, now: Sighting, begun: Sighting | None, records: Sequence[StepRecord]) -> Verdict:
    """How the claim that a task is done stands.

    Args:
        begun: What could be read when the task began; None when that is not known.
        records: The steps of the run so far, oldest first.
    """
    task, evidence, answer = claim.task, claim.evidence, claim.answer
    pieces = _pieces(evidence, now, records)
    quotes = [*pieces, *quotes_of(task.done_when)]
    quotes = [quote for quote in quotes if len(folded(quote)) >= _LEAST_EVIDENCE]
    if not quotes or not folded(evidence):
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
    if claim.confidence < LEAST_CONFIDENCE:
        return Verdict(Standing.DOUBTFUL, "it is not sure")
    own = [one for one in records if one.task_id == task.id]
    acts = [one for one in own if one.action.spec.effect is not EffectKind.READ]
    if acts and acts[-1].outcome.status in {OutcomeStatus.FAILED, OutcomeStatus.REFUSED}:
        return Verdict(Standing.DOUBTFUL, f"the last action for it did not work: {acts[-1].outcome.detail}")
    if _is_brought(claim, pieces, now, begun, own):
        if not (task.by_human or is_for_entering(task.goal) or _is_about(evidence, task)):
            return Verdict(Standing.DOUBTFUL, "its evidence says nothing of the task")
        brought = (one.difference for one in own if one.outcome.is_done)
        return _on_answer(answer, evidence, claim.question, task.goal, task.done_when, *brought)
    if answer and is_for_telling(task.goal):
        if not telling_of(answer, evidence, claim.question, task.goal):
            return Verdict(Standing.DOUBTFUL, "the answer says nothing that stands in its evidence")
        return _on_answer(answer, evidence, claim.question, task.goal)
    is_read = is_for_telling(task.goal) and all(was_read(piece, own) for piece in pieces)
    if not answer and (is_read or (is_check(task.goal) and quotes_of(task.done_when))):
        return Verdict(Standing.SHOWN)
    return Verdict(Standing.DOUBTFUL, "nothing that was carried out for it brought it")


def _is_brought(
    claim: Claimed, pieces: Sequence[str], now: Sighting, begun: Sighting | None, own: Sequence[StepRecord]
) -> bool:
    """Whether a piece of the evidence came since the task began, or by a step of it; not just because it was typed."""
    entered = () if is_for_entering(claim.task.goal) else tuple(one.action for one in own)
    for piece in pieces:
        is_new = begun is not None and now.holds(piece) and not begun.holds(piece)
        if (is_new or _is_by_step(piece, own)) and not is_own_entry(piece, entered):
            return True
    return False


def _is_about(evidence: str, task: Task) -> bool:
    """Whether the evidence has a word or a number of the task or of its condition: much comes that no task is about."""
    asked = f"{task.goal}\n{task.done_when}"
    is_counted = len(unsupported_numbers(evidence, asked)) < len(numbers_in(evidence))
    return is_counted or share_a_word(evidence, asked)


def _is_by_step(piece: str, own: Sequence[StepRecord]) -> bool:
    """Whether a step made it appear; what a step only read was there already."""
    wanted = folded(piece)
    for one in own:
        value = "" if one.action.spec.effect is EffectKind.READ else one.outcome.value
        if one.outcome.is_done and wanted and (wanted in folded(one.difference) or wanted in folded(value)):
            return True
    return False


def _on_answer(answer: str, *known: str) -> Verdict:
    """An answer is shown when all it says stands in what is known; without an answer there is nothing to compare."""
    missing = [*unsupported_numbers(answer, "\n".join(known)), *missing_words(answer, *known)]
    if missing:
        return Verdict(Standing.DOUBTFUL, f"the answer's “{missing[0]}” does not stand in its evidence")
    return Verdict(Standing.SHOWN)


def telling_of(answer: str, evidence: str, *question: str) -> bool:
    """Whether the answer says something that stands in its evidence and not in the question already."""
    asked = "\n".join(question)
    numbers = [one for one in unsupported_numbers(answer, asked) if one not in unsupported_numbers(answer, evidence)]
    missing = missing_words(evidence, asked)
    return bool(numbers) or any(word in missing for word in telling_words(answer))


def is_own_entry(words: str, actions: Iterable[Action]) -> bool:
    """Whether the words are just what one of the actions typed, or the address it opened."""
    wanted = folded(_MARK.sub("", words))
    return bool(wanted) and any(wanted in folded(text) for action in actions for text in _entered(action))


def _entered(action: Action) -> tuple[str, ...]:
    match action:
        case Fill(text=text) | TypeText(text=text):
            return (text,)
        case FillForm(fields=fields):
            return tuple(entry.value for entry in fields)
        case SearchAndClick(query=query):
            return (query,)
        case Navigate(url=url):
            return (url,)
        case _:
            return ()


def _pieces(evidence: str, now: Sighting, records: Sequence[StepRecord]) -> list[str]:
    """The evidence as one quote when it stands so somewhere, otherwise its pieces."""
    if now.holds(evidence) or was_read(evidence, records):
        return [evidence]
    return [one for one in _BETWEEN_QUOTES.split(evidence) if one.strip()] or [evidence]


def was_read(quote: str, records: Iterable[StepRecord]) -> bool:
    """Whether a step read the words."""
    wanted = folded(quote)
    return bool(wanted) and any(one.outcome.is_done and wanted in folded(one.outcome.value) for one in records)


def quotes_of(condition: str) -> list[str]:
    """The words that a condition puts into quotation marks."""
    return [first or second for first, second in _QUOTED.findall(condition)]


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


def numbers_in(text: str) -> list[str]:
    return _NUMBER.findall(text)


def unsupported_numbers(text: str, known: str) -> list[str]:
    """The numbers of a sentence that occur nowhere in what is known."""
    held = {form for number in _NUMBER.findall(known) for form in (*_forms(number), *_NOT_DIGIT.split(number))}
    return [number for number in _NUMBER.findall(text) if held.isdisjoint(_forms(number))]


def _forms(number: str) -> set[str]:
    """Its digits, and those without the zeros at its end that say nothing: 12.50 is 12.5."""
    digits = _NOT_DIGIT.sub("", number)
    return {digits, digits.rstrip("0")} if _DECIMAL.fullmatch(number) else {digits}
