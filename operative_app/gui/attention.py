"""Tells the person that they are wanted while they look at something else: by tray and task bar, without a sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from operative_app.core.events import Event, RequestRaised, RunFinished
from operative_app.core.requests import (
    ApprovalRequest,
    HandOffKind,
    HandOffRequest,
    PlanReviewRequest,
    QuestionRequest,
    Request,
)
from operative_app.gui.tray import Tray
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import HAND_OFF_WORDS


class Attention(QObject):
    """GUI thread. Silent while a window of the application has the focus, but for what is done in the browser."""

    def __init__(self, window: QWidget, tray: Tray) -> None:
        super().__init__(window)
        self._window = window
        self._tray = tray
        self._reminded: set[str] = set()

    def take(self, events: Sequence[Event]) -> None:
        """A request was raised, or a run has ended."""
        for event in events:
            if isinstance(event, RequestRaised):
                self._call(self.tr("Operative needs you"), event.request)
            elif isinstance(event, RunFinished) and not self._is_looked_at:
                QApplication.alert(self._window)

    def tick(self, state: ViewState, now_s: float) -> None:
        """Remind of a hand-off at the moment that was told, once."""
        self._reminded &= {request.id for request in state.requests}
        for request in state.requests:
            if not isinstance(request, HandOffRequest) or request.id in self._reminded:
                continue
            if 0 < request.remind_at_s <= now_s:
                self._reminded.add(request.id)
                self._call(self.tr("Operative still needs you"), request)

    @property
    def _is_looked_at(self) -> bool:
        return QApplication.activeWindow() is not None

    def _call(self, title: str, request: Request) -> None:
        if not self._is_looked_at or _is_done_elsewhere(request):
            self._tray.notify(title, _what(request))
            QApplication.alert(self._window)


def _is_done_elsewhere(request: Request) -> bool:
    """What is done in the browser, which comes before the window and hides what it says."""
    return isinstance(request, HandOffRequest) and request.why is not HandOffKind.FILE


def _what(request: Request) -> str:
    match request:
        case ApprovalRequest():
            return f"{request.label}?"
        case HandOffRequest():
            return f"{HAND_OFF_WORDS[request.why]}. {request.instructions}"
        case QuestionRequest():
            return request.text
        case PlanReviewRequest():
            return "The plan waits to be looked at."
        case _:
            assert_never(request)
