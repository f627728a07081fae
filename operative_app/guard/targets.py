"""The processes the guard ends when the hotkey is pressed: the input process at once, the browser without an answer.

A number alone may belong to somebody else by the time it is used, so each is held with the time of its creation, and on
Linux by a pidfd, which cannot mean another process.
"""

from __future__ import annotations

import contextlib
import os
import signal
from enum import StrEnum

import psutil


class TargetKind(StrEnum):
    """What a process is to the guard.

    INPUT injects mouse and keyboard events: it is ended at once. BROWSER drives or is the browser: it is ended when the
    application does not answer.
    """

    INPUT = "input"
    BROWSER = "browser"


class _Target:
    """One process that ran when this was made."""

    def __init__(self, pid: int) -> None:
        """Raises OSError or psutil.Error when it does not run."""
        self._process = psutil.Process(pid)
        self._pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1

    def end(self) -> bool:
        """End it at once, without a chance to tidy up; whether it still ran."""
        try:
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                self._process.kill()  # looks at the time of creation first
        except (OSError, psutil.Error):
            return False
        return True

    def close(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)


class Targets:
    """The processes to end. One thread at a time (the guard holds a lock)."""

    def __init__(self) -> None:
        self._held: dict[tuple[TargetKind, int], _Target] = {}

    def __contains__(self, kind: TargetKind) -> bool:
        return any(one is kind for one, _ in self._held)

    def add(self, kind: TargetKind, pid: int) -> None:
        """Hold a process that runs now; one that has ended already is none."""
        if (kind, pid) not in self._held:
            with contextlib.suppress(OSError, psutil.Error):
                self._held[kind, pid] = _Target(pid)

    def drop(self, pid: int) -> None:
        """Hold it no longer."""
        for kind, other in list(self._held):
            if other == pid:
                self._held.pop((kind, other)).close()

    def end(self, kind: TargetKind) -> int:
        """End all of a kind at once; how many still ran."""
        ended = 0
        for one, pid in list(self._held):
            if one is kind:
                target = self._held.pop((one, pid))
                ended += target.end()
                target.close()
        return ended

    def close(self) -> None:
        for target in self._held.values():
            target.close()
        self._held.clear()
