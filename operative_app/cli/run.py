"""`operative run`: carries out a goal and prints what happens until it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from operative_app.cli.exit_codes import FAILED, STOPPED, WRONG_USAGE, exit_code_of
from operative_app.cli.inbox import Inbox, on_stop_signals
from operative_app.cli.options import RunOptions
from operative_app.cli.person import Keyboard, Person, nobody_answer
from operative_app.cli.ports import Agent
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.core.errors import OperativeError, SettingsError, StoreError
from operative_app.core.events import Event, RequestClosed, RequestRaised, RunFinished, StateChanged, event_json
from operative_app.core.requests import Answer, ApprovalRequest, Approve, PlanReviewRequest, QuestionRequest
from operative_app.core.taking import TakeOverKind
from operative_app.presentation.narration import Narration

STOP_TIMEOUT_S = 10.0
"""How long a stopped run may take to let go of everything before the command ends without it."""

CLOSE_TIMEOUT_S = 10.0

KeepRecord = Callable[[Path, Sequence[Event]], None]
"""Writes the record of a run into a folder; raises StoreError."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """A line from the terminal, None at the end of input."""

    line: str | None


@dataclass(frozen=True, slots=True)
class _Woken:
    """A wait must be begun anew, since the deadline is another one.

    Attributes:
        words: For the person.
    """

    words: str = ""


_Item = Event | _Typed | _Woken


class _Sink:
    """Hands events from the agent's thread to the main thread."""

    def __init__(self, inbox: Inbox[_Item]) -> None:
        self._inbox = inbox

    def emit(self, event: Event) -> None:
        self._inbox.put(event)


def run_goal(
    options: RunOptions,
    agent: Agent,
    *,
    out: TextIO,
    err: TextIO,
    interactive: bool,
    keyboard_fd: int = 0,
    keep_record: KeepRecord | None = None,
    stop_timeout_s: float = STOP_TIMEOUT_S,
) -> int:
    """Carry out a goal; returns the exit code. Main thread only, since it takes over the signals.

    The first Ctrl+C, SIGTERM or SIGHUP stops the run, the second ends the process at once. The agent is closed on
    every way out.

    Args:
        out: Gets steps as people read them, or with `json` the events as JSON lines and nothing else.
        err: Gets questions, hints and failures.
        interactive: A person is at `keyboard_fd` and can be asked.
        stop_timeout_s: How long a stopped run is waited for.
        keep_record: Called with the folder of `--record` and the events after the end; may raise StoreError.
    """
    accept_any_text(out, encoding="utf-8" if options.json else None)
    accept_any_text(err)
    watch = _Watch(
        options, agent, out, err, interactive=interactive, keyboard_fd=keyboard_fd, stop_timeout_s=stop_timeout_s
    )
    with on_stop_signals(watch.on_signal):
        try:
            agent.start()
            code = watch.follow()
        except SettingsError as error:
            watch.err.line(f"operative: {error}")
            return WRONG_USAGE
        except OperativeError as error:
            watch.err.line(f"operative: {error}")
            return FAILED
        finally:
            agent.close(timeout_s=CLOSE_TIMEOUT_S)
        if options.record is not None and keep_record is not None:
            try:
                keep_record(options.record, watch.events)
            except StoreError as error:
                watch.err.line(f"operative: {error}")
                return code or FAILED
    return code


class _Watch:
    """Follows one run on the main thread."""

    def __init__(
        self,
        options: RunOptions,
        agent: Agent,
        out: TextIO,
        err: TextIO,
        *,
        interactive: bool,
        keyboard_fd: int,
        stop_timeout_s: float,
    ) -> None:
        self.events: list[Event] = []
        self.err = Lines(err)
        self._options = options
        self._agent = agent
        self._inbox: Inbox[_Item] = Inbox()
        self._out = Lines(out, on_broken=self._stop)
        self._narration = Narration()
        self._run_id = ""
        self._stop_timeout_s = stop_timeout_s
        self._stop_deadline_s: float | None = None
        keyboard = Keyboard(keyboard_fd, lambda line: self._inbox.put(_Typed(line)))
        self._person = Person(keyboard, self.err, self._answer_of_person, agent.control) if interactive else None

    def on_signal(self) -> None:
        """The first one stops the run; the second one ends the process, whatever hangs."""
        if self._stop_deadline_s is not None:
            os._exit(STOPPED)
        self._stop("Stopping… (once more ends at once)")  # not written here: it may have come in the middle of a line

    def follow(self) -> int:
        """Start the run and stay until it has ended; returns the exit code.

        Raises:
            OperativeError: It cannot be started.
        """
        self._agent.add_sink(_Sink(self._inbox))
        self._run_id = self._agent.control.start(self._options.request())
        if self._stop_deadline_s is not None:
            self._agent.control.stop()  # a signal came before the run had begun
        while True:
            item = self._inbox.get(self._stop_deadline_s)
            match item:
                case None:
                    self.err.line("operative: The run did not stop in time and was left.")
                    return STOPPED
                case _Typed():
                    if self._person is not None:
                        self._person.typed(item.line)
                case _Woken(words):
                    if words:
                        self.err.line(words)
                case _ if item.run_id == self._run_id:
                    self._tell(item)
                    if isinstance(item, RunFinished):
                        return self._exit_code(item)
                case _:
                    pass

    def _tell(self, event: Event) -> None:
        self.events.append(event)
        if self._options.json:
            self._out.line(harmless_json(event_json(event)))
        else:
            for line in self._narration.lines(event):
                self._out.line(line)
        if isinstance(event, RequestRaised):
            self._ask(event)
        elif isinstance(event, RequestClosed) and self._person is not None:
            self._person.withdraw(event.request_id)
        elif isinstance(event, StateChanged):
            self._tell_control(event.take_over)

    def _tell_control(self, kind: TakeOverKind | None) -> None:
        """Offer to give control back; where nobody can be asked the run stops, rather than wait for ever."""
        if self._person is not None:
            self._person.has_control(kind)
        elif kind is not None:
            self.err.line("operative: You have control and there is no terminal to give it back at, so the run stops.")
            self._agent.control.stop("a person used the mouse or the keyboard")

    def _ask(self, event: RequestRaised) -> None:
        request = event.request
        if self._options.yes and isinstance(request, ApprovalRequest | PlanReviewRequest):
            self._agent.control.answer(request.id, Approve(), by="front end")
        elif self._person is not None:
            self._person.ask(request)
        else:
            hint = " (--yes approves such steps beforehand)" if isinstance(request, ApprovalRequest) else ""
            if not (isinstance(request, QuestionRequest) and request.is_optional):
                self.err.line(f"operative: A person is needed for this, and none is there{hint}.")
            self._agent.control.answer(request.id, nobody_answer(request), by="front end")

    def _answer_of_person(self, request_id: str, answer: Answer) -> None:
        self._agent.control.answer(request_id, answer)

    def _stop(self, words: str = "") -> None:
        if self._stop_deadline_s is None:
            self._stop_deadline_s = time.monotonic() + self._stop_timeout_s
            self._inbox.put(_Woken(words))
            if self._run_id:
                self._agent.control.stop()

    def _exit_code(self, finished: RunFinished) -> int:
        if self._stop_deadline_s is not None:
            return STOPPED
        return exit_code_of(finished)
