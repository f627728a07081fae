"""How often a stop was asked for: a number in memory that the guard writes and the application reads.

A line on a pipe is known once a thread of the application gets its turn to read it. On a computer that is busy that
takes a tenth of a second, in which the agent's own thread may get a turn and send one more key. The number is seen by
any thread the moment it is written, so whoever is about to send something looks here first.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import sys
import tempfile
from typing import Final, Self

_BYTES: Final = mmap.PAGESIZE
_BY_FILE: Final = "file:"
_BY_NAME: Final = "name:"


class Latch:
    """The number. One writes it, many may read it; on any thread.

    Attributes:
        place: What the guard is told, so that it can open the same one.
        files: Open files that its process must inherit.
    """

    def __init__(self, memory: mmap.mmap, place: str, files: tuple[int, ...] = ()) -> None:
        self.place = place
        self.files = files
        self._number = memoryview(memory).cast("Q")  # written and read whole

    @classmethod
    def make(cls) -> Self:
        """A new one, at 0. Raises OSError."""
        if sys.platform == "win32":
            name = f"operative-guard-{secrets.token_hex(16)}"
            return cls(mmap.mmap(-1, _BYTES, tagname=name), f"{_BY_NAME}{name}")
        with tempfile.TemporaryFile() as file:  # nobody else can open it, and it is gone with the last who holds it
            os.ftruncate(file.fileno(), _BYTES)
            number = os.dup(file.fileno())
        return cls(mmap.mmap(number, _BYTES), f"{_BY_FILE}{number}", (number,))

    @classmethod
    def open(cls, place: str) -> Self:
        """That of the program that started this one. Raises OSError or ValueError."""
        if sys.platform == "win32":
            return cls(mmap.mmap(-1, _BYTES, tagname=place.removeprefix(_BY_NAME)), place)
        number = int(place.removeprefix(_BY_FILE))
        memory = mmap.mmap(number, _BYTES)
        os.close(number)
        return cls(memory, place)

    @property
    def number(self) -> int:
        return int(self._number[0])

    @number.setter
    def number(self, number: int) -> None:
        self._number[0] = number

    def close_files(self) -> None:
        """The guard was started, or cannot be; the number stays. Idempotent."""
        for file in self.files:
            with contextlib.suppress(OSError):
                os.close(file)
        self.files = ()
