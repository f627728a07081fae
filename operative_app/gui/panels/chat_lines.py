"""The widgets of single chat lines."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operative_app.core.events import NoticeLevel
from operative_app.core.requests import ApprovalRequest, Approve, FilesChosen, HandOffRequest, HumanDone, Reply
from operative_app.core.run import RunState
from operative_app.gui.panels.request_body import RequestBody
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.card import Bubble, Card
from operative_app.gui.widgets.labels import breakable, text_label
from operative_app.presentation.chat import ChatLine, LineKind
from operative_app.presentation.stopped import stopped_lines
from operative_app.presentation.words import STATE_WORDS, answer_words, plain, request_text, request_title

_TONES = {
    RunState.DONE: "ok",
    RunState.NOT_VERIFIED: "warning",
    RunState.FAILED: "error",
    RunState.STOPPED: "secondary",
}


class LineWidget(QWidget):
    """One line of the chat. `show_line` shows it anew when it changed.

    Signals:
        answered(str, Answer), stop_requested(), step_requested(str, int): run id and step of a link;
        look_requested(str): show this request's dialog with the picture.
    """

    answered = Signal(str, object)
    stop_requested = Signal()
    step_requested = Signal(str, int)
    look_requested = Signal(str)

    def __init__(self, theme: Theme, line: ChatLine, *, is_live: bool) -> None:
        super().__init__()
        self._theme = theme
        self._is_live = is_live
        self.line = line
        self.body: RequestBody | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._build()

    def show_line(self, line: ChatLine) -> None:
        """Show what the line is now."""
        if line == self.line:
            return
        self.line = line
        self.body = None
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._build()

    def tick(self, now_s: float) -> None:
        if self.body is not None:
            self.body.tick(now_s)

    def _build(self) -> None:
        line = self.line
        self.setObjectName(f"chatLine{line.number}")
        match line.kind:
            case LineKind.GOAL | LineKind.PERSON:
                self._add(Bubble(self._theme, line.text))
            case LineKind.AGENT:
                self._add(text_label(line.text))
                self._add_link(line.step, self._column)
            case LineKind.NOTICE:
                self._add(_notice(line))
            case LineKind.SUMMARY:
                self._build_summary()
            case LineKind.CARD:
                self._build_card()

    def _add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)

    def _add_link(self, step: int, column: QVBoxLayout) -> None:
        if step <= 0:
            return
        link = text_button(self.tr("See step {number}").format(number=step), "stepLink", look="link")
        self._theme.set_icon(link, "link", "secondary")
        link.clicked.connect(lambda: self.step_requested.emit(self.line.run_id, step))
        column.addWidget(link)

    def _build_summary(self) -> None:
        line = self.line
        state = line.state or RunState.DONE
        tone = _TONES.get(state, "secondary")
        card = Card(self._theme, tone)
        card.setObjectName("summaryCard")
        head = QHBoxLayout()
        chip_tone = f"chip-{tone}" if tone != "secondary" else "chip"
        head.addWidget(text_label(STATE_WORDS[state], look=chip_tone, wrap=False, name="summaryState"))
        head.addStretch(1)
        head.addWidget(text_label(line.note, look="secondary", wrap=False))
        card.column.addLayout(head)
        if line.facts:
            card.column.addWidget(text_label(line.facts, look="heading", name="summaryAnswer"))
        if line.text and line.text.strip() != line.facts.strip():
            card.column.addWidget(text_label(line.text, name="summaryText"))
        for title, text in stopped_lines(line.stopped) if line.stopped is not None else ():
            card.column.addWidget(text_label(title, look="title"))
            card.column.addWidget(text_label(text, name=f"stopped{title.title().replace(' ', '')}"))
        if line.spent:
            words = self.tr("Model: {spent}").format(spent=line.spent)
            card.column.addWidget(text_label(words, look="secondary", name="summarySpent"))
        self._add_link(line.step, card.column)
        self._add(card)

    def _build_card(self) -> None:
        line, request = self.line, self.line.request
        if request is None:
            return
        if line.is_open and self._is_live:
            card = Card(self._theme, "warning")
            card.setObjectName("requestCard")
            self.body = RequestBody(self._theme, request, "card")
            self.body.answered.connect(self.answered)
            self.body.stop_requested.connect(self.stop_requested)
            card.column.addWidget(self.body)
            if isinstance(request, ApprovalRequest | HandOffRequest):
                look = text_button(self.tr("Show the place on the page"), "cardLookButton", look="link")
                look.clicked.connect(lambda: self.look_requested.emit(request.id))
                card.column.addWidget(look)
            self._add(card)
            return
        good = isinstance(line.answer, Approve | HumanDone | FilesChosen | Reply)
        card = Card(self._theme, "ok" if good else "faint")
        card.setObjectName("closedCard")
        card.column.addWidget(
            text_label(plain(request.label) if isinstance(request, ApprovalRequest) else request_title(request))
        )
        if not isinstance(request, ApprovalRequest):
            card.column.addWidget(text_label(request_text(request), look="secondary"))
        card.column.addWidget(text_label(self._closing_words(), look="secondary", name="closedCardWords"))
        self._add(card)

    def _closing_words(self) -> str:
        line = self.line
        if line.is_open:
            return self.tr("Not answered")
        if line.answer is None:
            reasons = {
                "time-out": self.tr("No answer in time"),
                "stop": self.tr("Withdrawn, the run was stopped"),
            }
            return reasons.get(line.closed_by, self.tr("No longer needed"))
        words = answer_words(line.answer)
        words = words[:1].upper() + words[1:]
        who = self.tr("by you") if line.closed_by == "person" else plain(line.closed_by)
        time = datetime.fromtimestamp(line.closed_at_s).astimezone().strftime("%H:%M")
        return f"{words} · {who} · {time}"


def _notice(line: ChatLine) -> QWidget:
    if line.level is NoticeLevel.INFO:
        return text_label(line.text, look="secondary", name="noticeText")
    frame = QFrame()
    frame.setProperty("look", "notice-error" if line.level is NoticeLevel.ERROR else "notice-warning")
    column = QVBoxLayout(frame)
    column.setContentsMargins(10, 6, 10, 6)
    column.addWidget(text_label(breakable(line.text), name="noticeText"))
    return frame
