"""The kill switch of one process: what it ends, what a press does to the run, and what is said about it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from operative_app.engine.control import RunControl
from operative_app.guard.kill_switch import KillSwitch
from operative_app.guard.targets import TargetKind

BROWSER_ENDED = "The application did not answer the stop key in time, so the browser was ended."


class Guarding:
    """Starts the guard, tells it the processes of open surfaces, and stops the run on a press.

    Any thread. The guard's process is started on a thread of its own, since it takes a moment to answer.

    Args:
        control: Gets the stop.
        on_started: Called on that thread with whether it works, and why not.
        on_ended: Called on the guard's reader thread with a sentence when the browser had to be ended.
    """

    def __init__(
        self,
        chord: str,
        control: RunControl,
        *,
        on_started: Callable[[bool, str], None] = lambda works, reason: None,
        on_ended: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._control = control
        self._on_started = on_started
        self._switch = KillSwitch(chord, self._on_press, lambda: on_ended(BROWSER_ENDED))
        self._starting = threading.Thread(target=self._start, name="kill switch", daemon=True)

    @property
    def works(self) -> bool:
        """Whether presses are heard now."""
        return self._switch.works

    def start(self) -> None:
        """Start the guard; returns at once. Once only."""
        self._starting.start()

    def wait(self) -> bool:
        """Wait until the guard works or cannot (some tenths of a second); returns `works`."""
        if self._starting.ident is not None:
            self._starting.join()
        return self._switch.works

    def processes_started(self, kind: TargetKind, pids: Iterable[int]) -> None:
        """A surface runs on these; a press ends them (`guard.targets`)."""
        self._switch.guard(kind, pids)

    def processes_ended(self, pids: Iterable[int]) -> None:
        self._switch.forget(pids)

    def close(self) -> None:
        """Idempotent, bounded. Not from a press."""
        self.wait()
        self._switch.stop()

    def _start(self) -> None:
        works = self._switch.start()
        self._on_started(works, self._switch.reason)

    def _on_press(self) -> None:
        """On the guard's reader thread."""
        self._control.stop("the kill switch was pressed", taken=self._switch.answered)
