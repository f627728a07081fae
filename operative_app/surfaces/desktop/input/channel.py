"""The line between the engine and the input process: one request, one answer, in order."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from operative_app.core.errors import SurfaceClosed, SurfaceError, SurfaceMissing
from operative_app.core.taking import Hand
from operative_app.surfaces.desktop.input.injector import InputUnavailable
from operative_app.surfaces.desktop.input.person import PERSON, TOUCH, Touch

_START_S = 20.0
_ANSWER_S = 5.0
_CANCELLED_S = 0.5
_END_S = 2.0
_TAKEN_S = 3.0
_ENDED = "The input process has ended, so nothing is typed or clicked any more."


class SliceFailed(Exception):
    """A slice was refused and nothing was sent.

    Attributes:
        kind: "refused", "focus" (another window has it), "modifier" (one is held down) or "person" (one acts).
        text: Why, for a person.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text.removesuffix(".")

    @property
    def sentence(self) -> str:
        return f"{self.text}."


class Channel:
    """Starts, asks and ends the input process. Agent thread.

    A task reads the answers; it wakes by a line and ends with the process. When the process ends by itself (the kill
    switch), every question is answered with SurfaceClosed at once, and what it held is let go of from outside, in
    a worker thread.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._release: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0
        self._is_closing = False
        self.held: frozenset[str] = frozenset()
        self.owes = False
        self.on_person: Callable[[Hand], None] = lambda hand: None
        self.on_touch: Callable[[Touch], None] = lambda touch: None

    @property
    def process_id(self) -> int:
        return self._process.pid if self._process is not None else 0

    async def start(self) -> bool:
        """Start the process and wait until it is ready; False when it runs already.

        Raises:
            SurfaceMissing: There can be no input here.
        """
        if self._process is not None:
            return False
        if self._release is not None:
            await self._release
        self._is_closing = True  # until it is ready it holds nothing
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "operative_app.surfaces.desktop.input.process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SurfaceMissing(f"The input process cannot be started ({error.strerror or error}).") from error
        self._process = process
        ready = self._expect(0)
        self._reader = asyncio.create_task(self._read(process), name="input-process")
        try:
            async with asyncio.timeout(_START_S):
                reply = await ready
        except BaseException as error:
            await self.close()
            if isinstance(error, TimeoutError | SurfaceClosed):
                raise SurfaceMissing("The input process did not start.") from error
            raise
        if reply.get("error"):
            await self.close()
            raise SurfaceMissing(str(reply["text"]))
        self._is_closing = False
        return True

    async def ask(self, name: str, **arguments: Any) -> Any:
        """Have one slice carried out; its value.

        When cancelled it waits some milliseconds until the slice under way has ended, so that all stays in order.

        Raises:
            SliceFailed: It was refused.
            SurfaceClosed: The process has ended, or lost its display.
            SurfaceError: It does not answer; it was ended.
        """
        answer = self._send(name, arguments)
        try:
            async with asyncio.timeout(_ANSWER_S):
                reply = await asyncio.shield(answer)
        except TimeoutError:
            self._kill()
            raise SurfaceError("The input process did not answer and was ended; the display may hang.") from None
        except asyncio.CancelledError:
            await asyncio.wait((answer,), timeout=_CANCELLED_S)
            raise
        match reply.get("error"):
            case None:
                return reply.get("value")
            case "unavailable":
                raise SurfaceClosed(str(reply["text"]))
            case kind:
                raise SliceFailed(str(kind), str(reply["text"]))

    async def let_go(self, name: str) -> None:
        """Let go of one key or button on the way out of a failure; raises nothing of its own."""
        with contextlib.suppress(SurfaceError):
            answer = self._send("release", {"names": [name]})
            await asyncio.wait((answer,), timeout=_CANCELLED_S)

    async def wait_until_taken(self, window: int, limit_s: float = _TAKEN_S) -> bool:
        """Wait until the window's program has read all its keys; False when it does not in time."""
        end_s = time.monotonic() + limit_s
        while not await self.ask("is_taken", window=window):
            if time.monotonic() > end_s:
                return False
        return True

    async def pay_back(self, window: int, limit_s: float = _TAKEN_S) -> None:
        """Have the keyboard set back as it was. Not while the window's program still has keys to read."""
        if self.owes and await self.wait_until_taken(window, limit_s):
            await self.ask("give_back")

    async def close(self) -> None:
        """End the process, which lets go of all it holds. Idempotent; takes a few seconds at most."""
        self._is_closing = True
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                async with asyncio.timeout(_END_S):
                    await process.wait()
            except TimeoutError:
                self._is_closing = False  # so that it is let go of from outside
                process.kill()
                await process.wait()
        if self._reader is not None:
            await self._reader
            self._reader = None
        if self._release is not None:
            await self._release
            self._release = None

    def _send(self, name: str, arguments: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing():
            raise SurfaceClosed(_ENDED)
        self._number += 1
        answer = self._expect(self._number)
        line = json.dumps({"id": self._number, "do": name, **arguments})
        process.stdin.write(line.encode() + b"\n")
        return answer

    def _expect(self, number: int) -> asyncio.Future[dict[str, Any]]:
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_look_at)
        self._waiting[number] = answer
        return answer

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        while line := await process.stdout.readline():
            reply = json.loads(line)
            self.held = frozenset(reply.get("held", ()))
            self.owes = reply.get("owes", False)
            if reply["id"] == PERSON:
                self.on_person(Hand(reply["value"]))
            elif reply["id"] == TOUCH:
                self.on_touch(Touch(**reply["value"] | {"hand": Hand(reply["value"]["hand"])}))
            answer = self._waiting.pop(reply["id"], None)
            if answer is not None and not answer.done():
                answer.set_result(reply)
        if self._process is process:
            self._process = None
        if not self._is_closing:
            self._release = asyncio.create_task(self._let_go_from_outside(), name="release-input")
        else:
            self.held, self.owes = frozenset(), False
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(SurfaceClosed(_ENDED))
        self._waiting.clear()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()

    async def _let_go_from_outside(self) -> None:
        from operative_app.surfaces.desktop.input.release import release_all

        with contextlib.suppress(InputUnavailable):
            await asyncio.to_thread(release_all)
        self.held, self.owes = frozenset(), False

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


def _look_at(answer: asyncio.Future[dict[str, Any]]) -> None:
    """Whoever asked may have been cancelled: nobody else looks at the failure then."""
    if not answer.cancelled():
        answer.exception()
