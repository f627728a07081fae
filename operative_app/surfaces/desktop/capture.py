"""Pictures of the screen, by mss, in a thread of their own.

Fail closed: Operative's own windows are painted over before anybody sees the picture, and a picture that cannot be
right (of one colour) is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import ceil, floor
from os import environ
from threading import Lock
from time import monotonic
from typing import Any, Protocol, TypeVar

from PIL import Image, ImageDraw

from operative_app.core.coordinates import scale_of
from operative_app.core.errors import SurfaceError
from operative_app.core.screen import Box, Picture
from operative_app.surfaces.desktop.bounded import BoundedThread, TooSlow
from operative_app.surfaces.desktop.ports import Monitor

T = TypeVar("T")

LIMIT_S = 5.0
RENEW_S = 2.0  # a grabber remembers its monitors, which may change
JPEG_QUALITY = 80
PNG_LEVEL = 1  # a fifth of the time of the usual level, for files a third larger
PROBE_PX = 16
MASK_COLOUR = (118, 118, 118)


class Shot(Protocol):
    """What a grabber returns: four bytes for each pixel, blue first."""

    @property
    def raw(self) -> bytearray: ...

    @property
    def size(self) -> Any:
        """Width and height in picture pixels."""
        ...


class Grabber(Protocol):
    """What is used of `mss.MSS`. Bound to the thread it was made in."""

    @property
    def monitors(self) -> Sequence[Mapping[str, Any]]:
        """First the rectangle around all, then each."""
        ...

    def grab(self, monitor: dict[str, int], /) -> Shot: ...

    def close(self) -> None: ...


def open_mss() -> Grabber:
    """A grabber for this system's screen. Raises mss' ScreenShotError when there is none."""
    from mss import MSS  # heavy: loads the system's libraries

    return MSS()


class MssScreens:
    """`ports.Screens` by mss. Any thread; each call waits `limit_s` at most.

    Args:
        own_windows: Where Operative's own windows are now, in screen pixels; painted over.
        open_grabber: Makes a grabber, in the capture thread.
        limit_s: After this a grab counts as hanging, and the next one gets a new thread and a new grabber.
    """

    def __init__(
        self,
        own_windows: Callable[[], Sequence[Box]] = tuple,
        *,
        open_grabber: Callable[[], Grabber] = open_mss,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._own_windows = own_windows
        self._open_grabber = open_grabber
        self._limit_s = limit_s
        self._session: _Session | None = None
        self._lock = Lock()

    def monitors(self) -> Sequence[Monitor]:
        return self._call(_Session.monitors)

    def grab(self, area: Box | None = None, *, is_lossless: bool = False) -> Picture:
        """All monitors, or the part of them in `area`; the picture says where it was taken.

        Raises:
            SurfaceError: The screen does not answer, `area` lies outside it, or all of it has one colour.
        """
        masked = list(self._own_windows())
        image, taken = self._call(lambda session: session.grab(area))
        if _is_of_one_colour(image) and (area is None or self._is_blank()):
            raise SurfaceError(_no_access())
        masked += [box for box in self._own_windows() if box not in masked]  # one may have moved meanwhile
        _paint_over(image, masked, taken)
        return _encoded(image, taken, is_lossless=is_lossless)

    def close(self) -> None:
        """End the capture thread. Idempotent."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _is_blank(self) -> bool:
        """Whether the whole screen has one colour: a small part of it may well have."""
        return _is_of_one_colour(self._call(lambda session: session.grab(None))[0])

    def _call(self, work: Callable[[_Session], T]) -> T:
        with self._lock:
            session = self._session = self._session or _Session(self._open_grabber)
        try:
            return session.call(work, self._limit_s)
        except TooSlow:
            with self._lock:
                if self._session is session:
                    self._session = None
            raise SurfaceError(
                f"The screen could not be captured within {self._limit_s:g} s. The next attempt starts anew."
            ) from None


