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

    Terminals tell their window in WINDOWID. For one that does not, each program above this one counts.
    """
    if not _has_terminal():
        return Own(pids=frozenset())
    window = os.environ.get("WINDOWID", "")
    if window.isdecimal():
        return Own(pids=frozenset(), windows=frozenset((int(window),)))
    try:
        return Own(pids=frozenset(process.pid for process in psutil.Process().parents() if process.pid > 1))
    except psutil.Error:
        return Own(pids=frozenset())


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except (OSError, AttributeError):  # there is none, or no such thing on this system
        return False
    return True
