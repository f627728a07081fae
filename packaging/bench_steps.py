"""Measures what Operative adds to each step: the time between two steps less what the page and the planner took.

A real goal is carried out on the practice site in a browser that is not shown. The page's time is what its own calls
take (a click, a fill, loading a page) and the waits for late content; the rest (settling, looking, checking, policy,
recording) is Operative's.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench_start import BenchError
from bench_statistics import Series

from operative_app.actions.registry import Registry
from operative_app.app.addresses import AddressBook
from operative_app.app.browser_provider import BrowserProvider
from operative_app.app.examples import DEMONSTRATION
from operative_app.core.events import Event, RunFinished, StepFinished
from operative_app.core.ports import Surface
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import NotThereYet
from operative_app.store.runs import RunStore

LIMIT_MS = 250.0
END_S = 120.0
PAGE_CALLS = frozenset({"navigate", "go_back", "click", "fill", "press_key", "type_text", "select_option", "scroll"})
PLANNER_CALLS = frozenset({"decompose", "select_action", "replan", "handle_error", "summarize"})


def measure(repeat: int) -> list[Series]:
    """Carry out the demonstration goal `repeat` times after one warm-up.

    Raises:
        BenchError: A run did not end as done.
    """
    with tempfile.TemporaryDirectory(prefix="bench-steps-") as folder:
        _run_once(Path(folder) / "warm")
        steps = [step for number in range(repeat) for step in _run_once(Path(folder) / str(number))]
    added, planner, whole = zip(*steps, strict=True)
    return [
        Series("added to a step by Operative", added, LIMIT_MS),
        Series("planner's part of a step", planner),
        Series("a whole step", whole),
    ]


class _Stopwatch:
    """Adds up the time spent in the wrapped calls; agent thread only.

    `waited_ms` is the time from "not there yet" to the next question: the page's, which was late.
    """

    def __init__(self) -> None:
        self.spent_ms = 0.0
        self.waited_ms = 0.0
        self._waiting_since_s: float | None = None

    def wrap(self, target: Any, names: frozenset[str]) -> None:
        for name in names:
            setattr(target, name, self._timed(getattr(target, name)))

    def _timed(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def timed(*args: Any, **kwargs: Any) -> Any:
            begun_s = time.monotonic()
            if self._waiting_since_s is not None:
                self.waited_ms += (begun_s - self._waiting_since_s) * 1000
            answer = None
            try:
                answer = await call(*args, **kwargs)
                return answer
            finally:
                ended_s = time.monotonic()
                self.spent_ms += (ended_s - begun_s) * 1000
                self._waiting_since_s = ended_s if isinstance(answer, NotThereYet) else None

        return timed


class _Laps:
    """An event sink that notes, at the end of each step, what the time since the last one was spent on."""

    def __init__(self, page: _Stopwatch, planner: _Stopwatch) -> None:
        self._page, self._planner = page, planner
        self._last: tuple[float, float, float] | None = None
        self.steps: list[tuple[float, float, float]] = []
        self.end: RunFinished | None = None
        self.ended = threading.Event()

    def emit(self, event: Event) -> None:
        if isinstance(event, StepFinished):
            page_ms = self._page.spent_ms + self._planner.waited_ms
            now = (time.monotonic() * 1000, page_ms, self._planner.spent_ms)
            if self._last is not None:
                whole, page, planner = (new - old for new, old in zip(now, self._last, strict=True))
                self.steps.append((whole - page - planner, planner, whole))
            self._last = now
        elif isinstance(event, RunFinished):
            self.end = event
            self.ended.set()


class _TimedProvider(BrowserProvider):
    def __init__(self, stopwatch: _Stopwatch, folder: Path) -> None:
        super().__init__(profile_dir=folder / "profile", downloads_dir=folder / "downloads", keep_open=False)
        self._stopwatch = stopwatch

    async def acquire(self, request: RunRequest) -> Surface:
        surface = await super().acquire(request)
        self._stopwatch.wrap(surface, PAGE_CALLS)
        return surface


def _run_once(folder: Path) -> list[tuple[float, float, float]]:
    page, thinking = _Stopwatch(), _Stopwatch()
    planner = BuiltinPlanner()
    thinking.wrap(planner, PLANNER_CALLS)
    laps = _Laps(page, thinking)
    addresses, store = AddressBook(), RunStore(folder / "data")
    provider = _TimedProvider(page, folder)
    parts = Parts(planner=planner, provider=provider, registry=Registry(), resolve=addresses.resolve, limits=Limits())
    agent = Agent(parts, store, shut_down=provider.close)
    agent.add_sink(laps)
    agent.start()
    try:
        agent.control.start(RunRequest(goal=DEMONSTRATION, headless=True))
        if not laps.ended.wait(END_S) or laps.end is None:
            raise BenchError(f"The run did not end within {END_S:g} s.")
    finally:
        agent.close()
        addresses.close()
        store.close()
    if laps.end.state is not RunState.DONE:
        raise BenchError(f"The run ended as {laps.end.state}: {laps.end.reason}")
    return laps.steps
