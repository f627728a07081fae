"""Places, one type for each space, so that a place of one is never taken for a place of another.

| type | unit | origin |
|---|---|---|
| CssPoint | CSS pixels | upper left corner of the top page's viewport |
| ScreenPoint | pixels as the pointer counts them | the primary monitor's corner; other monitors may be negative |
| WindowPoint | pixels as the pointer counts them | upper left corner of a window's content |
| ImagePoint | pixels of the image sent to a model, or the model's own grid | upper left corner of that image |

Between them lead values that hold both sides, so that neither is ever guessed:

| value | from | to |
|---|---|---|
| ImageMap | ImagePoint | CssPoint or ScreenPoint: what the image shows, how large it was sent, how the model counts |
| WindowPlace | WindowPoint | ScreenPoint: where the window's content begins |
| PagePlace | CssPoint | ScreenPoint: where the viewport begins, zoom and scale factors |

Scales are told by the images themselves (`scale_of`), because what systems say about them is often wrong. A place
outside is refused in the space in which it was named, never moved into the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import isfinite
from typing import assert_never

from operative_app.core.errors import RefusedAction
from operative_app.core.values import Value


class CssPoint(Value):
    """A place in the top page's viewport."""

    x_css_px: float
    y_css_px: float


class ScreenPoint(Value):
    """A place on the virtual desktop, over all monitors."""

    x_screen_px: float
    y_screen_px: float


class WindowPoint(Value):
    """A place within one window's content."""

    x_window_px: float
    y_window_px: float


class ImagePoint(Value):
    """A place in an image as a model names it."""

    x_image_px: float
    y_image_px: float


StatePoint = CssPoint | ScreenPoint
"""A place on a ScreenState: CSS pixels in the browser, screen pixels on the desktop."""


class Grid(StrEnum):
    """How a model counts on an image."""

    PIXELS = "image"
    THOUSAND = "0-1000"
    UNIT = "0-1"


class Area(Value):
    """A part of a page or of the screen, in that space's pixels: one monitor, all of them, a window, a viewport."""

    left_px: float
    top_px: float
    width_px: float
    height_px: float


class ImageMap(Value):
    """An image as it was sent, and the part of the state that it shows.

    Attributes:
        shown: What the image shows, in the state's pixels.
        is_screen: The state's pixels are screen pixels (desktop), not CSS pixels (browser).
        width_px, height_px: Size of the image as it was sent, after all shrinking.
        grid: How the model that gets it counts.
    """

    shown: Area
    is_screen: bool
    width_px: int
    height_px: int
    grid: Grid = Grid.PIXELS

    @property
    def extent(self) -> tuple[float, float]:
        """The greatest place on the image, as the model counts."""
        match self.grid:
            case Grid.PIXELS:
                return self.width_px, self.height_px
            case Grid.THOUSAND:
                return 1000.0, 1000.0
            case Grid.UNIT:
                return 1.0, 1.0
        assert_never(self.grid)

    def to_state(self, point: ImagePoint) -> StatePoint:
        """Where a place on the image is.

        Raises:
            RefusedAction: It is not on the image; said in the model's own numbers.
        """
        most_x, most_y = self.extent
        x, y = point.x_image_px, point.y_image_px
        if not (isfinite(x) and isfinite(y) and 0 <= x <= most_x and 0 <= y <= most_y):
            raise RefusedAction(
                f"The place {x:g}, {y:g} is not on the picture, which reaches from 0, 0 to {most_x:g}, {most_y:g}."
            )
        area = self.shown
        x_px = area.left_px + min(x / most_x * area.width_px, max(0.0, area.width_px - 1))
        y_px = area.top_px + min(y / most_y * area.height_px, max(0.0, area.height_px - 1))
        if self.is_screen:
            return ScreenPoint(x_screen_px=x_px, y_screen_px=y_px)
        return CssPoint(x_css_px=x_px, y_css_px=y_px)

    def to_image(self, point: StatePoint) -> ImagePoint:
        """Where a place of the state is on the image, as the model counts.

        Raises:
            RefusedAction: The image does not show it, or it is a place of the other space.
        """
        x_px, y_px = self._numbers(point)
        area = self.shown
        across, down = (x_px - area.left_px) / area.width_px, (y_px - area.top_px) / area.height_px
        if not (0 <= across <= 1 and 0 <= down <= 1):
            raise RefusedAction(f"The picture does not show the place {x_px:g}, {y_px:g}.")
        most_x, most_y = self.extent
        return ImagePoint(x_image_px=across * most_x, y_image_px=down * most_y)

    def _numbers(self, point: StatePoint) -> tuple[float, float]:
        match point:
            case ScreenPoint() if self.is_screen:
                return point.x_screen_px, point.y_screen_px
            case CssPoint() if not self.is_screen:
                return point.x_css_px, point.y_css_px
        raise RefusedAction("A place in a page is no place on the screen, and the other way round.")


