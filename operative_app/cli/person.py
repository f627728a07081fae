"""Asks the person at the terminal. What was typed before a question was shown never answers it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from operative_app.cli.screen import Lines
from operative_app.cli.text_form import TextForm
from operative_app.core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Reply,
    Request,
)
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import RunControl
from operative_app.presentation.words import allow_words, plain, request_text, request_title, waiting_words

_YES = frozenset({"y", "yes"})
_NO = frozenset({"n", "no"})
TAKE_OVER = "take over"
STOP = "stop"
EDIT = "edit"
ALLOW = "allow"
"""Typed at any question, it takes control instead of answering."""
_LINE_LIMIT = 65_536


class Keyboard:
    """Reads lines of a terminal, one for each call of `read`.

    A daemon thread waits in the system's own read: a thread that waits in `input` would keep Python from ending.

    Args:
        deliver: Called on that thread with the line, None at the end of input.
    """

    def __init__(self, fd: int, deliver: Callable[[str | None], None]) -> None:
        self._fd = fd
        self._deliver = deliver
        self.is_reading = False

    def read(self) -> None:
        """Begin to wait for a line; what was typed before is thrown away. Does nothing while one is waited for."""
        if self.is_reading:
            return
        self.is_reading = True
        _forget_typed(self._fd)
        threading.Thread(target=self._wait, name="keyboard", daemon=True).start()

    def _wait(self) -> None:
        try:
            content = os.read(self._fd, _LINE_LIMIT)
        except OSError:
            content = b""
        self._deliver(content.decode(errors="replace").partition("\n")[0].strip() if content else None)


class Person:
    """Shows one request after the other and turns what is typed into answers. Main thread only.

    Args:
        answer: Gets the id of a request and its answer.
        control: Takes and gives back control.
    """

    def __init__(
        self, keyboard: Keyboard, lines: Lines, answer: Callable[[str, Answer], None], control: RunControl
    ) -> None:
        self._keyboard = keyboard
        self._lines = lines
        self._answer = answer
        self._control = control
        self._open: list[Request] = []
        self._form: TextForm | None = None
        self._is_stale = False
        self._has_control = False
        self._is_teaching = False

    def ask(self, request: Request) -> None:
        self._open.append(request)
        if self._open[0] is request:
            self._show(request)

    def withdraw(self, request_id: str) -> None:
        """The request is closed, by whomever; what is typed for it from now on counts for nothing."""
        was_shown = bool(self._open) and self._open[0].id == request_id
        self._open = [request for request in self._open if request.id != request_id]
        if was_shown:
            self._form = None
            self._is_stale = self._keyboard.is_reading
            self._lines.line("")  # the line of the prompt is still open
            self._show_next()

    def has_control(self, kind: TakeOverKind | None) -> None:
        """They have control of the surface, and in which way; None: they do not any more."""
        had_control, was_teaching = self._has_control, self._is_teaching
        self._has_control, self._is_teaching = kind is not None, kind is TakeOverKind.TEACHING
        if kind is not None and not (had_control and was_teaching == self._is_teaching):
            self._show_control()
        elif kind is None and had_control and not self._open:
            self._is_stale = self._keyboard.is_reading

    def typed(self, line: str | None) -> None:
        """A line came, None: nobody is at the terminal any more."""
        self._keyboard.is_reading = False
        if self._has_control and not self._open:
            self._is_stale = False
            self._typed_in_control(line)
            return
        if self._is_stale and line is not None:
            self._is_stale = False
            if self._open:
                self._lines.line("That was typed for an earlier question.")
                self._show_next()
            return
        if not self._open:
            return
        request, word = self._open[0], (line or "").strip().lower()
        if self._form is not None and not self._form.is_complete and line is not None:
            self._form.typed(line)
            self._show_form(self._form)
            return
        is_asked = not isinstance(request, QuestionRequest)
        if word == TAKE_OVER:
            self._control.take_over()
            return
        if word == STOP and is_asked:
            self._control.stop()
            return
        if word == EDIT and isinstance(request, ApprovalRequest) and request.editable:
            self._form = TextForm(request.editable)
            self._show_form(self._form)
            return
        answer = answer_of(request, line)
        if isinstance(answer, Approve) and self._form is not None and self._form.is_complete:
            answer = answer.model_copy(update={"changes": self._form.changes})
        if isinstance(answer, str):
            self._lines.line(answer)
            self._show(request)
            return
        self._form = None
        self._open.pop(0)
        self._answer(request.id, answer)
        self._show_next()

    def _typed_in_control(self, line: str | None) -> None:
        match line.lower() if line is not None else None:
            case "":
                self._control.resume()
            case "show" if not self._is_teaching:
                self._control.take_over(is_teaching=True)
            case "stop" | None:
                self._control.stop()
            case _:
                self._show_control()

    def _show_control(self) -> None:
        self._keyboard.read()
        show = "" if self._is_teaching else "“show” to show the agent how, "
        self._lines.line(f"You have control. Press Enter to give it back, or type {show}“stop” to stop: ", end="")

    def _show_next(self) -> None:
        if self._open:
            self._show(self._open[0])

    def _show(self, request: Request) -> None:
        self._keyboard.read()  # first: it throws away what was typed before, not what answers the prompt
        self._lines.line(f"{request_title(request)} {request_text(request)}")
        if until := waiting_words(request):
            self._lines.line(until)
        if isinstance(request, ApprovalRequest):
            self._lines.line(_other_ways(request))
        for field in request.editable if isinstance(request, ApprovalRequest) else ():
            if field.fault:
                self._lines.line(f"What you typed for “{plain(field.label)}” cannot be taken: {plain(field.fault)}")
        self._lines.line(f"{_prompt(request)} ", end="")

    def _show_form(self, form: TextForm) -> None:
        self._keyboard.read()
        if form.is_complete:
            self._lines.line(form.summary)
        self._lines.line(f"{'Carry it out like that? [y/N]' if form.is_complete else form.prompt} ", end="")


def answer_of(request: Request, line: str | None) -> Answer | str:
    """What a typed line means for a request; a sentence when it cannot be taken. `None` is the end of input.

    Everything that is no clear yes is a no.
    """
    word = (line or "").strip()
    match request:
        case ApprovalRequest() | PlanReviewRequest():
            if word.lower() in _YES:
                return Approve()
            if word.lower() == ALLOW and isinstance(request, ApprovalRequest) and request.may_allow_kind:
                return Approve(allow_kind=True)
            return Reject(word="" if word.lower() in _NO else word)
        case QuestionRequest():
            return Reply(text=word) if word else HumanCannot()
        case HandOffRequest():
            if line is None or word.lower() in _NO:
                return HumanCannot()
            if not word:
                return HumanDone()
            return _chosen_file(word) if request.why is HandOffKind.FILE else HumanCannot(word=word)
        case _:
            assert_never(request)


def nobody_answer(request: Request) -> Answer:
    """The answer when nobody is there to be asked."""
    match request:
        case ApprovalRequest() | PlanReviewRequest():
            return Reject(word="Nobody is there to be asked.")
        case HandOffRequest() | QuestionRequest():
            return HumanCannot(word="Nobody is there.")
        case _:
            assert_never(request)


def _other_ways(request: ApprovalRequest) -> str:
    """What can be typed besides yes and no."""
    ways = [
        f"“{EDIT}” to change it first" if request.editable else "",
        f"“{ALLOW}” for yes and: {allow_words(request)}" if request.may_allow_kind else "",
        f"“{TAKE_OVER}” to do it yourself",
        f"“{STOP}” to stop the run",
        "anything else to tell the agent why not",
    ]
    return f"You can also type {', '.join(way for way in ways if way)}."


def _prompt(request: Request) -> str:
    match request:
        case ApprovalRequest():
            return "Carry it out? [y/N]"
        case PlanReviewRequest():
            return "Begin? [y/N]"
        case QuestionRequest():
            return "Your answer:"
        case HandOffRequest():
            if request.why is HandOffKind.FILE:
                return "Path of the file (or Enter when it is chosen, “no” when it cannot be):"
            return f"Press Enter when it is done. Otherwise say what is in the way, “{STOP}” the run, or type “no”:"
        case _:
            assert_never(request)


def _chosen_file(word: str) -> FilesChosen | str:
    path = Path(word.strip("\"'")).expanduser().absolute()
    if not path.is_file():
        return f"There is no file {path}."
    return FilesChosen(paths=(str(path),))


def _forget_typed(fd: int) -> None:
    try:
        import termios
    except ImportError:  # Windows
        return
    try:
        termios.tcflush(fd, termios.TCIFLUSH)
    except termios.error:  # no terminal
        return
