"""Runs a program with arguments: without a shell, bounded in time and output, its whole tree of processes ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

from operative_app.core.errors import ActionError
from operative_app.core.ports import CommandResult
from operative_app.surfaces.desktop.tampering import refuse_tampering

OUTPUT_CEILING_BYTES: Final = 256 * 1024
"""What is kept of the output; the rest is read and counted."""
LATE_OUTPUT_S: Final = 0.5
"""What a program leaves running may keep its output open; it is not waited for longer than this."""
END_S: Final = 3.0
LOOK_S: Final = 0.01
_MARK: Final = "OPERATIVE_COMMAND"
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)


async def run_command(argv: Sequence[str], *, timeout_s: float) -> CommandResult:
    """Run a program in the person's home folder, with nothing on its standard input.

    Variables of the environment that look like secrets are kept from it. When the time is up or the awaiting task is
    cancelled, it and everything it started is ended.

    Raises:
        RefusedAction: It would end Operative's own processes or press keys past them (`tampering`).
        ActionError: There is no such program, it cannot be started, or it took longer.
    """
    refuse_tampering(argv)
    mark = uuid.uuid4().hex
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=Path.home(),
            env=_environment() | {_MARK: mark},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ActionError(f"There is no program “{argv[0]}”.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ActionError(f"“{argv[0]}” cannot be started: {reason}.") from error
    kept = _Output()
    reading = asyncio.ensure_future(_read(process, kept))
    has_ended = False
    try:
        async with asyncio.timeout(timeout_s):
            await _exit_of(process)
        has_ended = True
        await asyncio.wait([reading], timeout=LATE_OUTPUT_S)
    except TimeoutError as error:
        said = f" It printed: {kept.text().strip()[-400:]}" if kept.text().strip() else ""
        raise ActionError(f"It was ended since it took longer than {timeout_s:g} s.{said}") from error
    finally:
        if not has_ended:
            await asyncio.shield(asyncio.ensure_future(_end(process, mark)))
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
        process._transport.close()  # type: ignore[attr-defined]  # a pipe kept open by what it left running stays else
    return CommandResult(exit_code=process.returncode or 0, output=kept.text())


class _Output:
    """The beginning of what was printed, and how much more there was."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._left_out_bytes = 0

    def add(self, data: bytes) -> None:
        room = max(0, OUTPUT_CEILING_BYTES - len(self._kept))
        self._kept += data[:room]
        self._left_out_bytes += max(0, len(data) - room)

    def text(self) -> str:
        text = self._kept.decode("utf-8", errors="replace")
        return f"{text}\n… {self._left_out_bytes} more bytes were left out" if self._left_out_bytes else text


async def _read(process: asyncio.subprocess.Process, kept: _Output) -> None:
    if process.stdout is not None:
        while data := await process.stdout.read(65_536):
            kept.add(data)


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """Kill the program, its descendants, and what was given away to init meanwhile."""
    for pid in await asyncio.to_thread(_family, process.pid, mark):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_S):
            await _exit_of(process)


async def _exit_of(process: asyncio.subprocess.Process) -> None:
    """Wait for the process alone: asyncio's `wait` also waits until nobody holds its output open any more."""
    while process.returncode is None:  # noqa: ASYNC110 - asyncio tells the end by no event of its own
        await asyncio.sleep(LOOK_S)


def _family(pid: int, mark: str) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        found = [child.pid for child in psutil.Process(pid).children(recursive=True)]
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or belongs to somebody else
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return list(dict.fromkeys(found))


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not _SECRET_NAME.search(name)}
