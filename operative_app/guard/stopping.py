"""What the guard does on a press.

| ms after it | what injects | the browser |
|---|---|---|
| 0 | the latch tells it; ended; all keys and buttons let go of | ended, when the application is stopped (SIGSTOP) |
| 40 | | without an answer so far: halted, so that nothing more gets into a page |
| 150 | | without an answer: ended with all it started. With one before it goes on |

The threads for what comes later are there before a press: to start one takes a turn of a computer that is busy.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import psutil

from operative_app.guard.latch import Latch
from operative_app.guard.release import make_releaser
from operative_app.guard.targets import TargetKind, Targets

PRESSED: Final = "pressed"
ENDED: Final = "ended"
GUARD: Final = "guard"
FORGET: Final = "forget"
ANSWERED: Final = "answered"
PRESS: Final = "press"
PING: Final = "ping"
ALIVE: Final = "alive"
BYE: Final = "bye"
ANSWER_S = 0.15
"""How long the engine has to answer before the browser is ended too (ARCHITECTURE.md, decision 8)."""
HALT_S = 0.04
"""How long before it is halted: an engine that works has answered by then, and sees no browser that stands still."""
_GONE_S: Final = 1.5
"""How long a browser may take to end by itself once the application was killed: its driver has it save its things."""
_LATE_S: Final = (0.01, 0.04, 0.15)
"""What an ended process had sent just before may be taken by the display after the first letting go."""
_CORNER_PX: Final = 0
_STOPPED: Final = (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)


class StopWay(StrEnum):
    """How a person asked for the stop: by the chord, by the pointer in the corner, or elsewhere (`press`)."""

    KEY = "key"
    CORNER = "corner"
    ASKED = "asked"


class Guard:
    """What happens on a press. `stop` is called on pynput's threads, `hear` on the one that reads stdin.

    Presses are numbered, so that an answer that comes late is not taken for the answer to the next one. Two daemon
    threads wait for a press, one for the answer to it, one to let go again; they end with `close`.

    Args:
        say: Takes a line for the application.
        application: Its process, to see whether it can answer at all; None: it is waited for in any case.
        latch: Gets the number of each press before anything else is done; the application looks there before it sends.
    """

    def __init__(
        self, say: Callable[[str], None], application: psutil.Process | None = None, latch: Latch | None = None
    ) -> None:
        self._say = say
        self._application = application
        self._latch = latch
        self._lock = threading.Lock()
        self._targets = Targets()
        self._releaser = make_releaser()
        self._number = 0
        self._answered = 0
        self._waiting: threading.Event | None = None
        self._is_leaving = False
        self._is_in_corner = False
        self._unanswered: queue.SimpleQueue[tuple[threading.Event, float] | None] = queue.SimpleQueue()
        self._let_go_of: queue.SimpleQueue[bool] = queue.SimpleQueue()
        for name, work in (("answers", self._wait_for_answers), ("let go again", self._let_go_again)):
            threading.Thread(target=work, name=name, daemon=True).start()

    def stop(self, way: StopWay) -> None:
        """End what injects, let go of everything, tell it, and wait for the answer."""
        with self._lock:
            self._number += 1
            number = self._number
            if self._latch is not None:
                self._latch.number = number
            ended = self._targets.end(TargetKind.INPUT)
            if self._waiting is None:  # before the display is asked for anything: it may be the one that hangs
                self._waiting = threading.Event()
                self._unanswered.put((self._waiting, time.monotonic() + ANSWER_S))
        if not ended.count:  # nothing of ours holds a key: the sooner it is told, the sooner it is answered
            self._say(f"{PRESSED} {number} {way}")
        self._let_go()
        if ended.count:
            ended.wait()
            self._let_go()
            self._say(f"{PRESSED} {number} {way}")
        self._let_go_of.put(True)

    def pointed(self, x: float, y: float) -> None:
        """The pointer moved: into the upper left corner it stops what there is. The agent itself never goes there."""
        if x > _CORNER_PX or y > _CORNER_PX:
            self._is_in_corner = False
        elif not self._is_in_corner and any(kind in self._targets for kind in TargetKind):
            self._is_in_corner = True
            self.stop(StopWay.CORNER)

    def hear(self, line: str) -> None:
        """One line of the application; what is none of the known ones is left alone."""
        match line.split():
            case [word] if word == PRESS:
                self.stop(StopWay.ASKED)
            case [word] if word == PING:
                self._say(ALIVE)
            case words:
                with self._lock:
                    self._note(words)

    def _note(self, words: list[str]) -> None:
        match words:
            case [word, kind, pid] if word == GUARD and kind in set(TargetKind) and pid.isdecimal():
                self._targets.add(TargetKind(kind), int(pid))
            case [word, pid] if word == FORGET and pid.isdecimal():
                self._targets.drop(int(pid))
            case [word, number] if word == ANSWERED and number.isdecimal():
                self._answered = max(self._answered, int(number))
                if self._answered >= self._number and self._waiting is not None:
                    self._waiting.set()
                    self._waiting = None
            case [word] if word == BYE:
                self._is_leaving = True
            case _:
                pass

    def parent_gone(self) -> None:
        """The application ended: without a good-bye it was killed, and nothing of it may go on."""
        with self._lock:
            if self._is_leaving:
                return
            ended = self._targets.end(TargetKind.INPUT)
        ended.wait()
        self._let_go()
        end_s = time.monotonic() + _GONE_S
        while time.monotonic() < end_s and self._targets.are_alive(TargetKind.BROWSER):
            time.sleep(0.02)
        family = self._targets.family(TargetKind.BROWSER)
        with self._lock:
            self._targets.end(TargetKind.BROWSER, family)

    def close(self) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting.set()
            self._targets.close()
        self._unanswered.put(None)
        self._let_go_of.put(False)

    def _let_go(self) -> None:
        if self._releaser is not None:
            self._releaser.release()

    def _let_go_again(self) -> None:
        while self._let_go_of.get():
            for pause_s in _LATE_S:
                time.sleep(pause_s)
                self._let_go()

    def _wait_for_answers(self) -> None:
        while (one := self._unanswered.get()) is not None:
            self._wait_for_answer(*one)

    def _wait_for_answer(self, answered: threading.Event, until_s: float) -> None:
        """Halt the browser when the answer takes long, and end it when none comes."""
        halt_s = until_s - max(0.0, ANSWER_S - HALT_S)  # counted from the press, also where this thread comes late
        if self._can_answer() and answered.wait(max(0.0, halt_s - time.monotonic())):
            return
        with self._lock:
            self._targets.halt(TargetKind.BROWSER)
        family = self._targets.family(TargetKind.BROWSER)  # what stands still starts nothing more
        is_answered = self._can_answer() and answered.wait(max(0.0, until_s - time.monotonic()))
        with self._lock:
            if is_answered or self._waiting is not answered:  # or it came at the last moment
                self._targets.go_on(TargetKind.BROWSER)
                return
            self._waiting = None
            if self._targets.end(TargetKind.BROWSER, family).count:
                self._say(f"{ENDED} {self._number}")

    def _can_answer(self) -> bool:
        """Whether the application is there and not stopped."""
        try:
            return self._application is None or self._application.status() not in _STOPPED
        except psutil.Error:
            return False
