"""What must not be pictured on the desktop: password fields, and whatever shows a text that is concealed.

Only the window in front is read; what was found in a window while it was in front stays black behind others too.
"""

from __future__ import annotations

from collections.abc import Sequence

from operative_app.core.ports import Concealer
from operative_app.core.screen import Box, Element, ElementState, Picture, TextBlock, Window
from operative_app.surfaces.blackening import blackened


class Veils:
    """Knows the black places of each window (agent thread)."""

    def __init__(self) -> None:
        self.concealer: Concealer | None = None
        self._known: dict[int, tuple[Box, ...]] = {}

    @property
    def version(self) -> int:
        """Goes up with each text that is concealed."""
        return self.concealer.version if self.concealer is not None else 0

    @property
    def is_needed(self) -> bool:
        """Whether any window has a black place."""
        return any(self._known.values())

    def note(
        self, windows: Sequence[Window], active: Window | None, elements: Sequence[Element], texts: Sequence[TextBlock]
    ) -> tuple[Box, ...]:
        """What to black out now that the window in front shows this, in screen pixels."""
        self._known = {one.id: self._known[one.id] for one in windows if one.id in self._known}
        if active is not None:
            found = [one.box for one in elements if one.has(ElementState.PASSWORD)]
            found += self._showing(elements, texts)
            self._known[active.id] = tuple(_moved(box, active.box, -1) for box in found)
        return self.over(windows)

    def over(self, windows: Sequence[Window]) -> tuple[Box, ...]:
        """What to black out with the windows where they are now, by what was seen in them last."""
        shown = [one for one in windows if not one.is_minimized]
        return tuple(_moved(box, one.box, 1) for one in shown for box in self._known.get(one.id, ()))

    def _showing(self, elements: Sequence[Element], texts: Sequence[TextBlock]) -> list[Box]:
        """Boxes of what holds something concealed, also where it is spread over neighbours."""
        if self.concealer is None or not self.version:
            return []
        told = [(text, one.box) for one in elements for text in (one.name, one.value, one.text) if text]
        found = [box for text, box in told if self.concealer.spans(text)]
        starts, at = [], 0
        for block in texts:
            starts.append(at)
            at += len(block.text) + 1
        for begin, end in self.concealer.spans(" ".join(block.text for block in texts)):
            found += [
                block.box
                for start, block in zip(starts, texts, strict=True)
                if start < end and start + len(block.text) > begin
            ]
        return found


def black(picture: Picture, boxes: Sequence[Box]) -> Picture:
    """A picture of the screen, or of the part in its `area`, with the boxes black."""
    area = picture.area
    if area is None or not boxes:
        return picture
    return blackened(
        picture, boxes, x_px=area.x_css_px, y_px=area.y_css_px, ratio=picture.width_px / (area.width_css_px or 1)
    )


def _moved(box: Box, window: Box, sign: int) -> Box:
    """From the screen to the window's own corner (-1), or back (1)."""
    return box.model_copy(
        update={
            "x_css_px": box.x_css_px + sign * window.x_css_px,
            "y_css_px": box.y_css_px + sign * window.y_css_px,
        }
    )
