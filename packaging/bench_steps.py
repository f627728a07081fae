"""Measures what Operative adds to each step: the time between two steps less what the page and the planner took.

A real goal is carried out on the practice site in a browser that is not shown. The page's time is what its own calls
take (a click, a fill, opening an address), the waits for late content, and the loading of a page that a click or a key
opened: from the end of that call to the page's `load` event. The rest (settling, looking, checking, policy, recording)
is Operative's, also the calm that is waited for after the `load` event, and a page's requests that load no page.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
from operative_app.planning.port import NotThereYet, Planner
from operative_app.store.runs import RunStore

LIMIT_MS = 250.0
END_S = 120.0
PAGE_CALLS = frozenset({"navigate", "go_back", "click", "fill", "press_key", "type_text", "select_option", "scroll"})
LOADING = "loading what a click opened, not of that"
PLANNER_CALLS = frozenset({"decompose", "select_action", "replan", "handle_error", "summarize"})


def measure(repeat: int) -> list[Series]:
    """Carry out the demonstration goal `repeat` times after one warm-up.

    Raises:
        BenchError: A run did not end as done.
    """
    with tempfile.TemporaryDirectory(prefix="bench-steps-") as folder:
        run_once(Path(folder) / "warm")
        steps = [step for number in range(repeat) for step in run_once(Path(folder) / str(number))]
    return [
        Series("added to a step by Operative", tuple(step.added_ms for step in steps), LIMIT_MS),
        Series("planner's part of a step", tuple(step.planner_ms for step in steps)),
        Series(LOADING, tuple(step.loading_ms for step in steps)),
        Series("a whole step", tuple(step.whole_ms for step in steps)),
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """What the time between two steps was spent on.

    Attributes:
        added_ms: By Operative, without the planner.
        loading_ms: Loading pages that a click or a key opened; not in `added_ms`.
    """

    added_ms: float
    planner_ms: float
    loading_ms: float
    whole_ms: float


class _Stopwatch:
    """Adds up the time spent in the wrapped calls; agent thread only.

    `waited_ms` is the time from "not there yet" to the next question: the page's, which was late. `loading_ms` is how
    long a settle waited for the `load` event of a page that opened meanwhile.
    """

    def __init__(self) -> None:
        self.spent_ms = 0.0
        self.waited_ms = 0.0
        self.loading_ms = 0.0
        self._loaded_s = 0.0
        self._waiting_since_s: float | None = None

    def wrap(self, target: Any, names: frozenset[str]) -> None:
        for name in names:
            setattr(target, name, self._timed(getattr(target, name)))

    def watch_loading(self, surface: Any) -> None:
        """Hear the `load` events of all pages, and note how much of a settle came before the last one."""
        context = surface._session.context
        context.on("page", self._listen)
        for page in context.pages:
            self._listen(page)
        settle = surface.settle

        async def settled(*args: Any, **kwargs: Any) -> None:
            begun_s = time.monotonic()
            await settle(*args, **kwargs)
            self.loading_ms += max(0.0, self._loaded_s - begun_s) * 1000

        surface.settle = settled

    def _listen(self, page: Any) -> None:
        page.on("load", self._on_load)

    def _on_load(self, _: Any) -> None:
        self._loaded_s = time.monotonic()

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
        self._last: tuple[float, float, float, float] | None = None
        self.steps: list[Step] = []
        self.end: RunFinished | None = None
        self.ended = threading.Event()

    def emit(self, event: Event) -> None:
        if isinstance(event, StepFinished):
            page_ms = self._page.spent_ms + self._planner.waited_ms
            now = (time.monotonic() * 1000, page_ms, self._planner.spent_ms, self._page.loading_ms)
            if self._last is not None:
                whole, page, planner, loading = (new - old for new, old in zip(now, self._last, strict=True))
                self.steps.append(Step(whole - page - planner - loading, planner, loading, whole))
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
        self._stopwatch.watch_loading(surface)
        return surface


def run_once(
    folder: Path,
    planner: Planner | None = None,
    goal: str = DEMONSTRATION,
    url: str = "",
    close_planner: Callable[[], Awaitable[None]] | None = None,
) -> list[Step]:
    """Carry out a goal once.

    Returns:
        What each step but the first took.

    Raises:
        BenchError: The run did not end as done.
    """
    page, thinking = _Stopwatch(), _Stopwatch()
    planner = planner or BuiltinPlanner()
    thinking.wrap(planner, PLANNER_CALLS)
    laps = _Laps(page, thinking)
    addresses, store = AddressBook(), RunStore(folder / "data")
    provider = _TimedProvider(page, folder)
    parts = Parts(planner=planner, provider=provider, registry=Registry(), resolve=addresses.resolve, limits=Limits())

    async def shut_down() -> None:
        if close_planner is not None:
            await close_planner()
        await provider.close()

    agent = Agent(parts, store, shut_down=shut_down)
    agent.add_sink(laps)
    agent.start()
    try:
        agent.control.start(RunRequest(goal=goal, url=url, headless=True))
        if not laps.ended.wait(END_S) or laps.end is None:
            raise BenchError(f"The run did not end within {END_S:g} s.")
    finally:
        agent.close()
        addresses.close()
        store.close()
    if laps.end.state is not RunState.DONE:
        raise BenchError(f"The run ended as {laps.end.state}: {laps.end.reason}")
    return laps.steps
