"""Finds what a test leaves behind: processes, threads and temporary folders.

Processes are found in two ways: as descendants of the test process, and (where `/proc` exists) by a mark in
their environment, which also finds those that were given away to init.
"""

from __future__ import annotations

import os
import tempfile
import threading
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import psutil

MARK_VARIABLE = "OPERATIVE_TEST_MARK"
REAL_TEMP = Path(tempfile.gettempdir())
FOLDERS = "operative-*"
GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What existed before a test, to tell what the test left behind."""

    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    pids: frozenset[int] = field(default_factory=lambda: frozenset(_descendants()))
    threads: frozenset[threading.Thread] = field(default_factory=lambda: frozenset(threading.enumerate()))
    folders: frozenset[Path] = field(default_factory=lambda: frozenset(REAL_TEMP.glob(FOLDERS)))

    def leftovers(self, temp: Path, grace_s: float = GRACE_S) -> list[str]:
        """Return a line for each thing that was left, and end the processes among them.

        What is just ending gets `grace_s` to do so.

        Args:
            temp: The temporary folder of the test; the machine's own is looked at too, unless other test
                processes share it.
        """
        processes = self._processes()
        if processes:
            psutil.wait_procs(_alive(processes), timeout=grace_s)
            processes = self._processes()
        for process in _alive(processes):
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
        mine = _descendants()
        pids = {pid for pid, ancestors in mine.items() if pid not in self.pids and not ancestors & self.pids}
        pids |= {pid for pid in _marked(self.mark) if pid not in mine and pid not in self.pids}
        return {pid: _command(pid) for pid in sorted(pids)}

    def _threads(self) -> list[threading.Thread]:
        new = set(threading.enumerate()) - self.threads
        return [thread for thread in new if not thread.daemon and thread.is_alive()]

    def _folders(self, temp: Path) -> list[Path]:
        found = set(temp.glob(FOLDERS))
        if "PYTEST_XDIST_WORKER" not in os.environ:  # else another worker's folder would be blamed on this test
            found |= set(REAL_TEMP.glob(FOLDERS)) - self.folders
        return sorted(found)


def _descendants() -> dict[int, frozenset[int]]:
    """Return the living descendants of this process, each with its ancestors below this process."""
    parents: dict[int, int] = {}
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                parents[child.pid] = child.ppid()
        except psutil.NoSuchProcess:
            continue
    found: dict[int, frozenset[int]] = {}
    for pid in parents:
        ancestors: set[int] = set()
        above = parents[pid]
        while above in parents and above not in ancestors:
            ancestors.add(above)
            above = parents[above]
        found[pid] = frozenset(ancestors)
    return found


def _marked(mark: str) -> list[int]:
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    pids: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (entry / "environ").read_bytes():
                pids.append(int(entry.name))
        except OSError:  # it ended meanwhile, or belongs to somebody else
            continue
    return [process.pid for process in _alive(dict.fromkeys(pids, "")) if process.pid != os.getpid()]


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
