"""What the model saw, said and cost in one step, as a readable page."""

from __future__ import annotations

import html
from functools import partial

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from operative_app.core.run import OutcomeStatus
from operative_app.gui.panels.header import PanelHeader
from operative_app.gui.pictures import Pictures
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import icon_button, text_button
from operative_app.gui.widgets.labels import hairline
from operative_app.presentation.timeline import StepRow
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import OUTCOME_WORDS, duration_ms, plain

_SEEN_LIMIT = 200
_PICTURE = "taken"
_MARGIN_PX = 12
_NARROWEST_PX = 120


class StepDetails(QWidget):
    """A drawer beside the step log.

    Signals:
        closed(): The person closed it.
        exchanges_requested(int): What a model was asked for this step is to be shown.
    """

    closed = Signal()
    exchanges_requested = Signal(int)

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("stepDetails")
        self._theme = theme
        self._pictures = pictures
        self._shown: tuple[StepRow, ViewState] | None = None
        self.header = PanelHeader(self.tr("Step"), "stepDetailsHeader")
        close = icon_button(theme, "cross", "stepDetailsCloseButton", self.tr("Close the details (Esc)"))
        close.clicked.connect(self.closed)
        self.header.row.addWidget(close)
        self.browser = QTextBrowser()
        self.browser.setObjectName("stepDetailsText")
        self.browser.setAccessibleName(self.tr("Details of the step"))
        self.browser.setProperty("look", "bare")
        self.browser.setOpenLinks(False)
        self.browser.document().setDocumentMargin(_MARGIN_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.browser, 1)
        column.addWidget(self._make_foot())
        self.setMinimumWidth(240)
        theme.changed.connect(self._show_again)

    def _make_foot(self) -> QWidget:
        self.asked = text_button(self.tr("What the model was asked"), "stepAskedButton", small=True)
        self.asked.clicked.connect(self._on_asked)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self.asked)
        row.addStretch(1)
        self._foot = QWidget()
        column = QVBoxLayout(self._foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(hairline())
        column.addLayout(row)
        self._foot.hide()
        return self._foot

    def _on_asked(self) -> None:
        if self._shown is not None:
            self.exchanges_requested.emit(self._shown[0].step)

    def show_row(self, row: StepRow, state: ViewState) -> None:
        """Show a step of a state; keeps the place when it is the same step."""
        if self._shown is not None and self._shown[0] == row:
            return
        is_same = self._shown is not None and self._shown[0].step == row.step
        self._shown = (row, state)
        place = self.browser.verticalScrollBar().value() if is_same else 0
        self.header.title.setText(self.tr("Step {number}").format(number=row.step))
        self._foot.setVisible(row.is_asked)
        self.browser.setHtml(self._page(row, state))
        self.browser.verticalScrollBar().setValue(place)
        if row.picture and self._pictures.kept(row.picture) is None:
            self._pictures.ask(row.picture, partial(self._on_picture, row))

    def _on_picture(self, row: StepRow, image: QImage) -> None:
        if not image.isNull() and self._shown is not None and self._shown[0] == row:
            self._show_again()

    def _show_again(self) -> None:
        if self._shown is not None:
            (row, state), self._shown = self._shown, None
            self.show_row(row, state)

    def _page(self, row: StepRow, state: ViewState) -> str:
        t = self._theme.tokens
        parts = [f"<p style='font-weight:600;margin:0 0 6px 0'>{_safe(row.label)}</p>"]

        def section(title: str, *lines: str) -> None:
            shown = [line for line in lines if line]
            if shown:
                parts.append(f"<p style='color:{t.secondary};font-size:12px;margin:10px 0 2px 0'>{_safe(title)}</p>")
                parts.extend(f"<p style='margin:0 0 2px 0'>{_safe(line)}</p>" for line in shown)

        section(self.tr("Outcome"), self._outcome(row), row.detail)
        section(self.tr("Value read"), row.value)
        section(self.tr("What the model took"), self._spent(row, state))
        if picture := self._picture(row):
            section(self.tr("The picture it took"), " ")
            parts.append(picture)
        if row.part_of:
            section(self.tr("Part of"), self.tr("step {number}").format(number=row.part_of))
        section(self.tr("Why"), row.why)
        section(self.tr("Target"), row.target)
        section(self.tr("Parameters"), *(f"{name}: {value}" for name, value in row.parameters))
        section(self.tr("What changed"), *row.changes.split("; "))
        if len(row.attempts) > 1:
            section(
                self.tr("Attempts"),
                *(
                    f"{one.attempt} ({one.variant}): {one.label} – "
                    + (f"{OUTCOME_WORDS[one.status]}, {duration_ms(one.duration_ms)}" if one.status else "…")
                    + (f". {one.detail}" if one.detail else "")
                    for one in row.attempts
                ),
            )
        section(self.tr("Recovery"), *row.recovery)
        frame = state.frame(row.before)
        if frame is not None:
            seen = self.tr("{count} elements, {marks} with a number").format(
                count=frame.element_count, marks=len(frame.marks)
            )
            section(self.tr("What was seen before it"), f"{frame.title} · {frame.url}", seen, *frame.left_out)
            marks = "".join(
                f"<tr><td align='right' style='color:{t.secondary}'>{mark.mark}&nbsp;</td>"
                f"<td>{_safe(mark.label)}</td></tr>"
                for mark in frame.marks[:_SEEN_LIMIT]
            )
            parts.append(f"<table cellspacing='0' cellpadding='1'>{marks}</table>" if marks else "")
            if len(frame.marks) > _SEEN_LIMIT:
                parts.append(f"<p>{_safe(self.tr('and more'))}</p>")
        return f"<body style='color:{t.ink}'>{''.join(parts)}</body>"

    def _picture(self, row: StepRow) -> str:
        """The picture the action took, no wider than the drawer; "" when there is none or it is not read yet."""
        image = self._pictures.kept(row.picture) if row.picture else None
        if image is None:
            return ""
        address = f"{_PICTURE}:{row.picture}"
        self.browser.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(address), image)
        width_px = min(image.width(), max(_NARROWEST_PX, self.browser.viewport().width() - 2 * _MARGIN_PX))
        return f"<p><img src='{address}' width='{width_px}'></p>"

    def _outcome(self, row: StepRow) -> str:
        if row.is_waiting:
            return self.tr("waiting for you")
        if row.status is None:
            return self.tr("working")
        words = OUTCOME_WORDS[row.status] if row.status is not OutcomeStatus.DONE else self.tr("done")
        return " · ".join(part for part in (words, duration_ms(row.duration_ms)) if part)

    def _spent(self, row: StepRow, state: ViewState) -> str:
        with_step = state.ledger.asked_for(row.step).with_step
        if row.is_asked and with_step not in {0, row.step}:
            return self.tr("nothing of its own: decided together with step {number}").format(number=with_step)
        return row.spent.words


def _safe(text: str) -> str:
    return html.escape(plain(text))
