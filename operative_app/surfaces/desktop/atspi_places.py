"""Where things are: boxes as a program tells them, checked against the window they are in.

Programs are wrong in known ways: they count from their own window's corner instead of the screen's (GTK 4, some
programs on Wayland), forget the frame, or tell pixels before scaling (GTK and Qt at a scale of 2). The window system
knows where the window is; what does not fit is moved and scaled to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.screen import Box

FRAME_PX = 90.0
"""Most that a title bar or a shadow adds to one side of a window."""
SLACK_PX = 3.0
_SCALES = (1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0)
_SCALE_SLACK = 0.03


@dataclass(frozen=True, slots=True)
class Correction:
    """From what a program says to screen pixels: first scaled from its window's corner, then moved.

    Attributes:
        from_x_px, from_y_px: The window's corner as the program says.
        to_x_px, to_y_px: The same corner on the screen.
    """

    from_x_px: float = 0.0
    from_y_px: float = 0.0
    to_x_px: float = 0.0
    to_y_px: float = 0.0
    scale: float = 1.0

    @property
    def is_none(self) -> bool:
        return self.scale == 1.0 and self.from_x_px == self.to_x_px and self.from_y_px == self.to_y_px

    def of(self, box: Box) -> Box:
        """The box on the screen."""
        if self.is_none:
            return box
        return Box(
            x_css_px=self.to_x_px + (box.x_css_px - self.from_x_px) * self.scale,
            y_css_px=self.to_y_px + (box.y_css_px - self.from_y_px) * self.scale,
            width_css_px=box.width_css_px * self.scale,
            height_css_px=box.height_css_px * self.scale,
        )


def correction(told: Box | None, frame: Box, content: Box | None = None) -> Correction:
    """What to do with the boxes of a program.

    Args:
        told: The window's box as the program says; None when it does not.
        frame: The window with its title bar and borders, as the window system says.
        content: The window without them, when that is known.
    """
    if told is None or _fits(told, frame, content):
        return Correction()
    scale = _scale(told, content or frame, FRAME_PX if content is None else SLACK_PX)
    corner_x, corner_y = (content.x_css_px, content.y_css_px) if content else _content_corner(told, frame, scale)
    return Correction(from_x_px=told.x_css_px, from_y_px=told.y_css_px, to_x_px=corner_x, to_y_px=corner_y, scale=scale)


def clipped(box: Box, area: Box | None) -> Box | None:
    """The part of a box that lies in an area; None when none does."""
    if area is None:
        return box
    left, top = max(box.x_css_px, area.x_css_px), max(box.y_css_px, area.y_css_px)
    right, bottom = min(box.right_css_px, area.right_css_px), min(box.bottom_css_px, area.bottom_css_px)
    if right <= left or bottom <= top:
        return None
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def _fits(told: Box, frame: Box, content: Box | None) -> bool:
    """Whether both mean the same place: the content, or all with the frame or a shadow."""
    known = content or frame
    slack = SLACK_PX if content else FRAME_PX
    return any(
        abs(told.x_css_px - one.x_css_px) <= most
        and abs(told.y_css_px - one.y_css_px) <= most
        and abs(told.right_css_px - one.right_css_px) <= most
        and abs(told.bottom_css_px - one.bottom_css_px) <= most
        for one, most in ((known, slack), (frame, SLACK_PX))
    )


def _scale(told: Box, real: Box, frame_px: float) -> float:
    if told.width_css_px <= 0 or told.height_css_px <= 0:
        return 1.0
    for scale in _SCALES:
        width, height = told.width_css_px * scale, told.height_css_px * scale
        is_wide = -SLACK_PX <= real.width_css_px - width <= max(frame_px / 4, width * _SCALE_SLACK)
        is_high = -SLACK_PX <= real.height_css_px - height <= max(frame_px, height * _SCALE_SLACK)
        if is_wide and is_high:
            return scale
    return 1.0


def _content_corner(told: Box, frame: Box, scale: float) -> tuple[float, float]:
    """A frame is as wide on the left as on the right and below; the rest above is the title bar."""
    border = max(0.0, (frame.width_css_px - told.width_css_px * scale) / 2)
    x = frame.x_css_px + border
    return x, max(frame.y_css_px, frame.bottom_css_px - border - told.height_css_px * scale)
