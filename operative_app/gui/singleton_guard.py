"""Keeps PySide6 6.12 from ending the process on Python 3.11.

Work-around. PySide6 6.12.0 takes a reference to None, True or False away with every call that returns it (its build
counts on these being immortal, which holds from Python 3.12 on; 6.11.3 counts right). After some ten thousand calls
Python 3.11 ends with “none_dealloc: deallocating None” or “bool_dealloc”. This can go when Python 3.11 or PySide6 6.12
is no longer supported.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

import PySide6

_SPARE_REFERENCES: Final = 1 << 40
_FIRST_IMMORTAL: Final = (3, 12)
_BROKEN_SERIES: Final = "6.12."


def keep_singletons_alive() -> None:
    """Give them more references than a process can lose, where that is needed. Idempotent."""
    if sys.version_info >= _FIRST_IMMORTAL or not PySide6.__version__.startswith(_BROKEN_SERIES):
        return
    for singleton in (None, True, False, NotImplemented, Ellipsis):
        if sys.getrefcount(singleton) < _SPARE_REFERENCES // 2:
            ctypes.c_ssize_t.from_address(id(singleton)).value += _SPARE_REFERENCES
