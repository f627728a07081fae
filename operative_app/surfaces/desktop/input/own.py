"""What is Operative's own on the screen: its process, and the terminal it was started from."""

from __future__ import annotations

import os
from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True)
class Own:
    """Processes and windows that are never typed or clicked into."""

    pids: frozenset[int]
    windows: frozenset[int] = frozenset()


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
