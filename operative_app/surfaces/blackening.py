"""Black boxes over what a picture must not show; both surfaces paint them before anybody gets the picture."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from math import ceil, floor

from PIL import Image, ImageDraw

from operative_app.core.screen import Box, Picture

COLOUR = (0, 0, 0)
SIGN_COLOUR = (96, 96, 96)
MARGIN_PX = 3
"""Added on each side: letters reach out of their boxes, and a picture's compression smears them."""
_QUALITY = 80
_SIGN_PX = 14


def blackened(picture: Picture, boxes: Sequence[Box], *, x_px: float, y_px: float, ratio: float) -> Picture:
    """The picture with solid boxes over all of `boxes`; the very same one when none of them is on it.

    Args:
        x_px, y_px: The place that the picture's upper left corner shows, in the unit of the boxes.
        ratio: Picture pixels for one of that unit.
    """
    areas = [one for box in boxes if (one := _area(box, x_px, y_px, ratio, picture)) is not None]
    if not areas:
        return picture
    with Image.open(BytesIO(picture.data)) as opened:
        image = opened.convert("RGB")
    paint(image, areas)
    buffer = BytesIO()
    if picture.media_type == "image/png":
        image.save(buffer, "PNG", compress_level=1)
    else:
        image.save(buffer, "JPEG", quality=_QUALITY)
    return picture.model_copy(update={"data": buffer.getvalue()})


def paint(image: Image.Image, areas: Sequence[tuple[int, int, int, int]]) -> None:
    """Paint solid areas (left, top, right, bottom; picture pixels, the last ones included), each with a small lock."""
    canvas = ImageDraw.Draw(image)
    for area in areas:
        canvas.rectangle(area, fill=COLOUR)
    for left, top, right, bottom in areas:
        size = min(_SIGN_PX, (bottom - top) * 0.6, (right - left) * 0.6)
        if size >= 6:
            _lock(canvas, (left + right) / 2, (top + bottom) / 2, size)


def hull(first: Sequence[Box], second: Sequence[Box]) -> list[Box]:
    """All boxes of two moments, and what lies between them where they are as many: something moved there meanwhile."""
    if len(first) != len(second):
        return [*first, *second]
    return [_around(one, two) for one, two in zip(first, second, strict=True)]


def _around(one: Box, two: Box) -> Box:
    left, top = min(one.x_css_px, two.x_css_px), min(one.y_css_px, two.y_css_px)
    right, bottom = max(one.right_css_px, two.right_css_px), max(one.bottom_css_px, two.bottom_css_px)
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def _area(box: Box, x_px: float, y_px: float, ratio: float, picture: Picture) -> tuple[int, int, int, int] | None:
    left = max(floor((box.x_css_px - x_px) * ratio) - MARGIN_PX, 0)
    top = max(floor((box.y_css_px - y_px) * ratio) - MARGIN_PX, 0)
    right = min(ceil((box.right_css_px - x_px) * ratio) + MARGIN_PX, picture.width_px - 1)
    bottom = min(ceil((box.bottom_css_px - y_px) * ratio) + MARGIN_PX, picture.height_px - 1)
    return (left, top, right, bottom) if right >= left and bottom >= top else None


def _lock(canvas: ImageDraw.ImageDraw, x_px: float, y_px: float, size_px: float) -> None:
    half = size_px / 2
    canvas.rectangle((x_px - half * 0.8, y_px - half * 0.1, x_px + half * 0.8, y_px + half), fill=SIGN_COLOUR)
    ring = (x_px - half * 0.5, y_px - half, x_px + half * 0.5, y_px + half * 0.4)
    canvas.arc(ring, 180, 360, fill=SIGN_COLOUR, width=max(1, round(size_px / 8)))
