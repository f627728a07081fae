"""The adapter for Windows and macOS. What it does is the same on X11, so that most of it runs here for real.

Text and shortcuts are not: pynput and pyautogui type wrongly on X11, which has an adapter of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from operative_app.surfaces.desktop.input.client import InputProcess
from tests.surfaces.desktop.stage import Stage, Worker, running_stage

on_x11 = pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="needs a virtual X11 display")
elsewhere = pytest.mark.skipif(sys.platform not in {"win32", "darwin"}, reason="runs on Windows and macOS")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture
def worker(stage: Stage) -> Iterator[Worker]:
    worker = Worker(stage, "system_injector", "SystemInjector")
    yield worker
    worker.end()


@on_x11
def test_pointer_and_keys_are_held_and_let_go(stage: Stage, worker: Worker) -> None:
    assert worker.do("move", x=300, y=200, approach=True)["value"] == [300, 200]
    assert worker.do("position")["value"] == [300, 200]
    assert worker.do("button_down", button="right")["held"] == ["right"]
    assert worker.do("key_down", key="Shift")["held"] == ["right", "Shift"]
    assert stage.down() == {"button 3", "key 50"}
    assert worker.do("release", names=["right"])["held"] == ["Shift"]
    assert worker.do("release", names=None)["held"] == []
    assert stage.down() == set()


@on_x11
def test_a_chord_and_a_click_leave_nothing_down(stage: Stage, worker: Worker) -> None:
    assert worker.do("chord", keys=["Control", "Shift", "F5"])["held"] == []
    assert worker.do("click", button="left", count=1)["held"] == []
    assert worker.do("wheel", axis="y", notches=1)["held"] == []
    assert stage.down() == set()


@on_x11
def test_a_key_that_does_not_exist_is_refused_and_the_rest_let_go(stage: Stage, worker: Worker) -> None:
    reply = worker.do("chord", keys=["Control", "好"])
    assert reply["text"] == "This keyboard has no key 好"
    assert reply["held"] == []
    assert stage.down() == set()


@on_x11
def test_the_corner_stops_everything_but_letting_go(stage: Stage, worker: Worker) -> None:
    worker.do("key_down", key="Shift")
    stage.tool("xdotool", "mousemove", "0", "0")
    assert "means stop" in str(worker.do("key_down", key="Control")["text"])
    assert "means stop" in str(worker.do("stroke", character="a", window=0)["text"])
    assert worker.do("release", names=None)["held"] == []
    assert stage.down() == set()


@elsewhere
def test_the_real_system_takes_pointer_and_keys() -> None:
    async def run() -> None:
        process = InputProcess()
        await process.start()
        try:
            place = await process.position()
            await process.move(place)
            assert await process.position() == place
            await process.key_down("Shift")
            assert process.held == {"Shift"}
            await process.release()
            assert process.held == frozenset()
        finally:
            await process.close()

    asyncio.run(run())
