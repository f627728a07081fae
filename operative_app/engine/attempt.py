"""Values of one action on its way: the try, how it came out, and the two ways in which people end it."""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.actions.declare import Action, Postcondition
from operative_app.core.errors import OperativeError
from operative_app.core.run import Outcome
from operative_app.core.screen import ScreenState


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one action.

    Attributes:
        task_id: The task it serves, "" for none.
        why: One short sentence.
        variant: A, B or C: which of the alternatives it belongs to.
        number: Counts the tries from 1.
        expect: What should be seen afterwards besides what the action declares.
        part_of: The step of the composite action it is a part of, 0 for a step of its own.
        is_doubted: The planner itself calls it risky; the person is asked.
        is_followed: Another action follows without a decision between: a quick look without a picture will do.
    """

    action: Action
    task_id: str = ""
    why: str = ""
    variant: str = "A"
    number: int = 1
    expect: tuple[Postcondition, ...] = ()
    part_of: int = 0
    is_followed: bool = False
    is_doubted: bool = False


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one action came out.

    Attributes:
        words: The action as it may be told.
        is_repeatable: The loop may try it again by itself: nothing risky was sent off, and no part of it was done.
        is_risky: It, or a part of it, was one that the policy asks about: it may have committed somebody to something.
        is_interrupted: The person took over; the task is looked at anew afterwards.
        is_half_done: It ended after some of it was done, or may have been: the screen is another one now.
    """

    step: int
    action: Action
    words: str
    outcome: Outcome
    before: ScreenState
    after: ScreenState | None = None
    is_repeatable: bool = True
    is_risky: bool = False
    is_interrupted: bool = False
    is_half_done: bool = False
    difference: str = ""


class HumanNeeded(OperativeError):
    """A person had to decide and none was there."""


class DeclinedError(OperativeError):
    """The action under way was not agreed to, or cannot be made to work by trying again; the message says why."""
