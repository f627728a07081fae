"""Measures how soon the agent gives way to a person's hand: `packaging/bench control`.

A real run types and drags in a text editor. In the middle of it a hand moves the mouse, presses a key or a mouse
button. Told is the time from there to the last event that was sent, as the X server stamped both and an independent
connection heard them, and to the state in which the run is paused. The hand is sent by XTEST by this program, to which
Operative's input process is as much a stranger as to a mouse.
"""

from __future__ import annotations

import itertools
import select
import threading
import time
from dataclasses import dataclass
from typing import Any

from bench_desktop import session as desktop_session
from bench_start import BenchError
from bench_statistics import Series
from Xlib import X
from Xlib.display import Display
from Xlib.ext import xinput, xtest

from operative_app.actions.keyboard import TypeText
from operative_app.actions.mouse import Drag
from operative_app.actions.registry import Registry
from operative_app.core.events import Event, RequestRaised, StateChanged, StepStarted
from operative_app.core.plan import Task
from operative_app.core.ports import Surface
from operative_app.core.requests import QuestionRequest, Reply
from operative_app.core.run import RunRequest, RunState
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.engine.agent import Agent
from operative_app.engine.doubts import DO_IT
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.planning.port import Act, Decision, RunContext
from operative_app.surfaces.desktop.input.x11_person import raw_event
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from tests.engine.world import ListRecorder, ScriptedPlanner

LIMIT_MS = 100.0
TRIALS = 8
"""Trials for each repetition: with the usual seven they are 56."""
QUIET_S = 0.3
"""How long after the hand events are still waited for."""
WAIT_S = 30.0
TEXT = "the quick brown fox jumps over the lazy dog " * 100
_SENT = {13, 15, 17}
"""Presses of keys and buttons, and moves; letting go is no act."""
_ALL = 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17


@dataclass(frozen=True, slots=True)
class Hand:
    """What a person does, and by which number its raw event is known."""

    name: str
    kind: int
    number: int

    def act(self, display: Display) -> None:
        match self.kind:
            case 17:
                xtest.fake_input(display, X.MotionNotify, detail=1, x=self.number, y=0)
            case 13:
                xtest.fake_input(display, X.KeyPress, self.number)
                xtest.fake_input(display, X.KeyRelease, self.number)
            case _:
                xtest.fake_input(display, X.ButtonPress, self.number)
                xtest.fake_input(display, X.ButtonRelease, self.number)
        display.sync()


HANDS = (Hand("moves the mouse", 17, 37), Hand("presses a key", 13, 191), Hand("presses a button", 15, 9))


def measure(repeat: int) -> list[Series]:
    """Carry out the trials.

    Raises:
        BenchError: The desktop cannot be used here, or the run does not go on.
    """
    with desktop_session() as session:
        session.start("mousepad")
        try:
            return _measured(TRIALS * repeat)
        finally:
            session.end_all()


class Tap:
    """Hears the raw events of the display by a connection and a thread of its own; `close` ends both."""

    def __init__(self) -> None:
        self._display = Display()
        opcode = self._display.display.get_extension_major(xinput.extname)
        xinput.XIQueryVersion(display=self._display.display, opcode=opcode, major_version=2, minor_version=2)
        self._display.screen().root.xinput_select_events([(xinput.AllMasterDevices, _ALL)])
        self._display.sync()
        self._opcode = opcode
        self._is_open = True
        self._lock = threading.Lock()
        self._heard: list[tuple[int, Any]] = []
        self._thread = threading.Thread(target=self._hear, name="tap", daemon=True)
        self._thread.start()

    def clear(self) -> None:
        with self._lock:
            self._heard.clear()

    def later_ms(self, hand: Hand) -> float:
        """How long after the hand the last act was sent, 0 when none was."""
        with self._lock:
            heard = list(self._heard)
        at_ms = next(ms for ms, event in heard if _is_by(hand, event))
        return float(
            max((ms - at_ms for ms, event in heard if event.kind in _SENT and not _is_by(hand, event)), default=0)
        )

    def close(self) -> None:
        self._is_open = False
        self._thread.join()
        self._display.close()

    def _hear(self) -> None:
        while self._is_open:
            select.select([self._display.fileno()], [], [], 0.05)
            while self._display.pending_events():
                event = self._display.next_event()
                if getattr(event, "extension", None) == self._opcode and isinstance(event.data, bytes):
                    at_ms = int.from_bytes(event.data[2:6], "little")
                    with self._lock:
                        self._heard.append((at_ms, raw_event(event.evtype, event.data)))


