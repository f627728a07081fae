"""Set-of-marks: numbers drawn on the picture of an observation, never into the page.

A label sits outside its element, at the upper left corner, where that covers no text and no other element; otherwise at
another corner, and inside only when there is no room at all. Each has a white rim, so that it stands out from any
ground, and its figures a contrast of at least 4.5 to 1. What something else covers is not marked: the mark would seem
to be on the cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from operative_app.core.screen import Box, Element, Picture, ScreenState

MARK_COLOUR = (47, 111, 237)
TARGET_COLOUR = (232, 89, 12)
TARGET_LABEL_COLOUR = (194, 65, 12)
_RIM = (255, 255, 255)
_INK = (255, 255, 255)
_FONT_CSS_PX = 11.0
_QUALITY = 85
_MAX_COST = float("inf")


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in picture pixels."""

    left_px: float
    top_px: float
    right_px: float
    bottom_px: float

    def overlap_px2(self, other: Rect) -> float:
        width = min(self.right_px, other.right_px) - max(self.left_px, other.left_px)
        height = min(self.bottom_px, other.bottom_px) - max(self.top_px, other.top_px)
        return width * height if width > 0 and height > 0 else 0.0

    def grown(self, by_px: float) -> Rect:
        return Rect(self.left_px - by_px, self.top_px - by_px, self.right_px + by_px, self.bottom_px + by_px)


@dataclass(frozen=True, slots=True)
class Scale:
    """How a picture shows a state: picture pixels for one of the state's, and which place its corner shows."""

    ratio: float
    left_css_px: float = 0
    top_css_px: float = 0

    def rect(self, box: Box) -> Rect:
        """A box of the state in picture pixels."""
        return Rect(
            (box.x_css_px - self.left_css_px) * self.ratio,
            (box.y_css_px - self.top_css_px) * self.ratio,
            (box.right_css_px - self.left_css_px) * self.ratio,
            (box.bottom_css_px - self.top_css_px) * self.ratio,
        )


def draw_marks(picture: Picture, state: ScreenState, *, target_key: str = "") -> Picture:
    """The picture with every marked element numbered; the next action's target is outlined in orange.

    Args:
        picture: What was seen in `state`; it is not changed.
        target_key: Key of the next action's target, "" for none.

    Returns:
        A picture of the same size and media type. When the bytes are no image, the given picture.
    """
    try:
        with Image.open(BytesIO(picture.data)) as opened:
            image = opened.convert("RGB")
    except OSError:
        return picture
    shown = picture.area or state.viewport
    scale = Scale(
        image.width / shown.width_css_px if shown.width_css_px else state.pixel_ratio,
        shown.x_css_px,
        shown.y_css_px,
    )
    target = state.element(target_key) if target_key else None
    marked = [element for element in state.elements if element.mark and not element.cover and element is not target]
    view = state.viewport
    texts = [
        scale.rect(block.box)
        for block in state.texts
        if block.box.bottom_css_px > view.y_css_px and block.box.y_css_px < view.bottom_css_px
    ]
    _draw(image, marked, target, texts, scale)
    return _encoded(image, picture)


def _draw(
    image: Image.Image, marked: Sequence[Element], target: Element | None, texts: Sequence[Rect], scale: Scale
) -> None:
    ratio = scale.ratio
    canvas = ImageDraw.Draw(image)
    whole = Rect(0, 0, image.width, image.height)
    boxes = {element.key: scale.rect(element.box) for element in ([*marked, target] if target else marked)}
    line_px = max(1, round(1.2 * ratio))
    for element in marked:
        _outline(canvas, clipped(boxes[element.key], whole), MARK_COLOUR, line_px)
    if target is not None:
        box = boxes[target.key].grown(2 * ratio)
        _outline(canvas, clipped(box.grown(line_px), whole), _RIM, line_px)
        _outline(canvas, clipped(box, whole), TARGET_COLOUR, max(2, round(2.5 * ratio)))
    taken: list[Rect] = []
    drawn = [*([target] if target is not None and target.mark else []), *marked]
    for element in drawn:
        colour = TARGET_LABEL_COLOUR if element is target else MARK_COLOUR
        own = boxes[element.key]
        size = label_size(element.mark, ratio)
        others = [box for key, box in boxes.items() if key != element.key]
        place = label_place(own, size, whole, others, taken, texts)
        taken.append(place)
        _label(canvas, place, str(element.mark), colour, ratio)


