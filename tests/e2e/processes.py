"""The processes that an application under test has begun."""

from __future__ import annotations

from collections.abc import Iterable

import psutil

from tests.desktop_session import until
from tests.guard.stand import is_alive


def children_of(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def browser_of(family: Iterable[psutil.Process]) -> psutil.Process:
    """The browser itself, which comes before those it has begun."""
    return next(one for one in family if "chrom" in _name(one))


def wait_gone(family: Iterable[psutil.Process]) -> None:
    """Wait until all have ended: those of a browser end one after the other."""
    until(lambda: not any(map(is_alive, family)), what=f"the end of {family}")


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:  # it has ended meanwhile
        return ""
