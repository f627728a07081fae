"""A picture of a screen with numbered marks, an outlined target and zoom. Boxes are given in CSS pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QScrollArea, QToolTip, QWidget

from operative_app.gui.theme import Theme, text_font
from operative_app.gui.widgets.labels import tip

ZOOM_MIN: Final = 0.25
ZOOM_MAX: Final = 4.0
_ZOOM_STEP: Final = 1.15
_FIT_MAX: Final = 1.5
_HIT_MARGIN_PX: Final = 3


@dataclass(frozen=True, slots=True)
class CanvasMark:
    number: int
    label: str
    box_css: QRectF


@dataclass(frozen=True, slots=True)
class CanvasTarget:
    box_css: QRectF
    number: int = 0
    words: str = ""


class ScreenCanvas(QWidget):
    """Paints; knows nothing of scrolling. `zoom` is logical pixels for one CSS pixel; None fits the widget."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image = QImage()
        self._scaled = QPixmap()
        self._overlay = QPixmap()
        self._overlay_key: tuple[object, ...] = ()
        self._css_width_px = 0.0
        self.marks: tuple[CanvasMark, ...] = ()
        self.target: CanvasTarget | None = None
        self.has_marks = True
        self.zoom: float | None = None
        self.empty_text = ""
        theme.changed.connect(self.update)

    @property
    def has_picture(self) -> bool:
        return not self._image.isNull()

    def set_picture(self, image: QImage, css_width_px: float) -> None:
        """Show a picture that is so many CSS pixels wide; a null one shows the empty text."""
        self._image = image
        self._css_width_px = css_width_px or float(image.width())
        self._scaled = QPixmap()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        if self.zoom is None or not self.has_picture:
            return QSize(320, 200)
        return self._shown_size(self.zoom)

    def scale(self) -> float:
        """Logical pixels for one CSS pixel, as painted now."""
        if self.zoom is not None:
            return self.zoom
        if not self.has_picture:
            return 1.0
        height_css_px = self._css_width_px * self._image.height() / self._image.width()
        return max(0.02, min(self.width() / self._css_width_px, self.height() / height_css_px, _FIT_MAX))

    def picture_rect(self) -> QRectF:
        """Where the picture is painted, in the widget."""
        size = self._shown_size(self.scale())
        left = max(0, (self.width() - size.width()) // 2)
        top = 0 if self.zoom is None and size.height() > self.height() else max(0, (self.height() - size.height()) // 2)
        return QRectF(left, top, size.width(), size.height())

    def widget_rect(self, box_css: QRectF) -> QRectF:
        """A box in CSS pixels as painted in the widget."""
        scale, origin = self.scale(), self.picture_rect().topLeft()
        return QRectF(
            origin.x() + box_css.x() * scale,
            origin.y() + box_css.y() * scale,
            box_css.width() * scale,
            box_css.height() * scale,
        )

    def _shown_size(self, scale: float) -> QSize:
        width = self._css_width_px * scale
        return QSize(round(width), round(width * self._image.height() / max(1, self._image.width())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        if not self.has_picture:
            painter.setPen(QColor(self._theme.tokens.secondary))
            painter.setFont(text_font())
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self.empty_text)
            return
        place = self.picture_rect()
        painter.drawPixmap(place.topLeft(), self._scaled_picture(place))
        painter.setClipRect(place)
        if self.has_marks and self.marks and self.zoom is None:
            painter.drawPixmap(0, 0, self._painted_marks())
        elif self.has_marks:  # zoomed in, the whole widget can be far larger than what is in sight
            self._paint_marks(painter)
        if self.target:
            self._paint_target(painter, self.widget_rect(self.target.box_css), self.target, place)

    def _painted_marks(self) -> QPixmap:
        """All marks but the target's, painted once for many live pictures below them."""
        target_number = self.target.number if self.target else -1
        ratio = self.devicePixelRatioF()
        key = (self.marks, target_number, self.picture_rect().getRect(), self.size(), ratio, self._theme.tokens.mark)
        if key != self._overlay_key:
            self._overlay_key = key
            self._overlay = QPixmap((QSizeF(self.size()) * ratio).toSize())
            self._overlay.setDevicePixelRatio(ratio)
            self._overlay.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._overlay)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter)
            painter.end()
        return self._overlay

    def _paint_marks(self, painter: QPainter) -> None:
        target_number = self.target.number if self.target else -1
        for mark in self.marks:
            if mark.number != target_number:
                self._paint_mark(painter, self.widget_rect(mark.box_css), mark.number)

    def _scaled_picture(self, place: QRectF) -> QPixmap:
        ratio = self.devicePixelRatioF()
        wanted = (place.size() * ratio).toSize()
        if self._scaled.isNull() or self._scaled.size() != wanted:
            image = self._image.scaled(
                wanted, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            self._scaled = QPixmap.fromImage(image)
            self._scaled.setDevicePixelRatio(ratio)
        return self._scaled

    def _paint_mark(self, painter: QPainter, box: QRectF, number: int) -> None:
        color = QColor(self._theme.tokens.mark)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(255, 255, 255, 190), 3))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QPen(color, 1.2))
        painter.drawRoundedRect(box, 4, 4)
        self._paint_badge(painter, box, str(number), color)

    def _paint_target(self, painter: QPainter, box: QRectF, target: CanvasTarget, place: QRectF) -> None:
        color = QColor(self._theme.tokens.target)
        outline = box.adjusted(-4, -4, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(255, 255, 255, 220), 6))
        painter.drawRoundedRect(outline, 7, 7)
        painter.setPen(QPen(color, 3))
        painter.drawRoundedRect(outline, 7, 7)
        if target.number and self.has_marks:
            self._paint_badge(painter, outline, str(target.number), color)
        if target.words:
            self._paint_tag(painter, outline, target.words, place)

    def _paint_badge(self, painter: QPainter, box: QRectF, text: str, color: QColor) -> None:
        font = QFont(text_font(bold=True))
        font.setPixelSize(10)
        painter.setFont(font)
        width = QFontMetricsF(font).horizontalAdvance(text) + 9
        badge = QRectF(max(0.0, box.left() - 6), max(0.0, box.top() - 9), max(width, 16), 15)
        painter.setPen(QPen(QColor("white"), 1))
        painter.setBrush(color)
        painter.drawRoundedRect(badge, 7.5, 7.5)
        painter.setPen(QColor("white"))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_tag(self, painter: QPainter, outline: QRectF, words: str, place: QRectF) -> None:
        font = text_font(small=True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(60.0, place.width() - 24))
        width, height = metrics.horizontalAdvance(shown) + 16, metrics.height() + 8
        left = min(max(outline.left(), place.left() + 4), place.right() - width - 4)
        top = outline.bottom() + 8
        if top + height > place.bottom():
            top = outline.top() - height - 14
        if top < place.top():
            top = max(place.top(), place.bottom() - height - 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.tokens.target))
        painter.drawRoundedRect(QRectF(left, top, width, height), 5, 5)
        painter.setPen(QColor(self._theme.tokens.on_target))
        painter.drawText(QRectF(left, top, width, height), Qt.AlignmentFlag.AlignCenter, shown)

    def mark_at(self, point: QPoint) -> CanvasMark | None:
        """The smallest marked box at a place of the widget."""
        margin = _HIT_MARGIN_PX
        hits = [
            mark
            for mark in self.marks
            if self.widget_rect(mark.box_css).adjusted(-margin, -margin, margin, margin).contains(QPointF(point))
        ]
        return min(hits, key=lambda mark: mark.box_css.width() * mark.box_css.height(), default=None)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self.mark_at(event.pos()) if self.has_marks else None
            QToolTip.showText(event.globalPos(), tip(f"{mark.number}  {mark.label}") if mark else "", self)
            return True
        return super().event(event)


