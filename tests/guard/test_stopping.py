"""The whole stop, on a real display and in a real browser, while the application works, hangs or is halted.

What the display takes is seen by a tap of its own, what the page takes is told by the page. How fast it goes is
measured by `packaging/bench stop`; here it is that everything ends while the application cannot lift a finger.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from operative_app.app.guarding import BROWSER_ENDED, CHOSEN, CORNERED, LOST, PRESSED
from tests.guard import stand
from tests.guard.stand import Key, Page, Subject, is_alive, until
from tests.guard.tap import Tap, tapping
from tests.guard.tray_host import PLACE, tray_host

BEGUN = {"type": ("press", 8), "drag": ("move", 8), "model": ("down", 1)}
SENT = {"press", "down", "move"}


class Place:
    """What the tests of this module share."""

    def __init__(self, display: str, folder: Path, app: Subject, tap: Tap, key: Key, page: Page) -> None:
        self.display, self.folder = display, folder
        self.app, self.tap, self.key, self.page = app, tap, key, page

    def begin(self, what: str, surface: str, mode: str = "") -> None:
        """Have the application act, and wait until what it does is seen."""
        self.key.put_pointer(600, 400)
        self.tap.forget()
        self.page.begin()
        self.app.run(what, surface, url=self.page.url(mode) if surface == "browser" else "", headless=True)
        if surface == "desktop":
            assert self.tap.wait(*BEGUN[what])
        elif what == "click":
            self.app.wait("step", action="click_element")
        else:
            assert self.page.wait(4)

    def input_process(self) -> psutil.Process:
        return max(self.app.children("desktop.input.process"), key=psutil.Process.create_time)

    def halt(self, fault: str) -> None:
        self.app.halt(fault, self.folder / "gate")

    def go_on(self, fault: str) -> None:
        self.app.go_on(fault, self.folder / "gate")

    def sent(self) -> list[tuple[str, int]]:
        """All that was sent to the display until now but for what `key` pressed; a process that has ended may have left
        some of it to be taken by the display."""

        def marks() -> int:
            return sum(one.kind == "release" and one.detail == self.key.mark for one in self.tap.events())

        before = marks()
        self.key.touch()
        assert until(lambda: marks() > before)
        codes = [*self.key.codes, self.key.mark]
        return [(one.kind, one.time_ms) for one in self.tap.events() if one.kind in SENT and one.detail not in codes]

    def is_over(self) -> bool:
        return any(one["event"] == "end" for one in self.app.told)


@pytest.fixture(scope="module")
def place(virtual_display: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("stop")
    key = Key(virtual_display)
    with (
        tapping(virtual_display) as tap,
        stand.window(virtual_display),
        stand.page() as page,
        stand.subject(virtual_display, folder / "app") as app,
    ):
        yield Place(virtual_display, folder, app, tap, key, page)
    key.close()


@pytest.fixture(scope="module")
def patient_place(place: Place) -> Iterator[Place]:
    """With an application whose answer is waited for, however busy the computer is."""
    with stand.subject(place.display, place.folder / "patient", "tests.guard.patient") as app:
        yield Place(place.display, place.folder, app, place.tap, place.key, place.page)


FAULTS = ["", "main", "main busy", "agent", "agent with the interpreter", "stopped"]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_acts_on_the_desktop_is_ended_and_holds_nothing(place: Place, fault: str) -> None:
    place.begin("drag", "desktop")
    acting = place.input_process()
    place.halt(fault)
    place.key.press()
    assert until(lambda: not is_alive(acting))
    assert until(lambda: place.key.held() == 0)
    if fault.startswith("agent") or fault == "stopped":
        assert not place.is_over()  # it was the guard alone
    before = place.sent()
    place.go_on(fault)
    end = place.app.wait("end")
    assert end["state"] == "stopped"
    assert end["reason"].startswith(f"{PRESSED}. Stopped in the middle of “Drag from ")
    assert place.sent() == before
    assert place.key.held() == 0


def test_while_a_model_is_waited_for_nothing_is_sent_any_more_and_the_next_run_works(place: Place) -> None:
    place.begin("model", "desktop")
    place.app.wait("waits")
    place.key.press()
    assert place.app.wait("end")["state"] == "stopped"
    place.app.run("type", "desktop")
    assert place.tap.wait("press", 8)
    place.key.press()
    place.app.wait("end")
    assert [kind for kind, _ in place.sent()].count("down") == 1  # that of the first run; the second one only types
    assert place.key.held() == 0


@pytest.mark.parametrize(("fault", "way"), [("agent with the interpreter", CORNERED), ("stopped", PRESSED)])
def test_a_browser_whose_application_does_not_answer_is_ended_with_all_it_started(
    place: Place, fault: str, way: str
) -> None:
    place.begin("type", "browser")
    family = place.app.browser()
    assert len(family) > 3
    place.halt(fault)
    if way == CORNERED:  # no input process is needed for it to be seen
        place.key.put_pointer(0, 0)
    else:
        place.key.press()
    assert until(lambda: not any(map(is_alive, family)))
    assert not place.is_over()
    before = len(place.page.events)
    place.go_on(fault)
    assert place.app.wait("told")["text"] == BROWSER_ENDED
    end = place.app.wait("end")
    assert end["state"] == "stopped"
    assert end["reason"].startswith(way)
    assert len(place.page.events) == before


@pytest.mark.parametrize(("what", "mode"), [("type", ""), ("drag", ""), ("click", "moving"), ("busy", "busy")])
def test_the_browser_of_an_application_that_answers_stays_and_gets_nothing_more(
    patient_place: Place, what: str, mode: str
) -> None:
    place = patient_place
    place.begin(what, "browser", mode)
    family = {one.pid for one in place.app.browser()}
    fault = "main" if what == "drag" else ""  # the window's thread has no part in it
    place.halt(fault)
    place.key.press()
    assert place.app.wait("end")["state"] == "stopped"
    ended_ms = time.time() * 1000
    assert place.page.wait_for_beats()
    assert [kind for kind, time_ms in place.page.events if time_ms > ended_ms] == []
    assert family & {one.pid for one in place.app.browser()}
    assert not [one for one in place.app.told if one["event"] == "told"]
    place.go_on(fault)


def test_a_stop_in_the_tray_takes_the_same_road(place: Place) -> None:
    place.begin("type", "desktop")
    acting = place.input_process()
    place.app.order(do="press")
    assert place.app.wait("end")["reason"].startswith(CHOSEN)
    assert until(lambda: not is_alive(acting))
    assert place.key.held() == 0


def test_stop_in_the_menu_of_the_tray_works_while_the_application_is_stopped(place: Place) -> None:
    with tray_host(place.display) as tray:
        place.app.order(do="tray")
        icon = place.app.wait("tray")["pid"]
        tray.wait("docked")
        place.begin("type", "desktop")
        acting = place.input_process()
        place.halt("stopped")
        place.key.hold()
        place.key.click(*PLACE, button=3)
        assert until(lambda: place.key.menu_of(icon))
        entry = place.key.menu_of(icon)
        assert entry is not None
        place.key.click(*entry)
        assert until(lambda: not is_alive(acting))
        assert until(lambda: place.key.held() == 0)
        assert not place.is_over()
        place.go_on("stopped")
        assert place.app.wait("end")["reason"].startswith(CHOSEN)
        assert place.app.wait("chosen")["word"] == "stop"
        place.begin("type", "desktop")  # it was one stop
        psutil.Process(icon).kill()
        place.app.wait("tray lost")
        place.key.press()
        assert place.app.wait("end")["reason"].startswith(PRESSED)


def test_a_press_while_the_computer_sleeps_is_heard_when_it_wakes_and_so_is_the_next(place: Place) -> None:
    place.begin("type", "desktop")
    family = [psutil.Process(place.app.process.pid), *place.app.children()]
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):  # browsers end processes by themselves
            one.suspend()
    assert until(lambda: all(one.status() == psutil.STATUS_STOPPED for one in family if is_alive(one)))
    place.key.press()
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.resume()
    assert place.app.wait("end")["reason"].startswith(PRESSED)
    place.begin("type", "desktop")
    place.key.press()
    assert place.app.wait("end")["reason"].startswith(PRESSED)
    assert place.key.held() == 0
    assert place.app.children("guard.listener")[0] in family  # none was taken for one that hangs


def test_an_application_whose_guard_is_killed_stops_and_gets_a_new_one(place: Place) -> None:
    place.begin("type", "desktop")
    (guard,) = place.app.children("guard.listener")
    guard.kill()
    assert place.app.wait("end")["reason"].startswith(LOST)
    assert place.app.wait("told")["text"].startswith(LOST)
    assert place.app.wait("guard", works=False)["reason"].startswith("The hotkey is no longer heard")
    place.app.wait("guard", works=True)
    place.begin("type", "desktop")
    place.key.press()
    assert place.app.wait("end")["reason"].startswith(PRESSED)


def test_each_of_two_applications_is_stopped_and_one_that_is_killed_leaves_nothing(place: Place) -> None:
    with stand.subject(place.display, place.folder / "second") as second:
        place.begin("type", "browser")  # on the desktop each would take the other for a person, and pause
        second.run("drag", "desktop")
        assert place.tap.wait("down")
        place.key.press()
        assert place.app.wait("end")["state"] == second.wait("end")["state"] == "stopped"
        place.tap.forget()
        second.run("drag", "desktop")
        assert place.tap.wait("down")
        family = second.children()
        assert len(family) == 2  # its guard and its input process
        second.process.kill()
        _, left = psutil.wait_procs(family, timeout=stand.LIMIT_S)
        assert left == []
        assert place.key.held() == 0


def test_an_application_that_is_killed_with_its_browser_leaves_no_process_and_the_next_start_no_file(
    place: Place,
) -> None:
    folder = place.folder / "killed"
    with stand.subject(place.display, folder) as killed:
        place.page.begin()
        killed.run("type", "browser", url=place.page.url(), headless=True)
        assert place.page.wait(4)
        family = killed.children()
        assert len(family) > 4
        killed.process.kill()
        _, left = psutil.wait_procs(family, timeout=stand.LIMIT_S)
        assert left == []
    with stand.subject(place.display, folder) as again:
        place.page.begin()
        again.run("type", "browser", url=place.page.url(), headless=True)
        assert place.page.wait(1)  # the profile is not held by the one that was killed
        place.key.press()
        again.wait("end")
    left_behind = [path.name for path in (folder / "tmp").iterdir()]
    assert not [name for name in left_behind if "hromium" in name or "playwright" in name]
