"""What a run remembers: steps and outcomes, the person's words. Given to the planner with every question."""

from __future__ import annotations

from collections.abc import Callable

from operative_app.core.run import OutcomeStatus, RunRequest
from operative_app.core.screen import Picture, ScreenState
from operative_app.core.secrets import SavedSecret
from operative_app.engine.thinking import Thinking
from operative_app.planning.port import RunContext, StepRecord

FULL_SCREENS = 5
"""The newest observations kept whole (multi_step_planning.txt, sliding window)."""


class Memory:
    """Grows during the run; screens older than the window lose their content. Owned by the agent thread."""

    def __init__(self, request: RunRequest, thinking: Thinking) -> None:
        self._request = request
        self._thinking = thinking
        self._history: list[StepRecord] = []
        self.wishes: list[str] = []
        self.words: list[str] = []
        self.notes: list[str] = []
        self.secrets: tuple[SavedSecret, ...] = ()
        self.cleaned: Callable[[str], str] = str

    def context(self, attempts: int = 0, picture: Picture | None = None) -> RunContext:
        """A snapshot for the planner."""
        return RunContext(
            request=self._request,
            history=tuple(self._history),
            wishes=tuple(self.wishes),
            words=tuple(self.words),
            notes=tuple(self.notes),
            secrets=self.secrets,
            cleaned=self.cleaned,
            nearly_used=self._thinking.nearly_used,
            attempts=attempts,
            picture=picture,
            tell=self._thinking.tell,
            warn=self._thinking.warn,
            tell_waiting=self._thinking.tell_waiting,
        )

    def add(self, record: StepRecord) -> None:
        self._history.append(record)
        if len(self._history) > FULL_SCREENS:
            old = self._history[-FULL_SCREENS - 1]
            self._history[-FULL_SCREENS - 1] = StepRecord(
                step=old.step,
                task_id=old.task_id,
                action=old.action,
                outcome=old.outcome,
                before=_outline(old.before),
                after=None if old.after is None else _outline(old.after),
                difference=old.difference,
                words=old.words,
            )

    def forget_refusals(self, task_id: str) -> None:
        """The person wants the task tried again: what was refused for it counts no more."""
        self._history = [
            record
            for record in self._history
            if record.task_id != task_id or record.outcome.status is not OutcomeStatus.REFUSED
        ]


def _outline(state: ScreenState) -> ScreenState:
    return state.model_copy(update={"elements": (), "texts": (), "tables": ()})
