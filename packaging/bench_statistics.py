"""Numbers of a benchmark: a series of measurements and what it comes to."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """Measurements of one thing, in milliseconds or another unit.

    Attributes:
        name: What was measured, in words for a table.
        values_ms: The measurements in the order they were taken; at least one.
        limit_ms: What is to be kept, where something was promised.
        limit_percentile: Which percentile is to stay at or below the limit: 95, or 50 where the median was promised.
        unit: The unit of the measurements and of the limit where it is not milliseconds.
    """

    name: str
    values_ms: tuple[float, ...]
    limit_ms: float | None = None
    limit_percentile: float = 95
    unit: str = "ms"

    def __post_init__(self) -> None:
        if not self.values_ms:
            raise ValueError(f"Nothing was measured for {self.name}.")

    @property
    def p50_ms(self) -> float:
        """The median."""
        return percentile(self.values_ms, 50)

    @property
    def p95_ms(self) -> float:
        """What 95 of 100 measurements stay at or below."""
        return percentile(self.values_ms, 95)

    @property
    def is_within_limit(self) -> bool:
        """Whether the promised percentile keeps the limit; true where there is none."""
        return self.limit_ms is None or percentile(self.values_ms, self.limit_percentile) <= self.limit_ms


def percentile(values: tuple[float, ...], percent: float) -> float:
    """Return the nearest-rank percentile: the smallest value which `percent` of all values do not exceed.

    Raises:
        ValueError: There are no values, or `percent` is not within 0 (excluded) and 100.
    """
    if not values or not 0 < percent <= 100:
        raise ValueError("A percentile needs values and a percentage above 0 and up to 100.")
    ordered = sorted(values)
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]
