"""What a model understood, in words: how it judged the last step, what it meant to do next, and how sure it was."""

from __future__ import annotations

from collections.abc import Mapping

from operative_app.core.events import ModelAsked
from operative_app.presentation.words import plain

_LONGEST = 240
_TITLES = {
    "last_result": "Last step",
    "reasoning": "Thought",
    "result_requirement": "What must come of it",
    "entities": "It is about",
    "solution": "Answer",
}
_ROUTES = {
    "act": "acts",
    "wait": "waits",
    "show": "asks to see more",
    "ask": "asks you",
    "hand_over": "hands over to you",
    "replan": "changes the plan",
    "roll_back": "goes back",
    "finish": "says nothing is left to do",
    "impossible": "says it cannot be done",
    "answer": "answers at once",
    "browser": "browser",
    "desktop": "desktop",
    "tools": "general tools",
}


def understood_lines(exchange: ModelAsked) -> list[tuple[str, str]]:
    """Title and words of each thing that was understood; empty for an answer that is only text, or was of no use."""
    snapshot = exchange.snapshot
    lines = [(title, _words(snapshot.get(name))) for name, title in _TITLES.items()]
    return [(title, words) for title, words in (*lines, ("Verdict", _verdict(snapshot))) if words]


def _words(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    told = " ".join(plain(text).split())
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def _verdict(snapshot: Mapping[str, object]) -> str:
    """Say “acts · task done · goal not reached yet · 90 % sure”, as the model put it."""
    parts = [_ROUTES.get(str(snapshot.get("route", "")), _words(snapshot.get("route")))]
    if "task_achieved" in snapshot:
        parts.append("task done" if snapshot["task_achieved"] else "task not done yet")
    if "goal_achieved" in snapshot:
        parts.append("goal reached" if snapshot["goal_achieved"] else "goal not reached yet")
    confidence = snapshot.get("confidence")
    if isinstance(confidence, int | float):
        parts.append(f"{confidence:.0%} sure".replace("%", " %"))
    return " · ".join(part for part in parts if part)
