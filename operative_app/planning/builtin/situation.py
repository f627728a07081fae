"""What a decision is made from: the screen, the task, the plan, the run's memory, the day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from operative_app.actions.declare import Action
from operative_app.core.plan import Plan, Task
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import Element, ElementRef, ScreenState
from operative_app.planning.builtin.grounding import Grounded, Purpose, ground, label_of
from operative_app.planning.builtin.instruction import Target
from operative_app.planning.builtin.words import similarity, tokens
from operative_app.planning.port import AskPerson, Decision, NotThereYet, RunContext, StepRecord


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything one decision may look at.

    Attributes:
        records: The steps already taken for this task.
        question: The last question asked for this task, when it was answered since; "" otherwise.
        answer: The answer to it.
    """

    state: ScreenState
    plan: Plan
    task: Task
    context: RunContext
    today: date
    records: Sequence[StepRecord] = ()
    question: str = ""
    answer: str = ""

    def answer_to(self, question: str) -> str:
        """The person's answer to this question (or to one that begins with these words); "" when it is not answered."""
        return self.answer if self.question and self.question.startswith(question) else ""

    @property
    def last(self) -> StepRecord | None:
        return self.records[-1] if self.records else None

    def ref(self, element: Element) -> ElementRef:
        return self.state.ref(element)

    def times_done(self, element: Element, action: type[Action] | None = None) -> int:
        """How often this element was acted on for this task with the effect seen."""
        return sum(
            1
            for record in self.records
            if record.outcome.status in {OutcomeStatus.DONE, OutcomeStatus.UNVERIFIED}
            and (action is None or isinstance(record.action, action))
            and _is_same(record.action.target_ref, element)
        )

    def has_failed(self, element: Element) -> bool:
        """Whether acting on this element failed before in this task."""
        return any(
            record.outcome.status in {OutcomeStatus.FAILED, OutcomeStatus.REFUSED}
            and _is_same(record.action.target_ref, element)
            for record in self.records
        )

    def did(self, action: type[Action]) -> bool:
        return any(isinstance(record.action, action) and record.outcome.is_done for record in self.records)


@dataclass(frozen=True, slots=True)
class Found:
    """One element, or the decision to take because there is not one."""

    element: Element | None = None
    otherwise: Decision | None = None


def find(sit: Situation, target: Target, purpose: Purpose, what: str = "") -> Found:
    """Ground a target; a person's earlier answer settles between rivals."""
    grounded = ground(sit.state, target, purpose)
    if grounded.element is not None:
        return Found(grounded.element)
    if grounded.rivals:
        name = target.name or target.kind or "of these"
        chosen = _answered(sit, grounded, f"There are {len(grounded.rivals)} called “{name}”.")
        if chosen is not None:
            return Found(chosen)
        labels = unique_labels(sit.state, grounded.rivals)
        return Found(
            otherwise=AskPerson(f"There are {len(grounded.rivals)} called “{name}”. Which one do you mean?", labels)
        )
    return Found(otherwise=NotThereYet(what or missing_words(target)))


def as_sentence(reason: str) -> str:
    """A reason as a sentence of its own; whoever tells it says for which task."""
    words = reason.strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."


def missing_words(target: Target) -> str:
    name = f"“{target.name}”" if target.name else target.kind or "it"
    return f"{name} is not on the page"


def unique_labels(state: ScreenState, elements: Sequence[Element]) -> tuple[str, ...]:
    labels: list[str] = []
    for element in elements:
        label = label_of(state, element)
        labels.append(label if label not in labels else f"{label} ({labels.count(label) + 1}.)")
    return tuple(labels)


def answer_text(sentence: str, question: str) -> str:
    """The bare answer inside a sentence that may repeat the question or wrap the answer in quotation marks."""
    text = sentence.strip()
    if question and question in text:
        text = text.split(question, 1)[1]
    quoted = re.search(r"[“\"](?P<text>[^“”\"]+)[”\"]\.?\s*$", text)
    if quoted:
        return quoted["text"].strip()
    said = re.match(
        r"(?i)^\W*(?:(?:the )?(?:person|you|user) )?(?:answered|answers|replied|said|answer)\s*:?\s*(?P<text>\S.*)$",
        text,
    )
    return (said["text"] if said else text).strip(" :—–\n\t")


def _answered(sit: Situation, grounded: Grounded, question: str) -> Element | None:
    answer = sit.answer_to(question)
    if not answer:
        return None
    labels = unique_labels(sit.state, grounded.rivals)
    for label, element in zip(labels, grounded.rivals, strict=True):
        if label == answer:
            return element
    number = re.fullmatch(r"\s*(?:the )?(\d+|first|second|third|last)(?:st|nd|rd|th|\.)?(?: one)?\s*", answer, re.I)
    if number:
        words = {"first": 0, "second": 1, "third": 2, "last": len(labels) - 1}
        index = words.get(number[1].casefold(), int(number[1]) - 1 if number[1].isdigit() else 0)
        return grounded.rivals[index] if 0 <= index < len(labels) else None
    scored = sorted(
        ((_shared(answer, label), similarity(answer, label), place) for place, label in enumerate(labels)), reverse=True
    )
    is_clear = len(scored) < 2 or scored[0][:2] > scored[1][:2]
    return grounded.rivals[scored[0][2]] if is_clear and (scored[0][0] or scored[0][1] >= 60) else None


def _shared(answer: str, label: str) -> int:
    """How many of the answer's words the label says."""
    return len(set(tokens(answer)) & set(tokens(label)))


def _is_same(ref: ElementRef | None, element: Element) -> bool:
    if ref is None:
        return False
    print_ = ref.fingerprint
    return print_.path == element.path and print_.frame == element.frame and print_.role == element.role
