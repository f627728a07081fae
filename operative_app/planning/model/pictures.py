"""Pictures for models that see: marked, small enough for what a model tells apart, with the way back for places."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import BytesIO
from typing import Final, Literal

from operative_app.core.coordinates import Area, Grid, ImageMap
from operative_app.core.screen import Picture, ScreenState, SurfaceKind
from operative_app.llm.messages import ComputerScreen
from operative_app.perception.marks import draw_marks

LONG_SIDE_PX = 1280
"""Vision models scale larger pictures down themselves, and lose small text in an unknown way."""

MAX_PIXELS = 1_150_000
_QUALITY = 70
_DESKTOPS: Final[dict[str, Literal["windows", "mac", "linux"]]] = {"win32": "windows", "darwin": "mac"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as it is sent, and how its places lead back to the state."""

    picture: Picture
    image: ImageMap


def prepared(
    picture: Picture, state: ScreenState, *, grid: Grid = Grid.PIXELS, long_side_px: int = LONG_SIDE_PX
) -> Shown | None:
    """The picture with marks, shrunk and compressed; None when the bytes are no image.

    The map is made from the size of the picture that is sent, so that it holds for every pixel ratio and zoom.
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
        size = max(1, int(image.width * factor)), max(1, int(image.height * factor))
        image = image.resize(size, Image.Resampling.LANCZOS)
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY)
    sent = Picture(data=buffer.getvalue(), width_px=image.width, height_px=image.height, area=picture.area)
    box = picture.area or state.viewport
    area = Area(
        left_px=box.x_css_px,
        top_px=box.y_css_px,
        width_px=box.width_css_px or image.width / state.pixel_ratio,
        height_px=box.height_css_px or image.height / state.pixel_ratio,
    )
    is_screen = state.surface is SurfaceKind.DESKTOP
    return Shown(
        sent,
        ImageMap(shown=area, is_screen=is_screen, width_px=image.width, height_px=image.height, grid=grid),
    )


def computer_screen(picture: Picture, state: ScreenState) -> ComputerScreen:
    """What an endpoint's native computer-use tool is told of the picture that is sent."""
    desktop = _DESKTOPS.get(sys.platform, "linux")
    environment = "browser" if state.surface is SurfaceKind.BROWSER else desktop
    return ComputerScreen(picture.width_px, picture.height_px, picture.area or state.viewport, environment)
