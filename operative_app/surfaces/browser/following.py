"""What a person does in the pages with their own hands: noticed while the agent works, followed while they teach.

A script in an isolated world of every frame listens to events that browsers call trusted, and tells through a binding
that only that world sees (`page/person.js`). What the agent sends is trusted too, so each of its acts says how many
presses and keys it sends at most; what comes in beyond that, or between the acts, is a person's. The browser stamps
each event with the time it came in. A pointer that is moved over the page is none of it: the agent's is another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib import resources
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from playwright.async_api import BrowserContext, CDPSession, Error, Frame, Page

from operative_app.core.errors import ActionError
from operative_app.core.screen import Box, Element, ElementRef, Fingerprint
from operative_app.core.taking import Deed, DeedKind, Hand, HandListener
from operative_app.surfaces.browser.border import Border

INSTALL_S: Final = 2.0
OWN_S: Final = 0.15
"""How long after an act its last events may come in."""
CONSEQUENCE_S: Final = 4.0
"""A page that opens so soon after a click or Enter was opened by it."""
_PARTS: Final = ("names.js", "parts.js", "tables.js", "watch.js", "reach.js", "veil.js")
_NOWHERE: Final = Box(x_css_px=0, y_css_px=0, width_css_px=0, height_css_px=0)

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="_Acting")
Hearer = Callable[[dict[str, Any]], None]


class Ears:
    """A script of one kind in all frames of all pages, and what it tells (agent thread). `close` takes it out again."""

    def __init__(self, context: BrowserContext, border: Border, hear: Hearer, *, is_taught: bool) -> None:
        self._context = context
        self._border = border
        self._hear = hear
        self._is_taught = is_taught
        self._name = f"op_{secrets.token_hex(8)}"
        self._sessions: dict[CDPSession, set[int]] = {}
        self._frames: set[Frame] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def open(self) -> None:
        """Listen in all pages, and in those that come."""
        self._context.on("page", self._on_page)
        for page in self._context.pages:
            await self._follow(page)

    async def flush(self) -> None:
        """Have what is half done (a field that still has the focus) told as well."""
        for session, worlds in list(self._sessions.items()):
            for world in list(worlds):
                call = {"expression": "globalThis.endTaught && endTaught()", "contextId": world}
                with contextlib.suppress(Error, ActionError):
                    await self._border.call(session.send("Runtime.evaluate", call), deadline_s=INSTALL_S)

    async def close(self) -> None:
        """Idempotent, bounded."""
        self._is_closed = True
        with contextlib.suppress(KeyError, ValueError):
            self._context.remove_listener("page", self._on_page)
        for task in list(self._tasks):
            task.cancel()
        for page in self._context.pages:
            with contextlib.suppress(KeyError, ValueError):
                page.remove_listener("framenavigated", self._on_frame)
        for session in list(self._sessions):
            with contextlib.suppress(Error, ActionError):
                await self._border.call(session.detach(), deadline_s=INSTALL_S, despite_dialog=True)
        self._sessions.clear()

    def _on_page(self, page: Page) -> None:
        self._start(self._follow(page))

    def _on_frame(self, frame: Frame) -> None:
        if frame.parent_frame is not None and frame not in self._frames:
            self._start(self._listen(frame))

    def _start(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, page: Page) -> None:
        page.on("framenavigated", self._on_frame)
        await self._listen(page)
        for frame in page.frames:
            if frame.parent_frame is not None:
                await self._listen(frame)

    async def _listen(self, target: Page | Frame) -> None:
        """Put the script into a page with the frames of its process, or into a frame of another process."""
        try:
            session = await self._border.call(
                self._context.new_cdp_session(target), deadline_s=INSTALL_S, despite_dialog=True
            )
        except (Error, ActionError):  # a frame that shares the process of its page, or is gone
            return
        if isinstance(target, Frame):
            self._frames.add(target)
        worlds: set[int] = set()
        self._sessions[session] = worlds
        session.on("Runtime.bindingCalled", self._on_told)
        session.on("Runtime.executionContextCreated", lambda event: self._on_world(worlds, event))
        for method, params in (
            ("Page.enable", {}),
            ("Runtime.enable", {}),
            ("Runtime.addBinding", {"name": self._name, "executionContextName": self._name}),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                {
                    "source": person_script(self._name, is_taught=self._is_taught),
                    "worldName": self._name,
                    "runImmediately": True,
                },
            ),
        ):
            try:
                await self._border.call(session.send(method, params), deadline_s=INSTALL_S, despite_dialog=True)
            except (Error, ActionError):
                self._border.check()
                return

    def _on_world(self, worlds: set[int], event: dict[str, Any]) -> None:
        if event["context"].get("name") == self._name:
            worlds.add(event["context"]["id"])

    def _on_told(self, event: dict[str, Any]) -> None:
        if event.get("name") == self._name and not self._is_closed:
            with contextlib.suppress(ValueError):
                self._hear(json.loads(event["payload"]))


@dataclass(slots=True)
class _Act:
    """One act, when it was under way in seconds since 1970, and how much of what it may send has not come in yet."""

    begun_s: float
    ended_s: float = math.inf
    left: Counter[Hand] = field(default_factory=Counter)


class Acts:
    """The agent's own acts, and what they send (agent thread)."""

    def __init__(self) -> None:
        self._acts: deque[_Act] = deque(maxlen=200)
        self._open: list[_Act] = []

    @asynccontextmanager
    async def act(self) -> AsyncIterator[None]:
        act = _Act(time.time())
        self._open.append(act)
        self._acts.append(act)
        try:
            yield
        finally:
            self._open.remove(act)
            act.ended_s = time.time() + OWN_S

    def will_send(self, *, presses: int = 0, keys: int = 0) -> None:
        """The act under way presses a button and keys so often more at most; to be called just before it does."""
        if self._open:
            self._open[-1].left.update({Hand.CLICKED: presses, Hand.TYPED: keys})

    def take(self, hand: Hand, time_s: float) -> bool:
        """Whether an event that came in at that time is one of ours; each counts once."""
        for act in self._acts:
            if act.begun_s - 0.01 <= time_s <= act.ended_s and act.left[hand] > 0:
                act.left[hand] -= 1
                return True
        return False


