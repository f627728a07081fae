"""Prints the series of a benchmark, as a table for people or as JSON for programs."""

from __future__ import annotations

import json

from bench_statistics import Series

COLUMNS = ("", "n", "p50 ms", "p95 ms", "max ms", "limit ms")


def as_json(series: list[Series]) -> str:
    """Return one JSON object: each series by name, with its measurements, times in milliseconds."""
    return json.dumps(
        {
            one.name: {
                "n": len(one.values_ms),
                "unit": one.unit,
                "p50_ms": round(one.p50_ms, 3),
                "p95_ms": round(one.p95_ms, 3),
                "max_ms": round(max(one.values_ms), 3),
                "limit_ms": one.limit_ms,
                "within_limit": one.is_within_limit,
                "values_ms": [round(value, 3) for value in one.values_ms],
            }
            for one in series
        },
        indent=2,
    )


def as_table(series: list[Series]) -> str:
    """Return a table with one line for each series; an exceeded limit is marked."""
    rows = [COLUMNS, *(_row(one) for one in series)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return "  ".join([row[0].ljust(widths[0]), *numbers])


def _row(one: Series) -> tuple[str, ...]:
    limit = "" if one.limit_ms is None else f"{one.limit_ms:.0f}" + ("" if one.is_within_limit else " !")
    times = (f"{value:.1f}" for value in (one.p50_ms, one.p95_ms, max(one.values_ms)))
    name = one.name if one.unit == "ms" else f"{one.name} ({one.unit})"
    return (name, str(len(one.values_ms)), *times, limit)
