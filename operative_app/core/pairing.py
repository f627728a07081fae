"""Which elements and texts of two observations are the same ones: a moved or renamed one is not new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from operative_app.core.screen import Element, TextBlock

T = TypeVar("T")


@dataclass(slots=True)
class Pairing(Generic[T]):
    """Pairs (before, after) of what is the same, and what is in one observation alone, in their order."""

    same: list[tuple[T, T]] = field(default_factory=list)
    lost: list[T] = field(default_factory=list)
    gained: list[T] = field(default_factory=list)


def pair_elements(before: Sequence[Element], after: Sequence[Element]) -> Pairing[Element]:
    """Pair by fingerprint and surroundings, else by surroundings (it moved) or place (it was renamed)."""
    return _pair(
        before,
        after,
        lambda one: (one.fingerprint, one.context),
        lambda one: (one.role, one.name, one.frame, one.context),
        lambda one: one.fingerprint,
        lambda one: (one.role, one.path, one.frame),
    )


def pair_texts(before: Sequence[TextBlock], after: Sequence[TextBlock]) -> Pairing[TextBlock]:
    """Equal texts cancel each other out; a different text at the same place is the same text, changed."""
    equal = _pair(before, after, lambda block: block.text)
    return _pair(
        equal.lost,
        equal.gained,
        lambda block: (block.frame, block.role, round(block.box.x_css_px), round(block.box.y_css_px)),
    )


def _pair(before: Iterable[T], after: Iterable[T], *keys: Callable[[T], Hashable]) -> Pairing[T]:
    pairing: Pairing[T] = Pairing(lost=list(before), gained=list(after))
    for key in keys:
        waiting: dict[Hashable, list[T]] = defaultdict(list)
        for one in reversed(pairing.lost):
            waiting[key(one)].append(one)
        gained: list[T] = []
        for one in pairing.gained:
            found = waiting.get(key(one))
            if found:
                pairing.same.append((found.pop(), one))
            else:
                gained.append(one)
        left = {id(one) for some in waiting.values() for one in some}
        pairing.lost = [one for one in pairing.lost if id(one) in left]
        pairing.gained = gained
    return pairing
