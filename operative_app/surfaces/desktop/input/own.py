"""What is Operative's own on the screen: its process, and the terminal it was started from."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True)
class Own:
    """Processes and windows that are never typed or clicked into."""

    pids: frozenset[int]
    windows: frozenset[int] = frozenset()


_beside: frozenset[int] = frozenset()


def count_as_own(pid: int) -> None:
    """Another process of ours shows windows, such as the menu of the tray icon. Any thread; never taken back."""
    global _beside
    _beside |= {pid}


class OwnProcesses(Collection[int]):
    """Some processes and all that are counted as own, also those that are so later. Any thread."""

    def __init__(self, pids: Collection[int]) -> None:
        self._pids = frozenset(pids)

    def __contains__(self, pid: object) -> bool:
        return pid in self._pids or pid in _beside

    def __iter__(self) -> Iterator[int]:
        return iter(self._pids | _beside)

    def __len__(self) -> int:
        return len(self._pids | _beside)


def own_process() -> frozenset[int]:
    return frozenset((os.getpid(),))


def own_terminal() -> Own:
    """The terminal this program runs in: keys sent there, Ctrl+C above all, would reach Operative itself.

    Most terminals tell their window in WINDOWID. For one that does not, the first program above this one counts which
    that terminal does not control.
    """
    terminal = _terminal(psutil.Process())
    if not terminal:
        return Own(pids=frozenset())
    window = os.environ.get("WINDOWID", "")
    if window.isdecimal():
        return Own(pids=frozenset(), windows=frozenset((int(window),)))
    try:
        outside = [process.pid for process in psutil.Process().parents() if _terminal(process) != terminal]
    except psutil.Error:
        outside = []
    return Own(pids=frozenset(pid for pid in outside[:1] if pid > 1))


def _terminal(process: psutil.Process) -> str:
    """The terminal that controls a process, "" for none and where there is no such thing."""
    try:
        return process.terminal() or ""
    except (psutil.Error, AttributeError):
        return ""
