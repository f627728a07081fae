"""The lines of the chat, as values made from events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operative_app.core.events import NoticeLevel
from operative_app.core.requests import Answer, Request
from operative_app.core.run import RunState, Stopped


class LineKind(StrEnum):
    GOAL = "goal"
    PERSON = "person"
    AGENT = "agent"
    CARD = "card"
    NOTICE = "notice"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One line or card.

    Attributes:
        number: Its place in the chat, from 0; stays the same when the line changes.
        text: What is said; for a summary the reason, for a card nothing (`request` has it).
        step: The step that shows it, 0 for none.
        request: For a card: what is asked.
        is_open: For a card: it still waits for an answer.
        answer: For a closed card: how it was answered, None when it was withdrawn.
        closed_by: For a closed card: who closed it (person, policy, time-out, stop, front end).
        closed_at_s: For a closed card: when, in Unix time.
        state: For a summary: how the run ended.
        facts: For a summary: the answer, one value a line.
        note: Small words below the line (steps and duration for a summary).
        spent: For a summary: what a model took, in words.
        stopped: For the summary of a stopped run: what was under way.
    """

    number: int
    kind: LineKind
    run_id: str
    time_s: float
    text: str = ""
    step: int = 0
    level: NoticeLevel = NoticeLevel.INFO
    request: Request | None = None
    is_open: bool = False
    answer: Answer | None = None
    closed_by: str = ""
    closed_at_s: float = 0.0
    state: RunState | None = None
    facts: str = ""
    note: str = ""
    spent: str = ""
    stopped: Stopped | None = None
