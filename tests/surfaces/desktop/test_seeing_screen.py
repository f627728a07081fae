"""Pictures of the screen: what is shown, what is hidden, what is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import pytest
from mss.exception import ScreenShotError
from PIL import Image

from operative_app.core.coordinates import ImagePoint, ScreenPoint
from operative_app.core.errors import SurfaceError
from operative_app.core.screen import Box, Picture, ScreenState, SurfaceKind
from operative_app.surfaces.desktop.capture import MASK_COLOUR, MssScreens
from operative_app.surfaces.desktop.x11_windows import X11Windows
from tests.desktop_session import DesktopSession, until

WHITE, RED = (255, 255, 255), (255, 0, 0)


def box(x: float, y: float, width: float, height: float) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def pixels(picture: Picture) -> Image.Image:
    with Image.open(BytesIO(picture.data)) as opened:
        return opened.convert("RGB")


class Size(NamedTuple):
    width: int
    height: int


class FakeShot:
    def __init__(self, image: Image.Image) -> None:
        self.raw = bytearray(image.convert("RGBA").tobytes("raw", "BGRA"))
        self.size = Size(*image.size)


class FakeGrabber:
    """A screen of several monitors, whose pictures have `scale` pixels for one of the pointer's."""

    def __init__(
        self,
        monitors: Sequence[tuple[int, int, int, int]],
        scale: int = 1,
        on_grab: Callable[[], None] = lambda: None,
        is_blank: bool = False,
    ) -> None:
        left, top = min(one[0] for one in monitors), min(one[1] for one in monitors)
        right, bottom = max(one[0] + one[2] for one in monitors), max(one[1] + one[3] for one in monitors)
        whole = (left, top, right - left, bottom - top)
        names = ("left", "top", "width", "height")
        self.monitors: Sequence[dict[str, Any]] = [dict(zip(names, one, strict=True)) for one in (whole, *monitors)]
        self._scale, self._on_grab, self._is_blank = scale, on_grab, is_blank
        self._thread = threading.get_ident()
        self.is_closed = False

    def grab(self, monitor: dict[str, int], /) -> FakeShot:
        assert threading.get_ident() == self._thread, "a grabber belongs to the thread that made it"
        self._on_grab()
        image = Image.new("RGB", (monitor["width"] * self._scale, monitor["height"] * self._scale), WHITE)
        x, y = -monitor["left"] * self._scale, -monitor["top"] * self._scale  # the primary monitor's corner
        if not self._is_blank and 0 <= x < image.width and 0 <= y < image.height:
            image.putpixel((x, y), RED)
        return FakeShot(image)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def opened() -> Iterator[list[MssScreens]]:
    screens: list[MssScreens] = []
    yield screens
    for one in screens:
        one.close()


def test_monitors_left_of_the_primary_one_keep_their_negative_place(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 100, 80), (-200, -10, 200, 90)]))
    opened.append(screens)

    assert [one.box for one in screens.monitors()] == [box(0, 0, 100, 80), box(-200, -10, 200, 90)]
    assert [one.is_primary for one in screens.monitors()] == [True, False]
    picture = screens.grab(is_lossless=True)
    assert picture.area == box(-200, -10, 300, 90)
    assert pixels(picture).getpixel((200, 10)) == RED


def test_the_scale_is_that_of_the_picture_itself(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 150, 98)], scale=2))
    opened.append(screens)

    picture = screens.grab()

    assert screens.monitors()[0].scale == 2.0
    assert (picture.width_px, picture.height_px) == (300, 196)
    state = ScreenState(
        observation=1, surface=SurfaceKind.DESKTOP, viewport_width_css_px=150, viewport_height_css_px=98
    )
    place = state.map_of(picture).to_state(ImagePoint(x_image_px=200, y_image_px=100))
    assert place == ScreenPoint(x_screen_px=100, y_screen_px=50)


def test_own_windows_are_painted_over_at_every_scale(opened: list[MssScreens]) -> None:
    screens = MssScreens(
        lambda: [box(-5, -5, 25, 15)], open_grabber=lambda: FakeGrabber([(-40, 0, 80, 40), (40, 0, 40, 40)], scale=2)
    )
    opened.append(screens)

    picture = pixels(screens.grab(is_lossless=True))

    assert picture.getpixel(((-5 + 40) * 2, 0)) == MASK_COLOUR
    assert picture.getpixel(((20 + 40) * 2 - 1, 10 * 2 - 1)) == MASK_COLOUR
    assert picture.getpixel(((20 + 40) * 2, 5)) == WHITE
    assert picture.getpixel((5, 10 * 2)) == WHITE


