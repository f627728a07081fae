"""Blocking calls to the system, kept off the agent thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from operative_app.core.errors import SurfaceClosed, SurfaceError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Worker:
    """One thread that makes one call after the other, since an adapter is asked one thing at a time.

    The calls are bounded by themselves. A cancelled wait leaves its call to end, and nothing waits behind it for longer
    than `CALL_S`. `close` is idempotent.
    """

    CALL_S = 15.0

    def __init__(self, name: str) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"operative {name}")
        self._is_closed = False

    async def run(self, call: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        """Await a blocking call.

        Raises:
            SurfaceClosed: The worker was closed.
            SurfaceError: It did not come back in time.
        """
        if self._is_closed:
            raise SurfaceClosed("The desktop was let go of.")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.CALL_S):
                return await loop.run_in_executor(self._threads, functools.partial(call, *args, **kwargs))
        except TimeoutError as error:
            raise SurfaceError("The desktop does not answer.") from error

    async def close(self) -> None:
        self._is_closed = True
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
