"""What the guard does with a browser while it waits for the application's answer; presses that no display can time."""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from operative_app.guard import stopping
from operative_app.guard.latch import Latch
from operative_app.guard.stopping import Guard, StopWay
from operative_app.guard.targets import Ended, TargetKind
from tests.guard.stand import is_alive, until

FOR_EVER_S = 3600.0


@contextmanager
def sleeper() -> Iterator[psutil.Process]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            process.kill()


@contextmanager
def guard(browser: psutil.Process, application: psutil.Process | None = None) -> Iterator[Guard]:
    said: queue.SimpleQueue[str] = queue.SimpleQueue()
    made = Guard(said.put, application)
    made.hear(f"guard {TargetKind.BROWSER} {browser.pid}")
    try:
        yield made
    finally:
        made.close()


def stands_still(process: psutil.Process) -> bool:
    return process.status() == psutil.STATUS_STOPPED


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser is halted at once and would be ended in an hour."""
    monkeypatch.setattr(stopping, "HALT_S", 0.0)
    monkeypatch.setattr(stopping, "ANSWER_S", FOR_EVER_S)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("line", ["answered 1", "forget {pid}", ""])
def test_a_browser_nobody_has_answered_for_yet_stands_still_until_somebody_does(line: str) -> None:
    with sleeper() as browser, guard(browser) as halting:
        halting.stop(StopWay.KEY)
        assert until(lambda: stands_still(browser))
        if line:
            halting.hear(line.format(pid=browser.pid))
        else:
            halting.close()
        assert until(lambda: not stands_still(browser))
        assert is_alive(browser)


def test_a_browser_that_is_answered_for_at_once_is_never_halted(monkeypatch: pytest.MonkeyPatch) -> None:
    halted: list[TargetKind] = []
    monkeypatch.setattr(stopping, "HALT_S", FOR_EVER_S)
    monkeypatch.setattr(stopping, "ANSWER_S", FOR_EVER_S)
    with sleeper() as browser, guard(browser) as halting:
        monkeypatch.setattr(halting._targets, "halt", halted.append)
        halting.stop(StopWay.KEY)
        halting.hear("answered 1")
        assert is_alive(browser)
    assert halted == []


def test_the_latch_has_a_press_before_anything_else_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Latch.make()
    seen: list[int] = []
    pressing = Guard(lambda line: seen.append(written.number), latch=written)
    end = pressing._targets.end

    def ending(kind: TargetKind) -> Ended:
        seen.append(written.number)
        return end(kind)

    monkeypatch.setattr(pressing._targets, "end", ending)
    try:
        pressing.stop(StopWay.KEY)
        pressing.stop(StopWay.CORNER)
    finally:
        pressing.close()
        written.close_files()
    assert seen == [1, 1, 2, 2]


@pytest.mark.usefixtures("patient")
def test_an_application_that_is_stopped_is_not_waited_for() -> None:
    with sleeper() as browser, sleeper() as application, guard(browser, application) as ending:
        application.suspend()
        ending.stop(StopWay.KEY)
        assert until(lambda: not is_alive(browser))


@pytest.mark.usefixtures("patient")
def test_the_corner_is_one_press_for_each_time_the_pointer_comes_into_it() -> None:
    said: queue.SimpleQueue[str] = queue.SimpleQueue()
    with sleeper() as browser:
        watching = Guard(said.put)
        try:
            watching.pointed(0, 0)
            watching.pointed(5, 0)
            watching.hear(f"guard {TargetKind.BROWSER} {browser.pid}")
            for x, y in ((0, 5), (0, 0), (0, 0), (-1, 0), (3, 3), (0, 0)):
                watching.pointed(x, y)
        finally:
            watching.close()
    assert [said.get_nowait() for _ in range(said.qsize())] == ["pressed 1 corner", "pressed 2 corner"]
