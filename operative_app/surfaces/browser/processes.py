"""The processes a browser session started, known by pid, so that none is left behind."""

from __future__ import annotations

from pathlib import Path

import psutil

END_S = 1.0


def is_browser_of(pid: int, profile_dir: Path) -> bool:
    """Whether the process is a browser that runs on the profile."""
    try:
        return f"--user-data-dir={profile_dir}" in psutil.Process(pid).cmdline()
    except (psutil.Error, OSError):
        return False


class OwnProcesses:
    """Notes what was started by this process for a session: the driver, and the browser on its profile.

    Nothing else is ever ended: a child counts only when it is the driver that appeared since, or when its command line
    names the profile.
    """

    def __init__(self, profile_dir: Path | None) -> None:
        self._profile_dir = profile_dir
        self._before = {child.pid for child in _children()}
        self._own: dict[int, psutil.Process] = {}
        self._roots: list[psutil.Process] = []

    def note(self) -> None:
        """Look for what was started since. Call it after each start."""
        for child in _children():
            if child.pid in self._before or child.pid in self._own:
                continue
            if self._is_own(child):
                self._roots.append(child)
                for process in [child, *_children(child)]:
                    self._own[process.pid] = process

    def _is_own(self, process: psutil.Process) -> bool:
        try:
            command = process.cmdline()
        except (psutil.Error, OSError):
            return False
        is_driver = any(part.endswith("cli.js") for part in command) and "run-driver" in command
        return is_driver or (self._is_browser(command) and not self._is_browser_part(process, command))

    def _is_browser(self, command: list[str]) -> bool:
        return f"--user-data-dir={self._profile_dir}" in command

    def _is_browser_part(self, process: psutil.Process, command: list[str]) -> bool:
        """A renderer and the like: they come and go. Just started, one still shows the command line of the browser."""
        if any(part.startswith("--type=") for part in command):
            return True
        try:
            parent = process.parent()
            return parent is not None and self._is_browser(parent.cmdline())
        except (psutil.Error, OSError):
            return True

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(self._own)

    def alive(self) -> list[psutil.Process]:
        return [process for process in self._own.values() if _is_alive(process)]

    @property
    def is_whole(self) -> bool:
        """Whether the driver and the browser still run."""
        return all(_is_alive(process) for process in self._roots)

    def end(self) -> None:
        """End what still runs of them, by pid; bounded, idempotent."""
        trees = {process.pid: process for top in self.alive() for process in [top, *_children(top)]}
        left = list(trees.values())
        for stop in ("terminate", "kill"):
            for process in left:
                try:
                    getattr(process, stop)()
                except psutil.Error:
                    continue
            _, left = psutil.wait_procs(left, timeout=END_S)
            if not left:
                return


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _children(process: psutil.Process | None = None) -> list[psutil.Process]:
    try:
        return (process or psutil.Process()).children(recursive=True)
    except psutil.Error:
        return []
