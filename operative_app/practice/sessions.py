"""Who is who: cookie values and the numbers by which the rooms know their visitors."""

from __future__ import annotations

import secrets
from collections import OrderedDict

MAX_SESSIONS = 200
"""Visitors that are remembered; the one that was idle longest is forgotten first."""


class Sessions:
    """Numbers visitors from 1; used with the site's lock held."""

    def __init__(self) -> None:
        """Start without visitors."""
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._last = 0

    def find(self, token: str) -> int | None:
        """Give the number for a cookie value, None when it is unknown."""
        number = self._numbers.get(token)
        if number is not None:
            self._numbers.move_to_end(token)
        return number

    def open(self) -> tuple[str, int]:
        """Make a new session and give its cookie value and number."""
        token = secrets.token_urlsafe(18)
        self._last += 1
        self._numbers[token] = self._last
        return token, self._last

    def pop_excess(self) -> int | None:
        """Forget one session when there are too many, and give its number."""
        if len(self._numbers) <= MAX_SESSIONS:
            return None
        return self._numbers.popitem(last=False)[1]

    def reset(self) -> None:
        """Forget all; the next visitor is number 1 again."""
        self._numbers.clear()
        self._last = 0
