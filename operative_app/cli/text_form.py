"""Changes the texts of an action at the terminal, one after the other, before it is approved."""

from __future__ import annotations

from collections.abc import Sequence

from operative_app.core.requests import EditableField
from operative_app.presentation.words import plain

EMPTY = '""'
"""What empties a text; Enter alone keeps it."""
_LINE_END = "\\n"


class TextForm:
    """Asks for each text in turn. Main thread only."""

    def __init__(self, fields: Sequence[EditableField]) -> None:
        self._fields = tuple(fields)
        self._typed: list[str] = []

    @property
    def is_complete(self) -> bool:
        return len(self._typed) == len(self._fields)

    @property
    def prompt(self) -> str:
        """What to type next."""
        field = self._fields[len(self._typed)]
        lines = f", {_LINE_END} begins a line" if field.is_long else ""
        fault = f"{plain(field.fault)} " if field.fault else ""
        return f"{fault}{plain(field.label)} (Enter keeps “{_shown(field.value)}”, {EMPTY} empties it{lines}):"

    def typed(self, line: str) -> None:
        """Take the next text."""
        field = self._fields[len(self._typed)]
        match line.strip():
            case "":
                self._typed.append(field.value)
            case text if text == EMPTY:
                self._typed.append("")
            case text:
                self._typed.append(text.replace(_LINE_END, "\n") if field.is_long else text)

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Name and text of what was changed; of all after a fault, since what was typed before was not taken."""
        has_fault = any(field.fault for field in self._fields)
        pairs = zip(self._fields, self._typed, strict=True)
        return tuple((field.name, text) for field, text in pairs if has_fault or text != field.value)

    @property
    def summary(self) -> str:
        """The texts as they are now, in one line."""
        pairs = zip(self._fields, self._typed, strict=True)
        return "; ".join(f"{plain(field.label)}: “{_shown(text)}”" for field, text in pairs)


def _shown(text: str) -> str:
    return plain(text.replace("\n", _LINE_END))
