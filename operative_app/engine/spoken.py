"""Words typed during a run that mean a button of the toolbar: they work at once, whoever plans."""

from __future__ import annotations

import re
from enum import StrEnum

_NOW = r"(?: (?:it|this|now|here|everything|the run|at once|immediately|please|for now|a (?:moment|second|minute)))*"


class SpokenCommand(StrEnum):
    """What the words do instead of becoming a wish for the planner."""

    STOP = "stop"
    PAUSE = "pause"


_WORDS = {
    SpokenCommand.STOP: re.compile(rf"(?:please )?(?:stop|abort|halt|quit){_NOW}", re.IGNORECASE),
    SpokenCommand.PAUSE: re.compile(rf"(?:please )?(?:pause|hold on|hang on|hold it|wait){_NOW}", re.IGNORECASE),
}


def spoken_command(text: str) -> SpokenCommand | None:
    """The command that the whole text is; None when it says anything more."""
    words = " ".join(text.split()).strip(" .!,")
    return next((command for command, pattern in _WORDS.items() if pattern.fullmatch(words)), None)
