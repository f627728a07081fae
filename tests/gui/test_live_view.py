from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QSlider, QToolButton

from operative_app.core.events import Observed, RequestClosed, RunStarted, StateChanged, StepFinished, StepStarted
from operative_app.core.requests import Approve
from operative_app.core.run import OutcomeStatus, RunRequest, RunState
from operative_app.core.screen import Picture
from operative_app.gui.panels.step_log import StepLogPanel
from operative_app.gui.tokens import LIGHT
from operative_app.gui.widgets.screen_canvas import ScreenCanvas, ScreenView
from tests.gui.conftest import Stage
from tests.gui.sample_run import PRODUCT, SIZE_PX, event_maker, marks


def canvas_of(stage: Stage) -> ScreenCanvas:
    return stage.of(ScreenCanvas, "screenCanvas")


def shown(stage: Stage) -> ScreenCanvas:
    """The canvas with the picture of the sample at its approval, the dialog put off."""
    stage.until_approval()
    stage.button("dialogLaterButton").click()
    canvas = canvas_of(stage)
    stage.qtbot.waitUntil(lambda: canvas.has_picture)
    return canvas


def jpeg(color: str, size: tuple[int, int] = (640, 380)) -> Picture:
    out = BytesIO()
    Image.new("RGB", size, color).save(out, "JPEG", quality=95)
    return Picture(data=out.getvalue(), width_px=size[0], height_px=size[1])


def color_at(stage: Stage, x_css_px: float, y_css_px: float) -> QColor:
    canvas = canvas_of(stage)
    place = canvas.widget_rect(QRectF(x_css_px, y_css_px, 0, 0)).topLeft().toPoint()
    return canvas.grab().toImage().pixelColor(place)


def is_near(color: QColor, name: str, within: int = 60) -> bool:
    wanted = QColor(name)
    return all(
        abs(a - b) <= within
        for a, b in zip(color.getRgb()[:3], wanted.getRgb()[:3], strict=True)  # type: ignore[index]
    )


def test_before_a_run_there_is_no_page(stage: Stage) -> None:
    assert canvas_of(stage).empty_text == "No page yet"
    assert not canvas_of(stage).has_picture


def test_marks_and_the_next_target_are_painted_over_the_picture(stage: Stage) -> None:
    canvas = shown(stage)
    assert [mark.number for mark in canvas.marks] == [one[0] for one in PRODUCT]
    assert canvas.target is not None
    assert canvas.target.words == "next: Press “Add to cart”, waiting for you"
    x, y, width, _height = PRODUCT[-1][2]
    outline = canvas.widget_rect(QRectF(x, y, width, 1)).topLeft() + QPointF(40, -4)
    painted = canvas.grab().toImage().pixelColor(outline.toPoint())
    assert is_near(painted, LIGHT.target)


def test_marks_can_be_hidden_and_the_choice_is_kept(stage: Stage) -> None:
    canvas = shown(stage)
    with_marks = canvas.grab().toImage()
    stage.button("marksButton").click()
    assert not canvas.has_marks
    assert canvas.grab().toImage() != with_marks


def test_boxes_are_scaled_from_css_pixels_whatever_the_picture_has(stage: Stage) -> None:
    make = event_maker()
    runs = stage.runs.pictures
    name = runs.keep("Mac mini", PRODUCT)
    stage.feed(
        make(RunStarted, request=RunRequest(goal="g"), planner="p"),
        make(
            Observed,
            step=1,
            observation=1,
            url="http://x/",
            title="X",
            screenshot=name,
            pixel_ratio=2.0,
            marks=marks(PRODUCT),
        ),
    )
    canvas = canvas_of(stage)
    stage.qtbot.waitUntil(lambda: canvas.has_picture)
    whole = canvas.widget_rect(QRectF(0, 0, SIZE_PX[0] / 2, SIZE_PX[1] / 2))
    assert whole.width() == pytest.approx(canvas.picture_rect().width(), abs=1.5)


def test_the_mark_under_the_pointer_tells_its_label(stage: Stage) -> None:
    canvas = shown(stage)
    x, y, width, height = PRODUCT[2][2]
    middle = canvas.widget_rect(QRectF(x, y, width, height)).center().toPoint()
    mark = canvas.mark_at(middle)
    assert mark is not None
    assert mark.label == "radio “512 GB”"
    assert canvas.mark_at(QPoint(1, 1)) is None


def test_the_timeline_goes_back_forward_and_live_again(stage: Stage) -> None:
    canvas = shown(stage)
    slider, live = stage.of(QSlider, "timelineSlider"), stage.button("liveButton")
    assert (slider.maximum(), slider.value(), live.isEnabled()) == (6, 6, False)
    stage.of(QToolButton, "timelineBackButton").click()
    assert slider.value() == 5
    slider.setValue(2)
    assert stage.of(QLabel, "timelinePlace").text() == "3 of 7"
    assert stage.of(QLabel, "liveHeaderChip").text() == "step 3"
    stage.qtbot.waitUntil(lambda: canvas.target is not None and canvas.target.words == "step 3: Click result 2")
    assert stage.of(StepLogPanel, "stepLogPanel").selected_steps() == [3]
    live.click()
    assert (slider.value(), live.isEnabled()) == (6, False)
    assert stage.of(StepLogPanel, "stepLogPanel").selected_steps() == []


