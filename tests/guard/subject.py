"""An application to be stopped: the real engine, surfaces and guard, with a planner that does what it is told.

`python -m tests.guard.subject FOLDER [LISTENER]` (the program of the guard's process, when not the usual one) takes
a JSON object a line: {"do": "run", "what": …} or {"do": "block", …}, and writes one for each thing that happens. Its
main thread stands for the window's: nothing of a stop may need it. {"do": "tray"} shows the icon in the tray.

| what | surface | what the agent does |
|---|---|---|
| type | desktop, browser | types a hundred characters, over and over |
| drag | desktop, browser | drags to and fro |
| model | desktop | has clicked, and waits for a model that never answers |
| click | browser | waits for a button that moves all the time, to click it |
| busy | browser | clicks and types on a page whose script holds it up again and again |
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from operative_app.actions.keyboard import TypeText
from operative_app.actions.mouse import Click, ClickElement, Drag
from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.app.desktop_provider import DesktopProvider
from operative_app.app.guarding import Guarding
from operative_app.app.surface_provider import Surfaces
from operative_app.core.events import Event, RunFinished, StateChanged, StepStarted
from operative_app.core.plan import Plan, Task
from operative_app.core.ports import Surface
from operative_app.core.run import RunRequest
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.guard import kill_switch
from operative_app.guard.chords import parse_chord
from operative_app.gui.tray_link import TrayLink
from operative_app.planning.port import Act, Decision, RunContext
from operative_app.store.settings import DEFAULT_HOTKEY
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from tests.engine.world import ListRecorder, ScriptedPlanner

TEXT = "the quick brown fox jumps over the lazy dog and runs on " * 2
_LOCK = threading.Lock()


def say(**told: Any) -> None:
    with _LOCK, contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


class PlainDesktop(DesktopProvider):
    """Reads no pictures: what is typed into shows what it holds by itself."""

    async def acquire(self, request: RunRequest) -> Surface:
        return await ManagedDesktop.open(open_parts(reader=None, merge=None, stop_keys=self._stop_keys))


class Told(ScriptedPlanner):
    """Does one thing until it is stopped."""

    def __init__(self) -> None:
        super().__init__("be stopped")
        self.what = ""
        self._turn = 0

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        self._turn += 1
        if self.what == "model" and self._turn > 1:
            say(event="waits")
            await asyncio.Event().wait()
        return Act.one(self._action(state), completes_task=False)

    async def replan(self, state: ScreenState, plan: Plan, task: Task, trouble: Any, context: RunContext) -> Decision:
        return await self.select_action(state, plan, task, context)

    def _action(self, state: ScreenState) -> Any:
        is_desktop = state.surface is SurfaceKind.DESKTOP
        left, right = (400, 900) if is_desktop else (60, 700)
        match self.what:
            case "type":
                return TypeText(text=TEXT)
            case "drag":
                start, end = (left, right) if self._turn % 2 else (right, left)
                return Drag(x1_px=start, y1_px=300, x2_px=end, y2_px=320 + self._turn % 5)
            case "click":
                button = next(one for one in state.elements if one.role == "button")
                return ClickElement(target=state.ref(button))
            case _:
                return Click(x_px=left + self._turn % 7 * 20, y_px=300)


class App:
    """Everything of one application, wired as the composition root does it."""

    def __init__(self, folder: Path) -> None:
        self.planner = Told()
        browser = BrowserProvider(profile_dir=folder / "profile", downloads_dir=folder / "downloads", keep_open=True)
        self.surfaces = Surfaces(browser, PlainDesktop(stop_keys=parse_chord(DEFAULT_HOTKEY).key_names))
        parts = Parts(
            planner=self.planner, provider=self.surfaces, registry=Registry(), resolve=str,
            limits=Limits(effect_waits_s=(0.0,), backoff_s=(0.0,), turns_per_task=10_000, same_turns=10_000),
        )  # fmt: skip
        self.agent = Agent(parts, ListRecorder(), shut_down=self.surfaces.close)
        self.agent.add_sink(self)
        self.guarding = Guarding(
            DEFAULT_HOTKEY,
            self.agent.control,
            on_started=lambda works, reason: say(event="guard", works=works, reason=reason),
            on_ended=lambda text: say(event="told", text=text),
        )
        self.surfaces.watch(self.guarding)
        self.line = self.guarding.stop_line
        self.tray: TrayLink | None = None

    def emit(self, event: Event) -> None:
        match event:
            case StepStarted():
                say(event="step", action=event.action)
            case StateChanged():
                say(event="state", state=event.state)
            case RunFinished():
                say(event="end", state=event.state, reason=event.reason)
            case _:
                pass

    def obey(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "run":
                self.planner.what, self.planner._turn = order["what"], 0
                surface = SurfaceKind(order["surface"])
                self.agent.control.start(
                    RunRequest(
                        goal="be stopped", surface=surface, url=order.get("url", ""), approve_all=True,
                        headless=order.get("headless"), max_steps=100_000,
                    )
                )  # fmt: skip
            case "block":
                self._block(order["thread"], order["gate"])
            case "press":
                self.guarding.press()
            case "tray":
                assert self.line is not None
                self.tray = TrayLink(self.line, self._chosen, lambda: say(event="tray lost"))
                self.tray.tell({"show": {"dot": "accent", "can_stop": True}})
                say(event="tray", pid=self.tray.pid)
            case other:
                raise ValueError(other)

    def _chosen(self, word: str) -> None:
        say(event="chosen", word=word)
        if word == "stop":
            self.guarding.chosen_in_tray()

    def _block(self, thread: str, gate: str) -> None:
        """Block the main thread, or the agent's in a C call, with or without the interpreter's lock.

        Args:
            thread: Which and how.
            gate: A named pipe; it goes on as soon as somebody opens that for writing.
        """
        library = ctypes.PyDLL(None) if thread == "agent with the interpreter" else ctypes.CDLL(None)

        def block() -> None:
            say(event="blocked")
            library.close(library.open(gate.encode(), os.O_RDONLY))

        def be_busy() -> None:
            threading.Thread(target=wait_for_gate, daemon=True).start()
            say(event="blocked")
            while not opened.is_set():
                pass

        def wait_for_gate() -> None:
            Path(gate).open("rb").close()
            opened.set()

        opened = threading.Event()
        match thread:
            case "main":
                block()
            case "main busy":
                be_busy()
            case _:
                loop = self.agent._loop
                assert loop is not None
                loop.call_soon_threadsafe(block)

    def close(self) -> None:
        if self.tray is not None:
            self.tray.close()
        self.agent.close()
        self.guarding.close()


def main() -> None:
    kill_switch.LISTENER = sys.argv[2] if len(sys.argv) > 2 else kill_switch.LISTENER
    app = App(Path(sys.argv[1]))
    app.guarding.start()
    app.agent.start()
    try:
        for line in sys.stdin:
            app.obey(json.loads(line))
    finally:
        app.close()


if __name__ == "__main__":
    main()
