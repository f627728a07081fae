from __future__ import annotations

import pytest

from operative_app.core.run import RunState
from operative_app.presentation.controls import Controls, controls

AVAILABLE = {
    RunState.READY: {"can_run", "can_choose"},
    RunState.PLANNING: {"can_pause", "can_take_over", "can_stop", "can_say", "can_edit_plan"},
    RunState.WORKING: {"can_pause", "can_take_over", "can_stop", "can_say", "can_edit_plan"},
    RunState.WAITING: {"can_pause", "can_take_over", "can_stop", "can_say", "can_edit_plan"},
    RunState.PAUSED: {"can_run", "is_resume", "can_step", "can_take_over", "can_stop", "can_say", "can_edit_plan"},
    RunState.TAKEN_OVER: {"can_take_over", "is_hand_back", "can_stop", "can_say", "can_edit_plan"},
    RunState.STOPPING: set(),
    RunState.DONE: {"can_run", "can_choose"},
    RunState.NOT_VERIFIED: {"can_run", "can_choose"},
    RunState.FAILED: {"can_run", "can_choose"},
    RunState.STOPPED: {"can_run", "can_choose"},
}


def truths(of: Controls) -> set[str]:
    return {name for name in Controls.__slots__ if getattr(of, name)}


@pytest.mark.parametrize("state", list(RunState))
def test_each_state_allows_exactly_what_makes_sense(state: RunState) -> None:
    assert truths(controls(state, has_goal=True, has_plan=True)) == AVAILABLE[state]


def test_without_a_goal_nothing_can_be_run() -> None:
    assert truths(controls(RunState.READY, has_goal=False, has_plan=False)) == {"can_choose"}


def test_without_a_plan_nothing_can_be_edited() -> None:
    assert not controls(RunState.WORKING, has_goal=True, has_plan=False).can_edit_plan


def test_a_run_that_was_only_asked_for_can_be_stopped_and_nothing_else() -> None:
    assert truths(controls(RunState.READY, has_goal=True, has_plan=False, is_starting=True)) == {"can_stop"}
