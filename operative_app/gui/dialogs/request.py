"""An approval or a hand-off over the window: what is asked, with a picture of the place on the page."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from operative_app.core.requests import Request
from operative_app.core.screen import Box
from operative_app.gui.panels.request_body import RequestBody
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import hairline
from operative_app.presentation.words import request_title

_WIDTH_PX: Final = 560
_PICTURE_HEIGHT_PX: Final = 260
_MARGIN_CSS_PX: Final = 70
_CONTEXT: Final = 1.6
"""CSS pixels of the page shown for one pixel of the dialog, unless the target itself needs more."""
_TARGET_PLACE: Final = 0.72
"""How far down the picture the target stands: what lies above a button says what it commits to."""


class TargetPicture(QWidget):
    """The part of a screen around a box, with the box outlined; the whole screen when there is no box."""

    def __init__(self, theme: Theme, box: Box | None) -> None:
        super().__init__()
        self._theme = theme
        self._box = box
        self._image = QImage()
        self._ratio = 1.0
        self.setObjectName("dialogPicture")
        self.setAccessibleName(self.tr("The place on the page"))
        self.setFixedHeight(_PICTURE_HEIGHT_PX)
        self.hide()

    def set_picture(self, image: QImage, pixel_ratio: float) -> None:
        """`pixel_ratio`: picture pixels for one CSS pixel."""
        self._image, self._ratio = image, pixel_ratio
        self.update()

    def has_picture(self) -> bool:
        return not self._image.isNull()

    def _crop(self) -> QRectF:
        whole = QRectF(self._image.rect())
        if self._box is None:
            return whole
        ratio, box, margin = self._ratio, self._box, _MARGIN_CSS_PX
        wanted_width = max((box.width_css_px + 2 * margin) * ratio, self.width() * ratio * _CONTEXT)
        wanted_height = wanted_width * self.height() / max(1, self.width())
        if wanted_height < (box.height_css_px + margin) * ratio:
            wanted_height = (box.height_css_px + margin) * ratio
            wanted_width = wanted_height * self.width() / max(1, self.height())
        wanted_width, wanted_height = min(wanted_width, whole.width()), min(wanted_height, whole.height())
        x, y = box.center
        left = min(max(0.0, x * ratio - wanted_width / 2), whole.width() - wanted_width)
        top = min(max(0.0, y * ratio - wanted_height * _TARGET_PLACE), whole.height() - wanted_height)
        return QRectF(left, top, wanted_width, wanted_height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.tokens.ground))
        if self._image.isNull():
            return
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        crop = self._crop()
        scale = min(self.width() / crop.width(), self.height() / crop.height())
        width, height = crop.width() * scale, crop.height() * scale
        place = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
        painter.drawImage(place, self._image, crop)
        if self._box is not None:
            painter.setClipRect(place)
            box, ratio = self._box, self._ratio
            outline = QRectF(
                place.left() + (box.x_css_px * ratio - crop.left()) * scale,
                place.top() + (box.y_css_px * ratio - crop.top()) * scale,
                box.width_css_px * ratio * scale,
                box.height_css_px * ratio * scale,
            ).adjusted(-4, -4, 4, 4)
            painter.setPen(QPen(QColor(255, 255, 255, 220), 6))
            painter.drawRoundedRect(outline, 6, 6)
            painter.setPen(QPen(QColor(self._theme.tokens.target), 3))
            painter.drawRoundedRect(outline, 6, 6)
            painter.setClipping(False)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)


class RequestDialog(QDialog):
    """Window-modal, opened with `open()`. Its default is the safe button and Escape answers safely.

    Signals:
        answered(str, Answer): As `RequestBody`.
        stop_requested(): Stop the whole run.
        put_off(str): The person will answer this request in the chat.
    """

    answered = Signal(str, object)
    stop_requested = Signal()
    put_off = Signal(str)

    def __init__(self, theme: Theme, request: Request, box: Box | None, parent: QWidget, *, has_picture: bool) -> None:
        super().__init__(parent)
        self.setObjectName("requestDialog")
        self.setWindowTitle(request_title(request))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(_WIDTH_PX)
        self.request = request
        self.picture = TargetPicture(theme, box)
        self.picture.setVisible(has_picture)
        self.body = RequestBody(theme, request, "dialog")
        self.body.answered.connect(self.answered)
        self.body.stop_requested.connect(self.stop_requested)
        later = text_button(self.tr("Look around first, answer in the chat"), "dialogLaterButton", look="link")
        later.clicked.connect(self._put_off)
        foot = QHBoxLayout()
        foot.setContentsMargins(15, 8, 20, 10)
        foot.addWidget(later)
        foot.addStretch(1)
        if request.kind == "approval":
            stop = text_button(self.tr("Stop the run"), "dialogStopButton", look="danger", small=True)
            stop.clicked.connect(self.stop_requested)
            foot.addWidget(stop)
        middle = QVBoxLayout()
        middle.setContentsMargins(20, 16, 20, 16)
        middle.addWidget(self.body)
        middle.addStretch(1)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.picture)
        column.addLayout(middle)
        column.addWidget(hairline())
        column.addLayout(foot)
        if self.body.safe_button is not None:
            self.body.safe_button.setDefault(True)
            self.body.safe_button.setFocus()

    def reject(self) -> None:
        """Escape and the close button of the window: the safe answer."""
        self.body.answer_safely()

    def show_picture(self, image: QImage, pixel_ratio: float) -> None:
        """Show the screen the request is about; its room was kept free, so that no button moves when it comes."""
        self.picture.set_picture(image, pixel_ratio)
        if image.isNull():
            self.picture.hide()
            self.fit()

    def fit(self) -> None:
        """Take the size the content wants, over the middle of the window."""
        self.resize(_WIDTH_PX, self.layout_height())
        parent = self.parentWidget()
        if parent is not None:
            middle = parent.window().frameGeometry().center()
            self.move(middle.x() - self.width() // 2, max(0, middle.y() - self.height() // 2))

    def layout_height(self) -> int:
        return max(self._column.totalHeightForWidth(_WIDTH_PX), self._column.totalMinimumSize().height())

    def showEvent(self, event: QShowEvent) -> None:
        self.fit()
        super().showEvent(event)

    def dismiss(self) -> None:
        """Close without an answer: it was answered elsewhere, or withdrawn."""
        self.setResult(int(QDialog.DialogCode.Rejected))
        self.hide()
        self.deleteLater()

    def _put_off(self) -> None:
        self.put_off.emit(self.request.id)
