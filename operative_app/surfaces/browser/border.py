"""The border to the browser: every call has a deadline and ends early when the browser, the tab or a dialog says so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from playwright.async_api import Error

from operative_app.core.errors import ActionError, EffectUnknown, SurfaceClosed

T = TypeVar("T")
CALL_DEADLINE_S = 5.0
LET_GO_S = 2.5
HELD_LOOK_S = 0.001
ENDED_OUTSIDE = "The browser was ended from outside. Start the run again to open a new one."


class DialogWaits(ActionError):
    """A dialog of the page waits for an answer; nothing else can be done meanwhile."""


class NoAnswer(ActionError):
    """The page did not answer in time."""


class Unreadable(NoAnswer):
    """The script in the page failed on what the page is like at the moment; the tab itself is well."""


class PageCrashed(ActionError):
    """The page's process ended; the tab is opened anew on the next navigation."""


class Border:
    """Runs calls to the browser (agent thread only).

    A call ends early with `SurfaceClosed` once the browser is gone, with `PageCrashed` once its tab has crashed, and
    with `DialogWaits` while a dialog is open. What was under way when a dialog opened goes on behind it.

    Attributes:
        is_held: While it is true nothing is sent: a stop was asked for, and the run is about to be cancelled.
    """

    def __init__(self, is_alive: Callable[[], bool]) -> None:
        """`is_alive` tells whether the driver and a browser of our own still run."""
        self._is_alive = is_alive
        self.is_held: Callable[[], bool] = lambda: False
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[str] = loop.create_future()
        self._dialog: asyncio.Future[str] = loop.create_future()
        self._behind: set[asyncio.Task[Any]] = set()
        self._letting_go: set[asyncio.Task[Any]] = set()

    @property
    def has_ended(self) -> bool:
        return self._ended.done()

    @property
    def has_dialog(self) -> bool:
        return self._dialog.done()

    def end(self, reason: str) -> None:
        """The browser is gone. Idempotent: the first reason stays."""
        if not self._ended.done():
            self._ended.set_result(reason)

    def dialog_opened(self, words: str) -> None:
        if not self._dialog.done():
            self._dialog.set_result(words)

    def dialog_answered(self) -> None:
        if self._dialog.done():
            self._dialog = asyncio.get_running_loop().create_future()

    def check(self) -> None:
        """Raise SurfaceClosed when the browser is gone."""
        if self._ended.done():
            raise SurfaceClosed(self._ended.result())

    async def call(
        self,
        work: Coroutine[Any, Any, T],
        *,
        deadline_s: float = CALL_DEADLINE_S,
        crash: asyncio.Future[str] | None = None,
        despite_dialog: bool = False,
    ) -> T:
        """Await `work` within the deadline.

        Args:
            crash: Ends the call when done; its result says what happened.
            despite_dialog: The call is served although a dialog is open.

        Raises:
            SurfaceClosed, PageCrashed, DialogWaits, NoAnswer: As their names say; `playwright` errors pass through.
        """
        if self.is_held():
            try:
                await self.wait_until_free(deadline_s)
            except BaseException:
                work.close()
                raise
        stops: list[asyncio.Future[str]] = [self._ended]
        if crash is not None:
            stops.append(crash)
        if not despite_dialog:
            stops.append(self._dialog)
        if any(stop.done() for stop in stops):
            work.close()
            self._raise(stops)
        task = asyncio.ensure_future(work)
        try:
            waited: list[asyncio.Future[Any]] = [task, *stops]
            await asyncio.wait(waited, timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave(task, cancel=True)
            raise
        if task.done():
            if isinstance(task.exception(), Error):
                await self._find_cause(stops)
            return task.result()
        self._leave(task, cancel=not self._dialog.done())
        self._raise(stops)
        raise NoAnswer(f"The page did not answer within {deadline_s:g} s.")

    async def press(self, work: Coroutine[Any, Any, None], *, crash: asyncio.Future[str]) -> None:
        """`call` for what presses a key or a button, or lets go of one.

        Raises:
            EffectUnknown: The page got it, and does not answer.
            SurfaceClosed, PageCrashed, DialogWaits: As `call`.
        """
        try:
            await self.call(work, crash=crash)
        except NoAnswer as error:
            raise EffectUnknown("It was pressed, and the page does not answer.") from error

    async def wait_until_free(self, deadline_s: float = CALL_DEADLINE_S) -> None:
        """Wait while nothing may be sent; whoever belongs to the run that is stopped is cancelled meanwhile.

        Raises:
            NoAnswer: It took longer than the deadline.
        """
        end_s = time.monotonic() + deadline_s
        while self.is_held():
            if time.monotonic() >= end_s:
                raise NoAnswer("A stop was asked for and nobody took it.")
            await asyncio.sleep(HELD_LOOK_S)

    async def _find_cause(self, stops: list[asyncio.Future[str]]) -> None:
        """A call failed: when the browser or the tab is gone, that is the reason to tell, not the call's own words."""
        await asyncio.sleep(0)  # the events that say so may stand behind the answer in the queue
        if not self._is_alive():
            self.end(ENDED_OUTSIDE)
        self._raise([stop for stop in stops if stop is not self._dialog])

    def _raise(self, stops: list[asyncio.Future[str]]) -> None:
        self.check()
        for stop in stops:
            if stop.done() and stop is self._dialog:
                raise DialogWaits(f"The page waits for an answer to its {stop.result()}.")
            if stop.done():
                raise PageCrashed(stop.result())

    def _leave(self, task: asyncio.Task[Any], *, cancel: bool) -> None:
        self.keep(task)
        if cancel:
            task.cancel()

    def keep(self, task: asyncio.Task[Any]) -> None:
        """Hold on to a task that nobody awaits; its error is of no interest any more."""
        self._behind.add(task)
        task.add_done_callback(self._drop)

    def keep_letting_go(self, task: asyncio.Task[Any]) -> None:
        """The same for one that lets go of keys and buttons: `let_go` waits for it."""
        self.keep(task)
        self._letting_go.add(task)

    async def let_go(self) -> None:
        """Wait, for a bounded time, until nothing is let go of behind any more: it sends movements and keys, too."""
        if self._letting_go:
            await asyncio.wait(list(self._letting_go), timeout=LET_GO_S)

    def _drop(self, task: asyncio.Task[Any]) -> None:
        self._behind.discard(task)
        self._letting_go.discard(task)
        if not task.cancelled():
            task.exception()

    async def drain(self) -> None:
        """Cancel what still goes on behind; bounded."""
        for task in list(self._behind):
            task.cancel()
        if self._behind:
            await asyncio.wait(list(self._behind), timeout=1.0)
