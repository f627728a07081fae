"""Operative: carries out goals on a computer, watched and steered by a person."""

from __future__ import annotations

__version__ = "0.1.0"
