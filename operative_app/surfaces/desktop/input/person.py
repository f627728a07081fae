"""Telling a person's hand from Operative's own, for all systems: what was sent is announced, all else is a person's.

| not taken for a person | because |
|---|---|
| what the input process sends | it is announced before, and matched one by one |
| a pointer that a program or window manager warps | a warp comes from no device |
| the repeat of a held key | it comes from no device either |
| a mouse that trembles on the table | it stays within `REST_PX` |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from operative_app.core.taking import Hand

PERSON, TOUCH = -1, -2
"""The numbers of the lines by which the input process tells of a person's hand, and of each touch while one teaches."""
REST_PX = 4
"""How far a pointer may wander while the hand on it rests: the tolerance Windows gives a hand that holds still
(SM_CXDRAG, "pixels on either side of a mouse-down point … before a drag operation begins")."""
TREMBLE_S = 0.5
"""Moves further apart than this do not add up."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing a person did. Places are screen pixels.

    `time_ms` is when it was, by a clock of the system's own; 0 where that is not told. Of keys only those are told that
    write nothing: Enter, Escape, function keys, and chords with Control, Alt or Meta.
    """

    hand: Hand
    key: str = ""
    button: int = 0
    x: int = 0
    y: int = 0
    time_ms: int = 0


class PersonWatch(Protocol):
    """Notices a person's mouse and keyboard. The input process's one thread."""

    @property
    def is_held_back(self) -> bool:
        """Whether some of what was sent has not reached the screen's pointer and keyboard yet, as of the last `notice`.

        A window manager that is asked about a press first holds back all that follows until it has answered.
        """
        ...

    def fileno(self) -> int:
        """Readable when there may be something to notice, -1 where that cannot be told."""
        ...

    def notice(self) -> Sequence[Touch]:
        """What a person did since the last call; what was announced before is none of theirs."""
        ...

    def close(self) -> None: ...


class Tremble:
    """Adds up small moves of a pointer, which a hand at rest makes to and fro. Times in seconds."""

    def __init__(self) -> None:
        self._x = self._y = 0.0
        self._last_s = -math.inf

    def is_move(self, dx_px: float, dy_px: float, now_s: float) -> bool:
        """Note one small move; True when the pointer left its place for good."""
        if now_s - self._last_s > TREMBLE_S:
            self._x = self._y = 0.0
        self._last_s = now_s
        self._x += dx_px
        self._y += dy_px
        if math.hypot(self._x, self._y) <= REST_PX:
            return False
        self._x = self._y = 0.0
        return True


class Announced:
    """What the input process has sent and the system has not told of yet."""

    def __init__(self) -> None:
        self._sent: dict[tuple[str, object], int] = {}

    def add(self, kind: str, what: object) -> None:
        """Kinds are "key", "button" and "place"."""
        self._sent[kind, what] = self._sent.get((kind, what), 0) + 1

    def take(self, kind: str, what: object) -> bool:
        """Whether this was sent; it is taken off."""
        left = self._sent.get((kind, what), 0)
        if left:
            self._sent[kind, what] = left - 1
        return left > 0

    def clear(self) -> None:
        """All that was sent has been told of."""
        self._sent.clear()
