"""Reads text off pictures (OCR) with rapidocr, on this machine, for programs that do not tell what they show.

A picture is cut into blocks along lines without text, so that small letters are read at full size and a block that did
not change is not read again. Models are loaded at the first reading; that takes seconds. A reading that takes longer
than its budget ends between two blocks; the next one goes on from there.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import groupby
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from PIL import Image

from operative_app.core.errors import SurfaceError
from operative_app.core.screen import Box, Picture, TextBlock

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Grey = NDArray[numpy.uint8]

LIMIT_PX = 736
"""The longest side the detector looks at; a larger picture is made smaller by it, which loses small letters."""
MOST_PX2 = 6_000_000
BUDGET_S = 12.0
MIN_SCORE = 0.75
MOST_REMEMBERED = 400
EDGE = 24
"""Difference of brightness between neighbours that counts as an edge."""
FEW_EDGES = 6
"""A line with so few crosses no text, only borders."""
MIN_GAP_PX = 3
MIN_SIDE_PX = 6
MARGIN_PX = 6


class RapidTextReader:
    """`core.ports.TextReader` by rapidocr. Any thread; one reading at a time.

    Args:
        threads: How many processor cores a reading may use; by default all but one.
        budget_s: After this no further block is read.
    """

    def __init__(self, *, threads: int = 0, budget_s: float = BUDGET_S) -> None:
        self._budget_s = budget_s
        self._threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self._engine: Any = None
        self._lock = Lock()
        self._known: OrderedDict[bytes, tuple[TextBlock, ...]] = OrderedDict()

    def read(self, picture: Picture, box: Box | None = None) -> Sequence[TextBlock]:
        """Lines of text in reading order, with boxes in pixels of the picture.

        Args:
            picture: JPEG or PNG.
            box: The part to read, in pixels of the picture; None for all of it.

        Raises:
            SurfaceError: The picture is damaged, or the reader cannot be loaded.
        """
        image = _opened(picture)
        left, top = 0, 0
        if box is not None:
            left, top = max(0, int(box.x_css_px)), max(0, int(box.y_css_px))
            right, bottom = min(image.width, int(box.right_css_px)), min(image.height, int(box.bottom_css_px))
            if right - left < MIN_SIDE_PX or bottom - top < MIN_SIDE_PX:
                return ()
            image = image.crop((left, top, right, bottom))
        shrunk = min(1.0, (MOST_PX2 / (image.width * image.height)) ** 0.5)
        if shrunk < 1.0:
            image = image.resize((int(image.width * shrunk), int(image.height * shrunk)))
        with self._lock:
            end_s = monotonic() + self._budget_s
            lines = [line for block in blocks(image) for line in self._read_block(image, block, end_s)]
        found = [_placed(line, left, top, 1 / shrunk) for line in lines]
        return sorted(found, key=lambda line: (round(line.box.center[1] / 12), line.box.x_css_px))

    def _read_block(self, image: Image.Image, block: tuple[int, int, int, int], end_s: float) -> Iterator[TextBlock]:
        part = image.crop(block)
        name = hashlib.blake2b(part.tobytes(), digest_size=16, key=repr(part.size).encode()).digest()
        if name in self._known:
            self._known.move_to_end(name)
        elif monotonic() > end_s:
            return
        else:
            self._known[name] = tuple(self._recognised(part))
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        for line in self._known[name]:
            yield _placed(line, block[0], block[1], 1.0)

    def _recognised(self, part: Image.Image) -> Iterator[TextBlock]:
        result = self._loaded()(part, use_cls=False)
        if result.boxes is None:
            return
        for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
            if score < MIN_SCORE or not text.strip():
                continue
            across, down = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
            box = Box(
                x_css_px=min(across),
                y_css_px=min(down),
                width_css_px=max(across) - min(across),
                height_css_px=max(down) - min(down),
            )
            yield TextBlock(text=text.strip(), role="read", box=box)

    def _loaded(self) -> Any:
        if self._engine is None:
            try:
                from rapidocr import RapidOCR

                settings = {
                    "Global.log_level": "critical",
                    "Global.use_cls": False,
                    "Det.limit_side_len": LIMIT_PX,
                    "Det.limit_type": "max",
                    "EngineConfig.onnxruntime.intra_op_num_threads": self._threads,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                }
                self._engine = RapidOCR(params=settings)
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise SurfaceError(f"Text cannot be read off pictures here: {error}") from error
        return self._engine


def blocks(image: Image.Image) -> list[tuple[int, int, int, int]]:
    """Left, upper, right and lower edge of the parts of a picture that hold something.

    None is longer than `LIMIT_PX`. Cuts go through gaps between texts; only where there is none, through a line that
    crosses as little as possible.
    """
    import numpy

    grey = numpy.asarray(image.convert("L"))
    waiting, found = [(0, 0, image.width, image.height)], []
    while waiting:
        block = _trimmed(grey, waiting.pop())
        if block is None:
            continue
        left, top, right, bottom = block
        if max(right - left, bottom - top) <= LIMIT_PX:
            found.append(block)
        else:
            waiting.extend(_cut(grey, block))
    return sorted(found, key=lambda one: (one[1], one[0]))


def _cut(grey: Grey, block: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """Two parts, along the widest gap of the longer side, else of the other; without a gap along the best line."""
    left, top, right, bottom = block
    is_high = bottom - top >= right - left
    for is_down in (is_high, not is_high):
        at = _widest_gap(_edges(grey, block, is_down=is_down))
        if at:
            break
    else:
        is_down = is_high
        edges = _edges(grey, block, is_down=is_down)
        quarter = len(edges) // 4
        at = min(range(quarter, len(edges) - quarter), key=edges.__getitem__)
    if is_down:
        return [(left, top, right, top + at), (left, top + at, right, bottom)]
    return [(left, top, left + at, bottom), (left + at, top, right, bottom)]


def _widest_gap(edges: Sequence[int]) -> int:
    """The middle of the widest run of lines with few edges, near the middle rather than at the ends; 0 for none."""
    best, best_worth, at, length = 0, 0.0, 0, len(edges)
    for is_gap, run in groupby(edges, key=lambda count: count <= FEW_EDGES):
        width = len(list(run))
        middle = at + width // 2
        worth = width * (0.25 + min(middle, length - middle) / length)
        if is_gap and width >= MIN_GAP_PX and MIN_SIDE_PX < middle < length - MIN_SIDE_PX and worth > best_worth:
            best, best_worth = middle, worth
        at += width
    return best


def _edges(grey: Grey, block: tuple[int, int, int, int], *, is_down: bool) -> list[int]:
    """How many edges each row (or each column) of a block crosses."""
    import numpy

    left, top, right, bottom = block
    part = grey[top:bottom, left:right].astype(numpy.int16)
    axis = 1 if is_down else 0
    return [int(count) for count in (numpy.abs(numpy.diff(part, axis=axis)) > EDGE).sum(axis=axis)]


def _trimmed(grey: Grey, block: tuple[int, int, int, int]) -> tuple[int, int, int, int] | None:
    """The block without empty borders, with a small margin; None when nothing is in it."""
    import numpy

    left, top, right, bottom = block
    part = grey[top:bottom, left:right].astype(numpy.int16)
    if min(part.shape) < 2:
        return None
    across = numpy.abs(numpy.diff(part, axis=1)) > EDGE
    down = numpy.abs(numpy.diff(part, axis=0)) > EDGE
    rows = numpy.flatnonzero(across.any(axis=1))
    columns = numpy.flatnonzero(down.any(axis=0))
    if not len(rows) or not len(columns):
        return None
    upper, lower = max(0, int(rows[0]) - MARGIN_PX), min(bottom - top, int(rows[-1]) + 1 + MARGIN_PX)
    first, last = max(0, int(columns[0]) - MARGIN_PX), min(right - left, int(columns[-1]) + 1 + MARGIN_PX)
    if lower - upper < MIN_SIDE_PX or last - first < MIN_SIDE_PX:
        return None
    return left + first, top + upper, left + last, top + lower


def _opened(picture: Picture) -> Image.Image:
    try:
        with Image.open(BytesIO(picture.data)) as opened:
            return opened.convert("RGB")
    except (OSError, ValueError) as error:
        raise SurfaceError("The picture to be read is damaged.") from error


def _placed(line: TextBlock, left_px: float, top_px: float, scale: float) -> TextBlock:
    box = Box(
        x_css_px=left_px + line.box.x_css_px * scale,
        y_css_px=top_px + line.box.y_css_px * scale,
        width_css_px=line.box.width_css_px * scale,
        height_css_px=line.box.height_css_px * scale,
    )
    return line.model_copy(update={"box": box})