def _is_by(hand: Hand, event: Any) -> bool:
    return bool(event.kind == hand.kind and (event.x if hand.kind == 17 else event.detail) == hand.number)


class Provider:
    """The desktop this program is on."""

    async def acquire(self, request: RunRequest) -> Surface:
        return await ManagedDesktop.open(open_parts(reader=None, merge=None))

    async def release(self, surface: Surface) -> None:
        await surface.close()


class Watcher:
    """Notes when things were told, and answers what is asked. Its methods are called on the agent thread."""

    def __init__(self) -> None:
        self.agent: Agent | None = None
        self._changed = threading.Condition()
        self._told: dict[str, float] = {}

    def emit(self, event: Event) -> None:
        now_s = time.perf_counter()
        with self._changed:
            if isinstance(event, StepStarted):
                self._told["begun"] = now_s
            elif isinstance(event, StateChanged):
                self._told.setdefault(event.state.value, now_s)
            self._changed.notify_all()
        if isinstance(event, RequestRaised) and isinstance(event.request, QuestionRequest) and self.agent is not None:
            self.agent.control.answer(event.request.id, Reply(text=DO_IT))

    def clear(self) -> None:
        with self._changed:
            self._told.clear()

    def wait(self, what: str) -> float:
        """When it was told. Raises BenchError when it is not."""
        with self._changed:
            if not self._changed.wait_for(lambda: what in self._told, WAIT_S):
                raise BenchError(f"The run did not tell “{what}” in time; it told {sorted(self._told)}.")
            return self._told[what]


def _measured(trials: int) -> list[Series]:
    watcher, tap, person = Watcher(), Tap(), Display()
    acts = itertools.cycle((TypeText(text=TEXT, delay_ms=1), Drag(x1_px=420, y1_px=420, x2_px=1000, y2_px=520)))

    def choose(_state: ScreenState, _task: Task, _context: RunContext) -> Decision:
        return Act.one(next(acts))

    parts = Parts(
        planner=ScriptedPlanner("Type", choose=choose),
        provider=Provider(),
        registry=Registry(),
        resolve=lambda url: url,
        limits=Limits(turns_per_task=10_000, same_turns=10_000, action_timeout_s=WAIT_S),
    )
    agent = watcher.agent = Agent(parts, ListRecorder())
    agent.add_sink(watcher)
    last: dict[Hand, list[float]] = {hand: [] for hand in HANDS}
    paused: dict[Hand, list[float]] = {hand: [] for hand in HANDS}
    agent.start()
    try:
        agent.control.start(RunRequest(goal="Type", surface=SurfaceKind.DESKTOP, max_steps=100_000))
        for hand in itertools.islice(itertools.cycle(HANDS), trials):
            watcher.wait("begun")
            time.sleep(0.1)  # in the middle of it
            watcher.clear()
            tap.clear()
            begun_s = time.perf_counter()
            hand.act(person)
            paused[hand].append((watcher.wait(RunState.TAKEN_OVER.value) - begun_s) * 1000)
            time.sleep(QUIET_S)
            last[hand].append(tap.later_ms(hand))
            watcher.clear()
            agent.control.resume()
    finally:
        agent.close()
        tap.close()
        person.close()
    every = ((f"a hand {hand.name}", (hand,)) for hand in HANDS)
    return [
        Series(f"{words} → {what}", tuple(value for hand in hands for value in values[hand]), LIMIT_MS)
        for words, hands in (("any hand", HANDS), *every)
        for what, values in (("last event sent", last), ("paused", paused))
    ]