class ScreenView(QScrollArea):
    """The canvas with scroll bars. Ctrl and the wheel zoom; the wheel alone scrolls.

    Signals:
        zoom_changed(): Fit or the factor is another now.
    """

    zoom_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = ScreenCanvas(theme)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(self.canvas)
        self.canvas.setAutoFillBackground(False)  # the ground of the frame around it shows
        self.viewport().setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(200, 120)

    def set_picture(self, image: QImage, css_width_px: float) -> None:
        self.canvas.set_picture(image, css_width_px)
        self._resize_canvas()

    def set_zoom(self, zoom: float | None) -> None:
        """Fit (None), or so many logical pixels for one CSS pixel."""
        self.canvas.zoom = None if zoom is None else min(ZOOM_MAX, max(ZOOM_MIN, zoom))
        self._resize_canvas()
        self.zoom_changed.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self.canvas.has_picture:
            notches = event.angleDelta().y() / 120
            self.set_zoom(self.canvas.scale() * _ZOOM_STEP**notches)
            event.accept()
            return
        super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resize_canvas()

    def _resize_canvas(self) -> None:
        fits = self.canvas.zoom is None or not self.canvas.has_picture
        self.setWidgetResizable(fits)
        if not fits:
            self.canvas.resize(self.canvas.sizeHint())
        self.canvas.update()
