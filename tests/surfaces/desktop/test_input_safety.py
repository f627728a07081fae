"""No key or button stays down, and no text goes elsewhere: after success, failure, stop and kill."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, SurfaceClosed, SurfaceMissing
from operative_app.core.ports import MouseButton
from operative_app.surfaces.desktop.input.client import InputProcess
from operative_app.surfaces.desktop.input.release import release_all
from operative_app.surfaces.desktop.input.x11_injector import is_wayland
from tests.desktop_session import until
from tests.surfaces.desktop.stage import Opened, Stage, running_input, running_stage, text_of

MIDDLE = ScreenPoint(x_screen_px=700, y_screen_px=450)
FAR = ScreenPoint(x_screen_px=1100, y_screen_px=700)
LONG = "Ünïcode ñ 你好 text " * 40


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture(scope="module")
def mousepad(stage: Stage) -> Opened:
    return stage.open("mousepad")


@pytest.fixture(autouse=True)
def on_stage(stage: Stage, isolation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", stage.display)


async def hold_keys(process: InputProcess) -> None:
    await process.key_down("Control")
    await process.key_down("Shift")
    await process.key_down("q")


async def hold_button(process: InputProcess) -> None:
    await process.button_down(MIDDLE, MouseButton.LEFT)
    await process.move(FAR)


async def type_long(process: InputProcess) -> None:
    await process.type_text(LONG, delay_ms=1)


async def drag_far(process: InputProcess) -> None:
    await process.drag(MIDDLE, FAR)


HOLDING = {"a chord": hold_keys, "a button": hold_button}
LASTING = {"typing": type_long, "a drag": drag_far}


async def begun(process: InputProcess, work: Callable[[InputProcess], Awaitable[None]], stage: Stage) -> asyncio.Task:  # type: ignore[type-arg]
    """Start work that lasts, and wait until it is in the middle: something is down, or borrowed."""
    spare = stage.spare_keys()
    task = asyncio.ensure_future(work(process))
    await asyncio.to_thread(until, lambda: stage.down() or stage.spare_keys() < spare, what="the middle of it")
    return task


@pytest.mark.parametrize("name", HOLDING)
@pytest.mark.parametrize("end", ["release", "close", "SIGTERM", "SIGKILL"])
def test_what_is_held_is_let_go_however_the_process_ends(stage: Stage, mousepad: Opened, name: str, end: str) -> None:
    stage.activate(mousepad.process)

    async def run() -> None:
        async with running_input() as process:
            await HOLDING[name](process)
            assert process.held
            assert stage.down()
            match end:
                case "release":
                    await process.release()
                case "close":
                    await process.close()
                case _:
                    os.kill(process.process_id, getattr(signal, end))
            await asyncio.to_thread(until, lambda: not stage.down(), what="letting go")
            await asyncio.to_thread(until, lambda: not process.held, what="the client's knowing it")

    asyncio.run(run())


PARENT = """
import asyncio
from operative_app.surfaces.desktop.input.client import InputProcess

