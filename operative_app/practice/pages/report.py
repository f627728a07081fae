"""The sales report: tables to read values from."""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar

from operative_app.practice.exchange import Request, Response, Route
from operative_app.practice.pages.report_figures import (
    MONTHS,
    OLDER_MONTHS,
    OLDER_YEARS,
    RATES,
    REGIONS,
    YEARS,
    regions_total,
)
from operative_app.practice.room import Room


class ReportRoom(Room[None]):
    """Keeps nothing but how often older figures were asked for."""

    name: ClassVar[str] = "report"
    _older_loads = 0

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/report", self._front),
            Route("GET", "/report/rates", self._rates),
            Route("POST", "/report/api/older", self._older),
        )

    def snapshot(self) -> dict[str, object]:
        """The figures themselves, to compare answers with, and the count of "Load older figures"."""
        return {
            "months": [{"label": month.name, **asdict(month)} for month in (*MONTHS, *OLDER_MONTHS)],
            "regions": [
                {"name": one.name, "quarters": list(one.quarters), "total": one.total}
                for one in (*REGIONS, regions_total())
            ],
            "rates": [list(rate) for rate in RATES],
            "older_loads": self._older_loads,
        }

    def reset(self) -> None:
        """Begin to count anew."""
        super().reset()
        self._older_loads = 0

    def _new_visit(self) -> None:
        return None

    def _front(self, request: Request) -> Response:
        return self._page(
            "report/front.html",
            months=MONTHS,
            years=YEARS,
            older_years=OLDER_YEARS,
            regions=REGIONS,
            total=regions_total(),
        )

    def _rates(self, request: Request) -> Response:
        return self._page("report/rates.html", rates=RATES)

    def _older(self, request: Request) -> Response:
        self._older_loads += 1
        return self._page("report/rows.html", months=OLDER_MONTHS)
