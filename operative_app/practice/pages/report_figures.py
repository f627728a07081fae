"""The figures of the report. They are made up, fixed, and add up."""

from __future__ import annotations

from dataclasses import dataclass

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_SEASON = (82, 79, 91, 95, 101, 108, 97, 93, 104, 112, 127, 138)
_PRICE = 48


@dataclass(frozen=True, slots=True)
class Month:
    """Sales of one month; money in whole dollars."""

    year: int
    month: int
    units: int
    revenue: int
    returns: int
    profit: int

    @property
    def name(self) -> str:
        """Such as "March 2026"."""
        return f"{_MONTHS[self.month - 1]} {self.year}"


@dataclass(frozen=True, slots=True)
class Region:
    """Revenue of one region by quarter, in thousands of dollars."""

    name: str
    quarters: tuple[int, int, int, int]

    @property
    def total(self) -> int:
        """The whole year."""
        return sum(self.quarters)


def _month(year: int, month: int) -> Month:
    growth = year - 2023
    units = _SEASON[month - 1] * (20 + 2 * growth) + (year * 31 + month * 17) % 40
    revenue = units * (_PRICE + growth)
    returns = units * (3 + (month + year) % 3) // 100
    return Month(year, month, units, revenue, returns, revenue * (27 + (month * 5 + growth) % 7) // 100)


OLDER_YEARS = (2024,)
YEARS = (2026, 2025)
MONTHS = tuple(_month(year, month) for year in YEARS for month in range(1, 13))
OLDER_MONTHS = tuple(_month(year, month) for year in OLDER_YEARS for month in range(1, 13))
REGIONS = (
    Region("North", (412, 438, 455, 531)),
    Region("East", (298, 305, 322, 367)),
    Region("South", (366, 401, 389, 442)),
    Region("West", (507, 529, 548, 618)),
)
RATES = (
    ("Euro", "EUR", "0.9214", "0.9188"),
    ("British pound", "GBP", "0.7903", "0.7871"),
    ("Swiss franc", "CHF", "0.8842", "0.8817"),
    ("Japanese yen", "JPY", "151.32", "150.88"),
    ("Canadian dollar", "CAD", "1.3671", "1.3640"),
)


def regions_total() -> Region:
    """Add all regions up."""
    first, second, third, fourth = (sum(region.quarters[place] for region in REGIONS) for place in range(4))
    return Region("Total", (first, second, third, fourth))
