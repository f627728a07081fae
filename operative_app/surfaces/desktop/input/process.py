"""The input process: carries out one slice for each line it reads, and answers with a line.

`python -m operative_app.surfaces.desktop.input.process`. Each line is a JSON object: {"id", "do", …arguments}; each
answer {"id", "value", "held", "owes", "error", "text"}. Two kinds of lines it writes by itself: first {"id": 0, …},
ready, or the reason why there can be no input here; and {"id": -1, "value": "moved", …} the moment a person takes mouse
or keyboard while it is to look out for that (`watch`). Then all that is held has been let go of already, and nothing
more is sent until it is told to look out anew. With `follow` it also tells each touch as {"id": -2, …}.

It lets go of all it holds when its input ends (its parent closed it, or is gone), on SIGTERM, and when it fails.
SIGINT is left to the parent: Ctrl+C in a terminal reaches both.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, TextIO

from operative_app.surfaces.desktop.input.injector import (
    FocusLost,
    Injector,
    InputRefused,
    InputUnavailable,
    ModifierDown,
    PersonActed,
)
from operative_app.surfaces.desktop.input.person import PERSON, TOUCH, PersonWatch

_ERRORS = {
    FocusLost: "focus",
    ModifierDown: "modifier",
    PersonActed: "person",
    InputRefused: "refused",
    InputUnavailable: "unavailable",
}
YIELDED = "A person has taken mouse and keyboard"
LONG_S = 3600.0
_CHUNK_BYTES = 65536
_POLL_S = 0.02
_LAST_READING_S = 0.3
_HELD_BACK_S = 1.5


def main() -> int:
    """Serve until the input ends; returns 0, or 1 when there can be no input here."""
    ended = _listen_for_the_end()
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    try:
        injector = _injector()
    except InputUnavailable as error:
        _say(answers, {"id": 0, "error": "unavailable", "text": str(error)})
        return 1
    server: Server | None = None
    try:
        _say(answers, {"id": 0})
        server = Server(injector, lambda reply: _say(answers, reply))
        for line in _lines(ended, server):
            server.answer(json.loads(line))
    except (BrokenPipeError, ValueError):  # the parent is gone, or it speaks something else
        return 1
    finally:
        with contextlib.suppress(InputUnavailable, InputRefused):
            injector.release(None)
        with contextlib.suppress(InputUnavailable, InputRefused):
            _give_back(injector)
        if server is not None:
            server.close()
        injector.close()
    return 0


class Server:
    """Carries out slices, and keeps from acting while a person does. One thread.

    Args:
        held_back_s: How long a slice that acts waits at most for what it sent to arrive, while a person is watched for.
    """

    def __init__(
        self, injector: Injector, say: Callable[[dict[str, Any]], None], *, held_back_s: float = _HELD_BACK_S
    ) -> None:
        self._injector = injector
        self._say = say
        self._held_back_s = held_back_s
        self._watch: PersonWatch | None = None
        self._is_looking_out = False
        self._is_yielding = False
        self._is_following = False
        self._last_s = -math.inf

    def fileno(self) -> int:
        """Readable when a person may have done something; -1 when that is not watched or not told."""
        return self._watch.fileno() if self._watch is not None else -1

    def answer(self, request: dict[str, Any]) -> None:
        """Carry out one slice, and tell how it came out."""
        reply: dict[str, Any] = {"id": request.pop("id")}
        name = request.pop("do")
        try:
            if name == "watch":
                reply["value"] = self._set_watch(**request)
            elif name == "follow":
                self._set_following(**request)
            elif name not in COMMANDS:
                raise ValueError(name)
            else:
                self.look()
                if self._is_yielding and name in ACTING:
                    raise PersonActed(YIELDED)
                reply["value"] = getattr(self._injector, name)(**request)
                self.look()
                if name in ACTING:
                    self._wait_while_held_back()
        except (InputRefused, InputUnavailable) as error:
            reply |= {"error": _ERRORS[type(error)], "text": str(error)}
        self._say(reply | self._state())

    def look(self) -> None:
        """Notice what a person did; on their first move let go of everything and tell it."""
        if self._watch is None:
            return
        try:
            touches = self._watch.notice()
        except Exception as error:  # the display is gone, which the next slice tells
            self._watch = None
            raise InputUnavailable("The display is gone.") from error
        if not touches:
            return
        self._last_s = time.monotonic()
        if self._is_following:
            for touch in touches:
                self._say({"id": TOUCH, "value": asdict(touch)} | self._state())
        if self._is_looking_out and not self._is_yielding:
            self._is_yielding = True
            with contextlib.suppress(InputRefused):
                self._injector.release(None)
            self._say({"id": PERSON, "value": touches[0].hand.value} | self._state())

    def close(self) -> None:
        if self._watch is not None:
            with contextlib.suppress(Exception):
                self._watch.close()

    def _wait_while_held_back(self) -> None:
        """What is sent while a press is held back would come at another place or in another window than was checked."""
        end_s = time.monotonic() + self._held_back_s
        while (watch := self._watch) is not None and watch.is_held_back and not self._is_yielding:
            remaining_s = end_s - time.monotonic()
            if remaining_s <= 0 or not select.select([watch], [], [], remaining_s)[0]:
                return
            self.look()

    def _set_watch(self, *, on: bool) -> float:
        """Look out for a person, or no longer; how long their hands have rested, in seconds."""
        if on and self._watch is None:
            self._watch = self._injector.watch_person()
        self.look()
        self._is_looking_out, self._is_yielding = on, False
        return min(time.monotonic() - self._last_s, LONG_S)

    def _set_following(self, *, on: bool) -> None:
        """Tell each touch of a person from now on, or no longer."""
        if on and self._watch is None:
            self._watch = self._injector.watch_person()
        self.look()
        self._is_following = on

    def _state(self) -> dict[str, Any]:
        return {"held": self._injector.held, "owes": self._injector.owes}


ACTING = frozenset(("move", "button_down", "click", "wheel", "chord", "key_down", "prepare", "stroke"))
COMMANDS = frozenset(
    (
        "set_own",
        "position",
        "move",
        "button_down",
        "button_up",
        "click",
        "wheel",
        "chord",
        "key_down",
        "key_up",
        "focused_window",
        "prepare",
        "stroke",
        "is_taken",
        "give_back",
        "release",
    )
)


def _give_back(injector: Injector) -> None:
    """Give back what is borrowed, after a moment for the program to read what it was borrowed for."""
    if injector.owes:
        with contextlib.suppress(InputRefused):
            window = injector.focused_window()
            end_s = time.monotonic() + _LAST_READING_S
            while not injector.is_taken(window) and time.monotonic() < end_s:
                pass
        injector.give_back()


def _injector() -> Injector:
    if sys.platform in ("win32", "darwin"):
        from operative_app.surfaces.desktop.input.system_injector import SystemInjector

        return SystemInjector()
    from operative_app.surfaces.desktop.input.x11_injector import X11Injector

    return X11Injector()


def _listen_for_the_end() -> int:
    """Make SIGTERM readable. A handler that raised could interrupt a slice in the middle of what it sends.

    Returns:
        A file descriptor that becomes readable, -1 where there is no such signal.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        return -1
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    signal.set_wakeup_fd(writing)
    return reading


def _lines(ended: int, server: Server) -> Iterator[bytes]:
    """Lines of standard input until it ends or the process is told to end; meanwhile a person is looked out for."""
    if ended < 0:
        yield from _polled_lines(server)
        return
    source = sys.stdin.fileno()
    rest = b""
    while True:
        watched = [source, ended] + [server.fileno()] * (server.fileno() >= 0)
        ready = select.select(watched, [], [])[0]
        if ended in ready:
            return
        if server.fileno() in ready:
            with contextlib.suppress(InputUnavailable):
                server.look()
        if source not in ready:
            continue
        chunk = os.read(source, _CHUNK_BYTES)
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _polled_lines(server: Server) -> Iterator[bytes]:
    """The same where only sockets can be waited for (Windows): a thread reads, and ends with the input."""
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, name="read-requests", daemon=True).start()
    while True:
        server.look()
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=_POLL_S)
            if line is None:
                return
            yield line


def _say(answers: TextIO, reply: dict[str, Any]) -> None:
    answers.write(json.dumps(reply) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
