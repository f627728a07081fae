"""The kill switch of one process: what it ends, what a press does to the run, and what is said about it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping

import psutil

from operative_app.engine.control import RunControl
from operative_app.guard.hearing import ON_WAYLAND
from operative_app.guard.kill_switch import KillSwitch, Press
from operative_app.guard.stopping import StopWay
from operative_app.guard.targets import TargetKind

BROWSER_ENDED = "The application did not answer the stop key in time, so the browser was ended."
PRESSED = "The stop key was pressed"
CORNERED = "The pointer was put into the upper left corner of the screen"
CHOSEN = "Stop was chosen in the menu of the tray icon"
LOST = "The stop key was no longer heard, since its process had ended"
_WORDS = {StopWay.KEY: PRESSED, StopWay.CORNER: CORNERED, StopWay.ASKED: CHOSEN}
_MAX_RESTARTS = 3
_RESTARTS_S = 60.0


class Guarding:
    """Starts the guard, tells it the processes of open surfaces, and stops the run on a press.

    Any thread. The guard's process is started on a thread of its own, since it takes a moment to answer. When it ends
    by itself (something killed it, or it hung) what runs is stopped, since nobody could stop it any more, and it is
    started anew: no agent can go on by closing its guard.

    Args:
        control: Gets the stop.
        on_started: Called on a thread of this class with whether the stop key works, and why not, in sentences that
            also say how to stop instead (`how_to_stop`); again whenever that changes.
        on_ended: Called on the guard's reader thread with a sentence when something was ended that a person should
            know of: the browser after a press nobody answered, or a run whose guard was lost.
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
        self._on_ended = on_ended
        self._switch = KillSwitch(chord, self._on_press, lambda: on_ended(BROWSER_ENDED), self._on_lost)
        self._lock = threading.Lock()
        self._starting: threading.Thread | None = None
        self._restarts: list[float] = []
        self._is_closing = False

    @property
    def works(self) -> bool:
        """Whether presses are heard now."""
        return self._switch.works

    def is_pressed(self) -> bool:
        """Whether a press was not answered yet: nothing may be sent then. Any thread; costs no more than a look."""
        return self._switch.is_pressed

    def start(self) -> None:
        """Start the guard; returns at once. Does nothing once closed."""
        with self._lock:
            if not self._is_closing:
                self._starting = threading.Thread(target=self._start, name="kill switch", daemon=True)
                self._starting.start()

    def wait(self) -> bool:
        """Wait until the guard works or cannot (some tenths of a second); returns `works`."""
        starting = self._starting
        if starting is not None:
            starting.join()
        return self._switch.works

    def press(self) -> None:
        """Stop everything as the stop key does, for a Stop outside of the window's buttons (the tray). Any thread.

        The guard ends what injects, lets go of all keys and buttons, and ends the browser when the engine does not
        answer. Without a guard the same is done from here, as far as this process answers.
        """
        if self._switch.press():
            return
        for pid, kind in self._switch.guarded.items():
            if kind is TargetKind.INPUT:
                with contextlib.suppress(psutil.Error):
                    psutil.Process(pid).kill()  # what it held is let go of by its channel
        self._control.stop(CHOSEN)

    @property
    def stop_line(self) -> int | None:
        """For the tray icon's process to inherit (`KillSwitch.stop_line`). Asked for before `start`."""
        return self._switch.stop_line

    def chosen_in_tray(self) -> None:
        """Stop was chosen in the tray. Its process has told the guard by `stop_line`; without that it is told here."""
        if not self._switch.hears_line:
            self.press()

    def processes_started(self, kind: TargetKind, pids: Iterable[int]) -> None:
        """A surface runs on these; a press ends them (`guard.targets`)."""
        self._switch.guard(kind, pids)

    def processes_ended(self, pids: Iterable[int]) -> None:
        self._switch.forget(pids)

    def close(self) -> None:
        """Idempotent, bounded. Not from a press. Close it after the surfaces: what still runs can be stopped."""
        with self._lock:
            self._is_closing = True
        self.wait()
        self._switch.close()

    def _start(self) -> None:
        works = self._switch.start()
        self._on_started(works, "" if works else how_to_stop(self._switch.reason))

    def _on_press(self, press: Press) -> None:
        """On the guard's reader thread."""
        self._control.stop(_WORDS[press.way], taken=press.answer)

    def _on_lost(self, reason: str) -> None:
        """On the guard's reader thread, which ends after this."""
        self._control.stop(LOST)
        now = time.monotonic()
        with self._lock:
            if self._is_closing:
                return
            self._restarts = [one for one in self._restarts if now - one < _RESTARTS_S] + [now]
            is_hopeless = len(self._restarts) > _MAX_RESTARTS
            restarting = threading.Thread(target=self._restart, args=(reason,), name="kill switch", daemon=True)
            if not is_hopeless:
                self._starting = restarting
                restarting.start()
        if is_hopeless:
            self._on_started(False, how_to_stop(reason))
        self._on_ended(f"{LOST}. What ran was stopped.")

    def _restart(self, reason: str) -> None:
        self._on_started(False, how_to_stop(reason))
        self._switch.stop()
        self._start()


def how_to_stop(reason: str, environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Why the stop key is not heard, and what stops a run here instead, in sentences for the person.

    Args:
        reason: What the guard says (`KillSwitch.reason`).
        environment: That of this process when None.
        platform: As `sys.platform` has it.
    """
    given = os.environ if environment is None else environment
    way = (
        "Stop in the window or in the menu of its tray icon ends a run, and so does Ctrl+C in the terminal it began in."
    )
    if platform == "darwin":
        allow = (
            "Allow Operative under System Settings, Privacy & Security, in Accessibility and in Input Monitoring, "
            "and start it again."
        )
        return f"{reason} {allow} Until then: {way}"
    if ON_WAYLAND in reason or given.get("WAYLAND_DISPLAY"):
        return f"{reason} In an X11 (Xorg) session it is heard. Here: {way}"
    return f"{reason} {way}"