def test_an_own_window_that_moves_meanwhile_is_hidden_at_both_places(opened: list[MssScreens]) -> None:
    places = iter([[box(0, 0, 10, 10)], [box(20, 0, 10, 10)]])
    screens = MssScreens(lambda: next(places), open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)]))
    opened.append(screens)

    picture = pixels(screens.grab(is_lossless=True))

    assert picture.getpixel((1, 1)) == picture.getpixel((21, 1)) == MASK_COLOUR


def test_a_picture_of_one_colour_is_refused(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)], is_blank=True))
    opened.append(screens)

    with pytest.raises(SurfaceError, match="one colour"):
        screens.grab()
    with pytest.raises(SurfaceError, match="one colour"):
        screens.grab(box(10, 10, 5, 5))


def test_an_empty_place_on_a_screen_that_shows_something_is_no_fault(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)]))
    opened.append(screens)

    assert screens.grab(box(10.5, 10, 5, 5)).area == box(10, 10, 6, 5)


def test_a_place_outside_the_screen_is_refused(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)]))
    opened.append(screens)

    with pytest.raises(SurfaceError, match="outside the screen"):
        screens.grab(box(60, 0, 10, 10))


def test_under_wayland_the_reason_is_told(opened: list[MssScreens], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)], is_blank=True))
    opened.append(screens)

    with pytest.raises(SurfaceError, match="Wayland"):
        screens.grab()


def test_after_a_failure_a_new_grabber_takes_over(opened: list[MssScreens]) -> None:
    made: list[FakeGrabber] = []
    failures = [ScreenShotError("XGetImage() failed")]

    def fail_once() -> None:
        if failures:
            raise failures.pop()

    def make() -> FakeGrabber:
        made.append(FakeGrabber([(0, 0, 50, 50)], on_grab=fail_once))
        return made[-1]

    screens = MssScreens(open_grabber=make)
    opened.append(screens)

    assert screens.grab().width_px == 50
    assert [one.is_closed for one in made] == [True, False]


def test_a_grab_that_hangs_is_given_up_and_the_next_one_works(opened: list[MssScreens]) -> None:
    go_on = threading.Event()
    hangs = [True]

    def hang_once() -> None:
        if hangs:
            hangs.pop()
            go_on.wait(30)

    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)], on_grab=hang_once), limit_s=0.2)
    opened.append(screens)
    try:
        with pytest.raises(SurfaceError, match="could not be captured within"):
            screens.grab()
        until(lambda: width_of_next(screens) == 50, what="a picture")  # the limit is short for a busy machine
    finally:
        go_on.set()


def width_of_next(screens: MssScreens) -> int:
    try:
        return screens.grab().width_px
    except SurfaceError:
        return 0


def test_two_threads_share_the_one_capture_thread(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)]))
    opened.append(screens)
    widths: list[int] = []

    def grab_some() -> None:
        widths.extend(screens.grab().width_px for _ in range(20))

    threads = [threading.Thread(target=grab_some) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert widths == [50] * 60  # FakeGrabber fails in any thread but its own


def test_closing_twice_is_no_fault_and_a_later_grab_begins_anew(opened: list[MssScreens]) -> None:
    screens = MssScreens(open_grabber=lambda: FakeGrabber([(0, 0, 50, 50)]))
    opened.append(screens)
    screens.grab()
    screens.close()
    screens.close()

    assert screens.grab().width_px == 50


def test_the_real_screen_shows_other_programs_and_hides_its_own(
    desktop: DesktopSession, opened: list[MssScreens]
) -> None:
    mine = desktop.start("zenity", "--info", "--title=Mine", "--text=x")
    windows = X11Windows([mine.pid])
    screens = MssScreens(windows.own_windows)
    opened.append(screens)
    try:
        (hidden,) = until(windows.own_windows, what="the window")
        picture = screens.grab(is_lossless=True)
        assert picture.area == screens.monitors()[0].box
        inside = pixels(screens.grab(hidden, is_lossless=True)).getcolors()
        assert inside == [(round(hidden.area_css_px2), MASK_COLOUR)]

        open_to_all = MssScreens()
        opened.append(open_to_all)

        def colours() -> int:
            return len(pixels(open_to_all.grab(hidden, is_lossless=True)).getcolors(1 << 20) or [])

        until(lambda: colours() > 10, what="what the window shows")
    finally:
        windows.close()


def test_without_a_display_the_reason_is_told(opened: list[MssScreens], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    screens = MssScreens()
    opened.append(screens)

    with pytest.raises(SurfaceError, match="graphical session"):
        screens.grab()
