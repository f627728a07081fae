"""An approval or a hand-off over the window: what is asked, with a picture of the place on the screen."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QImage, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from operative_app.core.requests import Request
from operative_app.core.screen import Box
from operative_app.gui.dialogs.target_picture import TargetPicture
from operative_app.gui.panels.request_body import RequestBody
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import hairline
from operative_app.presentation.words import plain, request_text, request_title

_NARROW_PX: Final = 560
_WIDE_PX: Final = 720
_PICTURE_PX: Final = (120, 300)
"""Smallest and largest height of the picture: it gives way to what is asked where there is little room."""
_FRAME_PX: Final = 40
"""Room for the title bar of the dialog, and a little around it."""


class RequestDialog(QDialog):
    """Window-modal, opened with `open()`. Its default is the safe button and Escape answers safely.

    Signals:
        answered(str, Answer): As `RequestBody`.
        stop_requested(): Stop the whole run.
        take_over_requested(): The person does it themselves.
        put_off(str): The person will answer this request in the chat.
    """

    answered = Signal(str, object)
    stop_requested = Signal()
    take_over_requested = Signal()
    put_off = Signal(str)

    def __init__(self, theme: Theme, request: Request, box: Box | None, parent: QWidget, *, has_picture: bool) -> None:
        super().__init__(parent)
        self.setObjectName("requestDialog")
        self.setWindowTitle(request_title(request))
        self.setAccessibleName(request_title(request))
        self.setAccessibleDescription(request_text(request))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.request = request
        self.picture = TargetPicture(theme, box, plain(getattr(request, "label", "")) or request_title(request))
        self.picture.setVisible(has_picture)
        self.body = RequestBody(theme, request, "dialog")
        self.body.answered.connect(self.answered)
        self.body.stop_requested.connect(self.stop_requested)
        self.body.grown.connect(lambda: self.fit(in_place=True))
        page = QWidget()
        page.setProperty("look", "page")
        self._middle = QVBoxLayout(page)
        self._middle.setContentsMargins(20, 16, 20, 16)
        self._middle.addWidget(self.body)
        self._middle.addStretch(1)
        self.scroll_area = QScrollArea()
        self.scroll_area.setObjectName("dialogScroll")
        self.scroll_area.setAccessibleName(self.tr("What is asked"))
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setWidget(page)
        self._foot = self._make_foot()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.picture)
        column.addWidget(self.scroll_area, 1)
        column.addWidget(hairline())
        column.addWidget(self._foot)
        if self.body.safe_button is not None:
            self.body.safe_button.setDefault(True)
            self.body.safe_button.setFocus()
        if self.body.form is not None and self.body.form.has_fault:
            self.body.form.begin()

    def _make_foot(self) -> QWidget:
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(15, 8, 20, 10)
        later = text_button(self.tr("&Look around first, answer in the chat"), "dialogLaterButton", look="link")
        later.clicked.connect(self._put_off)
        row.addWidget(later)
        row.addStretch(1)
        if self.request.kind == "approval":
            take_over = text_button(self.tr("Take o&ver"), "dialogTakeOverButton", small=True)
            take_over.setAccessibleDescription(self.tr("It is not done; you have control until you hand it back"))
            take_over.clicked.connect(self.take_over_requested)
            stop = text_button(self.tr("S&top the run"), "dialogStopButton", look="danger", small=True)
            stop.clicked.connect(self.stop_requested)
            row.addWidget(take_over)
            row.addWidget(stop)
        return foot

    def reject(self) -> None:
        """Escape and the close button of the window: the safe answer."""
        self.body.answer_safely()

    def show_picture(self, image: QImage, pixel_ratio: float) -> None:
        """Show the screen the request is about; its room was kept free, so that no button moves when it comes."""
        self.picture.set_picture(image, pixel_ratio)
        if image.isNull():
            self.picture.hide()
            self.fit()

    def fit(self, *, in_place: bool = False) -> None:
        """Take the size the content wants, as far as the screen has room; the picture gives way first.

        Args:
            in_place: Grow downwards, so that nothing moves under the pointer; else over the middle of the window.
        """
        parent = self.parentWidget()
        room = self.screen().availableGeometry()
        window = parent.window().frameGeometry() if parent is not None else room
        width = min(max(_NARROW_PX, min(_WIDE_PX, window.width() // 2)), room.width())
        below = self._middle.heightForWidth(width) + self._foot.sizeHint().height() + 1
        smallest, largest = _PICTURE_PX
        left = room.height() - _FRAME_PX - below
        picture = 0 if self.picture.isHidden() else max(smallest, min(largest, left))
        if not in_place or picture < self.picture.height():
            self.picture.setFixedHeight(picture or smallest)
        size = QSize(width, min(self.picture.height() * (picture > 0) + below, room.height() - _FRAME_PX))
        has_room = size.height() >= self.picture.height() * (picture > 0) + below
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if has_room else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.scroll_area.setVerticalScrollBarPolicy(policy)  # a bar that is shown once would narrow the words for good
        self.setMinimumSize(size.width(), 0)
        self.resize(size)
        if in_place:
            bottom = self.frameGeometry().top() + size.height() + _FRAME_PX
            if bottom > room.bottom():
                self.move(self.x(), max(room.top(), self.y() - (bottom - room.bottom())))
        else:
            middle = window.center()
            top = min(middle.y() - size.height() // 2, room.bottom() - size.height() - _FRAME_PX)
            self.move(max(room.left(), middle.x() - size.width() // 2), max(room.top(), top))

    def showEvent(self, event: QShowEvent) -> None:
        self.fit()
        super().showEvent(event)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def dismiss(self) -> None:
        """Close without an answer: it was answered elsewhere, or withdrawn."""
        self.setResult(int(QDialog.DialogCode.Rejected))
        self.hide()
        self.deleteLater()

    def _put_off(self) -> None:
        self.put_off.emit(self.request.id)
