"""The exit codes of `operative`, one meaning each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operative_app.core.events import RunFinished

DONE = 0
FAILED = 1
WRONG_USAGE = 2
STOPPED = 3
HUMAN_NEEDED = 4


def exit_code_of(finished: RunFinished) -> int:
    """The exit code for the end of a run; what is not verified, not understood or over a limit has failed."""
    from operative_app.core.run import EndCause, RunState

    if finished.state is RunState.DONE:
        return DONE
    if finished.cause is EndCause.HUMAN_NEEDED:
        return HUMAN_NEEDED
    if finished.state is RunState.STOPPED or finished.cause is EndCause.STOPPED_BY_PERSON:
        return STOPPED
    return FAILED
