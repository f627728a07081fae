"""The end of a session: noticing it, and bringing it about within a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from playwright.async_api import Error

from operative_app.surfaces.browser.border import ENDED_OUTSIDE, Border
from operative_app.surfaces.browser.launch import Session, remove_socket_folder
from operative_app.surfaces.browser.processes import OwnProcesses

CLOSE_S = 3.0
SHORT_S = 0.5
WATCH_S = 0.4


async def watch(processes: OwnProcesses, border: Border) -> None:
    """Notice within half a second that the driver or the browser was ended from outside. Ends by being cancelled."""
    while not border.has_ended:
        await asyncio.sleep(WATCH_S)
        if not processes.is_whole:
            border.end(ENDED_OUTSIDE)


async def close(session: Session, border: Border, reason: str) -> None:
    """End what was started; an attached browser and its tabs stay as they are. Never depends on what a page wants."""
    try:
        answers = True
        if session.is_managed and not border.has_ended:
            answers = await _bounded(session.context.close(), CLOSE_S)
        border.end(reason)
        await border.drain()
        await _bounded(session.playwright.stop(), CLOSE_S if answers else SHORT_S)
    finally:
        session.processes.end()
        if session.profile_lock is not None:
            remove_socket_folder(Path(session.profile_lock.lock_file).parent)
            session.profile_lock.release()


async def _bounded(work: Coroutine[Any, Any, Any], limit_s: float) -> bool:
    """Await within the limit; whether it came to its end."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=limit_s)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=SHORT_S)
        return False
    if not task.cancelled():
        error = task.exception()
        if error is not None and not isinstance(error, Error):
            raise error
    return True
