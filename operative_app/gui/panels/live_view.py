"""The live view: what the agent sees, with marks, the next target, and the timeline back to any step."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QSlider, QVBoxLayout, QWidget

from operative_app.core.run import RunState
from operative_app.core.screen import Box, Picture
from operative_app.gui.panels.header import PanelHeader
from operative_app.gui.pictures import Pictures
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ChoiceBox, icon_button, text_button
from operative_app.gui.widgets.labels import ElidedLabel, text_label
from operative_app.gui.widgets.screen_canvas import CanvasMark, CanvasTarget, ScreenView
from operative_app.presentation.timeline import Frame, Target
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import plain

_ZOOMS: Final = ((None, "Fit"), (0.5, "50%"), (1.0, "100%"), (1.5, "150%"), (2.0, "200%"))


class LiveViewPanel(QWidget):
    """Shows the newest picture, or an earlier one when the timeline was moved.

    Signals:
        step_shown(int): The timeline stands at this step now; 0 means live.
        marks_toggled(bool)
        now_requested(): Leave the past run.
    """

    step_shown = Signal(int)
    marks_toggled = Signal(bool)
    now_requested = Signal()

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self.setObjectName("liveViewPanel")
        self._pictures = pictures
        self._state = ViewState()
        self._at = -1  # the frame looked at; -1 is live
        self._shown_hash = ""
        self._css_width_px = 0.0
        self._is_editable = True
        self._has_typed_address = False
        self._is_decoding = False
        self._covered = -1  # the observation whose picture a newer live frame stands over
        self._next_frame: Picture | None = None
        self._is_past = False
        self.view = ScreenView(theme)
        self.header = PanelHeader(self.tr("Live view"), "liveHeader")
        self._marks = text_button(
            self.tr("Marks"), "marksButton", look="link", hint=self.tr("Show or hide the numbers (M)")
        )
        self._marks.setCheckable(True)
        self._marks.setChecked(True)
        theme.set_icon(self._marks, "marks", "secondary")
        self._marks.toggled.connect(self._on_marks_toggled)
        self.zoom = ChoiceBox(theme, "zoomChoice", self.tr("Zoom"))
        self.zoom.setToolTip(self.tr("Zoom (Ctrl and the wheel)"))
        for factor, words in _ZOOMS:
            self.zoom.addItem(words, factor)
        self.zoom.activated.connect(lambda place: self.view.set_zoom(self.zoom.itemData(place)))
        self.header.row.addWidget(self._marks)
        self.header.row.addWidget(self.zoom)
        self.address = QLineEdit()
        self.address.setObjectName("addressEdit")
        self.address.setProperty("look", "address")
        self.address.setAccessibleName(self.tr("Address"))
        self.address.setPlaceholderText(self.tr("Where to begin, such as practice:shop (optional)"))
        self.address.textEdited.connect(self._on_address_edited)
        self.page_title = ElidedLabel()
        self.page_title.setObjectName("pageTitle")
        self.page_title.setProperty("look", "secondary")
        self.view.setObjectName("screenView")
        self.view.canvas.setObjectName("screenCanvas")
        self.view.canvas.empty_text = self.tr("No page yet")
        self.view.zoom_changed.connect(self._on_zoom_changed)
        frame = QFrame()
        frame.setProperty("look", "picture")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.view)
        bar = QHBoxLayout()
        bar.setSpacing(8)
        bar.addWidget(self.address, 3)
        bar.addWidget(self.page_title, 2)
        body = QVBoxLayout()
        body.setContentsMargins(12, 0, 12, 0)
        body.setSpacing(8)
        body.addLayout(bar)
        body.addWidget(frame, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._make_banner())
        column.addWidget(self.header)
        column.addLayout(body, 1)
        column.addLayout(self._make_timeline(theme))
        self.setMinimumSize(320, 220)
        self._show_timeline()

    def _make_banner(self) -> QFrame:
        self.banner = QFrame()
        self.banner.setObjectName("pastRunBanner")
        self.banner.setProperty("look", "banner")
        self.banner_text = text_label(self.tr("Past run — read only"), look="banner", wrap=False)
        back = text_button(self.tr("Back to now"), "backToNowButton", small=True)
        back.clicked.connect(self.now_requested)
        row = QHBoxLayout(self.banner)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self.banner_text, 1)
        row.addWidget(back)
        self.banner.hide()
        return self.banner

    def _make_timeline(self, theme: Theme) -> QHBoxLayout:
        self.back = icon_button(theme, "left", "timelineBackButton", self.tr("One step back (Alt+Left)"))
        self.forward = icon_button(theme, "right", "timelineForwardButton", self.tr("One step forward (Alt+Right)"))
        self.back.clicked.connect(lambda: self.go(-1))
        self.forward.clicked.connect(lambda: self.go(1))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("timelineSlider")
        self.slider.setAccessibleName(self.tr("Timeline"))
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.place = text_label("", look="secondary", wrap=False, name="timelinePlace")
        self.live = text_button(self.tr("Live"), "liveButton", small=True, hint=self.tr("Back to the present"))
        self.live.clicked.connect(self.show_live)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 12, 8)
        row.setSpacing(6)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.slider, 1)
        row.addWidget(self.place)
        row.addWidget(self.live)
        return row

    # Showing

    def show_state(self, state: ViewState, *, is_past: bool, is_editable: bool) -> None:
        """Show what this state has seen; `is_editable` lets the address be typed."""
        if state is not self._state or is_past is not self._is_past or not state.frames:
            self._covered = -1
            self._at = -1 if not is_past else len(state.frames) - 1
        self._state, self._is_past, self._is_editable = state, is_past, is_editable
        self._at = min(self._at, len(state.frames) - 1)
        self.banner.setVisible(is_past)
        self.address.setReadOnly(not is_editable)
        self._show_frame()
        self._show_timeline()

    def show_live_frame(self, picture: Picture) -> None:
        """Take the newest live picture; one is decoded at a time and those in between are dropped."""
        self._next_frame = picture
        if not self._is_decoding and self.isVisible():
            self._decode_next()

    def _decode_next(self) -> None:
        picture, self._next_frame = self._next_frame, None
        if picture is None:
            return
        self._is_decoding = True
        self._pictures.decode(picture, self._on_frame_decoded)

    def _on_frame_decoded(self, image: QImage) -> None:
        self._is_decoding = False
        if self._shows_live_frames() and not image.isNull():
            frame = self._frame()
            self._covered = frame.observation if frame else -1
            self._shown_hash = ""
            self.view.set_picture(image, self._css_width_px or image.width())
            self._show_overlay()
        if self._next_frame is not None:
            QTimer.singleShot(0, self, self._decode_next)

    def _shows_live_frames(self) -> bool:
        """Not while an approval is open or the run is paused: then the picture the decision was made on stays."""
        state = self._state
        is_held = state.state is RunState.PAUSED or any(one.kind == "approval" for one in state.requests)
        return self.is_live and not self._is_past and state.is_active and not is_held

    @property
    def is_live(self) -> bool:
        return self._at < 0

    def _frame(self) -> Frame | None:
        frames = self._state.frames
        return frames[self._at] if frames else None

    def _show_frame(self) -> None:
        frame = self._frame()
        if frame is None:
            self._shown_hash = ""
            self.view.canvas.empty_text = (
                self.tr("Opening the page…") if self._state.is_active else self.tr("No page yet")
            )
            self.view.set_picture(QImage(), 0)
            self._show_overlay()
            self._show_address("", "")
            return
        self._show_address(frame.url, frame.title)
        if not frame.screenshot:
            if not self._shows_live_frames():
                self.view.canvas.empty_text = self.tr("No picture was kept of this step")
                self._shown_hash = ""
                self.view.set_picture(QImage(), 0)
        elif frame.screenshot != self._shown_hash and not self._is_covered(frame):
            self._pictures.ask(frame.screenshot, partial(self._on_picture, frame))
        self._show_overlay()

    def _is_covered(self, frame: Frame) -> bool:
        return self._covered == frame.observation and self._shows_live_frames()

    def _on_picture(self, wanted: Frame, image: QImage) -> None:
        frame = self._frame()
        if frame is None or frame.screenshot != wanted.screenshot or self._is_covered(frame):
            return
        if image.isNull():
            self.view.canvas.empty_text = self.tr("The picture of this step is not there any more")
        else:
            self._css_width_px = image.width() / (wanted.pixel_ratio or 1.0)
        self._shown_hash = wanted.screenshot
        self.view.set_picture(image, self._css_width_px)
        self._show_overlay()

    def _show_overlay(self) -> None:
        canvas = self.view.canvas
        frame = self._frame()
        if frame is None:
            canvas.marks, canvas.target = (), None
        else:
            fresh = not self.is_live or self._state.has_fresh_marks or not self._state.is_active
            canvas.marks = (
                tuple(CanvasMark(one.mark, plain(one.label), _rect(one.box)) for one in frame.marks) if fresh else ()
            )
            target = self._state.live_target if self.is_live else frame.target
            canvas.target = _canvas_target(target)
        words = canvas.target.words if canvas.target else ""
        canvas.setAccessibleName(self.tr("The page the agent sees"))
        canvas.setAccessibleDescription(
            f"{plain(frame.title)}. {len(canvas.marks)} marks. {words}" if frame else canvas.empty_text
        )
        canvas.update()

    def _show_address(self, url: str, title: str) -> None:
        self.page_title.set_text(plain(title))
        self.page_title.setVisible(bool(title))
        if not (self._is_editable and (self._has_typed_address or self.address.hasFocus())):
            shown = plain(url)
            if self.address.text() != shown:
                self.address.setText(shown)
                self.address.setCursorPosition(0)

    def _on_address_edited(self, text: str) -> None:
        self._has_typed_address = bool(text.strip())

    def typed_address(self) -> str:
        """The start page the person typed for the next run; "" goes on from the present page."""
        return self.address.text().strip() if self._has_typed_address else ""

    def set_typed_address(self, url: str) -> None:
        """Fill in where the next run begins; "" takes it back."""
        self._has_typed_address = bool(url)
        self.address.setText(url)
        if not url:
            self._show_frame()

    # Timeline

    def _show_timeline(self) -> None:
        frames = self._state.frames
        count = len(frames)
        at = count - 1 if self.is_live else self._at
        self.slider.blockSignals(True)
        self.slider.setEnabled(count > 1)
        self.slider.setRange(0, max(0, count - 1))
        self.slider.setValue(max(0, at))
        self.slider.blockSignals(False)
        self.back.setEnabled(count > 1 and at > 0)
        self.forward.setEnabled(count > 1 and not self.is_live and (at < count - 1 or not self._is_past))
        self.live.setEnabled(not self.is_live)
        self.live.setVisible(not self._is_past)
        self.place.setText(self.tr("{at} of {count}").format(at=at + 1, count=count) if count else "")
        if self.is_live:
            chip, tone = (self.tr("live"), "accent") if self._state.is_active else ("", "")
        else:
            chip, tone = self.tr("step {number}").format(number=frames[at].step), "chip"
        self.header.set_chip(chip, "" if tone == "chip" else tone)

    def _on_slider_moved(self, value: int) -> None:
        self.show_frame_at(value)

    def go(self, by: int) -> None:
        """Go so many observations back or forward; past the last one is live again."""
        count = len(self._state.frames)
        at = (count - 1 if self.is_live else self._at) + by
        if at >= count and not self._is_past:
            self.show_live()
        elif count:
            self.show_frame_at(min(max(0, at), count - 1))

    def show_frame_at(self, place: int) -> None:
        """Show an earlier observation and tell `step_shown`."""
        self._at = place
        self._show_frame()
        self._show_timeline()
        frame = self._frame()
        self.step_shown.emit(frame.step if frame else 0)

    def show_step(self, step: int) -> None:
        """Show what was seen when a step was decided, without telling `step_shown`."""
        row = self._state.row(step)
        place = self._state.frame_index(row.before) if row else -1
        if place < 0:
            place = next((number for number, frame in enumerate(self._state.frames) if frame.step == step), -1)
        is_now = row is not None and row.is_waiting
        if place >= 0:
            self._at = -1 if is_now and not self._is_past else place
            self._covered = -1
            self._show_frame()
            self._show_timeline()

    def show_live(self) -> None:
        """Return to the present and tell `step_shown(0)`."""
        if self._is_past:
            return
        self._at = self._covered = -1
        self._show_frame()
        self._show_timeline()
        self.step_shown.emit(0)

    # Zoom and marks

    def set_marks(self, *, on: bool) -> None:
        self._marks.setChecked(on)

    def toggle_marks(self) -> None:
        self._marks.toggle()

    def _on_marks_toggled(self, on: bool) -> None:
        self.view.canvas.has_marks = on
        self.view.canvas.update()
        self.marks_toggled.emit(on)

    def _on_zoom_changed(self) -> None:
        zoom = self.view.canvas.zoom
        place = self.zoom.findData(zoom)
        while self.zoom.count() > len(_ZOOMS):
            self.zoom.removeItem(self.zoom.count() - 1)
        if place < 0 and zoom is not None:
            self.zoom.addItem(f"{zoom:.0%}", zoom)
            place = self.zoom.count() - 1
        self.zoom.setCurrentIndex(max(0, place))


def _rect(box: Box) -> QRectF:
    return QRectF(box.x_css_px, box.y_css_px, box.width_css_px, box.height_css_px)


def _canvas_target(target: Target | None) -> CanvasTarget | None:
    return CanvasTarget(_rect(target.box), target.mark, plain(target.words)) if target else None
