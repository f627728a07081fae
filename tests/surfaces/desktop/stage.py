"""A display of a test module's own, with real programs that text is typed into."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shlex
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.protocol import rq

from operative_app.surfaces.desktop.input.client import InputProcess
from operative_app.surfaces.desktop.input.x11_xkb import KeySymbols
from tests.desktop_session import until, window_of
from tests.display import program, running_display

WAIT_S = 60
SERVER = """
import json, sys
from operative_app.surfaces.desktop.input.process import Server
from operative_app.surfaces.desktop.input.{module} import {name}

server = Server({name}(), lambda reply: print(json.dumps(reply), flush=True), held_back_s=100)
for line in sys.stdin:
    server.answer(json.loads(line))
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Opened:
    """A program with its window, and the file it works on."""

    process: subprocess.Popen[bytes]
    window: int
    file: Path


@dataclass
class Stage:
    """A virtual display with a window manager. `variables` make a program appear on it."""

    display: str
    place: Path
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def variables(self) -> dict[str, str]:
        return {
            **os.environ,
            "DISPLAY": self.display,
            "HOME": str(self.place),
            "XDG_CONFIG_HOME": str(self.place),
            "XDG_RUNTIME_DIR": str(self.place),
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "NO_AT_BRIDGE": "1",
            "GSETTINGS_BACKEND": "memory",
            "QT_QPA_PLATFORM": "xcb",
            "LC_ALL": "C.UTF-8",
        }

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        started = subprocess.Popen(
            [program(command[0]), *command[1:]],
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.programs.append(started)
        return started

    def open(self, name: str) -> Opened:
        """Start mousepad, featherpad, or xterm with a program that writes what it reads into the file."""
        file = self.place / f"{name}-{len(self.programs)}.txt"
        file.touch()
        if name == "xterm":
            reading = f"stty -echo; exec cat >{shlex.quote(str(file))}"
            started = self.start("xterm", "-u8", "-e", "sh", "-c", reading)
        else:
            started = self.start(name, str(file))
        return Opened(started, self.activate(started), file)

    def activate(self, started: subprocess.Popen[bytes]) -> int:
        """Wait for a program's window and give it the focus; its number."""
        found = window_of(started.pid, self.variables)
        self.tool("xdotool", "windowactivate", "--sync", str(found))
        until(lambda: self.tool("xdotool", "getwindowfocus").strip() == str(found), what="the focus")
        return found

    def tool(self, *command: str, text: str | None = None) -> str:
        """Run a tool to its end; its output."""
        return subprocess.run(
            [program(command[0]), *command[1:]],
            env=self.variables,
            input=text,
            capture_output=True,
            text=True,
            check=command[0] != "xclip",  # which fails when there is no text
            timeout=WAIT_S,
        ).stdout

    def layout(self, *arguments: str) -> None:
        self.tool("setxkbmap", *arguments)

    def choose(self, group: int) -> None:
        """Choose one of the layouts set at once, counted from 0, as a layout switcher does (XkbLatchLockState)."""

        class Lock(rq.Request):  # type: ignore[misc]
            _request = rq.Struct(
                rq.Card8("opcode"),
                rq.Opcode(5),
                rq.RequestLength(),
                rq.Card16("device", 0x100),
                rq.Pad(2),
                rq.Card8("is_locked", 1),
                rq.Card8("group"),
                rq.Pad(6),
            )

        display = Display(self.display)
        try:
            KeySymbols(display)  # after which the server takes such requests
            opcode = display.query_extension("XKEYBOARD").major_opcode
            Lock(display=display.display, opcode=opcode, group=group)
            assert display.screen().root.query_pointer().mask >> 13 == group
        finally:
            display.close()

    def copy(self, text: str) -> None:
        """Put a text into the clipboard by a program that keeps nothing open here."""
        subprocess.run(
            [program("xclip"), "-selection", "clipboard"],
            env=self.variables,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=WAIT_S,
        )
        until(lambda: self.clipboard() == text, what="the copy")  # xclip owns it a moment after it seems to have ended

    def clipboard(self) -> str:
        return self.tool("xclip", "-o", "-selection", "clipboard")

    def empty_clipboard(self) -> None:
        """Take the clipboard from whoever owns it, so that a program which waits for that ends."""
        display = Display(self.display)
        window = display.screen().root.create_window(0, 0, 1, 1, 0, 0)
        window.set_selection_owner(display.intern_atom("CLIPBOARD"), X.CurrentTime)
        display.sync()
        display.close()

    def end_one(self, started: subprocess.Popen[bytes]) -> None:
        started.kill()
        started.wait(WAIT_S)
        if started.stdout is not None:
            started.stdout.close()
        self.programs.remove(started)

    def down(self) -> set[str]:
        """Keys and buttons that the server reports as down."""
        display = Display(self.display)
        try:
            keys = {
                f"key {8 * place + bit}"
                for place, byte in enumerate(display.query_keymap())
                for bit in range(8)
                if int(byte) >> bit & 1
            }
            mask = display.screen().root.query_pointer().mask
            return keys | {f"button {number}" for number in range(1, 6) if mask >> 7 + number & 1}
        finally:
            display.close()

    def is_caps_on(self) -> bool:
        display = Display(self.display)
        try:
            return bool(display.screen().root.query_pointer().mask & 1 << 1)
        finally:
            display.close()

    def spare_keys(self) -> int:
        """How many keys give nothing."""
        display = Display(self.display)
        try:
            return sum(not any(row) for row in display.get_keyboard_mapping(8, 248))
        finally:
            display.close()

    def end(self) -> None:
        for started in list(self.programs):
            self.end_one(started)


class Worker:
    """The server of the input process in a process of its own, with an adapter of one's choice.

    It waits without a limit for what a test holds back.
    """

    def __init__(self, stage: Stage, module: str, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(module=module, name=name)],
            env=stage.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def do(self, name: str, **arguments: object) -> dict[str, object]:
        self.ask(name, **arguments)
        return self.answer()

    def ask(self, name: str, **arguments: object) -> None:
        self._requests.write(json.dumps({"id": 1, "do": name, **arguments}) + "\n")
        self._requests.flush()

    def has_answered(self, *, within_s: float) -> bool:
        return bool(select.select([self._answers], [], [], within_s)[0])

    def answer(self) -> dict[str, object]:
        answer: dict[str, object] = json.loads(self._answers.readline())
        return answer

    def end(self) -> None:
        try:
            self._process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise


@contextmanager
def running_stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="ops-") as folder, running_display(Path(folder)) as display:
        stage = Stage(display, Path(folder))
        try:
            yield stage
        finally:
            stage.end()


@dataclass(frozen=True, slots=True)
class Hand:
    """An input process that serves all tests of a module, with the loop it lives in."""

    process: InputProcess
    runner: asyncio.Runner

    def run(self, work: Coroutine[None, None, T]) -> T:
        return self.runner.run(work)


@contextmanager
def running_hand(stage: Stage) -> Iterator[Hand]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setenv("DISPLAY", stage.display)
        process = InputProcess()
        runner.run(process.start())
        try:
            yield Hand(process, runner)
        finally:
            runner.run(process.close())


@asynccontextmanager
async def running_input(**options: object) -> AsyncIterator[InputProcess]:
    process = InputProcess(**options)  # type: ignore[arg-type]
    await process.start()
    try:
        yield process
    finally:
        await process.close()


async def text_of(stage: Stage, process: InputProcess, sentinel: str = "nothing was copied") -> str:
    """The whole text of the editor that has the focus, copied by its own shortcuts."""
    stage.copy(sentinel)
    await process.press(("Control", "a"))
    await process.press(("Control", "c"))
    return until(lambda: _other_than(stage, sentinel), what="the copied text")


def _other_than(stage: Stage, sentinel: str) -> str:
    found = stage.clipboard()
    return "" if found == sentinel else found
