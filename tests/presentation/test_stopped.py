from __future__ import annotations

from operative_app.core.events import RunFinished
from operative_app.core.run import EndCause, RunState, Stopped
from operative_app.presentation.narration import Narration
from operative_app.presentation.stopped import stopped_lines


def test_what_was_cut_off_is_named_and_is_to_be_looked_at() -> None:
    lines = dict(stopped_lines(Stopped(interrupted="Type “Dear\u202e Ada”", step=7)))
    assert lines["Cut off"] == "Step 7, “Type “Dear Ada””. It is not known whether it took effect."
    assert lines["Let go"] == "All keys and mouse buttons."
    assert lines["Next"].startswith("Look at the screen whether it happened")


def test_nothing_under_way_leaves_nothing_in_doubt() -> None:
    lines = dict(stopped_lines(Stopped()))
    assert lines["Cut off"] == "No action was under way; nothing is in doubt."
    assert lines["Next"].startswith("Give the goal again")


def test_what_was_held_is_named_and_what_is_not_certain_is_said() -> None:
    held = dict(stopped_lines(Stopped(held=("Shift", "left"))))
    assert held["Let go"] == "All keys and mouse buttons. Shift, left had been held down."
    unsure = dict(stopped_lines(Stopped(is_released=False)))
    assert "not certain" in unsure["Let go"]
    assert "press Shift, Ctrl, Alt" in unsure["Let go"]


def test_the_terminal_tells_it_after_the_end() -> None:
    end = RunFinished(
        run_id="r", sequence=1, time_s=0, state=RunState.STOPPED, cause=EndCause.STOPPED_BY_PERSON,
        reason="The stop key was pressed.", stopped=Stopped(interrupted="Press “Buy”", step=2),
    )  # fmt: skip
    first, cut, let_go, after = Narration().lines(end)
    assert "The stop key was pressed." in first
    assert cut.startswith("Cut off: Step 2, “Press “Buy””")
    assert let_go == "Let go: All keys and mouse buttons."
    assert after.startswith("Next: Look at the screen")
