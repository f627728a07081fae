"""A person has control: how it came to that, what they show, and what is told when they give it back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from operative_app.core.difference import difference
from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.events import Said
from operative_app.core.ports import Surface
from operative_app.core.run import done
from operative_app.core.screen import ScreenState
from operative_app.core.taking import Hand, TakeOverKind, TeachingSurface
from operative_app.engine.eyes import Eyes
from operative_app.engine.hub import EventHub
from operative_app.engine.memory import Memory
from operative_app.engine.plan_book import PlanBook
from operative_app.engine.teaching import Taught, taught
from operative_app.planning.port import StepRecord

YIELDED = {
    Hand.MOVED: "You moved the mouse, so the agent stopped.",
    Hand.CLICKED: "You pressed a mouse button, so the agent stopped.",
    Hand.TYPED: "You pressed a key, so the agent stopped.",
}
BUSY = "You are using the mouse or the keyboard, so the agent waits."
_WORDS = {
    TakeOverKind.PRIVATE: "Nothing of what you do is recorded.",
    TakeOverKind.TEACHING: "What you click and type becomes steps of the plan.",
    TakeOverKind.YIELDED: BUSY,
}
_GETTING_READY = "One moment: the agent gets ready to watch."
_CANNOT_FOLLOW = "The agent cannot follow here what you do. Nothing of it is recorded."
_LEAVE_S: Final = 10.0


class PersonsTurn:
    """The time in which a person has control. Owned by the agent thread.

    Args:
        tell: Called when `kind` and `detail` have changed by themselves.

    Attributes:
        kind: How they have control, None while they do not.
        detail: That in words.
    """

    def __init__(self, hub: EventHub, memory: Memory, book: PlanBook, tell: Callable[[], None]) -> None:
        self._hub = hub
        self._tell = tell
        self._memory = memory
        self._book = book
        self._leaving: asyncio.Task[None] | None = None
        self._is_followed = False
        self._begun: ScreenState | None = None
        self.kind: TakeOverKind | None = None
        self.detail = ""

    def begin(self, kind: TakeOverKind, surface: Surface | None, detail: str = "") -> None:
        """Let go of the surface and leave it to them; returns at once."""
        # it is private until it can be followed: nothing that is shown before would be seen
        self.kind = TakeOverKind.PRIVATE if kind is TakeOverKind.TEACHING else kind
        self.detail = _GETTING_READY if kind is TakeOverKind.TEACHING else detail or _WORDS[kind]
        if surface is not None:
            before, self._leaving = self._leaving, None
            self._leaving = asyncio.ensure_future(self._leave(surface, kind, before))

    async def end(self, surface: Surface | None, eyes: Eyes | None, step: int) -> None:
        """They gave control back: look anew and tell what is different. Does nothing when they did not have it."""
        kind, self.kind = self.kind, None
        if kind is None or surface is None or eyes is None:
            return
        await self._left()
        shown = await self._end_teaching(surface)
        before, self._begun = self._begun or eyes.last, None
        eyes.last = None if kind is TakeOverKind.PRIVATE else before  # what is different is theirs
        after = await eyes.look(step)
        changes = difference(before, after) if before is not None else ""
        match kind:
            case TakeOverKind.PRIVATE:
                self._say("You had control. Nothing of what you did was recorded.")
                self._memory.notes.append("The person had control for a while. Look anew at what the screen shows.")
            case TakeOverKind.YIELDED:
                self._tell_changes(changes)
            case TakeOverKind.TEACHING:
                self._keep(shown, step, before or after, after)
                self._tell_changes(changes, shown)
            case _:
                assert_never(kind)

    async def close(self, surface: Surface | None) -> None:
        """The run ends: follow them no longer. Idempotent, bounded."""
        if self._leaving is not None:
            self._leaving.cancel()
        if surface is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LEAVE_S):
                    await self._end_teaching(surface)

    async def _leave(self, surface: Surface, kind: TakeOverKind, before: asyncio.Task[None] | None) -> None:
        """Let go of what is held, and show the person what they drive; they look for it where it cannot be shown."""
        if before is not None:
            await asyncio.wait((before,))
        with contextlib.suppress(ActionError, SurfaceError):
            await surface.release()
            if kind is not TakeOverKind.PRIVATE and self._begun is None:
                self._begun = (await surface.observe(with_picture=False)).state
        if kind is TakeOverKind.PRIVATE:
            self._begun = None
        if kind is not TakeOverKind.TEACHING:
            await self._end_teaching(surface)  # from now on nothing of what they do is known
        elif isinstance(surface, TeachingSurface):
            with contextlib.suppress(ActionError, SurfaceError):
                await surface.begin_teaching()
                self._is_followed = True
        if kind is not TakeOverKind.YIELDED:  # then they are at it already: nothing may get the focus
            with contextlib.suppress(ActionError, SurfaceError):
                await surface.show_to_person()
        if kind is TakeOverKind.TEACHING and self.kind is not None:
            self.kind = kind if self._is_followed else TakeOverKind.PRIVATE
            self.detail = _WORDS[kind] if self._is_followed else _CANNOT_FOLLOW
            self._tell()

    async def _left(self) -> None:
        """Until the surface was left to them, as far as that takes no more than a moment."""
        leaving, self._leaving = self._leaving, None
        if leaving is not None:
            await asyncio.wait((leaving,), timeout=_LEAVE_S)
            leaving.cancel()

    async def _end_teaching(self, surface: Surface) -> Sequence[Taught]:
        if not self._is_followed or not isinstance(surface, TeachingSurface):
            return ()
        self._is_followed = False
        with contextlib.suppress(ActionError, SurfaceError):
            return taught(await surface.end_teaching(), self._hub)
        return ()

    def _keep(self, shown: Sequence[Taught], step: int, before: ScreenState, after: ScreenState) -> None:
        """Put what was shown into the plan and into what the planner is told."""
        if not shown:
            return
        task = self._book.add_taught(tuple(one.step for one in shown))
        for one in shown:
            words = f"The person did: {one.step.label}"
            self._memory.add(StepRecord(step, task.id, one.action, done(), before, after, words=words))

    def _tell_changes(self, changes: str, shown: Sequence[Taught] = ()) -> None:
        did = f"You showed: {'; '.join(one.step.label for one in shown)}." if shown else ""
        seen = f"While you had control: {changes or 'nothing on the screen changed'}."
        self._say(" ".join(one for one in (did, seen) if one))
        did = f"The person did: {'; '.join(one.step.label for one in shown)}. " if shown else ""
        self._memory.notes.append(f"{did}Meanwhile: {changes or 'nothing on the screen changed'}.")

    def _say(self, text: str) -> None:
        self._hub.emit(Said, role="agent", text=text)
