"""What is asked and the buttons that answer it; the same in a card of the chat and in a dialog over the window."""

from __future__ import annotations

from typing import ClassVar, assert_never

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from operative_app.core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Reply,
    Request,
)
from operative_app.core.screen import shorten
from operative_app.gui.panels.edit_form import EditForm
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import CheckBox, TickLine, text_button
from operative_app.gui.widgets.flow import FlowLayout
from operative_app.gui.widgets.labels import breakable, set_look, text_label, tip
from operative_app.presentation.words import HAND_OFF_WORDS, allow_words, count, duration, plain, time_of_day

_MOST_CHARS = 400
_MOST_TICK_CHARS = 100
_MOST_TIP_CHARS = 4000


class RequestBody(QWidget):
    """One open request.

    `safe_button` is the one that changes nothing (Reject, Cannot); `answer_safely` does what Escape means.

    Signals:
        answered(str, Answer): The request with this id was answered; told once.
        stop_requested(): The person wants the whole run stopped.
        grown(): It takes more room than before.
        armed(): From now on every answer counts.
    """

    answered = Signal(str, object)
    stop_requested = Signal()
    grown = Signal()
    armed = Signal()

    ARM_MS: ClassVar[int] = 500
    """How long after it is shown only a safe answer counts: a key or press may be meant for what was there before."""

    def __init__(self, theme: Theme, request: Request, place: str, parent: QWidget | None = None) -> None:
        """`place` begins all object names ("card", "dialog"), since both may be there at once."""
        super().__init__(parent)
        self._theme = theme
        self._place = place
        self.request = request
        self._is_answered = False
        self._is_armed = self.ARM_MS <= 0
        self._arming = QTimer(self, singleShot=True)
        self._arming.timeout.connect(self._arm)
        self.safe_button: QPushButton | None = None
        self.form: EditForm | None = None
        self._allow: CheckBox | None = None
        self._word: QLineEdit | None = None
        self._countdown = text_label(" ", look="secondary", name=f"{place}Countdown")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self._countdown.setVisible(request.expires_at_s > 0)  # its room is kept free for the first tick
        match request:
            case ApprovalRequest():
                self._build_approval(request)
            case HandOffRequest():
                self._build_hand_off(request)
            case QuestionRequest():
                self._build_question(request)
            case PlanReviewRequest():
                self._build_review(request)
            case _:
                assert_never(request)

    # Building

    def _build_approval(self, request: ApprovalRequest) -> None:
        self._text(_question(request.label), "heading", "Title")
        self._text(request.effect, "", "Effect")
        self._text(self.tr("Asked because: {reason}").format(reason=request.reason), "secondary", "Reason")
        facts = [
            self.tr("Site: {site}").format(site=request.site) if request.site else "",
            self.tr("Rule: {rule}").format(rule=request.rule) if request.rule else "",
        ]
        self._text(" · ".join(fact for fact in facts if fact), "secondary", "Rule")
        approve = self._button(self.tr("&Approve"), "ApproveButton", look="primary")
        approve.clicked.connect(self._approve)
        reject = self._button(self.tr("&Reject…"), "RejectButton")
        buttons = [approve, reject]
        if request.editable:
            form = self.form = EditForm(request.editable, self._place)
            edit = self._button(self.tr("&Edit…"), "EditButton")
            buttons.insert(1, edit)
            edit.setAccessibleDescription(self.tr("Change what is done before approving it"))
            self.column.addWidget(form)
            form.setVisible(form.has_fault)
            edit.setVisible(not form.has_fault)
            edit.clicked.connect(lambda: self._open_form(form, edit))
            form.changed.connect(lambda: self._name_approve(approve, form))
            self._name_approve(approve, form)
        if request.may_allow_kind:
            words = shorten(plain(allow_words(request)), _MOST_TICK_CHARS)
            key = "w" if self._place == "dialog" and words.startswith("Allow") else ""
            allow = TickLine(self._theme, f"{self._place}AllowKindBox", words, key=key)
            self._allow = allow.box
            self.column.addWidget(allow)
        self._row(*buttons)
        self.column.addWidget(self._countdown)
        self._safe(reject, self.tr("Why, or what to do instead (optional)"), self.tr("Reject"))

    def _build_hand_off(self, request: HandOffRequest) -> None:
        self._text(HAND_OFF_WORDS[request.why], "heading", "Title")
        self._text(request.instructions, "", "Effect")
        self._text(request.reason, "secondary", "Reason")
        self._text(request.note, "urgent", "Note")
        if request.is_over:
            self._text(self.tr("The time for this is over. Nothing was done, and the run is paused."), "urgent", "Over")
            words = self.tr(
                "You can still do it and press Done, say that you cannot, or stop. Or leave it: it waits as long as "
                "this window is open."
            )
            if self._place == "card":
                words = f"{words} {self.tr('Resume looks anew at what is needed.')}"
            self._text(words, "", "StillPossible")
        done = self._button(self.tr("&Done"), "DoneButton", look="primary")
        done.clicked.connect(lambda: self._answer(HumanDone()))
        cannot = self._button(self.tr("&Cannot…"), "CannotButton")
        stop = self._button(self.tr("S&top"), "StopButton", look="danger")
        stop.clicked.connect(self.stop_requested)
        if request.why is HandOffKind.FILE:
            if request.accepts:
                self._text(self.tr("Takes: {kinds}").format(kinds=", ".join(request.accepts)), "secondary", "Accepts")
            choose = self._button(self.tr("Choose &file…"), "ChooseFileButton", look="primary")
            choose.clicked.connect(self._choose_file)
            done.setProperty("look", "")
            self._row(choose, done, cannot, stop)
        else:
            self._row(done, cannot, stop)
        self.column.addWidget(self._countdown)
        self._safe(cannot, self.tr("What is in the way (optional)"), self.tr("Cannot do it"))

    def _build_question(self, request: QuestionRequest) -> None:
        self._text(request.text, "heading", "Title")
        if request.choices:
            buttons: list[QWidget] = []
            for place, choice in enumerate(request.choices):
                button = self._button(plain(choice).replace("&", "&&"), f"Choice{place}")
                button.setAccessibleName(plain(choice))
                button.clicked.connect(lambda _checked=False, text=choice: self._answer(Reply(text=text)))
                buttons.append(button)
            self._row(*buttons)
        edit = QLineEdit()
        edit.setObjectName(f"{self._place}ReplyEdit")
        edit.setAccessibleName(self.tr("Your answer"))
        edit.setPlaceholderText(self.tr("Another answer") if request.choices else self.tr("Your answer"))
        send = self._button(self.tr("Answer"), "ReplyButton", look="" if request.choices else "primary")
        send.setEnabled(False)
        edit.textChanged.connect(lambda text: send.setEnabled(bool(text.strip())))

        def reply() -> None:
            if edit.text().strip():
                self._answer(Reply(text=edit.text().strip()))

        edit.returnPressed.connect(reply)
        send.clicked.connect(reply)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(edit, 1)
        row.addWidget(send)
        self.column.addLayout(row)
        self.column.addWidget(self._countdown)

    def _build_review(self, request: PlanReviewRequest) -> None:
        size = count(len(request.plan.tasks), "task")
        self._text(self.tr("Is this plan right?"), "heading", "Title")
        self._text(
            self.tr(
                "It has {size}. You can change it in the plan pane first; nothing is done before you accept."
            ).format(size=size),
            "",
            "Effect",
        )
        accept = self._button(self.tr("Accept plan"), "ApproveButton", look="primary")
        accept.clicked.connect(lambda: self._answer(Approve()))
        reject = self._button(self.tr("Reject…"), "RejectButton")
        self._row(accept, reject)
        self.column.addWidget(self._countdown)
        self._safe(reject, self.tr("What should be different (optional)"), self.tr("Reject the plan"))

    def _text(self, text: str, look: str, name: str) -> None:
        """Words of a page may be of any length: they must not push the buttons out of sight."""
        if not text:
            return
        words = plain(text)
        label = text_label(shorten(words, _MOST_CHARS), look=look, name=f"{self._place}{name}")
        if len(words) > _MOST_CHARS:
            label.setToolTip(tip(shorten(words, _MOST_TIP_CHARS)))
        self.column.addWidget(label)

    def _button(self, text: str, name: str, *, look: str = "") -> QPushButton:
        """Keys by letter are for the dialog alone: those of several cards in the chat would be the same."""
        shown = text if self._place == "dialog" else text.replace("&&", "\0").replace("&", "").replace("\0", "&&")
        button = text_button(shown, f"{self._place}{name}", look=look, small=True)
        button.setAccessibleName(text.replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…"))
        return button

    def _row(self, *widgets: QWidget) -> None:
        row = FlowLayout(spacing_px=6)
        for widget in widgets:
            row.addWidget(widget)
        self.column.addLayout(row)

    def _safe(self, button: QPushButton, placeholder: str, confirm: str) -> None:
        """The safe button first opens a line for a word; Enter there, or the button beside it, sends it."""
        self.safe_button = button
        line = QWidget()
        line.hide()
        self._word = QLineEdit()
        self._word.setObjectName(f"{self._place}WordEdit")
        self._word.setAccessibleName(placeholder)
        self._word.setPlaceholderText(placeholder)
        send = self._button(confirm, "WordButton")
        row = QVBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._word)
        row.addWidget(send)
        self.column.addWidget(line)

        def open_line() -> None:
            line.show()
            if self._word is not None:
                self._word.setFocus()
            self.grown.emit()

        button.clicked.connect(open_line)
        send.clicked.connect(self.answer_safely)
        self._word.returnPressed.connect(self.answer_safely)

    def _open_form(self, form: EditForm, edit: QPushButton) -> None:
        form.show()
        edit.hide()
        form.begin()
        self.grown.emit()

    def _name_approve(self, approve: QPushButton, form: EditForm) -> None:
        """The button says that what is approved is not what was asked about."""
        words = self.tr("&Approve with changes") if form.changes else self.tr("&Approve")
        approve.setText(words if self._place == "dialog" else words.replace("&", ""))
        approve.setAccessibleName(words.replace("&", ""))

    # Answering

    def _approve(self) -> None:
        changes = self.form.changes if self.form is not None and not self.form.isHidden() else ()
        is_allowed = self._allow is not None and self._allow.isChecked()
        self._answer(Approve(allow_kind=is_allowed, changes=changes))

    def answer_safely(self) -> None:
        """Reject, or say that it cannot be done, with the word typed so far."""
        word = self._word.text().strip() if self._word is not None else ""
        match self.request:
            case ApprovalRequest() | PlanReviewRequest():
                self._answer(Reject(word=word))
            case HandOffRequest():
                self._answer(HumanCannot(word=word))
            case QuestionRequest():
                pass
            case _:
                assert_never(self.request)

    @property
    def is_armed(self) -> bool:
        """Whether it was in sight long enough for a yes to be meant for it."""
        return self._is_armed

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not (event.spontaneous() or self._is_armed or self._arming.isActive()):
            self._arming.start(self.ARM_MS)

    def _arm(self) -> None:
        self._is_armed = True
        self.armed.emit()

    def _answer(self, answer: Answer) -> None:
        if self._is_answered or not (self._is_armed or isinstance(answer, Reject | HumanCannot)):
            return
        self._is_answered = True
        self.setEnabled(False)
        self.answered.emit(self.request.id, answer)

    def _choose_file(self) -> None:
        request = self.request
        if not isinstance(request, HandOffRequest):
            return
        dialog = QFileDialog(self.window(), self.tr("Choose the file for the page"))
        dialog.setObjectName("fileDialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        filters = [self.tr("All files (*)")]
        if request.accepts:
            patterns = " ".join(f"*{ending}" for ending in request.accepts if ending.startswith("."))
            if patterns:
                filters.insert(0, self.tr("Files it takes ({patterns})").format(patterns=patterns))
        dialog.setNameFilters(filters)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(lambda paths: self._answer(FilesChosen(paths=tuple(paths))))
        self.destroyed.connect(dialog.close)
        dialog.open()

    def tick(self, now_s: float) -> None:
        """Show how long there still is for an answer, and what comes without one."""
        request = self.request
        self._countdown.setVisible(request.expires_at_s > 0)
        if not request.expires_at_s:
            return
        left = _clock(max(0, round(request.expires_at_s - now_s)))
        match request:
            case ApprovalRequest():
                words = self.tr("Without an answer in {time} it is not done.")
            case PlanReviewRequest():
                words = self.tr("Without an answer in {time} nothing is begun.")
            case HandOffRequest() if request.remind_at_s > now_s:
                words = self.tr("Waits for you another {time}, until {end}; you are reminded at {reminder}.")
            case HandOffRequest():
                words = self.tr("Waits for you another {time}, until {end}. Then it is not done.")
                set_look(self._countdown, "urgent")
            case QuestionRequest():
                words = self.tr("Waits for you another {time}.")
            case _:
                assert_never(request)
        end, reminder = time_of_day(request.expires_at_s), time_of_day(getattr(request, "remind_at_s", 0))
        self._countdown.setText(breakable(words.format(time=left, end=end, reminder=reminder)))


def _clock(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02d} min" if minutes else duration(rest).replace(".0", "")


def _question(label: str) -> str:
    words = plain(label)
    return words if words.endswith("?") else f"{words}?"
