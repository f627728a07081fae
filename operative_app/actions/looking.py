"""Looking again until something is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from operative_app.actions.declare import ActionContext
from operative_app.core.screen import ScreenState

T = TypeVar("T")

LOOK_AGAIN_S = 0.4


async def seen(ctx: ActionContext, find: Callable[[ScreenState], T | None], *, timeout_s: float) -> T | None:
    """What is found on the screen; it is looked at again until the time is over, the last time only then.

    Looks can take long: what had come by the end is found, however late it is told.
    """
    loop = asyncio.get_running_loop()
    begun = loop.time()
    end = begun + timeout_s
    while (found := find(ctx.state)) is None and begun < end:
        await asyncio.sleep(min(LOOK_AGAIN_S, end - begun))
        begun = loop.time()
        await ctx.look()
    return found