def test_looking_back_is_not_disturbed_by_what_goes_on(stage: Stage) -> None:
    shown(stage)
    slider = stage.of(QSlider, "timelineSlider")
    slider.setValue(1)
    stage.feed(event_maker()(Observed, step=8, observation=8, url="http://x/", title="New"))
    assert (slider.value(), slider.maximum()) == (1, 7)


@pytest.mark.parametrize("state", [RunState.WORKING, RunState.TAKEN_OVER])
def test_live_frames_replace_the_picture_while_it_works(stage: Stage, state: RunState) -> None:
    shown(stage)
    make = event_maker()
    stage.feed(
        make(RequestClosed, request_id="ask-cart", answer=Approve()),
        make(StateChanged, state=state),
        make(StepStarted, step=7, action="click", label="Click", observation=7),
    )
    stage.bridge.frame_listener(jpeg("#3366cc"))
    stage.qtbot.waitUntil(lambda: is_near(color_at(stage, 1000, 600), "#3366cc"))
    assert canvas_of(stage).marks == ()
    stage.feed(make(StepFinished, step=7, status=OutcomeStatus.DONE))
    stage.of(QSlider, "timelineSlider").setValue(0)
    stage.qtbot.waitUntil(lambda: is_near(color_at(stage, 1000, 600), "#ffffff"))
    stage.button("liveButton").click()
    stage.bridge.frame_listener(jpeg("#cc6633"))
    stage.qtbot.waitUntil(lambda: is_near(color_at(stage, 1000, 600), "#cc6633"))


def test_what_happens_after_a_live_frame_does_not_bring_the_older_picture_back(stage: Stage) -> None:
    shown(stage)
    make = event_maker()
    stage.feed(
        make(RequestClosed, request_id="ask-cart", answer=Approve()),
        make(StateChanged, state=RunState.WORKING),
        make(StepStarted, step=7, action="click", label="Click", observation=7),
    )
    stage.bridge.frame_listener(jpeg("#3366cc"))
    stage.qtbot.waitUntil(lambda: is_near(color_at(stage, 1000, 600), "#3366cc"))
    stage.feed(make(StepFinished, step=7, status=OutcomeStatus.DONE))
    assert is_near(color_at(stage, 1000, 600), "#3366cc")


def test_a_frame_does_not_replace_the_picture_that_is_asked_about(stage: Stage) -> None:
    shown(stage)
    stage.bridge.frame_listener(jpeg("#3366cc"))
    with stage.qtbot.waitSignal(stage.bridge.frame_arrived):
        stage.bridge.frame_listener(jpeg("#3366cc"))
    stage.feed(event_maker()(StateChanged, state=RunState.WAITING))
    assert not is_near(color_at(stage, 1000, 600), "#3366cc")


def test_zoom_by_choice_and_by_wheel(stage: Stage) -> None:
    canvas = shown(stage)
    choice, view = stage.of(QComboBox, "zoomChoice"), stage.of(ScreenView, "screenView")
    choice.setCurrentIndex(choice.findText("100%"))
    choice.activated.emit(choice.currentIndex())
    assert (canvas.width(), canvas.height()) == SIZE_PX
    middle = view.viewport().rect().center()
    wheel = QWheelEvent(
        QPointF(middle),
        QPointF(view.viewport().mapToGlobal(middle)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), wheel)
    assert canvas.width() == round(SIZE_PX[0] * 1.15)
    assert choice.currentText() == "115%"
    stage.window.live_view.view.set_zoom(None)
    assert (choice.currentText(), canvas.width()) == ("Fit", view.viewport().width())


def test_the_address_is_the_pages_and_can_only_be_typed_between_runs(stage: Stage) -> None:
    address = stage.of(QLineEdit, "addressEdit")
    assert not address.isReadOnly()
    shown(stage)
    assert address.isReadOnly()
    assert address.text().startswith("http://127.0.0.1:8800/")
    stage.after_approval()
    assert not address.isReadOnly()


def test_the_address_of_the_last_page_is_no_wish_for_the_next_run(stage: Stage) -> None:
    shown(stage)
    stage.after_approval()
    assert stage.window.live_view.typed_address() == ""


def test_a_picture_that_is_gone_is_said(stage: Stage) -> None:
    stage.until_approval()
    stage.runs.pictures.by_hash.clear()
    stage.feed(event_maker()(Observed, step=8, observation=8, url="http://x/", title="X", screenshot="0" * 64))
    canvas = canvas_of(stage)
    stage.qtbot.waitUntil(lambda: "not there any more" in canvas.empty_text)
    assert not canvas.has_picture


def test_pictures_are_read_on_the_windows_worker_alone(stage: Stage) -> None:
    shown(stage)
    assert {name.rsplit("_", 1)[0] for name in stage.runs.threads} == {"operative-window"}
