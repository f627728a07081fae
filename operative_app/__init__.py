"""Operative: carries out goals on a computer, watched and steered by a person."""

__version__ = "0.1.0"
