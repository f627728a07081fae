"""What was seen and done, step by step, as values for the live view and the step log."""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.events import MarkSeen, Observed
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import Box
from operative_app.presentation.spending import NOTHING, Spent


@dataclass(frozen=True, slots=True)
class Target:
    """What the next or present action is aimed at. `words` is the small tag beside the outline."""

    box: Box
    mark: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One observation of the timeline. `target` is what the step taken from here was aimed at."""

    step: int
    observation: int
    url: str
    title: str
    screenshot: str
    pixel_ratio: float
    marks: tuple[MarkSeen, ...]
    element_count: int
    left_out: tuple[str, ...]
    difference: str
    time_s: float
    target: Target | None = None


def frame_of(event: Observed) -> Frame:
    """The frame an observation makes."""
    return Frame(
        step=event.step,
        observation=event.observation,
        url=event.url,
        title=event.title,
        screenshot=event.screenshot,
        pixel_ratio=event.pixel_ratio,
        marks=event.marks,
        element_count=event.element_count,
        left_out=event.left_out,
        difference=event.difference,
        time_s=event.time_s,
    )


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a step. `status` is None while it runs."""

    attempt: int
    variant: str
    label: str
    status: OutcomeStatus | None = None
    detail: str = ""
    duration_ms: float = 0


@dataclass(frozen=True, slots=True)
class StepRow:
    """One row of the step log.

    Attributes:
        status: None while it runs, or while it `is_waiting` for an approval.
        task: The goal of its task.
        parameters: Name and value in words, in the order they were given.
        before: The observation it was decided on; `after` the last one that showed its effect, 0 for none.
        changes: What differed afterwards.
        recovery: The rungs of the recovery ladder, one sentence each.
        part_of: The step of the composite action it is a part of, 0 for a step of its own.
        picture: Content hash of a picture the action itself took, "" for none.
        spent: What the model took to choose it; nothing when it was chosen together with an earlier step.
        is_asked: A model was asked for it or for the step it was chosen with.
    """

    step: int
    time_s: float
    label: str
    action: str = ""
    task_id: str = ""
    task: str = ""
    target: str = ""
    status: OutcomeStatus | None = None
    is_waiting: bool = False
    detail: str = ""
    value: str = ""
    why: str = ""
    duration_ms: float = 0
    spent: Spent = NOTHING
    is_asked: bool = False
    parameters: tuple[tuple[str, str], ...] = ()
    before: int = 0
    after: int = 0
    changes: str = ""
    attempts: tuple[Attempt, ...] = ()
    recovery: tuple[str, ...] = ()
    part_of: int = 0
    picture: str = ""

    @property
    def tokens(self) -> int:
        """Tokens a model took to choose it."""
        return self.spent.tokens
