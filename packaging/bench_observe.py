"""Measures how long it takes to see: a page with its picture and the text for a model.

Each look but those "again, unchanged" follows a change of the page, so that it is read anew.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
import tempfile
import time
from pathlib import Path

from bench_pages import PageServer
from bench_peer import compare
from bench_start import BenchError
from bench_statistics import Series

from operative_app.core.screen import Picture, ScreenState
from operative_app.perception.describe import describe
from operative_app.perception.marks import draw_marks
from operative_app.surfaces.browser.surface import ManagedBrowser

LIMITS_MS = {800: 90.0, 8_000: 160.0, 40_000: 600.0}
AGAIN_NODES = 8_000
AGAIN_LIMIT_MS = 20.0
DESKTOP = "bench_desktop"
CHANGE = "(document.querySelector('#status') || document.body).append(' ·')"


def measure(repeat: int, *, url: str = "", peer: str = "") -> list[Series]:
    """Look at generated pages, or at one page, `repeat` times each after two warm-ups.

    Args:
        url: Look at this page instead.
        peer: Name of another program to measure on the same pages ("browser-use"); that it cannot be is said.
    """
    with PageServer() as server:
        pages: dict[str, int | None] = {url: None} if url else {server.url(nodes): nodes for nodes in LIMITS_MS}
        own, again = asyncio.run(_measure_all(pages, repeat))
        series = [*own.values(), *again]
        if peer:
            names = {address: name_of(nodes) for address, nodes in pages.items()}
            try:
                series += compare(peer, names, CHANGE, repeat, own)
            except BenchError as error:  # what was measured is worth printing all the same
                print(f"Without a comparison: {error}", file=sys.stderr)
    if not url and importlib.util.find_spec(DESKTOP) is not None:
        try:
            series += importlib.import_module(DESKTOP).measure(repeat)
        except BenchError as error:
            print(f"Without the desktop: {error}", file=sys.stderr)
    return series


async def _measure_all(pages: dict[str, int | None], repeat: int) -> tuple[dict[str, Series], list[Series]]:
    """The series of each address, and the others."""
    with tempfile.TemporaryDirectory(prefix="bench-observe-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        browser = await ManagedBrowser.launch(
            profile_dir=place / "profile", downloads_dir=place / "downloads", headless=True
        )
        try:
            own = {url: await _measure_page(browser, url, nodes, repeat) for url, nodes in pages.items()}
            again = next((url for url, nodes in pages.items() if nodes == AGAIN_NODES), next(iter(pages)))
            rest = await _measure_again(browser, again, pages[again], repeat)
        finally:
            await browser.close()
    return own, rest


async def _measure_page(browser: ManagedBrowser, url: str, nodes: int | None, repeat: int) -> Series:
    await _open(browser, url)
    values = []
    for turn in range(repeat + 2):
        await _change(browser)
        spent_ms, _, _ = await _look(browser)
        if turn > 1:
            values.append(spent_ms)
    name = name_of(nodes)
    return Series(f"observe {name}", tuple(values), LIMITS_MS.get(nodes or 0), limit_percentile=50)


async def _measure_again(browser: ManagedBrowser, url: str, nodes: int | None, repeat: int) -> list[Series]:
    await _open(browser, url)
    await _look(browser)
    again, marks = [], []
    for turn in range(repeat + 2):
        spent_ms, state, picture = await _look(browser)
        if turn <= 1:
            continue
        again.append(spent_ms)
        if picture is not None:
            begun_s = time.perf_counter()
            draw_marks(picture, state)
            marks.append((time.perf_counter() - begun_s) * 1000)
    name = name_of(nodes)
    limit_ms = AGAIN_LIMIT_MS if nodes else None
    return [
        Series(f"observe {name} again, unchanged", tuple(again), limit_ms, limit_percentile=50),
        Series(f"draw the marks of {name}", tuple(marks)),
    ]


def name_of(nodes: int | None) -> str:
    """What a page is called in the table."""
    return f"{nodes} nodes" if nodes else "the page"


async def _open(browser: ManagedBrowser, url: str) -> None:
    await browser.navigate(url)
    await browser.settle()


async def _look(browser: ManagedBrowser) -> tuple[float, ScreenState, Picture | None]:
    begun_s = time.perf_counter()
    seen = await browser.observe()
    describe(seen.state)
    return (time.perf_counter() - begun_s) * 1000, seen.state, seen.picture


async def _change(browser: ManagedBrowser) -> None:
    await browser.execute_js(CHANGE, timeout_s=5.0)
    await browser.settle()