class WindowPlace(Value):
    """Where a window's content is on the screen."""

    content: Area

    def to_screen(self, point: WindowPoint) -> ScreenPoint:
        """Where a place in the window is; RefusedAction outside the window."""
        if not (0 <= point.x_window_px < self.content.width_px and 0 <= point.y_window_px < self.content.height_px):
            raise RefusedAction(f"The place {point.x_window_px:g}, {point.y_window_px:g} is not in the window.")
        return ScreenPoint(
            x_screen_px=self.content.left_px + point.x_window_px,
            y_screen_px=self.content.top_px + point.y_window_px,
        )

    def to_window(self, point: ScreenPoint) -> WindowPoint:
        """Where a place of the screen is in the window; negative or too great outside it."""
        return WindowPoint(
            x_window_px=point.x_screen_px - self.content.left_px,
            y_window_px=point.y_screen_px - self.content.top_px,
        )


class PagePlace(Value):
    """Where the viewport of a browser's page is on the screen.

    Attributes:
        viewport: The viewport on the screen: below the browser's tabs and bars, zoom and scale taken in.
        device_pixel_ratio: The page's own figure: pixels of the display for one CSS pixel, page zoom included.
        monitor_scale: Pixels of the display for one screen pixel: 2.0 on a retina monitor, 1.0 on X11.
    """

    viewport: Area
    device_pixel_ratio: float = 1.0
    monitor_scale: float = 1.0

    @property
    def screen_px_for_css_px(self) -> float:
        return self.device_pixel_ratio / self.monitor_scale

    def to_screen(self, point: CssPoint) -> ScreenPoint:
        """Where a place of the page is on the screen; RefusedAction when it is not in the viewport."""
        x_px, y_px = point.x_css_px * self.screen_px_for_css_px, point.y_css_px * self.screen_px_for_css_px
        if not (0 <= x_px < self.viewport.width_px and 0 <= y_px < self.viewport.height_px):
            raise RefusedAction(f"The place {point.x_css_px:g}, {point.y_css_px:g} of the page is not in view.")
        return ScreenPoint(x_screen_px=self.viewport.left_px + x_px, y_screen_px=self.viewport.top_px + y_px)

    def to_page(self, point: ScreenPoint) -> CssPoint:
        """Where a place of the screen is in the page."""
        return CssPoint(
            x_css_px=(point.x_screen_px - self.viewport.left_px) / self.screen_px_for_css_px,
            y_css_px=(point.y_screen_px - self.viewport.top_px) / self.screen_px_for_css_px,
        )


def scale_of(image_px: float, shown_px: float) -> float:
    """Image pixels for one pixel of what an image shows, from the same side of both."""
    return image_px / shown_px if shown_px > 0 else 1.0


def area_around(areas: Sequence[Area]) -> Area:
    """The smallest area that holds all monitors. Left of and above the primary one its corner is negative."""
    left, top = min(one.left_px for one in areas), min(one.top_px for one in areas)
    right = max(one.left_px + one.width_px for one in areas)
    bottom = max(one.top_px + one.height_px for one in areas)
    return Area(left_px=left, top_px=top, width_px=right - left, height_px=bottom - top)


def area_at(point: ScreenPoint, areas: Sequence[Area]) -> Area | None:
    """The monitor a place is on; None between monitors and outside of all."""
    for one in areas:
        right, bottom = one.left_px + one.width_px, one.top_px + one.height_px
        if one.left_px <= point.x_screen_px < right and one.top_px <= point.y_screen_px < bottom:
            return one
    return None
