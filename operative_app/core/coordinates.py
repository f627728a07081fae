"""Places, one type for each space, so that a place of one is never taken for a place of another.

| type | unit | origin |
|---|---|---|
| CssPoint | CSS pixels | upper left corner of the top page's viewport |
| ScreenPoint | pixels as the pointer counts them | the primary monitor's corner; other monitors may be negative |
| WindowPoint | pixels as the pointer counts them | upper left corner of a window's content |
| ImagePoint | pixels of the image sent to a model, or the model's own grid | upper left corner of that image |
"""

from __future__ import annotations

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
