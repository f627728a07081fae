"""Writes lines so that a closed pipe, a full disk or a poor encoding never becomes a traceback."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from io import TextIOWrapper
from typing import TextIO

from operative_app.core.outside import harmless

_OBEYED = re.compile(r"[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What JSON leaves as it is although a terminal obeys it or turns the reading order round for it."""


def harmless_json(text: str) -> str:
    """A JSON line with such signs written as escapes; it means the same."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Lines:
    """Writes whole lines to a stream, each at once. After the first failure it stays silent.

    No text moves the cursor of a terminal or turns the reading order round, wherever it came from.

    Args:
        on_broken: Called once when the reader went away or the stream cannot take more.
    """

    def __init__(self, stream: TextIO, on_broken: Callable[[], None] | None = None) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._is_broken = False

    def line(self, text: str, *, end: str = "\n") -> None:
        if self._is_broken:
            return
        try:
            self._stream.write(f"{harmless(text)}{end}")
            self._stream.flush()
        except (OSError, ValueError):  # ValueError: the stream was closed
            self._is_broken = True
            _discard_rest(self._stream)
            if self._on_broken is not None:
                self._on_broken()


def accept_any_text(stream: TextIO, *, encoding: str | None = None) -> None:
    """Write what the encoding cannot hold as "?" instead of raising."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors="replace")


def _discard_rest(stream: TextIO) -> None:
    """Send what is still buffered to nowhere, or Python would complain about it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
