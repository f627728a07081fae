"""Halves of characters (lone surrogates): texts cut in the middle of one hold them; no wire or file takes them."""

from __future__ import annotations

from typing import Any


def whole(text: str) -> str:
    """The text with a “?” for each half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def whole_in(value: Any) -> Any:
    """A JSON value with all its texts whole."""
    match value:
        case str():
            return whole(value)
        case list():
            return [whole_in(item) for item in value]
        case dict():
            return {whole(str(key)): whole_in(item) for key, item in value.items()}
        case _:
            return value
