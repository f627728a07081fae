"""Measures the kill switch: how long after the stop key something is still sent, and what stays held.

The application is a process of its own with the real engine, guard, input process and browser (`tests/guard/subject`).
The stop key is pressed by another client of the display. What the display takes is written down by a tap of its own
(XRecord, the server's clock); what the page takes is told by the page, with the browser's time of the event.

Each trial is looked at for ten seconds. So that this does not take an hour, there are several lanes, each with a
display, an application, a tap and a page of its own (`bench_stop_lanes`). **One lane at a time acts**: from the
beginning of its run until a second after the key no other does anything but look. What overlaps are the other nine
seconds, in which applications, browsers and displays idle; a page that is busy or moves does so until the stop and then
rests, but for telling its input.

A drag in a page that is stopped midway is put back to where it began and let go of there, so that nothing is dropped
half-way and no button stays down. That is what the stop itself does, and has a row of its own.

Each trial is printed as it ends, so that a run that is cut off tells what there was until then. One that cannot be
measured is told with the reason and done once more, on a lane that is opened anew; how many these were has a row.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import psutil
from bench_report import as_table
from bench_start import BenchError
from bench_statistics import Series
from bench_stop_lanes import Lane, lane
from bench_stop_trials import BROWSER, DESKTOP, HUNG, MORE, TAIL_S, Kind, Trials, series_of

from tests.guard import stand

ROUNDS = 9
"""Trials of each of the five kinds for each repetition: 63 with the usual seven, 315 in all."""
ALONE_S = 1.0
"""How long after the key no other lane acts."""
WAIT_S = 30.0
SETTLE_S = 1.0
"""After the lanes were opened, and after one was opened anew."""
MAX_FAILURES = 5
LANES = {"desktop": 4, "browser": 3}
PRESS_AFTER_S = (0.03, 0.5)
DRAG_AFTER_S = (0.03, 3.0)
SENT = {"press", "down", "move"}
MODES = {"click": "moving", "busy": "busy"}
POINTER = {"desktop": (600, 400), "browser": (1435, 895)}
"""Where the display's own pointer is put before each trial; over a browser's window it would move in the page, too."""
BEGIN_PLACES = {(60, 300), (700, 300)}
"""Where drags in the page begin (`tests.guard.subject`): a stopped one is put back there before it is let go of."""


class Bench:
    """The trials to do and what came of them. Each lane is driven by a thread of its own.

    They wake by the lock that lets one of them act, and end when nothing is left to do or the person has enough.
    """

    def __init__(self, plan: list[Kind]) -> None:
        self._plan = {surface: deque(kind for kind in plan if kind.surface == surface) for surface in LANES}
        self._number = len(plan)
        self._alone = threading.Lock()
        self._noting = threading.Lock()
        self._is_given_up = threading.Event()
        self._random = random.Random()  # noqa: S311 - moments to press at, others in each run
        self.found: dict[Kind, Trials] = {}
        self.failures: list[str] = []
        self.done = 0

    def run(self) -> None:
        """Do all trials, or as many as there are until the person has enough (Ctrl+C, SIGTERM)."""
        threads = [
            threading.Thread(target=self._drive, args=(surface,), name=f"{surface} lane {number}")
            for surface, count in LANES.items()
            for number in range(min(count, len(self._plan[surface])))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._is_given_up.set()
            if self.found:  # before the lanes are closed: that may not be waited for
                _print(f"Cut off after {self.done} of {self._number} trials:\n{as_table(self.series())}")
            for thread in threads:
                thread.join()

    def series(self) -> list[Series]:
        """What came of the trials so far; of one at least."""
        with self._noting:
            return series_of(self.found, len(self.failures))

    def _drive(self, surface: str) -> None:
        while self._plan[surface] and not self._is_given_up.is_set():
            kind = None
            try:
                with self._alone:
                    if self._is_given_up.is_set():
                        return
                    opening = lane(surface)
                    place = opening.__enter__()
                    time.sleep(SETTLE_S)
                try:
                    while (kind := self._next(surface)) is not None:
                        self._trial(place, kind)
                finally:
                    with nullcontext() if self._is_given_up.is_set() else self._alone:
                        opening.__exit__(None, None, None)
            except Exception as error:  # noqa: BLE001 - the top of a thread; the lane is opened anew
                self._fail(kind, error)

    def _next(self, surface: str) -> Kind | None:
        with self._noting:
            return self._plan[surface].popleft() if self._plan[surface] and not self._is_given_up.is_set() else None

    def _fail(self, kind: Kind | None, error: Exception) -> None:
        if self._is_given_up.is_set():
            return
        with self._noting:
            self.failures.append(f"{kind.name if kind else 'opening a lane'}: {type(error).__name__}: {error}")
            _print(f"FAILED  {self.failures[-1]}")
            if kind is not None:
                self._plan[kind.surface].append(kind)
            if len(self.failures) >= MAX_FAILURES:
                self._is_given_up.set()

    def _trial(self, place: Lane, kind: Kind) -> None:
        with self._alone:
            if self._is_given_up.is_set():
                return
            _begin(place, kind)
            is_long = kind.what == "drag" and kind.surface == "desktop" and not kind.fault
            time.sleep(self._random.uniform(*(DRAG_AFTER_S if is_long else PRESS_AFTER_S)))
            family = place.app.browser() if kind.must_end else []
            if kind.fault:
                place.app.halt(kind.fault, place.gate)
            pidfds = [fd for process in family if (fd := _pidfd(process)) >= 0]
            place.key.press()
            end_s = time.monotonic() + TAIL_S
            ended_s = _wait_for_ends(pidfds) if kind.must_end else 0.0
            pressed_ms = _pressed_ms(place)
            _wait(lambda: not place.key.held())
            place.app.go_on(kind.fault, place.gate)
            end = place.app.wait("end")
            if end["state"] != "stopped":
                raise BenchError(f"A run was not stopped but {end['state']}: {end['reason']}")
            place.page.rest()
            time.sleep(max(0.0, end_s - TAIL_S + ALONE_S - time.monotonic()))
        if self._is_given_up.wait(max(0.0, end_s - time.monotonic())):
            return
        if kind.surface == "browser" and not kind.must_end and not place.page.wait_for_beats(1):
            raise BenchError("The page told nothing any more, so that nobody knows what it got.")
        self._note(place, kind, pressed_ms, ended_s)

    def _note(self, place: Lane, kind: Kind, pressed_ms: float, ended_s: float) -> None:
        codes = place.key.codes
        events = [one for one in place.tap.events() if one.detail not in codes or one.kind in {"down", "up", "move"}]
        sent = [one.time_ms - pressed_ms for one in events if one.kind in SENT]
        let_go = [one.time_ms - pressed_ms for one in events if one.kind in {"up", "release"}]
        if kind.surface == "browser":
            sent, let_go = _told(place, kind, pressed_ms)
        with self._noting:
            found = self.found.setdefault(kind, Trials())
            found.last_ms.append(max([0.0, *sent]))
            if let_go or kind.surface == "desktop":
                found.let_go_ms.append(max([0.0, *let_go]))
            if ended_s:
                found.ended_ms.append(ended_s * 1000 - pressed_ms)
            found.later.append(float(sum(one > kind.limit_ms for one in sent)))
            found.held.append(float(place.key.held() + (0 if kind.must_end else place.page.held)))
            self.done += 1
            _print(f"{self.done:4}/{self._number}  {kind.name}: {found.newest()}")
            if found.later[-1]:
                told = place.page.told() if kind.surface == "browser" else events
                _print(
                    f"           of {[(one.kind, one.time_ms) for one in told[-8:]]}, the key at {pressed_ms:.0f} ms"
                )


def measure(repeat: int, part: str = "") -> list[Series]:
    """Stop the application `repeat` times nine in each of five ways, `repeat` times in the others.

    While it hangs with a browser it is half as often: the browser is ended then, and has to be started again.

    Args:
        part: One of those of `_plan` alone; "" all of them.

    Raises:
        BenchError: Nothing came of any trial.
    """
    _print(
        f"{sum(LANES.values())} lanes; one at a time acts, until {ALONE_S:g} s after the key. The rest of the "
        f"{TAIL_S:g} s in which each trial is looked at overlaps; all idle then."
    )
    bench = Bench(_plan(repeat, part))
    with _ends_as_by_ctrl_c():
        bench.run()
    if not bench.found:
        raise BenchError(bench.failures[0] if bench.failures else "Nothing was measured.")
    return bench.series()


def _plan(repeat: int, part: str) -> list[Kind]:
    """All kinds in turn, so that a run that is cut off has some of each; those that end a browser come last."""
    parts = {
        "usual": [Kind("desktop", what) for what in DESKTOP] + [Kind("browser", what) for what in BROWSER],
        "page": [Kind("browser", what) for what in MORE],
        "desktop-hangs": [Kind("desktop", "drag", fault) for fault in HUNG],
        "browser-hangs": [Kind("browser", "type", fault) for fault in HUNG],
    }
    times = {"usual": repeat * ROUNDS, "page": repeat, "desktop-hangs": repeat, "browser-hangs": (repeat + 1) // 2}
    return [kind for name, kinds in parts.items() if part in {"", name} for kind in kinds * times[name]]


def _begin(place: Lane, kind: Kind) -> None:
    place.key.put_pointer(*POINTER[kind.surface])
    place.tap.forget()
    place.page.begin()
    url = place.page.url(MODES.get(kind.what, "")) if kind.surface == "browser" else ""
    place.app.run(kind.what, kind.surface, url=url, headless=False)
    if kind.what == "model":
        place.app.wait("waits")
    elif kind.what == "click":
        place.app.wait("step", action="click_element")
    elif kind.surface == "browser":
        _wait(lambda: len(place.page.events) > 3)
    else:
        wanted = {"type": "press"}.get(kind.what, "move")
        _wait(lambda: sum(one.kind == wanted for one in place.tap.events()) > 3)


def _told(place: Lane, kind: Kind, pressed_ms: float) -> tuple[list[float], list[float]]:
    """What the page got after the key: what was sent, and what only put an interrupted drag back and let go of it."""
    epoch_ms = (time.time() - time.monotonic()) * 1000
    told = [(one.kind, (one.x, one.y), one.time_ms - epoch_ms - pressed_ms) for one in place.page.told()]
    is_put_back = kind.what == "drag"
    back = [ms for what, at, ms in told if is_put_back and ms > 0 and (what == "mouseup" or at in BEGIN_PLACES)]
    return [ms for what, _, ms in told if what != "mouseup" and ms not in back], back


def _pressed_ms(place: Lane) -> float:
    """When the display took the stop key's last key, by its own clock."""
    times: list[int] = []

    def is_seen() -> bool:
        last = place.key.codes[-1]
        times[:] = [one.time_ms for one in place.tap.events() if one.kind == "press" and one.detail == last]
        return bool(times)

    _wait(is_seen)
    return float(times[-1])


def _wait(seen: Callable[[], bool]) -> None:
    if not stand.until(seen, WAIT_S):
        raise BenchError("What was waited for did not come; the machine may be too busy to measure on.")


def _pidfd(process: psutil.Process) -> int:
    try:
        return os.pidfd_open(process.pid)
    except OSError:
        return -1


def _wait_for_ends(pidfds: list[int]) -> float:
    """Wait until all these processes have ended; when that was, by the monotonic clock, 0 when there are none."""
    waiting, ended_s, end_s = list(pidfds), 0.0, time.monotonic() + WAIT_S
    while waiting and time.monotonic() < end_s:
        gone = select.select(waiting, [], [], max(0.0, end_s - time.monotonic()))[0]
        ended_s = time.monotonic()
        for one in gone:
            os.close(one)
        waiting = [one for one in waiting if one not in gone]
    if waiting:
        raise BenchError(f"{len(waiting)} processes of the browser did not end.")
    return ended_s


@contextmanager
def _ends_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM is a KeyboardInterrupt: what was measured until then is printed. A second one means no more."""

    def interrupt(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # who cuts off by a time limit often sends it twice
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
