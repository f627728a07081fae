"""Pictures for models that see: marked, small enough for what a model tells apart, with the way back for places."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from operative_app.core.screen import Picture, ScreenState
from operative_app.perception.marks import draw_marks
from operative_app.planning.model.catalog import Pointing

LONG_SIDE_PX = 1280
"""Vision models scale larger pictures down themselves, and lose small text in an unknown way."""

MAX_PIXELS = 1_150_000
_QUALITY = 70


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as it is sent, and how its places lead back to the state."""

    picture: Picture
    pointing: Pointing


def prepared(picture: Picture, state: ScreenState, *, long_side_px: int = LONG_SIDE_PX) -> Shown | None:
    """The picture with marks, shrunk and compressed; None when the bytes are no image.

    The scale is taken from the picture that is sent itself, so that it holds for every pixel ratio and page zoom.
    """
    from PIL import Image

    marked = draw_marks(picture, state)
    try:
        with Image.open(BytesIO(marked.data)) as opened:
            image = opened.convert("RGB")
    except OSError:
        return None
    factor = min(1.0, long_side_px / max(image.size), (MAX_PIXELS / (image.width * image.height)) ** 0.5)
    if factor < 1.0:
        size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
        image = image.resize(size, Image.Resampling.LANCZOS)
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY)
    sent = Picture(data=buffer.getvalue(), width_px=image.width, height_px=image.height)
    view = state.viewport
    scale = image.width / view.width_css_px if view.width_css_px else factor * state.pixel_ratio
    return Shown(sent, Pointing(scale, view.x_css_px, view.y_css_px, image.width, image.height))
