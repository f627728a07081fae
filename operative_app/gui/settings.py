"""What the window remembers between starts, in one small JSON file."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from operative_app.core.run import Oversight
from operative_app.gui.tokens import ThemeName

_E = TypeVar("_E", bound=StrEnum)
_MOST_MINUTES = 100_000
_PICTURES_OF_PLACES = ("geometry", "columns", "rows")


@dataclass(slots=True)
class WindowSettings:
    """The window's settings.

    Attributes:
        path: Where they are kept; None keeps nothing.
        geometry: Qt's own bytes for size and place.
        columns: Qt's own bytes for the three columns; `rows` for the height of the step log.
        hand_off_minutes: How long a hand-off waits for the person; 0 as the application's settings say.
        answer_minutes: The same for approvals and questions.
        has_marks: Numbered marks are drawn over the live view.
    """

    path: Path | None = None
    theme: ThemeName = ThemeName.SYSTEM
    oversight: Oversight = Oversight.RISKY
    review_plan: bool = False
    has_marks: bool = True
    hand_off_minutes: float = 0.0
    answer_minutes: float = 0.0
    geometry: bytes = b""
    columns: bytes = b""
    rows: bytes = b""
    problem: str = field(default="", compare=False)

    @classmethod
    def load(cls, path: Path) -> WindowSettings:
        """Read the file; what is missing or wrong in it gets its default, with a sentence in `problem`."""
        settings = cls(path=path)
        try:
            found: Any = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return settings
        except (OSError, ValueError):
            settings.problem = "The window's settings could not be read; the defaults are used."
            return settings
        if not isinstance(found, dict):
            settings.problem = "The window's settings could not be read; the defaults are used."
            return settings
        settings.theme = _member(ThemeName, found.get("theme"), settings.theme)
        settings.oversight = _member(Oversight, found.get("oversight"), settings.oversight)
        settings.review_plan = found.get("review_plan") is True
        settings.has_marks = found.get("has_marks") is not False
        settings.hand_off_minutes = _minutes(found.get("hand_off_minutes"))
        settings.answer_minutes = _minutes(found.get("answer_minutes"))
        for name in _PICTURES_OF_PLACES:
            setattr(settings, name, _bytes(found.get(name)))
        return settings

    def save(self) -> str:
        """Write the file; returns "" or a sentence that says why it could not be written."""
        if self.path is None:
            return ""
        content: dict[str, Any] = {
            "theme": str(self.theme),
            "oversight": str(self.oversight),
            "review_plan": self.review_plan,
            "has_marks": self.has_marks,
            "hand_off_minutes": self.hand_off_minutes,
            "answer_minutes": self.answer_minutes,
        }
        content |= {name: b64encode(getattr(self, name)).decode() for name in _PICTURES_OF_PLACES}
        part = self.path.with_suffix(".part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(content, indent=2), encoding="utf-8")
            part.replace(self.path)
        except OSError as error:
            return f"The window's settings could not be saved: {error.strerror or error}."
        return ""


def _member(kind: type[_E], value: object, default: _E) -> _E:
    try:
        return kind(str(value))
    except ValueError:
        return default


def _minutes(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 < value < _MOST_MINUTES else 0.0


def _bytes(value: object) -> bytes:
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else b""
    except Base64Error:
        return b""
