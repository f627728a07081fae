"""Keeps the dialogs over the window in step with the requests that are open."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from operative_app.core.requests import ApprovalRequest, HandOffRequest, Request
from operative_app.core.screen import Box
from operative_app.gui.dialogs.request import RequestDialog
from operative_app.gui.pictures import Pictures
from operative_app.gui.theme import Theme
from operative_app.presentation.timeline import Frame
from operative_app.presentation.view_state import ViewState


class RequestDesk(QObject):
    """Opens one dialog at a time, for the oldest approval or hand-off that was not put off; closes it when it is over.

    Signals:
        answered(str, Answer), stop_requested(), take_over_requested(): As the dialog's.
    """

    answered = Signal(str, object)
    stop_requested = Signal()
    take_over_requested = Signal()

    def __init__(self, theme: Theme, pictures: Pictures, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._pictures = pictures
        self._window = window
        self._put_off: set[str] = set()
        self._answered: set[str] = set()
        self.dialog: RequestDialog | None = None

    def show_state(self, state: ViewState) -> None:
        """Open, keep or close the dialog as the open requests want it."""
        open_ids = {request.id for request in state.requests}
        self._put_off &= open_ids
        self._answered &= open_ids
        if self.dialog is not None and self.dialog.request.id not in open_ids - self._answered:
            self._dismiss()
        if self.dialog is None:
            waiting = (
                request
                for request in state.requests
                if isinstance(request, ApprovalRequest | HandOffRequest)
                and request.id not in self._put_off | self._answered
            )
            request = next(waiting, None)
            if request is not None:
                self._open(request, state)

    def take_answer(self, request_id: str, state: ViewState) -> None:
        """A request was answered somewhere: its dialog goes at once, before the engine tells so."""
        self._answered.add(request_id)
        self.show_state(state)

    def look(self, request_id: str, state: ViewState) -> None:
        """Show the dialog of this request, also when it was put off."""
        self._put_off.discard(request_id)
        request = next((one for one in state.requests if one.id == request_id), None)
        if request is not None and (self.dialog is None or self.dialog.request.id != request_id):
            self._dismiss()
            self._open(request, state)

    def close(self) -> None:
        self._dismiss()

    def tick(self, now_s: float) -> None:
        if self.dialog is not None:
            self.dialog.body.tick(now_s)

    def _open(self, request: Request, state: ViewState) -> None:
        screenshot = request.screenshot if isinstance(request, ApprovalRequest | HandOffRequest) else ""
        frame = next((one for one in reversed(state.frames) if one.screenshot == screenshot), None)
        frame = frame or (state.frames[-1] if state.frames else None)
        shown = screenshot or (frame.screenshot if frame else "")
        dialog = RequestDialog(self._theme, request, _box(request, frame), self._window, has_picture=bool(shown))
        self.dialog = dialog
        dialog.answered.connect(self.answered)
        dialog.stop_requested.connect(self.stop_requested)
        dialog.take_over_requested.connect(self.take_over_requested)
        dialog.put_off.connect(lambda request_id: self._on_put_off(request_id, state))
        if shown:
            ratio = frame.pixel_ratio if frame else 1.0

            def show(image: QImage) -> None:
                if self.dialog is dialog:
                    dialog.show_picture(image, ratio)

            self._pictures.ask(shown, show)
        dialog.open()

    def _on_put_off(self, request_id: str, state: ViewState) -> None:
        self._put_off.add(request_id)
        self._dismiss()
        self.show_state(state)

    def _dismiss(self) -> None:
        if self.dialog is not None:
            dialog, self.dialog = self.dialog, None
            dialog.dismiss()


def _box(request: Request, frame: Frame | None) -> Box | None:
    """Where the target is: the approval says it; for a hand-off the mark with the same label is looked up."""
    if isinstance(request, ApprovalRequest):
        return request.box
    if isinstance(request, HandOffRequest) and request.target is not None and frame is not None:
        return next((mark.box for mark in frame.marks if mark.label == request.target.label), None)
    return None