class _Session:
    """A capture thread and the grabber that was made in it."""

    def __init__(self, open_grabber: Callable[[], Grabber]) -> None:
        self._thread = BoundedThread("screen capture")
        self._open_grabber = open_grabber
        self._grabber: Grabber | None = None
        self._opened_at_s = 0.0

    def call(self, work: Callable[[_Session], T], limit_s: float) -> T:
        return self._thread.call(lambda: self._again(work), limit_s)

    def close(self) -> None:
        try:
            self._thread.call(self._drop, LIMIT_S)
        except TooSlow:
            return
        self._thread.close()

    # --- on the capture thread ---

    def monitors(self) -> Sequence[Monitor]:
        self._drop()
        found = list(self._current().monitors)
        each = [dict(monitor) for monitor in found[1:] or found[:1]]
        primary = next((index for index, monitor in enumerate(each) if monitor.get("is_primary")), 0)
        return [
            Monitor(box=_box(monitor), scale=self._scale(monitor), is_primary=index == primary)
            for index, monitor in enumerate(each)
        ]

    def grab(self, area: Box | None) -> tuple[Image.Image, Box]:
        """The picture, and the part of the screen that it shows."""
        whole = _box(self._current().monitors[0])
        taken = _whole_pixels(whole if area is None else area, whole)
        shot = self._current().grab(_region(taken))
        width_px, height_px = shot.size
        return Image.frombuffer("RGB", (width_px, height_px), shot.raw, "raw", "BGRX", 0, 1), taken

    def _scale(self, monitor: Mapping[str, Any]) -> float:
        """Picture pixels for one screen pixel, told by a picture: what systems say of it is often wrong."""
        width = min(PROBE_PX, monitor["width"])
        height = min(PROBE_PX, monitor["height"])
        probe = {"left": monitor["left"], "top": monitor["top"], "width": width, "height": height}
        return scale_of(self._current().grab(probe).size[0], width)

    def _again(self, work: Callable[[_Session], T]) -> T:
        """Do it; after a failure once more, with a new grabber (the X server refuses now and then)."""
        from mss.exception import ScreenShotError

        try:
            return work(self)
        except ScreenShotError:
            self._drop()
        try:
            return work(self)
        except ScreenShotError as error:
            self._drop()
            raise SurfaceError(_no_screen()) from error

    def _current(self) -> Grabber:
        if self._grabber is not None and monotonic() - self._opened_at_s > RENEW_S:
            self._drop()
        if self._grabber is None:
            self._grabber = self._open_grabber()
            self._opened_at_s = monotonic()
        return self._grabber

    def _drop(self) -> None:
        grabber, self._grabber = self._grabber, None
        if grabber is not None:
            grabber.close()


def _box(monitor: Mapping[str, Any]) -> Box:
    return Box(
        x_css_px=monitor["left"],
        y_css_px=monitor["top"],
        width_css_px=monitor["width"],
        height_css_px=monitor["height"],
    )


def _region(box: Box) -> dict[str, int]:
    return {
        "left": int(box.x_css_px),
        "top": int(box.y_css_px),
        "width": int(box.width_css_px),
        "height": int(box.height_css_px),
    }


def _whole_pixels(area: Box, whole: Box) -> Box:
    """The part of `area` that lies on the screen, grown to whole pixels."""
    left, top = max(floor(area.x_css_px), whole.x_css_px), max(floor(area.y_css_px), whole.y_css_px)
    right = min(ceil(area.right_css_px), whole.right_css_px)
    bottom = min(ceil(area.bottom_css_px), whole.bottom_css_px)
    if right <= left or bottom <= top:
        raise SurfaceError("What is to be pictured lies outside the screen.")
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def _is_of_one_colour(image: Image.Image) -> bool:
    if image.width * image.height < 2:
        return False
    few = image.resize((min(image.width, 64), min(image.height, 64)), Image.Resampling.NEAREST)
    return _is_flat(few) and _is_flat(image)


def _is_flat(image: Image.Image) -> bool:
    return all(channel.getextrema()[0] == channel.getextrema()[1] for channel in image.split())


def _paint_over(image: Image.Image, boxes: Sequence[Box], taken: Box) -> None:
    """Cover boxes of the screen on a picture of the part `taken` of it."""
    across, down = image.width / taken.width_css_px, image.height / taken.height_css_px
    canvas = ImageDraw.Draw(image)
    for box in boxes:
        left, top = floor((box.x_css_px - taken.x_css_px) * across), floor((box.y_css_px - taken.y_css_px) * down)
        right = ceil((box.right_css_px - taken.x_css_px) * across) - 1
        bottom = ceil((box.bottom_css_px - taken.y_css_px) * down) - 1
        if right >= max(left, 0) and bottom >= max(top, 0) and left < image.width and top < image.height:
            canvas.rectangle((left, top, right, bottom), fill=MASK_COLOUR)


def _encoded(image: Image.Image, taken: Box, *, is_lossless: bool) -> Picture:
    buffer = BytesIO()
    if is_lossless:
        image.save(buffer, "PNG", compress_level=PNG_LEVEL)
    else:
        image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return Picture(
        data=buffer.getvalue(),
        media_type="image/png" if is_lossless else "image/jpeg",
        width_px=image.width,
        height_px=image.height,
        area=taken,
    )


def _no_screen() -> str:
    if _is_wayland():
        return "Wayland does not let Operative capture the screen. Sign in to an X11 session to use the desktop."
    return "The screen cannot be captured. Operative needs a graphical session and leave to see it."


def _no_access() -> str:
    if _is_wayland():
        return "The picture of the screen is empty: Wayland does not show it. Sign in to an X11 session instead."
    return "The picture of the screen has one colour only: nothing is shown, or Operative may not see the screen."


def _is_wayland() -> bool:
    return environ.get("XDG_SESSION_TYPE") == "wayland" or bool(environ.get("WAYLAND_DISPLAY"))
