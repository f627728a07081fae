"""The input process: carries out one slice for each line it reads, and answers with a line.

`python -m operative_app.surfaces.desktop.input.process`. Each line is a JSON object: {"id", "do", …arguments}; each
answer {"id", "value", "held", "owes", "error", "text"}. The first line it writes by itself is {"id": 0, …}: ready, or
the reason why there can be no input here.

It lets go of all it holds when its input ends (its parent closed it, or is gone), on SIGTERM, and when it fails.
SIGINT is left to the parent: Ctrl+C in a terminal reaches both.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

from operative_app.surfaces.desktop.input.injector import (
    FocusLost,
    Injector,
    InputRefused,
    InputUnavailable,
    ModifierDown,
)

_ERRORS = {FocusLost: "focus", ModifierDown: "modifier", InputRefused: "refused", InputUnavailable: "unavailable"}
_CHUNK_BYTES = 65536
_LAST_READING_S = 0.3


def main() -> int:
    """Serve until the input ends; returns 0, or 1 when there can be no input here."""
    ended = _listen_for_the_end()
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    try:
        injector = _injector()
    except InputUnavailable as error:
        _say(answers, {"id": 0, "error": "unavailable", "text": str(error)})
        return 1
    try:
        _say(answers, {"id": 0})
        for line in _lines(ended):
            _say(answers, answer(injector, json.loads(line)))
    except (BrokenPipeError, ValueError):  # the parent is gone, or it speaks something else
        return 1
    finally:
        with contextlib.suppress(InputUnavailable, InputRefused):
            injector.release(None)
        with contextlib.suppress(InputUnavailable, InputRefused):
            _give_back(injector)
        injector.close()
    return 0


def answer(injector: Injector, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one slice, and tell how it came out."""
    reply: dict[str, Any] = {"id": request.pop("id")}
    name = request.pop("do")
    if name not in COMMANDS:
        raise ValueError(name)
    try:
        reply["value"] = getattr(injector, name)(**request)
    except (InputRefused, InputUnavailable) as error:
        reply |= {"error": _ERRORS[type(error)], "text": str(error)}
    return reply | {"held": injector.held, "owes": injector.owes}


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


def _lines(ended: int) -> Iterator[bytes]:
    """Lines of standard input until it ends or the process is told to end."""
    source = sys.stdin.fileno()
    rest = b""
    while True:
        if ended >= 0 and ended in select.select([source, ended], [], [])[0]:
            return
        chunk = os.read(source, _CHUNK_BYTES)
        if not chunk:
            return
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _say(answers: TextIO, reply: dict[str, Any]) -> None:
    answers.write(json.dumps(reply) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main())
