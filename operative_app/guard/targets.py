"""The processes the guard ends when the hotkey is pressed: the input process at once, the browser without an answer.

The browser can also be halted and set going again, so that nothing more gets into a page while an answer is waited for.

A number alone may belong to somebody else by the time it is used, so each is held with the time of its creation, and on
Linux by a pidfd, which cannot mean another process. A process that leads a group of its own, as a browser does, is
halted and ended together with the group, by one call: what it started need not be looked for first.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from enum import StrEnum

import psutil

_DEAD_S = 0.03
"""How long to wait for a process that was killed to be gone, so that it sends nothing more. Usually a millisecond."""


class TargetKind(StrEnum):
    """What a process is to the guard.

    INPUT injects mouse and keyboard events: it is ended at once. BROWSER drives or is the browser: it is ended, with
    all it started, when the application does not answer.
    """

    INPUT = "input"
    BROWSER = "browser"


def leads_group(pid: int) -> bool:
    """Whether it leads a group of processes, which a signal can reach as a whole."""
    try:
        return sys.platform != "win32" and os.getpgid(pid) == pid
    except OSError:
        return False


def set_going(pid: int) -> None:
    """Set a process and its group going again, whoever halted it."""
    with contextlib.suppress(OSError, psutil.Error):
        psutil.Process(pid).resume()
        if leads_group(pid):
            os.killpg(pid, signal.SIGCONT)


class _Target:
    """One process that ran when this was made. `leads`: a group of its own, which ends and halts with it."""

    def __init__(self, pid: int) -> None:
        """Raises OSError or psutil.Error when it does not run."""
        self._process = psutil.Process(pid)
        self._pidfd = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        self._is_halted = False
        self.leads = leads_group(pid)

    @property
    def pid(self) -> int:
        return int(self._process.pid)

    @property
    def is_alive(self) -> bool:
        try:
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def children(self) -> list[psutil.Process]:
        """What it started, and what that started."""
        try:
            return self._process.children(recursive=True)
        except psutil.Error:
            return []

    def end(self) -> bool:
        """End it at once, without a chance to tidy up; whether it still ran."""
        return self._send("SIGKILL", self._process.kill)

    def halt(self) -> None:
        """Have it stand still until `go_on` or `end`."""
        self._is_halted = self._send("SIGSTOP", self._process.suspend)

    def go_on(self) -> None:
        """Set it going again when it was halted from here."""
        if self._is_halted:
            self._is_halted = False
            self._send("SIGCONT", self._process.resume)

    def _send(self, name: str, otherwise: Callable[[], None]) -> bool:
        """A signal to it and its group, by its number where there is no pidfd; whether it was there."""
        try:
            if self._pidfd < 0:
                otherwise()  # looks at the time of creation first
            else:
                signal.pidfd_send_signal(self._pidfd, 0)
            if self.leads:
                os.killpg(self.pid, getattr(signal, name))
            elif self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, getattr(signal, name))
        except (OSError, psutil.Error):
            return False
        return True

    def wait(self, limit_s: float) -> None:
        """Wait until it is gone, where that can be seen."""
        if self._pidfd >= 0:
            select.select([self._pidfd], [], [], limit_s)

    def close(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


class Ended:
    """Processes that were just killed.

    Attributes:
        count: How many of them had still run.
    """

    def __init__(self, count: int, targets: list[_Target]) -> None:
        self.count = count
        self._targets = targets

    def wait(self) -> None:
        """Wait until they are gone, for a bounded time: until then one may still send what it had begun. Once only."""
        end_s = time.monotonic() + _DEAD_S
        for target in self._targets:
            target.wait(max(0.0, end_s - time.monotonic()))
            target.close()
        self._targets = []


class Targets:
    """The processes to end. One thread at a time (the guard holds a lock), but for looking."""

    def __init__(self) -> None:
        self._held: dict[tuple[TargetKind, int], _Target] = {}

    def __contains__(self, kind: TargetKind) -> bool:
        return any(one is kind for one, _ in list(self._held))

    def are_alive(self, kind: TargetKind) -> bool:
        """Whether one of a kind still runs."""
        return any(target.is_alive for target in self._of(kind))

    def add(self, kind: TargetKind, pid: int) -> None:
        """Hold a process that runs now; one that has ended already is none."""
        if (kind, pid) not in self._held:
            with contextlib.suppress(OSError, psutil.Error):
                self._held[kind, pid] = _Target(pid)

    def drop(self, pid: int) -> None:
        """Hold it no longer."""
        for kind, other in list(self._held):
            if other == pid:
                target = self._held.pop((kind, other))
                target.go_on()
                target.close()

    def halt(self, kind: TargetKind) -> None:
        """Have all of a kind stand still; a process that stands still is ended as well as any."""
        for target in self._of(kind):
            target.halt()

    def go_on(self, kind: TargetKind) -> None:
        """Set those of a kind going again that were halted."""
        for target in self._of(kind):
            target.go_on()

    def family(self, kind: TargetKind) -> list[psutil.Process]:
        """What those of a kind started; takes some milliseconds."""
        found: dict[int, psutil.Process] = {}
        for target in self._of(kind):
            if target.pid not in found:  # it is below another one, and so is what it started
                found |= {child.pid: child for child in target.children()}
        return list(found.values())

    def end(self, kind: TargetKind, family: Iterable[psutil.Process] = ()) -> Ended:
        """End all of a kind at once, then what they started; those held so far are held no longer."""
        targets = [self._held.pop(key) for key in list(self._held) if key[0] is kind]
        count = sum([target.end() for target in sorted(targets, key=lambda one: not one.leads)])
        for process in family:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if kind is TargetKind.BROWSER:  # nobody waits for it
            for target in targets:
                target.close()
            targets = []
        return Ended(count, targets)

    def close(self) -> None:
        """Hold nothing any more; what was halted goes on."""
        for pid in {pid for _, pid in list(self._held)}:
            self.drop(pid)

    def _of(self, kind: TargetKind) -> list[_Target]:
        return [target for (one, _), target in list(self._held.items()) if one is kind]
