"""What kinds of trials of the stop there are, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bench_statistics import Series, percentile

LIMIT_P95_MS = 20.0
LIMIT_P99_MS = 50.0
LIMIT_HUNG_DESKTOP_MS = 50.0
LIMIT_HUNG_BROWSER_MS = 300.0
TAIL_S = 10.0
DESKTOP = {"model": "waiting for a model", "type": "typing 100 characters", "drag": "a drag of 3 s"}
BROWSER = {"click": "waiting for a button that moves", "busy": "a page that is busy"}
MORE = {"type": "typing in a page", "drag": "a drag in a page"}
HUNG = {
    "main": "window's thread blocked",
    "main busy": "window's thread busy",
    "agent": "agent's thread in a C call",
    "agent with the interpreter": "agent's thread in a C call with the interpreter",
    "stopped": "application stopped (SIGSTOP)",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What is going on when the key is pressed. `fault` names what of the application hangs then."""

    surface: str
    what: str
    fault: str = ""

    @property
    def name(self) -> str:
        if self.fault:
            return f"{self.surface}, {HUNG[self.fault]}"
        return (DESKTOP if self.surface == "desktop" else BROWSER | MORE)[self.what]

    @property
    def is_usual(self) -> bool:
        """Whether it is one of the five the promise was made for."""
        return not self.fault and self.what in (DESKTOP if self.surface == "desktop" else BROWSER)

    @property
    def must_end(self) -> bool:
        """Whether the guard has to end the browser by itself."""
        return self.surface == "browser" and (self.fault.startswith("agent") or self.fault == "stopped")

    @property
    def limit_ms(self) -> float:
        """After this nothing may come any more, in no trial."""
        return LIMIT_HUNG_BROWSER_MS if self.fault and self.surface == "browser" else LIMIT_P99_MS


@dataclass
class Trials:
    """What came of the trials of one kind.

    Attributes:
        last_ms: From the key to the last event sent, 0 when none came after it.
        let_go_ms: From the key to the last key or button let go of; a drag in a page: until it was put back.
        ended_ms: From the key to the end of the last of the browser's processes.
        later: Events that came after the limit and within ten seconds, in each trial.
        held: Keys and buttons that were down at the end of each trial.
    """

    last_ms: list[float] = field(default_factory=list)
    let_go_ms: list[float] = field(default_factory=list)
    ended_ms: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)

    def newest(self) -> str:
        """The last trial in words."""
        parts = [f"last event {self.last_ms[-1]:.0f} ms"]
        parts += [f"let go {self.let_go_ms[-1]:.0f} ms"] if self.let_go_ms else []
        parts += [f"browser ended {self.ended_ms[-1]:.0f} ms"] if self.ended_ms else []
        return ", ".join([*parts, f"{self.later[-1]:.0f} later, {self.held[-1]:.0f} held"])


def series_of(found: dict[Kind, Trials], failures: int) -> list[Series]:
    """All that is told of these trials, of which there is one at least."""
    return [*_usual_series(found), *_hung_series(found), *_rest_series(found, failures)]


def _usual_series(found: dict[Kind, Trials]) -> Iterator[Series]:
    usual = {kind: trials for kind, trials in found.items() if kind.is_usual}
    if usual:
        every = tuple(value for trials in usual.values() for value in trials.last_ms)
        yield Series("stop key to last event, all five kinds", every, LIMIT_P95_MS)
        yield Series("stop key to last event, all: 99 of 100", (percentile(every, 99),), LIMIT_P99_MS)
    for kind, trials in found.items():
        if not kind.fault:
            yield Series(f"… {kind.name}", tuple(trials.last_ms), LIMIT_P95_MS)
    for kind, trials in found.items():
        if not kind.fault and kind.what == "drag" and trials.let_go_ms:
            where = (
                "until the button is let go of" if kind.surface == "desktop" else "until it is put back and let go of"
            )
            yield Series(f"… {kind.name}, {where}", tuple(trials.let_go_ms))


def _hung_series(found: dict[Kind, Trials]) -> Iterator[Series]:
    for kind, trials in found.items():
        if not kind.fault:
            continue
        yield Series(f"{kind.name}: last event", tuple(trials.last_ms), kind.limit_ms, limit_percentile=100)
        if kind.surface == "desktop":
            yield Series(f"{kind.name}: let go", tuple(trials.let_go_ms), kind.limit_ms, limit_percentile=100)
        if trials.ended_ms:
            name = f"{kind.name}: all processes ended"
            yield Series(name, tuple(trials.ended_ms), kind.limit_ms, limit_percentile=100)


def _rest_series(found: dict[Kind, Trials], failures: int) -> Iterator[Series]:
    every = list(found.values())
    later = tuple(value for trials in every for value in trials.later)
    held = tuple(value for trials in every for value in trials.held)
    yield Series(f"later events in {TAIL_S:g} s, all trials", later, 0.0, limit_percentile=100, unit="events")
    yield Series("keys and buttons held", held, 0.0, limit_percentile=100, unit="keys")
    failed = (float(failures),)
    yield Series("trials that had to be done again", failed, 0.0, limit_percentile=100, unit="trials")
