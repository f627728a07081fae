"""What must not be pictured: password fields, and whatever shows a text that is concealed.

Principle: the page is asked which texts stand where and is told nothing; which of them are secret is decided here. A
picture for which that cannot be found out is not made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Error

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.ports import Concealer
from operative_app.core.screen import Box
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.tab import Tab, World, WorldGone

ASK_DEADLINE_S = 2.0


@dataclass(frozen=True, slots=True)
class Veil:
    """Boxes in the top page's viewport, and how wide that is, in CSS pixels."""

    boxes: tuple[Box, ...]
    width_css_px: float


@dataclass(slots=True)
class _Look:
    """What was found so far. A frame of another process is named by its element's world and number.

    Attributes:
        frames: Those in sight.
        asked: Those that said what is in them.
    """

    boxes: list[Box] = field(default_factory=list)
    frames: list[tuple[tuple[str, int], Box]] = field(default_factory=list)
    asked: set[tuple[str, int]] = field(default_factory=set)


class Veils:
    """Finds out what to black out (agent thread)."""

    def __init__(self) -> None:
        self.concealer: Concealer | None = None

    @property
    def version(self) -> int:
        """Goes up with each text that is concealed."""
        return self.concealer.version if self.concealer is not None else 0

    def name(self, text: str) -> str:
        """A file's name without what is concealed."""
        cleaned = text if self.concealer is None else self.concealer.text(text)
        return text if cleaned == text else cleaned.replace("•", "") or "download"

    async def over(self, tab: Tab, *, is_whole: bool = False) -> Veil | None:
        """What to black out on a picture of this moment; None when that cannot be found out.

        Args:
            is_whole: Also of what is out of sight.
        """
        wants_texts = self.version > 0
        look = _Look()
        try:
            top = await tab.call("veil", wants_texts, is_whole, deadline_s=ASK_DEADLINE_S)
            top_world, *others = tab.worlds()
            self._add(look, top_world, top, 0.0, 0.0, 1.0)
            for world in others:
                await self._add_inside(look, tab, world, wants_texts=wants_texts, is_whole=is_whole)
        except (ActionError, SurfaceError, Error):
            tab.border.check()
            return None
        strange = [box for frame, box in look.frames if frame not in look.asked]
        return Veil((*look.boxes, *strange), float(top["width"]))

    async def _add_inside(self, look: _Look, tab: Tab, world: World, *, wants_texts: bool, is_whole: bool) -> None:
        """What to black out in a frame of another process; all of one that does not say so, if it is still there."""
        inner = world
        try:
            part = await tab.run(world, "veil", wants_texts, is_whole, deadline_s=ASK_DEADLINE_S)
            x, y, scale = 0.0, 0.0, 1.0
            while world.owner is not None:
                inside = await tab.run(world.owner, "frameInside", world.owner_id)
                if inside is None:
                    return
                x, y = inside["x"] + x * inside["scale"], inside["y"] + y * inside["scale"]
                scale *= inside["scale"]
                world = world.owner
        except DialogWaits:
            raise
        except WorldGone:
            return
        if inner.owner is not None:
            look.asked.add((inner.owner.tag, inner.owner_id))
        self._add(look, inner, part, x, y, scale)

    def _add(self, look: _Look, world: World, part: dict[str, Any], x: float, y: float, scale: float) -> None:
        def box(sides: Sequence[float]) -> Box:
            return Box(
                x_css_px=x + sides[0] * scale,
                y_css_px=y + sides[1] * scale,
                width_css_px=sides[2] * scale,
                height_css_px=sides[3] * scale,
            )

        look.frames += [((world.tag, int(number)), box(sides)) for number, sides in part["frames"]]
        if part["isCut"]:  # too much text to look through: all of it may show one
            look.boxes.append(box((0, 0, 1e6, 1e6)))
            return
        look.boxes += [box(sides) for sides in (*part["hidden"], *self._showing(part["texts"]))]

    def _showing(self, texts: Sequence[tuple[str, Sequence[float]]]) -> list[Sequence[float]]:
        """The boxes of the texts that hold something concealed, also where it is spread over several."""
        if self.concealer is None or not texts:
            return []
        boxes: list[Sequence[float]] = []
        for glue in ("", " "):  # parts of one word; words of one line
            starts, at = [], 0
            for text, _ in texts:
                starts.append(at)
                at += len(text) + len(glue)
            for begin, end in self.concealer.spans(glue.join(text for text, _ in texts)):
                boxes += [
                    sides
                    for start, (text, sides) in zip(starts, texts, strict=True)
                    if start < end and start + len(text) > begin
                ]
        return boxes
