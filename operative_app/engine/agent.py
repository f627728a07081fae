"""The agent thread: one asyncio loop that owns the engine, its runs and their surfaces."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any, assert_never

from operative_app.core.errors import OperativeError
from operative_app.core.events import Notice, NoticeLevel, RunFinished, StateChanged
from operative_app.core.ports import Concealer, EventSink, Recorder
from operative_app.core.run import EndCause, RunState
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import (
    AnswerRequest,
    Command,
    EditPlan,
    Pause,
    RedoPlanEdit,
    Resume,
    RunControl,
    SaveCheckpoint,
    Say,
    SetOversight,
    Start,
    StepOnce,
    Stop,
    TakeOver,
    UndoPlanEdit,
)
from operative_app.engine.hub import EventHub
from operative_app.engine.run import Parts, Run
from operative_app.engine.spoken import SpokenCommand, spoken_command

_log = logging.getLogger(__name__)
_DEPTH = 12
"""Turns of the loop after which a cancellation has reached the innermost await; there are six tasks at most."""


class Agent:
    """Runs one goal at a time on a thread of its own.

    Why a thread: Playwright, the model client and human answers are all awaited on one asyncio loop, and the window's
    thread must never wait for them. It wakes by commands posted through `control` and stops by `close`, which cancels
    the run, lets go of the surfaces and joins within a deadline.

    Args:
        parts: What runs are made of.
        recorder: The record, asked first with every event.
        shut_down: Awaited on the loop at the very end (closes kept surfaces); must be bounded.
    """

    def __init__(
        self, parts: Parts, recorder: Recorder, *, shut_down: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._parts = parts
        self._hub = EventHub(recorder)
        self._shut_down = shut_down
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._run: Run | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.Event | None = None
        self._is_stopping = False
        self.control = RunControl(self._post)

    @property
    def concealer(self) -> Concealer:
        """What must not be told, by runs so far. Any thread."""
        return self._hub.concealer

    def add_sink(self, sink: EventSink) -> None:
        """Any thread; events come on the agent thread."""
        self._hub.add_sink(sink)

    def remove_sink(self, sink: EventSink) -> None:
        self._hub.remove_sink(sink)

    def start(self) -> None:
        """Start the thread; idempotent. Returns when commands are taken."""
        if self._thread is not None:
            return
        self._thread = threading.Thread(target=self._main, name="agent", daemon=True)
        self._thread.start()
        self._ready.wait()

    def close(self, *, timeout_s: float = 15.0) -> bool:
        """Stop the run, let go of everything and join. Idempotent; False when the thread did not end in time."""
        thread, loop, closing = self._thread, self._loop, self._closing
        if thread is None or loop is None or closing is None:
            return True
        if thread.is_alive():
            with contextlib.suppress(RuntimeError):  # the loop has just ended by itself
                loop.call_soon_threadsafe(closing.set)
        thread.join(timeout_s)
        return not thread.is_alive()

    def _post(self, command: Command) -> None:
        if self._loop is None:
            raise OperativeError("The agent was not started.")
        try:
            self._loop.call_soon_threadsafe(self._handle, command)
        except RuntimeError:
            _log.info("a command came after the end: %s", command)

    def _main(self) -> None:
        try:
            asyncio.run(self._live())
        except Exception:  # noqa: BLE001 - the top of a thread is one of the three borders
            _log.exception("the agent thread ended by a fault")
        finally:
            self._ready.set()

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_note_stray_error)
        self._closing = asyncio.Event()
        self._ready.set()
        await self._closing.wait()
        if (task := self._task) is not None:
            self._stop_run()
            await asyncio.wait([task])
        if self._shut_down is not None:
            await self._shut_down()

    def _handle(self, command: Command) -> None:
        match command:
            case Start():
                self._start_run(command)
            case Stop(reason, taken):
                self._stop_run(reason)
                if taken is not None:
                    self._tell_when_reached(taken, _DEPTH)
            case _ if self._run is None:
                return
            case AnswerRequest(request_id, answer, by):
                self._run.answer(request_id, answer, by)
            case Pause():
                self._run.pause()
            case Resume():
                self._run.resume()
            case StepOnce():
                self._run.step()
            case TakeOver(is_teaching):
                self._run.take_over(TakeOverKind.TEACHING if is_teaching else TakeOverKind.PRIVATE)
            case EditPlan(edit):
                self._run.edit_plan(edit)
            case UndoPlanEdit():
                self._run.undo_plan_edit()
            case RedoPlanEdit():
                self._run.redo_plan_edit()
            case Say(text):
                self._run.say(text)
                if spoken_command(text) is SpokenCommand.STOP:
                    self._stop_run()
            case SetOversight(oversight):
                self._run.set_oversight(oversight)
            case SaveCheckpoint():
                self._run.save_checkpoint()
            case _:
                assert_never(command)

    def _start_run(self, command: Start) -> None:
        if self._task is not None and self._task.done():
            self._run_ended(self._task)  # it has told its end, and whoever heard that may start the next one at once
        if self._task is not None or (self._closing is not None and self._closing.is_set()):
            self._hub.emit(
                Notice,
                is_recorded=False,
                level=NoticeLevel.WARNING,
                text="A run is still going on; stop it before starting another one.",
            )
            return
        self._run = Run(command.run_id, command.request, self._parts, self._hub)
        self._task = asyncio.ensure_future(self._run.execute())
        self._is_stopping = False
        self._task.add_done_callback(self._run_ended)

    def _stop_run(self, reason: str = "") -> None:
        if self._task is not None and not self._task.done() and not self._is_stopping:
            if self._run is not None:
                self._run.stop_for(reason)
            self._is_stopping = True  # cancelling twice would cut the letting go short
            self._hub.emit(StateChanged, is_recorded=False, state=RunState.STOPPING)
            self._task.cancel()

    def _tell_when_reached(self, taken: Callable[[], None], turns: int) -> None:
        """Call once the cancellation has gone down to what was awaited: each task in between takes a turn of the loop.

        Not at the end of the run, which lets go of its surface first: the browser of a run that stops would be ended.
        """
        if turns and self._loop is not None and self._task is not None and not self._task.done():
            self._loop.call_soon(self._tell_when_reached, taken, turns - 1)
        else:
            taken()

    def _run_ended(self, task: asyncio.Task[None]) -> None:
        """A run tells its own end; should it die without a word, nobody may wait for ever."""
        if task is not self._task:
            return  # it was noticed before
        self._run = self._task = None
        if task.cancelled():  # stopped before it had begun
            self._hub.emit(
                RunFinished,
                is_recorded=False,
                state=RunState.STOPPED,
                cause=EndCause.STOPPED_BY_PERSON,
                reason="Stopped before anything was done.",
            )
            return
        if (fault := task.exception()) is None:
            return
        _log.error("a run ended without a word", exc_info=fault)
        self._hub.emit(
            RunFinished,
            is_recorded=False,
            state=RunState.FAILED,
            cause=EndCause.ERROR,
            reason=f"The run ended by a fault of the program ({type(fault).__name__}: {fault}).",
        )


def _note_stray_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An error nobody awaited (a call under way when the browser went): a line for the log, not for the terminal."""
    _log.info("left on the loop: %s", context.get("message", ""), exc_info=context.get("exception"))
