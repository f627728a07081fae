"""What a stop found under way, in words: what was cut off, what was let go of, and what to do next."""

from __future__ import annotations

from operative_app.core.run import Stopped
from operative_app.presentation.words import plain


def stopped_lines(stopped: Stopped) -> list[tuple[str, str]]:
    """Title and sentence of each thing a person should know after a stop."""
    return [("Cut off", _cut_off(stopped)), ("Let go", _let_go(stopped)), ("Next", _next(stopped))]


def _cut_off(stopped: Stopped) -> str:
    if not stopped.interrupted:
        return "No action was under way; nothing is in doubt."
    step = f"Step {stopped.step}, " if stopped.step else ""
    return f"{step}“{plain(stopped.interrupted)}”. It is not known whether it took effect."


def _let_go(stopped: Stopped) -> str:
    if not stopped.is_released:
        return (
            "It is not certain that all keys and buttons were let go of: press Shift, Ctrl, Alt and the mouse buttons "
            "once."
        )
    held = f" {', '.join(map(plain, stopped.held))} had been held down." if stopped.held else ""
    return f"All keys and mouse buttons.{held}"


def _next(stopped: Stopped) -> str:
    look = "Look at the screen whether it happened before it is done again. " if stopped.interrupted else ""
    return f"{look}Give the goal again, or another one, to go on from what is there now."
