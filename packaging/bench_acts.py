"""Measures what a click and a keystroke cost beyond the same call of the browser library alone.

Both are done in turn on the same page in one browser, so that the load of the machine falls on both alike; what is told
is the difference within each pair.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench_statistics import Series

from operative_app.core.coordinates import CssPoint
from operative_app.surfaces.browser.surface import ManagedBrowser

LIMIT_MS = 30.0
ROUNDS = 20
PAGE = """document.title = 'bench'; document.body.innerHTML = '<button>Go</button><input aria-label=Name>'
  + '<style>button, input { position: absolute; left: 100px; top: 100px } input { top: 200px }</style>'"""


def measure(repeat: int) -> list[Series]:
    """Click and type `repeat` times twenty after a warm-up."""
    return asyncio.run(_measure(repeat * ROUNDS))


async def _measure(count: int) -> list[Series]:
    with tempfile.TemporaryDirectory(prefix="bench-acts-") as folder:
        browser = await ManagedBrowser.launch(
            profile_dir=Path(folder) / "profile", downloads_dir=Path(folder) / "downloads", headless=True
        )
        try:
            return await _pairs(browser, count)
        finally:
            await browser.close()


async def _pairs(browser: ManagedBrowser, count: int) -> list[Series]:
    await browser.navigate("about:blank")
    await browser.execute_js(PAGE, timeout_s=5)
    state = (await browser.observe(with_picture=False)).state
    button = state.ref(next(one for one in state.elements if one.role == "button"))
    field = state.ref(next(one for one in state.elements if one.role == "textbox"))
    page = (await browser._front()).page
    place = CssPoint(x_css_px=110, y_css_px=110)
    x, y = next(one for one in state.elements if one.role == "button").box.center

    clicks = await _added(lambda: browser.click(button), lambda: page.mouse.click(x, y), count)
    places = await _added(lambda: browser.click(place), lambda: page.mouse.click(110, 110), count)
    await browser.press_key("End", field)
    keys = await _added(lambda: browser.press_key("a"), lambda: page.keyboard.press("a"), count)
    typed = await _added(lambda: browser.type_text("x" * 10), lambda: page.keyboard.type("x" * 10), count)
    return [
        Series("added to a click on an element", clicks, LIMIT_MS),
        Series("added to a click at a place", places, LIMIT_MS),
        Series("added to a key", keys, LIMIT_MS),
        Series("added to each of ten characters typed", tuple(ms / 10 for ms in typed), LIMIT_MS),
    ]


async def _added(
    ours: Callable[[], Awaitable[object]], theirs: Callable[[], Awaitable[object]], count: int
) -> tuple[float, ...]:
    for call in (ours, theirs):
        await call()
    added = []
    for number in range(count):
        first, second = (ours, theirs) if number % 2 else (theirs, ours)
        times = [await _timed(first), await _timed(second)]
        own, raw = times if number % 2 else reversed(times)
        added.append(max(0.0, own - raw))
    return tuple(added)


async def _timed(call: Callable[[], Awaitable[object]]) -> float:
    begun_s = time.perf_counter()
    await call()
    return (time.perf_counter() - begun_s) * 1000
