"""Looking again until something is so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

WAIT_STEP_S = 0.1


async def came(is_so: Callable[[], Awaitable[bool]], *, timeout_s: float) -> bool:
    """True as soon as it is so; False when a look that was begun after the time was over still told otherwise."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    end = begun + timeout_s
    while not (is_there := await is_so()) and begun < end:
        await asyncio.sleep(min(WAIT_STEP_S, end - begun))
        begun = loop.time()
    return is_there