class _Acting(Protocol):
    _acts: Acts


def own_act(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """What this method says that it will send is not taken for a person's."""

    @wraps(method)
    async def carried_out(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        async with self._acts.act():
            return await method(self, *args, **kwargs)

    return carried_out


class Hearing:
    """Notices a person's click or key in a page, between the agent's acts and during them (agent thread)."""

    def __init__(self, context: BrowserContext, border: Border, acts: Acts) -> None:
        self._context = context
        self._border = border
        self._acts = acts
        self._ears: Ears | None = None
        self._is_on = False
        self._last_s = 0.0
        self.listener: HandListener = lambda hand: None

    async def watch(self, *, on: bool) -> float:
        """See `core.taking.SharedSurface`."""
        if self._ears is None:
            self._ears = Ears(self._context, self._border, self._heard, is_taught=False)
            await self._ears.open()
        self._is_on = on
        return time.monotonic() - self._last_s if self._last_s else 3600.0

    async def close(self) -> None:
        if self._ears is not None:
            await self._ears.close()
            self._ears = None

    def _heard(self, told: dict[str, Any]) -> None:
        hand = Hand(told["kind"])
        if self._acts.take(hand, float(told.get("from", 0)) / 1000):
            return
        self._last_s = time.monotonic()
        if self._is_on:
            self._is_on = False
            self.listener(hand)


class Lesson:
    """Follows what a person does in the pages and makes deeds of it (agent thread)."""

    def __init__(self, context: BrowserContext, border: Border) -> None:
        self._context = context
        self._ears = Ears(context, border, self._heard, is_taught=True)
        self._told: list[tuple[float, Deed]] = []
        self._listened: list[tuple[Page, Callable[[Frame], None]]] = []

    async def begin(self) -> None:
        await self._ears.open()
        self._context.on("page", self._follow)
        for page in self._context.pages:
            self._follow(page)

    async def end(self) -> tuple[Deed, ...]:
        """What was done, in order. Idempotent, bounded."""
        await self._ears.flush()
        await self._ears.close()
        with contextlib.suppress(KeyError, ValueError):
            self._context.remove_listener("page", self._follow)
        for page, listener in self._listened:
            with contextlib.suppress(KeyError, ValueError):
                page.remove_listener("framenavigated", listener)
        self._listened.clear()
        told, self._told = self._told, []
        return tuple(_without_echoes(deed for _, deed in sorted(told, key=lambda one: one[0])))

    def _follow(self, page: Page) -> None:
        def navigated(frame: Frame) -> None:
            if frame is page.main_frame and frame.url.startswith(("http://", "https://")):
                self._went(frame.url)

        page.on("framenavigated", navigated)
        self._listened.append((page, navigated))

    def _went(self, url: str) -> None:
        """A page opened: by what was clicked just before, or because its address was typed."""
        now_ms = time.time() * 1000
        if any(now_ms - at_ms < CONSEQUENCE_S * 1000 and deed.kind is not DeedKind.FILL for at_ms, deed in self._told):
            return
        self._told.append((now_ms, Deed(kind=DeedKind.GO, text=url)))

    def _heard(self, told: dict[str, Any]) -> None:
        deed = Deed(
            kind=DeedKind(told["kind"]),
            ref=_ref(str(told.get("role", "")), str(told.get("name", ""))),
            text=str(told.get("text", "")),
            is_hidden=bool(told.get("hidden", False)),
        )
        self._told.append((float(told["at"]), deed))


def _ref(role: str, name: str) -> ElementRef | None:
    if not role:
        return None
    element = Element(key="", role=role, name=name, box=_NOWHERE, path="")
    return ElementRef(
        observation=0, key="", fingerprint=Fingerprint(role=role, name=name, path=""), label=element.label
    )


def _without_echoes(deeds: Iterable[Deed]) -> list[Deed]:
    """A field that was left and typed into again counts once, with what it holds in the end."""
    kept: list[Deed] = []
    for deed in deeds:
        if kept and deed.kind is DeedKind.FILL and kept[-1].kind is DeedKind.FILL and kept[-1].ref == deed.ref:
            kept[-1] = deed
        else:
            kept.append(deed)
    return kept


@cache
def person_script(name: str, *, is_taught: bool) -> str:
    """The source of one kind; `name` is its world and its binding."""
    folder = resources.files(__package__) / "page"
    parts = (*(_PARTS if is_taught else ("names.js",)), "person.js")
    source = "\n".join((folder / part).read_text(encoding="utf-8") for part in parts)
    return (
        f"(() => {{ 'use strict';\nconst HEAR = {name!r}; const IS_TAUGHT = {json.dumps(is_taught)};\n"
        f"if (globalThis.isFollowed) return;\nglobalThis.isFollowed = true;\n{source}\n}})()"
    )
