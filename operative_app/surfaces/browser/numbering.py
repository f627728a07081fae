"""Marks and news: what stays the same from one observation of a page to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MIN_SIDE_CSS_PX = 4.0
UNSEEN = -1  # the pass gives it to what has no place of its own in the picture
_BAND_CSS_PX = 16.0

Identity = tuple[str, str, str, str]


@dataclass(slots=True)
class Numbering:
    """Gives visible elements numbers in reading order that stay theirs while they are on the same page."""

    page: str = ""
    _numbers: dict[Identity, int] = field(default_factory=dict)
    _seen: set[Identity] | None = None

    def apply(self, page: str, elements: Sequence[dict[str, Any]]) -> None:
        """Set `mark` and `is_new` of raw elements.

        Args:
            page: Names the document; another one starts anew.
        """
        if page != self.page:
            self.page, self._numbers, self._seen = page, {}, None
        identities = [identity(element) for element in elements]
        if self._seen is not None:
            for element, name in zip(elements, identities, strict=True):
                element["is_new"] = name not in self._seen
        self._seen = set(identities)
        visible = [(element, name) for element, name in zip(elements, identities, strict=True) if is_markable(element)]
        visible.sort(key=lambda pair: _reading_place(pair[0]))
        present = {name for _, name in visible}
        if len(self._numbers) > 4 * max(len(present), 100):  # a page that keeps making new elements
            self._numbers = {name: number for name, number in self._numbers.items() if name in present}
        taken = set(self._numbers.values())
        following = 1
        for element in elements:
            element["mark"] = 0
        for element, name in visible:
            number = self._numbers.get(name)
            if number is None:
                while following in taken:
                    following += 1
                number = following
                taken.add(number)
                self._numbers[name] = number
            element["mark"] = number


def identity(element: dict[str, Any]) -> Identity:
    """The parts of an element's fingerprint."""
    return element["role"], element["name"], element["path"], element.get("frame", "")


def is_markable(element: dict[str, Any]) -> bool:
    if element.get("mark") == UNSEEN:
        return False
    box = element["box"]
    is_tiny = box.width_css_px < MIN_SIDE_CSS_PX or box.height_css_px < MIN_SIDE_CSS_PX
    return not is_tiny and "offscreen" not in element["states"]


def _reading_place(element: dict[str, Any]) -> tuple[float, float]:
    box = element["box"]
    middle = box.y_css_px + min(box.height_css_px, 4 * _BAND_CSS_PX) / 2
    return middle // _BAND_CSS_PX, box.x_css_px