async def main():
    process = InputProcess()
    await process.start()
    await process.key_down("Alt")
    print(process.process_id, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_the_process_lets_go_and_ends_when_its_parent_is_killed(stage: Stage) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert stage.down()
        parent.kill()
    until(lambda: not stage.down(), what="letting go")
    until(lambda: not os.path.exists(f"/proc/{pid}"), what="the end of the process")  # noqa: PTH110


@pytest.mark.parametrize("name", LASTING)
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_after_a_kill_in_the_middle_everything_is_let_go(
    stage: Stage, mousepad: Opened, name: str, end: signal.Signals
) -> None:
    stage.activate(mousepad.process)
    spare = stage.spare_keys()

    async def run() -> None:
        async with running_input() as process:
            work = await begun(process, LASTING[name], stage)
            os.kill(process.process_id, end)
            with pytest.raises(SurfaceClosed):
                await work
            with pytest.raises(SurfaceClosed):
                await process.position()
            await asyncio.to_thread(until, lambda: not stage.down(), what="letting go")
            await asyncio.to_thread(until, lambda: stage.spare_keys() == spare, what="the keyboard as it was")
            await process.start()
            await process.press(("Escape",))

    asyncio.run(run())
    assert stage.down() == set()


def test_release_all_lets_go_of_injected_keys_and_tells_how_many(stage: Stage) -> None:
    stage.tool("xdotool", "keydown", "Control_L", "keydown", "Shift_L", "mousedown", "1")
    assert len(stage.down()) == 3

    assert release_all() == 3
    assert stage.down() == set()
    assert release_all() == 0


@pytest.mark.parametrize("name", LASTING)
def test_cancelling_stops_and_lets_go(stage: Stage, mousepad: Opened, name: str) -> None:
    stage.activate(mousepad.process)
    spare = stage.spare_keys()

    async def run() -> str:
        async with running_input() as process:
            await process.press(("Control", "a"))
            await process.type_text("a")
            work = await begun(process, LASTING[name], stage)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
            assert stage.down() == set()
            assert process.held == frozenset()
            await process.release()
            assert stage.spare_keys() == spare
            first = await text_of(stage, process)
            assert await text_of(stage, process) == first  # nothing came after it
            return first

    text = asyncio.run(run())
    assert ("a" + LONG).startswith(text)
    assert 1 <= len(text) < len(LONG)


def test_what_a_person_asked_to_hold_survives_a_cancelled_call(stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)

    async def run() -> None:
        async with running_input() as process:
            await process.key_down("Shift")
            work = await begun(process, drag_far, stage)
            await asyncio.to_thread(until, lambda: "button 1" in stage.down(), what="the drag")
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
            assert process.held == {"Shift"}
            await process.key_up("Shift")
            assert stage.down() == set()

    asyncio.run(run())


# --- where the keys go ---


def test_a_window_that_takes_the_focus_gets_nothing_of_the_text(stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)

    async def run() -> tuple[str, str]:
        async with running_input() as process:
            await process.press(("Control", "a"))
            await process.press(("Delete",))
            await process.press(("Control", "s"))
            await asyncio.to_thread(until, lambda: not is_changed(stage, mousepad), what="the saved file")
            typing = asyncio.ensure_future(process.type_text(LONG * 40, delay_ms=1, window_id=mousepad.window))
            await asyncio.to_thread(until, lambda: is_changed(stage, mousepad), what="the first character")
            dialog = await asyncio.to_thread(stage.start, "zenity", "--entry")
            with pytest.raises(ActionError) as failure:
                await typing
            await asyncio.to_thread(stage.activate, dialog)
            await process.press(("Enter",))
            assert dialog.stdout is not None
            entered = (await asyncio.to_thread(dialog.stdout.read)).decode()
            assert entered == "\n"
            await asyncio.to_thread(stage.activate, mousepad.process)
            return str(failure.value), await text_of(stage, process)

    said, arrived = asyncio.run(run())
    number = re.search(r"has the keyboard focus now; (\d+) of \d+ characters arrived", said)
    assert number is not None, said
    assert int(number[1]) == len(arrived) > 0
    assert (LONG * 40).startswith(arrived)


def is_changed(stage: Stage, editor: Opened) -> bool:
    """Whether the editor shows in its title that something is not saved."""
    return stage.tool("xdotool", "getwindowname", str(editor.window)).startswith("*")


def test_nothing_is_typed_into_operatives_own_windows(stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)

    async def run() -> str:
        async with running_input(own_pids=lambda: {mousepad.process.pid}) as process:
            for work in (
                process.type_text("secret"),
                process.press(("Control", "a")),
                process.key_down("Shift"),
                process.click(MIDDLE, MouseButton.LEFT, 1),
                process.scroll(0, 100, MIDDLE),
            ):
                with pytest.raises(ActionError, match="Operative's own window"):
                    await work
            assert stage.down() == set()
        async with running_input() as process:
            await process.type_text("seen")
            return await text_of(stage, process)

    text = asyncio.run(run())
    assert "seen" in text
    assert "secret" not in text


IN_TERMINAL = """
import asyncio, pathlib, sys
from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop.input.client import InputProcess

async def main():
    process = InputProcess()
    await process.start()
    print("ready", file=open(sys.argv[1], "w"), flush=True)
    sys.stdin.readline()
    try:
        await process.press(("Control", "c"))
    except ActionError as error:
        print(error, file=open(sys.argv[1], "w"), flush=True)
    await process.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("terminal", ["that tells its window", "that does not"])
def test_nothing_is_typed_into_the_terminal_operative_runs_in(stage: Stage, tmp_path: Path, terminal: str) -> None:
    """Ctrl+C there would end Operative itself."""
    said = tmp_path / "said"
    unset = [] if terminal == "that tells its window" else ["-u", "WINDOWID"]
    xterm = stage.start("xterm", "-e", "env", *unset, sys.executable, "-c", IN_TERMINAL, str(said))
    stage.activate(xterm)
    until(lambda: said.exists() and said.read_text(), what="the start")
    stage.tool("xdotool", "key", "Return")
    until(lambda: said.read_text() not in {"", "ready\n"}, what="the answer")
    assert "Operative's own window has the keyboard focus" in said.read_text()
    stage.end_one(xterm)


def test_text_waits_for_a_modifier_a_person_holds_and_refuses_one_held_by_us(stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)

    async def run() -> str:
        async with running_input() as process:
            await process.press(("Control", "a"))
            await process.press(("Delete",))
            await asyncio.to_thread(stage.tool, "xdotool", "keydown", "Control_L")
            typing = asyncio.ensure_future(process.type_text("as it is", window_id=mousepad.window))
            await asyncio.to_thread(stage.tool, "xdotool", "keyup", "Control_L")
            await typing
            await process.key_down("Shift")
            with pytest.raises(ActionError, match=r"Shift is held down.*0 of 3 characters arrived"):
                await process.type_text("abc")
            await process.key_up("Shift")
            return await text_of(stage, process)

    assert asyncio.run(run()) == "as it is"


def test_a_program_that_hangs_is_told_and_gets_exactly_what_arrived(stage: Stage, mousepad: Opened) -> None:
    """Its keys wait unread, so the characters they stand for must stay; there are more than keys to borrow."""
    text = "".join(chr(code) for code in range(ord("一"), ord("一") + 60))
    stage.activate(mousepad.process)
    spare = stage.spare_keys()

    async def run() -> tuple[str, str]:
        async with running_input() as process:
            await process.press(("Control", "a"))
            await process.press(("Delete",))
            os.kill(mousepad.process.pid, signal.SIGSTOP)
            try:
                with pytest.raises(ActionError) as failure:
                    await process.type_text(text, window_id=mousepad.window)
            finally:
                os.kill(mousepad.process.pid, signal.SIGCONT)
            await process.release()
            return str(failure.value), await text_of(stage, process)

    said, arrived = asyncio.run(run())
    assert said == f"The program does not read its keys; {len(arrived)} of 60 characters arrived."
    assert arrived == text[: len(arrived)] != ""
    assert stage.spare_keys() == spare


def test_ctrl_c_in_the_terminal_does_not_end_it(stage: Stage) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # one that is ignored would be so there too

    async def run() -> None:
        async with running_input() as process:
            os.kill(process.process_id, signal.SIGINT)
            await process.press(("Shift",))

    try:
        asyncio.run(run())
    finally:
        signal.signal(signal.SIGINT, before)
    assert stage.down() == set()


# --- where there can be no input ---


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "There is no display here"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "runs on Wayland"),
        ({"DISPLAY": ":999999"}, "display :999999 cannot be used"),
    ],
)
def test_a_session_without_input_says_why(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: str
) -> None:
    monkeypatch.delenv("DISPLAY")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    async def run() -> None:
        with pytest.raises(SurfaceMissing, match=words):
            await InputProcess().start()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("extensions", "outputs", "expected"),
    [
        (["XTEST", "XWAYLAND"], [], True),
        (["XTEST"], ["XWAYLAND0"], True),
        (["XTEST", "RANDR"], ["HDMI-1", "screen"], False),
    ],
)
def test_xwayland_is_told_from_x11(extensions: list[str], outputs: list[str], expected: bool) -> None:
    assert is_wayland(extensions, outputs) is expected
