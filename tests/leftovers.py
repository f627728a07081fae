"""Finds what a test leaves behind: processes, threads and temporary folders.

Processes are found in two ways: as descendants of the test process, and (where `/proc` exists) by a mark in
their environment, which also finds those that were given away to init.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import psutil

MARK_VARIABLE = "OPERATIVE_TEST_MARK"
REAL_TEMP = Path(tempfile.gettempdir())
FOLDERS = "operative-*"
GRACE_S = 60.0
LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What existed before a test, to tell what the test left behind. Cheap: every test pays for it."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    pids: frozenset[int] = field(default_factory=lambda: frozenset(psutil.pids()))
    threads: frozenset[threading.Thread] = field(default_factory=lambda: frozenset(threading.enumerate()))
    folders: frozenset[Path] = field(default_factory=lambda: _shared_folders())

    def leftovers(self, temp: Path, grace_s: float = GRACE_S) -> list[str]:
        """Return a line for each thing that was left, and end the processes among them.

        What is just ending gets `grace_s` to do so.

        Args:
            temp: The temporary folder of the test; the machine's own is looked at too, unless other test
                processes share it.
        """
        end_s = time.monotonic() + grace_s
        while (processes := self._processes()) and time.monotonic() < end_s:
            psutil.wait_procs(_alive(processes), timeout=LOOK_EVERY_S)  # where one that nobody reaps is never gone
        for process in _alive(processes):
            with contextlib.suppress(psutil.NoSuchProcess):  # it went with the one before
                process.kill()
        threads = self._threads()
        for thread in threads:
            thread.join(timeout=grace_s)
        return [
            *(f"  process {pid}: {command}" for pid, command in processes.items()),
            *(f"  thread {thread.name}: {thread!r}" for thread in threads if thread.is_alive()),
            *(f"  folder {folder}" for folder in self._folders(temp)),
        ]

    def _processes(self) -> dict[int, str]:
        """Those begun since, by this process and what it began since, and those that carry the mark."""
        pids = [pid for pid in psutil.pids() if pid not in self.pids]
        left = [pid for pid in pids if self._is_below(pid) or _has_mark(pid, self.mark)]
        return {process.pid: _command(process.pid) for process in _alive(dict.fromkeys(sorted(left), ""))}

    def _is_below(self, pid: int) -> bool:
        """Whether it descends from this process without one between that was there before."""
        seen: set[int] = set()
        while pid not in self.pids and pid not in seen:
            seen.add(pid)
            try:
                pid = psutil.Process(pid).ppid()
            except psutil.Error:
                return False
        return pid == os.getpid()

    def _threads(self) -> list[threading.Thread]:
        new = set(threading.enumerate()) - self.threads
        return [thread for thread in new if not thread.daemon and thread.is_alive()]

    def _folders(self, temp: Path) -> list[Path]:
        found = set(temp.glob(FOLDERS))
        return sorted(found | (_shared_folders() - self.folders))


def _shared_folders() -> frozenset[Path]:
    """Those in the machine's own folder; none when other test processes share it: theirs would be blamed on a test."""
    return frozenset() if "PYTEST_XDIST_WORKER" in os.environ else frozenset(REAL_TEMP.glob(FOLDERS))


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return f"{MARK_VARIABLE}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it ended meanwhile, belongs to somebody else, or there is no /proc
        return False


def _alive(pids: dict[int, str]) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for pid in pids:
        try:
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def _command(pid: int) -> str:
    try:
        return " ".join(psutil.Process(pid).cmdline())[:200]
    except psutil.Error:
        return "(gone)"
