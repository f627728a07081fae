"""Answers for a window nobody sits at: what would need a person is declined, so that a run never waits for ever."""

from __future__ import annotations

from operative_app.cli.person import nobody_answer
from operative_app.core.events import Event, RequestRaised
from operative_app.engine.control import RunControl
from operative_app.engine.desk import FRONT_END


class Unattended:
    """An event sink that declines every request at once."""

    def __init__(self, control: RunControl) -> None:
        self._control = control

    def emit(self, event: Event) -> None:
        if isinstance(event, RequestRaised):
            self._control.answer(event.request.id, nobody_answer(event.request), by=FRONT_END)
