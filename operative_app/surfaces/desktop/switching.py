"""Programs and their windows: opened, brought to the front, asked to close."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psutil

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.screen import Window
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.ports import Program, Started
from operative_app.surfaces.desktop.tampering import refuse_tampering
from operative_app.surfaces.desktop.worker import Worker

OPEN_S: Final = 30.0
"""How long a program may take to show its window."""
HANDED_OVER_S: Final = 2.0
"""After a program ended by itself: one that was open already shows its window within this."""
CLOSE_S: Final = 5.0
LOOK_S: Final = 0.1


class Switching:
    """Owned by the agent thread."""

    def __init__(self, parts: Parts, system: Worker) -> None:
        self._parts = parts
        self._system = system

    async def open_app(self, name: str, arguments: Sequence[str]) -> Window:
        """Start a program, wait for its window, bring it to the front; raises ActionError."""
        refuse_tampering([name])
        program = await asyncio.to_thread(self._parts.programs.find, name)
        given = [_file_or_address(argument) for argument in arguments]
        before = {window.id for window in await self._windows()}
        started = await asyncio.to_thread(self._parts.programs.start, program, given)
        window = await self._window_of(program, started, before)
        return await self._to_front(window)

    async def switch_app(self, name: str) -> Window:
        """Bring an open window to the front; raises ActionError."""
        return await self._to_front((await self._named(name))[0])

    async def close_app(self, name: str) -> bool:
        """Ask the program's windows to close; False as soon as one asks something, or when one stays."""
        windows = await self._named(name)
        known = {window.id for window in await self._windows()}
        for window in windows:
            await self._system.run(self._parts.windows.ask_to_close, window.id)
        loop = asyncio.get_running_loop()
        end = loop.time() + CLOSE_S
        ids, pids = {window.id for window in windows}, {window.pid for window in windows if window.pid}
        while True:
            now = await self._windows()
            if not any(window.id in ids for window in now):
                return True
            asks = any(window.id not in known and window.pid in pids for window in now)
            if asks or loop.time() > end:
                return False
            await asyncio.sleep(LOOK_S)

    async def _named(self, name: str) -> tuple[Window, ...]:
        windows = await self._windows()
        found = named(windows, name)
        if not found:
            with contextlib.suppress(ActionError):
                program = await asyncio.to_thread(self._parts.programs.find, name)
                found = tuple(one for one in windows if _is_of(one, program))
        if not found:
            open_now = ", ".join(f"“{one.title or one.app}”" for one in windows)
            raise RefusedAction(f"No window of “{name}” is open. {f'Open are {open_now}.' if open_now else ''}".strip())
        return found

    async def _windows(self) -> tuple[Window, ...]:
        return tuple(await self._system.run(self._parts.windows.open_windows))

    async def _to_front(self, window: Window) -> Window:
        if not window.is_active:
            await self._system.run(self._parts.windows.activate, window.id)
        now = await self._windows()
        return next((one for one in now if one.id == window.id), window)

    async def _window_of(self, program: Program, started: Started, before: set[int]) -> Window:
        """The window that came; for a program that hands over to one already open, that one's."""
        loop = asyncio.get_running_loop()
        end = loop.time() + OPEN_S
        ended_at: float | None = None
        while True:
            windows = await self._windows()
            came = [window for window in windows if window.id not in before]
            tree = _tree(started.pid)
            fitting = [one for one in came if one.pid in tree or _is_of(one, program)]
            if fitting:
                return fitting[0]
            code = started.exit_code()
            if code is not None and ended_at is None:
                ended_at = loop.time()
            if code:
                raise ActionError(f"“{program.name}” ended at once with exit code {code}.")
            if ended_at is not None and loop.time() - ended_at > HANDED_OVER_S:
                open_already = [one for one in windows if _is_of(one, program)]
                if open_already:
                    return open_already[0]
                if came:  # it handed over to a program of another name
                    return came[0]
            if loop.time() > end:
                raise ActionError(f"“{program.name}” was started, but no window came within {OPEN_S:g} s.")
            await asyncio.sleep(LOOK_S)


def named(windows: Sequence[Window], name: str) -> tuple[Window, ...]:
    """Windows of a program, by its name or a title, front to back; exact names before parts of them."""
    wanted = " ".join(name.casefold().split())
    exact = tuple(one for one in windows if wanted in {one.app.casefold(), one.title.casefold()})
    return exact or tuple(one for one in windows if wanted in one.app.casefold() or wanted in one.title.casefold())


def _is_of(window: Window, program: Program) -> bool:
    return bool(window.app) and window.app.casefold() in program.window_names


def _tree(pid: int) -> set[int]:
    with contextlib.suppress(psutil.Error):
        return {pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))}
    return {pid}


def _file_or_address(argument: str) -> str:
    """What may be opened with a program. Options of a command line are not: they could run anything."""
    parts = urlsplit(argument)
    if parts.scheme in {"http", "https"} and parts.netloc:
        return argument
    path = Path(argument).expanduser()
    if argument.startswith("-") or not path.is_absolute() or not path.exists():
        raise RefusedAction(f"“{argument}” is no file that exists and no address; give the whole path.")
    return str(path)