def clipped(rect: Rect, whole: Rect) -> Rect:
    """The part of a rectangle that lies on the picture; empty (right before left) when none does."""
    return Rect(
        max(rect.left_px, whole.left_px),
        max(rect.top_px, whole.top_px),
        min(rect.right_px, whole.right_px - 1),
        min(rect.bottom_px, whole.bottom_px - 1),
    )


def label_size(mark: int, ratio: float) -> tuple[float, float]:
    """Width and height of a mark's label in picture pixels."""
    font = _font(ratio)
    left, top, right, bottom = font.getbbox(str(mark))
    return (right - left) + 8 * ratio, max(bottom - top, _FONT_CSS_PX * ratio * 0.75) + 5 * ratio


def label_place(
    own: Rect,
    size: tuple[float, float],
    whole: Rect,
    others: Iterable[Rect],
    taken: Iterable[Rect],
    texts: Iterable[Rect] = (),
) -> Rect:
    """Where a label goes: on the picture, off its element's own text, off other labels, texts and elements if possible.

    Args:
        own: The element's box; all are in picture pixels.
        others: Boxes of other elements.
        taken: Labels placed before.
        texts: Boxes of texts that belong to no element.
    """
    width, height = size
    peek = height * (0.25 if own.bottom_px - own.top_px > 1.8 * height else 0.1)
    nearby = [box for box in others if box.overlap_px2(own.grown(max(width, height) + 4))]
    words = [box for box in texts if box.overlap_px2(own.grown(max(width, height) + 4)) and not _holds(box, own)]
    labels = list(taken)
    corners = (
        (own.left_px - width * 0.35, own.top_px - height + peek),
        (own.right_px - width * 0.65, own.top_px - height + peek),
        (own.left_px - width + peek, own.top_px),
        (own.right_px - peek, own.top_px),
        (own.left_px - width * 0.35, own.bottom_px - peek),
        (own.right_px - width * 0.65, own.bottom_px - peek),
    )
    best, best_cost = _on_picture(*corners[0], width, height, whole), _MAX_COST
    for order, (left, top) in enumerate(corners):
        place = _on_picture(left, top, width, height, whole)
        cost = order * 0.5
        cost += 4 * sum(place.overlap_px2(label) for label in labels)
        cost += 1.5 * max(0.0, place.overlap_px2(own) - width * peek)
        cost += sum(place.overlap_px2(box) for box in nearby if not _holds(box, own))
        cost += 1.5 * sum(place.overlap_px2(box) for box in words)
        if cost < best_cost:
            best, best_cost = place, cost
    return best


def _holds(outer: Rect, inner: Rect) -> bool:
    return outer.overlap_px2(inner) >= (inner.right_px - inner.left_px) * (inner.bottom_px - inner.top_px) * 0.98


def _on_picture(left: float, top: float, width: float, height: float, whole: Rect) -> Rect:
    left = min(max(left, whole.left_px), max(whole.left_px, whole.right_px - width))
    top = min(max(top, whole.top_px), max(whole.top_px, whole.bottom_px - height))
    return Rect(left, top, left + width, top + height)


def _outline(canvas: ImageDraw.ImageDraw, box: Rect, colour: tuple[int, int, int], line_px: int) -> None:
    if box.right_px - box.left_px < 2 or box.bottom_px - box.top_px < 2:
        return
    canvas.rounded_rectangle(
        (box.left_px, box.top_px, box.right_px, box.bottom_px), radius=3 * line_px, outline=colour, width=line_px
    )


def _label(canvas: ImageDraw.ImageDraw, place: Rect, text: str, colour: tuple[int, int, int], ratio: float) -> None:
    radius = (place.bottom_px - place.top_px) / 2
    rim = place.grown(max(1.0, ratio))
    canvas.rounded_rectangle((rim.left_px, rim.top_px, rim.right_px, rim.bottom_px), radius=radius + ratio, fill=_RIM)
    canvas.rounded_rectangle((place.left_px, place.top_px, place.right_px, place.bottom_px), radius=radius, fill=colour)
    middle = (place.left_px + place.right_px) / 2, (place.top_px + place.bottom_px) / 2
    canvas.text(middle, text, font=_font(ratio), fill=_INK, anchor="mm")


def _font(ratio: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return _font_of(max(8, round(_FONT_CSS_PX * ratio)))


@cache
def _font_of(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size_px)


def _encoded(image: Image.Image, like: Picture) -> Picture:
    buffer = BytesIO()
    if like.media_type == "image/png":
        image.save(buffer, "PNG")
    else:
        image.save(buffer, "JPEG", quality=_QUALITY)
    return Picture(data=buffer.getvalue(), media_type=like.media_type, width_px=image.width, height_px=image.height)
