"""What a run opens to others on the machine: no socket but the practice site's listens, no file can be read."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.test_command import home
from tests.surfaces.hosts import Host

__all__ = ["home"]


def tree(pid: int) -> Iterator[psutil.Process]:
    process = psutil.Process(pid)
    yield process
    yield from process.children(recursive=True)


def listening(pid: int) -> set[tuple[str, int]]:
    """Addresses at which the process or one of its children takes connections or datagrams."""
    found: set[tuple[str, int]] = set()
    for process in tree(pid):
        try:
            for one in process.net_connections("inet"):
                is_bound = one.status == psutil.CONN_LISTEN or (one.type == socket.SOCK_DGRAM and not one.raddr)
                if is_bound and one.laddr:
                    found.add((one.laddr.ip, one.laddr.port))
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def command_lines(pid: int) -> list[list[str]]:
    lines = []
    for process in tree(pid):
        try:
            lines.append(process.cmdline())
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return lines


def open_to_others(folder: Path) -> list[str]:
    """Files below the folder that another user of the machine could reach and read or change."""
    found = []
    for path, names, files in os.walk(folder):
        place = Path(path)
        if place != folder and not place.stat().st_mode & 0o077:
            names.clear()  # nobody else gets in there
            continue
        found += [
            str(place / name) for name in files if stat.S_ISREG(mode := (place / name).lstat().st_mode) and mode & 0o077
        ]
    return found


AHEAD_BYTES = 4096
"""How far a run may be ahead of who reads its events: less than it tells from its first look to its end."""


def walked(goal: str, *arguments: str) -> tuple[set[tuple[str, int]], list[list[str]], list[dict[str, object]]]:
    """Carry out a goal; what listened at any of its steps, the processes there were, and the events."""
    heard: set[tuple[str, int]] = set()
    lines: list[list[str]] = []
    events: list[dict[str, object]] = []
    process = subprocess.Popen(
        [sys.executable, "-m", "operative_app", "run", goal, "--headless", "--json", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        bufsize=0,
        pipesize=AHEAD_BYTES,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            events.append(json.loads(line))
            if events[-1]["kind"] in {"step_started", "step_finished", "observed"}:
                heard |= listening(process.pid)
                lines += command_lines(process.pid)
        process.wait(timeout=60)
    finally:
        process.kill()
        process.communicate()
    return heard, lines, events


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_only_the_practice_site_listens_and_only_the_user_can_read(
    home: Path, chromium_path: Path, isolation: Path
) -> None:
    before = os.umask(0o022)
    try:
        heard, lines, events = walked("Tell me the revenue for March", "--url", "practice:report")
    finally:
        os.umask(before)
    assert events[-1]["state"] == "done"
    assert [ipaddress.ip_address(address).is_loopback for address, _ in heard] == [True]  # the practice site, alone
    browsers = [line for line in lines if any(part.startswith("--user-data-dir") for part in line)]
    assert any("--remote-debugging-pipe" in line for line in browsers)
    assert not any(part.startswith("--remote-debugging-port") for line in lines for part in line)
    folders = [home / name for name in ("data", "config", "profile", "downloads")]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * len(folders)
    assert list((home / "data").rglob("*"))  # the record and its pictures
    assert open_to_others(home) == []
    assert open_to_others(isolation / "tmp") == []


def test_a_run_is_held_to_the_sites_of_its_command_line_and_of_the_settings_and_nothing_listens(
    home: Path, chromium_path: Path
) -> None:
    (home / "config").mkdir(parents=True, mode=0o700)
    (home / "config" / "settings.json").write_text(json.dumps({"sites": {"deny": ["127.0.0.2"]}}))
    with Host("127.0.0.1", "Inside") as inside, Host("127.0.0.2", "Outside") as outside:
        both = ("--allow", "127.0.0.1", "--allow", "127.0.0.2")
        heard, lines, events = walked(f"Open {inside.url}/to/302?{outside.url}/x", *both)
    assert events[-1]["state"] == "failed"
    assert "the deny list names it: 127.0.0.2" in str(events[-1]["reason"])
    assert outside.requests == []
    assert heard == set()
    assert any("--remote-debugging-pipe" in line for line in lines)
    assert any("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1," in " ".join(line) for line in lines)
    assert not any("EXCLUDE 127.0.0.2" in " ".join(line) for line in lines)
