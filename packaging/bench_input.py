"""Measures what the input process adds to a click and a keystroke, beside the library called directly."""

from __future__ import annotations

import itertools
import time
from collections.abc import Awaitable, Callable

from bench_start import BenchError
from bench_statistics import Series, percentile

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import OperativeError
from operative_app.core.ports import MouseButton
from operative_app.surfaces.desktop.input.client import InputProcess
from tests.desktop_session import DesktopSession

OVERHEAD_LIMIT_MS = 30.0
TIMES = 10
PLACES = ((600, 400), (700, 450))  # two, because two clicks at one place are kept apart on purpose
TEXT = "the quick brown fox "


async def input_series(session: DesktopSession, repeat: int) -> list[Series]:
    """Click and type into a text editor, `repeat` times ten each.

    Raises:
        BenchError: There can be no input here.
    """
    session.start("mousepad")
    try:
        return await _measured(TIMES * repeat)
    except OperativeError as error:
        raise BenchError(str(error)) from error
    finally:
        session.end_all()


async def _measured(times: int) -> list[Series]:
    import pyautogui

    pyautogui.PAUSE = 0
    process = InputProcess()
    begun_s = time.perf_counter()
    await process.start()
    started_ms = (time.perf_counter() - begun_s) * 1000
    places = itertools.cycle(PLACES)

    async def click_raw() -> None:
        pyautogui.click(*next(places))

    async def click() -> None:
        x, y = next(places)
        await process.click(ScreenPoint(x_screen_px=x, y_screen_px=y), MouseButton.LEFT, 1)

    async def key_raw() -> None:
        pyautogui.press("a")

    async def key() -> None:
        await process.press(("a",))

    async def text() -> None:
        await process.type_text(TEXT)

    try:
        clicks_raw, clicks = await _times(click_raw, times), await _times(click, times)
        keys_raw, keys = await _times(key_raw, times), await _times(key, times)
        texts = await _times(text, max(1, times // TIMES))
    finally:
        await process.close()
    return [
        Series("start of the input process", (started_ms,), 500.0),
        Series("click, by the library alone", clicks_raw),
        _overhead("click overhead over the raw library call", clicks, clicks_raw),
        Series("keystroke, by the library alone", keys_raw),
        _overhead("keystroke overhead over the raw library call", keys, keys_raw),
        Series("typing, for each character", tuple(value / len(TEXT) for value in texts)),
    ]


async def _times(act: Callable[[], Awaitable[None]], times: int) -> tuple[float, ...]:
    """Milliseconds of each time, after one warm-up."""
    values = []
    for _ in range(times + 1):
        begun_s = time.perf_counter()
        await act()
        values.append((time.perf_counter() - begun_s) * 1000)
    return tuple(values[1:])


def _overhead(name: str, ours: tuple[float, ...], raw: tuple[float, ...]) -> Series:
    usual = percentile(raw, 50)
    return Series(name, tuple(value - usual for value in ours), OVERHEAD_LIMIT_MS, limit_percentile=50)
