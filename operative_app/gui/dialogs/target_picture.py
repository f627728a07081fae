"""The part of a screen a request is about, with the target outlined, at a size at which its words can be read."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from operative_app.core.screen import Box
from operative_app.gui.theme import Theme, text_font

_MARGIN_CSS_PX: Final = 48
"""What is shown around the target at least."""
_SMALL_CSS_PX: Final = 26
"""A target no larger than this is shown enlarged."""
_ENLARGED: Final = 1.5
_USUAL: Final = 0.75
"""Words stay legible, and most of what stands beside a button, such as a total, is seen with it."""
_TARGET_PLACE: Final = 0.72
"""How far down the picture the target stands: what lies above a button says what it commits to."""
_BAND_PX: Final = 28


class TargetPicture(QWidget):
    """The part of a screen around a box, with the box outlined; the whole screen when there is no box.

    Words are nearly as large as on the screen; smaller only where the target would not fit, larger when it is small.
    """

    def __init__(self, theme: Theme, box: Box | None, target: str = "") -> None:
        """`target` names what is outlined, for who cannot see it."""
        super().__init__()
        self._theme = theme
        self._box = box
        self._image = QImage()
        self._ratio = 1.0
        self.setObjectName("dialogPicture")
        self.setAccessibleName(self.tr("The place on the screen"))
        self.setAccessibleDescription(
            self.tr("The screen, with this outlined: {target}").format(target=target)
            if box is not None
            else self.tr("The whole screen")
        )
        self.hide()

    def set_picture(self, image: QImage, pixel_ratio: float) -> None:
        """`pixel_ratio`: picture pixels for one CSS pixel."""
        self._image, self._ratio = image, pixel_ratio
        self.update()

    def has_picture(self) -> bool:
        return not self._image.isNull()

    @property
    def way_out(self) -> str:
        """Where the target lies outside of the picture, in words; "" when it is in it."""
        box = self._box
        if box is None or self._image.isNull():
            return ""
        x, y = box.center
        if y * self._ratio >= self._image.height():
            return self.tr("It is further down the page, below what was on the screen.")
        if y < 0:
            return self.tr("It is further up the page, above what was on the screen.")
        if not 0 <= x * self._ratio < self._image.width():
            return self.tr("It is beside what was on the screen.")
        return ""

    def zoom(self) -> float:
        """Pixels of this widget for one CSS pixel of the screen."""
        whole = QRectF(self._image.rect())
        fit = min(self.width() * self._ratio / whole.width(), self.height() * self._ratio / whole.height())
        if self._box is None:
            return fit
        box, margin = self._box, 2 * _MARGIN_CSS_PX
        wanted = _ENLARGED if max(box.width_css_px, box.height_css_px) <= _SMALL_CSS_PX else _USUAL
        room = min(self.width() / (box.width_css_px + margin), self.height() / (box.height_css_px + margin))
        return max(min(wanted, room), fit)

    def crop(self) -> QRectF:
        """What of the picture is shown, in its pixels."""
        whole = QRectF(self._image.rect())
        if self._box is None:
            return whole
        ratio, zoom = self._ratio, self.zoom()
        width = min(self.width() / zoom * ratio, whole.width())
        height = min(self.height() / zoom * ratio, whole.height())
        x, y = self._box.center
        left = min(max(0.0, x * ratio - width / 2), whole.width() - width)
        place = min(_TARGET_PLACE, 1 - (self._box.height_css_px / 2 + 12) * ratio / height)
        top = min(max(0.0, y * ratio - height * max(0.5, place)), whole.height() - height)
        return QRectF(left, top, width, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.tokens.ground))
        if self._image.isNull():
            return
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        crop = self.crop()
        scale = min(self.width() / crop.width(), self.height() / crop.height())
        width, height = crop.width() * scale, crop.height() * scale
        place = QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)
        painter.drawImage(place, self._image, crop)
        if self._box is not None and not self.way_out:
            self._outline(painter, self._box, crop, place, scale)
        elif self.way_out:
            self._say(painter, self.way_out)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def _outline(self, painter: QPainter, box: Box, crop: QRectF, place: QRectF, scale: float) -> None:
        ratio = self._ratio
        outline = QRectF(
            place.left() + (box.x_css_px * ratio - crop.left()) * scale,
            place.top() + (box.y_css_px * ratio - crop.top()) * scale,
            box.width_css_px * ratio * scale,
            box.height_css_px * ratio * scale,
        ).adjusted(-4, -4, 4, 4)
        outline = outline.intersected(place.adjusted(2, 2, -2, -2))  # also where it is larger than what is shown
        for color, width in ((QColor(255, 255, 255, 220), 6), (QColor(self._theme.tokens.target), 3)):
            painter.setPen(QPen(color, width))
            painter.drawRoundedRect(outline, 6, 6)

    def _say(self, painter: QPainter, words: str) -> None:
        band = QRectF(0, self.height() - _BAND_PX, self.width(), _BAND_PX)
        painter.fillRect(band, QColor(self._theme.tokens.target))
        painter.setPen(QColor(self._theme.tokens.on_target))
        painter.setFont(text_font(small=True, bold=True))
        painter.drawText(band.adjusted(12, 0, -12, 0), int(Qt.AlignmentFlag.AlignVCenter), words)
