"""The desktop surface with the workbench on it, and every action taken the way the engine takes it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from operative_app.actions.declare import Action, run_on
from operative_app.core.coordinates import ScreenPoint
from operative_app.core.difference import difference
from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import Element, ElementRef, Fingerprint, Picture, ScreenState
from operative_app.core.secrets import Revealed
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from tests.desktop_session import DesktopSession, until

WORKBENCH = Path(__file__).parent / "programs" / "workbench.py"
LIMIT_S = 60.0
TRIES = 6
"""How often the screen is looked at for what an action should show."""
GONE = ElementRef(
    observation=0, key="gone", fingerprint=Fingerprint(role="button", name="Gone", path="x"), label="Gone"
)

Bench: TypeAlias = subprocess.Popen[str]
T = TypeVar("T")


class WatchedInput:
    """The input process, and what it was asked to do."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.sent: list[str] = []

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._real, name)
        if name in {"click", "drag", "button_down", "scroll", "press", "key_down", "type_text", "move"}:
            self.sent.append(name)
        return asked


@dataclass(frozen=True, slots=True)
class Took:
    """How an action came out."""

    status: OutcomeStatus
    detail: str
    outcome: Outcome
    before: ScreenState
    after: ScreenState


class Hands:
    """Takes actions as the engine does: checked, run, settled, seen, verified; lends them what they may use."""

    def __init__(self, surface: ManagedDesktop, watched: WatchedInput, runner: asyncio.Runner, bench: Bench) -> None:
        self.surface = surface
        self.watched = watched
        self._runner = runner
        self._bench = bench
        self.state = ScreenState(observation=0, surface=surface.kind)
        self._is_seen = False  # whether `state` is what is on the screen now, at rest
        self.pictures: list[Picture] = []

    # --- what an action may use ---

    async def look(self) -> ScreenState:
        await self.surface.settle()
        self.state = (await self.surface.observe(with_picture=False)).state
        self._is_seen = True
        return self.state

    async def perform(self, part: Action) -> Outcome:
        took = await self._take(part, None, TRIES)
        if took.status is not OutcomeStatus.DONE:
            raise ActionError(f"{part.words}: {took.detail}")
        return took.outcome

    async def reveal(self, text: str, target: ElementRef | None = None) -> Revealed:
        return Revealed(text)

    def keep_picture(self, picture: Picture) -> str:
        self.pictures.append(picture)
        return f"picture {len(self.pictures)}"

    # --- for tests ---

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        self._is_seen = False
        return self._runner.run(asyncio.wait_for(work, LIMIT_S))

    def see(self) -> ScreenState:
        return self.run(self.look())

    def element(self, name: str, role: str = "") -> Element:
        """The one element of that name on the screen now."""
        found = [one for one in self.state.elements if one.name == name and role in {"", one.role}]
        assert len(found) == 1, f"{name!r} is there {len(found)} times: {[one.label for one in self.state.elements]}"
        return found[0]

    def ref(self, name: str, role: str = "") -> ElementRef:
        return self.state.ref(self.element(name, role))

    def tells(self, words: str) -> None:
        """The workbench says that this was done to it last, as soon as it has taken all that was sent."""
        state = self.state if self._is_seen else self.see()
        if not _is_told(state, words):
            until(lambda: _is_told(self.see(), words), what=f"“{words}”", timeout_s=LIMIT_S)

    def renew(self) -> None:
        """The workbench as it was at first, in front, with nothing held and no other window."""
        self.run(self.surface.release())
        self.run(self.surface.hover(ScreenPoint(x_screen_px=20, y_screen_px=20)))
        self._bench.send_signal(signal.SIGUSR1)
        assert self._bench.stdout is not None
        assert self._bench.stdout.readline() == "new\n"
        until(self._is_as_it_was, what="the workbench as it was", timeout_s=LIMIT_S)
        self.pictures.clear()

    def _is_as_it_was(self) -> bool:
        state = self.see()
        if state.title != "Workbench":
            with contextlib.suppress(ActionError):
                self.run(self.surface.switch_app("Workbench"))
            return False
        return "told: nothing" in state.all_text

    def focus(self, name: str) -> None:
        """Click into a field."""
        if not self._is_seen:
            self.see()
        self.run(self.surface.click(self.ref(name)))
        until(lambda: self.see().focus == self.element(name).key, what=f"the focus in {name}", timeout_s=LIMIT_S)

    def middle(self, name: str, role: str = "") -> tuple[float, float]:
        return self.element(name, role).box.center

    def works(self, action: Action) -> Outcome:
        """Take it and see it done."""
        took = self._took(action, None, TRIES)
        assert took.status is OutcomeStatus.DONE, f"{action.words}: {took.status}: {took.detail}"
        return took.outcome

    def refuses(self, action: Action, words: str) -> None:
        """It is refused in these words, and nothing is sent to any program."""
        before = len(self.watched.sent)
        took = self._took(action, None, TRIES)
        assert took.status is OutcomeStatus.REFUSED, f"{action.words}: {took.status}: {took.detail}"
        assert re.search(words, took.detail), took.detail
        assert self.watched.sent[before:] == []

    def misses(self, action: Action, words: str, between: Callable[[], Awaitable[object]] | None = None) -> None:
        """It runs, and that its effect is not seen is told in these words.

        Args:
            between: What somebody else does right after the act.
        """
        took = self._took(action, between, 1)
        changes = difference(took.before, took.after)
        assert took.status in {OutcomeStatus.UNVERIFIED, OutcomeStatus.FAILED}, f"{action.words}: done: {changes}"
        assert re.search(words, took.detail), took.detail

    def _took(self, action: Action, between: Callable[[], Awaitable[object]] | None, tries: int) -> Took:
        return self._runner.run(asyncio.wait_for(self._take(action, between, tries), LIMIT_S))

    async def _take(self, action: Action, between: Callable[[], Awaitable[object]] | None, tries: int) -> Took:
        before = self.state if self._is_seen else await self.look()
        for condition in action.spec.pre:
            if fault := condition.check(action, before):
                return Took(OutcomeStatus.REFUSED, fault, Outcome(status=OutcomeStatus.REFUSED), before, before)
        try:
            outcome = await run_on(action, self.surface, self)
        except RefusedAction as error:
            return Took(OutcomeStatus.REFUSED, str(error), Outcome(status=OutcomeStatus.REFUSED), before, before)
        except ActionError as error:
            self._is_seen = False
            return Took(OutcomeStatus.FAILED, str(error), Outcome(status=OutcomeStatus.FAILED), before, before)
        if between is not None:
            await between()
        missing = ""
        for _ in range(tries):
            after = await self.look()
            checks = (condition.check(action, before, after, outcome) for condition in action.spec.post)
            missing = next((fault for fault in checks if fault), "")
            if not missing:
                return Took(OutcomeStatus.DONE, "", outcome, before, after)
        return Took(OutcomeStatus.UNVERIFIED, missing, outcome, before, self.state)


def _is_told(state: ScreenState, words: str) -> bool:
    return any(block.text == f"told: {words}" for block in state.texts)


@contextlib.contextmanager
def opened_hands(session: DesktopSession) -> Iterator[Hands]:
    """The surface on a desktop with the workbench, for a whole module."""
    before = dict(os.environ)
    os.environ |= session.variables
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    bench = subprocess.Popen([sys.executable, str(WORKBENCH)], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        session.wait_for_window(bench.pid)
        with asyncio.Runner() as runner:
            runner.get_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
            parts = open_parts(reader=None, merge=None)
            watched = WatchedInput(parts.input)
            surface = runner.run(ManagedDesktop.open(replace(parts, input=watched)))
            try:
                hands = Hands(surface, watched, runner, bench)
                until(lambda: hands.see().elements, what="the workbench's controls")
                hands.run(surface.write_clipboard("ready"))
                yield hands
            finally:
                runner.run(surface.close())
    finally:
        bench.terminate()
        bench.communicate(timeout=LIMIT_S)
        os.environ.clear()
        os.environ |= before
