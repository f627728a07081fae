"""The figures of `packaging/bench`: percentiles, table, JSON and usage."""

from __future__ import annotations

import json
import subprocess
import sys

import bench_observe
import bench_start
import pytest
from bench_report import as_json, as_table
from bench_statistics import Series, percentile
from hypothesis import given
from hypothesis import strategies as st

from tests.packaging.machine import ROOT

TIMES = st.lists(st.floats(min_value=0, max_value=1e6), min_size=1, max_size=50).map(tuple)


@given(TIMES, st.integers(min_value=1, max_value=100))
def test_a_percentile_is_a_measured_value_which_enough_values_do_not_exceed(
    values: tuple[float, ...], percent: int
) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) * 100 >= percent * len(values)
    assert sum(value < found for value in values) * 100 < percent * len(values)


def test_nothing_measured_is_an_error() -> None:
    with pytest.raises(ValueError, match="Nothing was measured"):
        Series("start", ())


def test_json_holds_measurements_and_verdict() -> None:
    series = Series("start", (10.0, 30.0, 20.0), limit_ms=25.0)
    told = json.loads(as_json([series]))["start"]
    assert told["values_ms"] == [10.0, 30.0, 20.0]
    assert (told["n"], told["p50_ms"], told["p95_ms"], told["within_limit"]) == (3, 20.0, 30.0, False)


def test_the_table_lines_up_and_marks_an_exceeded_limit() -> None:
    lines = as_table([Series("start", (1500.5,), limit_ms=1500), Series("one step", (2.0,))]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1].endswith("1500 !")
    assert "!" not in lines[2]


def test_a_start_is_measured_up_to_the_moment_the_window_names_itself() -> None:
    ready_s = "time.monotonic() + 3600"
    code = f"import pathlib, sys, time; pathlib.Path(sys.argv[2]).write_text(str({ready_s})); time.sleep(600)"
    (series,) = bench_start.measure(2, [sys.executable, "-c", code])
    assert len(series.values_ms) == 2
    assert min(series.values_ms) > 3600 * 1000


def test_a_window_that_ends_before_it_is_ready_is_told_with_its_words() -> None:
    with pytest.raises(bench_start.BenchError, match=r"exit code 3 before it was ready.\nno display"):
        bench_start.measure(1, [sys.executable, "-c", "print('no display'); raise SystemExit(3)"])


@pytest.mark.parametrize("arguments", [[], ["speed"], ["start", "--repeat", "0"]])
def test_wrong_usage_is_an_error_of_usage(arguments: list[str]) -> None:
    script = str(ROOT / "packaging" / "bench_main.py")
    result = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "usage: packaging/bench" in result.stderr


def test_what_was_measured_is_told_also_when_the_desktop_cannot_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = Series("observe", (1.0,))

    async def measure_all(_pages: object, _repeat: int) -> tuple[dict[str, Series], list[Series]]:
        return {"page": pages}, []

    monkeypatch.setattr(bench_observe, "_measure_all", measure_all)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert bench_observe.measure(1) == [pages]
    assert "There is no display to measure on" in capsys.readouterr().err
