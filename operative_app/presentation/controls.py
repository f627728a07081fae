"""Which commands make sense in which state of a run; the toolbar shows exactly this."""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.run import RunState

ACTIVE = frozenset(
    {RunState.PLANNING, RunState.WORKING, RunState.WAITING, RunState.PAUSED, RunState.TAKEN_OVER, RunState.STOPPING}
)
"""The states in which a run exists and is not over."""


@dataclass(frozen=True, slots=True)
class Controls:
    """Truths about the commands.

    Attributes:
        is_resume: The run button resumes instead of starting.
        is_hand_back: The take-over button gives control back instead of taking it.
        can_choose: Surface and plan review may be changed; they are fixed while a run goes on.
        can_say: A word may be sent to the run under way.
        can_edit_plan: The plan takes edits.
    """

    can_run: bool = False
    is_resume: bool = False
    can_pause: bool = False
    can_step: bool = False
    can_take_over: bool = False
    is_hand_back: bool = False
    can_stop: bool = False
    can_choose: bool = False
    can_say: bool = False
    can_edit_plan: bool = False


def controls(state: RunState, *, has_goal: bool, has_plan: bool, is_starting: bool = False) -> Controls:
    """What can be done now.

    Args:
        state: Where the run stands.
        has_goal: The goal editor holds some words.
        has_plan: There is a plan to edit.
        is_starting: A run was asked for and has not told of itself yet.
    """
    if is_starting:
        return Controls(can_stop=True)
    if state not in ACTIVE:
        return Controls(can_run=has_goal, can_choose=True)
    if state is RunState.STOPPING:
        return Controls()
    paused, taken_over = state is RunState.PAUSED, state is RunState.TAKEN_OVER
    return Controls(
        can_run=paused,
        is_resume=paused,
        can_pause=state in {RunState.PLANNING, RunState.WORKING, RunState.WAITING},
        can_step=paused,
        can_take_over=True,
        is_hand_back=taken_over,
        can_stop=True,
        can_say=True,
        can_edit_plan=has_plan,
    )
