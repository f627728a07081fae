"""One open page with its isolated worlds.

Each frame the in-page pass cannot enter from the page above it (a frame of another process) has a world and a CDP
session of its own; all others are entered from the top world, which has access to every frame of its process.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Error, Frame, Page

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.browser.border import Border, NoAnswer, Unreadable
from operative_app.surfaces.browser.script import world_script

READ_DEADLINE_S = 5.0
RETRY_S = 8.0
_WORLD_NAME = "operative"
_ABSENT = "\u0000absent"
_KEY = re.compile(r"^(w\d+)n(\d+)$")


@dataclass(slots=True)
class World:
    """The isolated world of one frame. `tag` is new whenever the world is, so that old keys never mean new nodes."""

    session: CDPSession
    frame_id: str = ""
    context_id: int = 0
    tag: str = ""
    owner: World | None = None
    owner_id: int = 0
    known_drops: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the page as the world knows it."""

    world: World
    id: int
    label: str = ""


class WorldGone(SurfaceError):
    """The frame was navigated away while it was read; the read can be repeated."""


@dataclass(slots=True)
class Tab:
    """A page, its session and worlds. Agent thread only."""

    id: int
    page: Page
    border: Border
    opener: int = -1
    title: str = ""
    session: CDPSession | None = None
    crash: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    top: World | None = None
    loads: int = 0
    chooser: ChooserRequest | None = None
    hear_frame: Callable[[CDPSession], Awaitable[None]] | None = None
    _foreign: dict[str, World] = field(default_factory=dict)
    _sessions: dict[Frame, CDPSession] = field(default_factory=dict)
    door: str = field(default_factory=lambda: f"op_{secrets.token_hex(8)}")
    _tags: int = 0
    _preparing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def cdp(self) -> CDPSession:
        if self.session is None:
            self.session = await self.border.call(
                self.page.context.new_cdp_session(self.page), crash=self.crash, despite_dialog=True
            )
        return self.session

    async def send(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        deadline_s: float = 5.0,
        despite_dialog: bool = False,
    ) -> dict[str, Any]:
        """A CDP command on the page's session."""
        session = await self.cdp()
        reply = await self.border.call(
            session.send(method, params or {}), deadline_s=deadline_s, crash=self.crash, despite_dialog=despite_dialog
        )
        return dict(reply or {})

    async def stop_busy_script(self) -> None:
        """End a script that keeps the page from answering (about 10 ms)."""
        try:
            await self.send("Runtime.terminateExecution", deadline_s=1.0, despite_dialog=True)
        except (Error, NoAnswer):
            return

    async def top_world(self) -> World:
        if self.top is None:
            self.top = World(session=await self.cdp())
        return self.top

    async def _prepare(self, world: World) -> None:
        """Make the isolated world and put the script into it."""
        made = await self._made(world) if world.frame_id else None
        if made is None:
            tree = await self.send_to(world, "Page.getFrameTree", {})
            world.frame_id = tree["frameTree"]["frame"]["id"]
            made = await self._made(world)
        if made is None:
            raise WorldGone("The page was left while it was read.")
        world.context_id = made["executionContextId"]
        self._tags += 1
        world.tag = f"w{self._tags}"
        world.known_drops = set()
        await self._evaluate(world, world_script(self.door))

    async def _made(self, world: World) -> dict[str, Any] | None:
        """A new isolated world of the frame; None when there is no such frame any more."""
        try:
            return await self.send_to(
                world,
                "Page.createIsolatedWorld",
                # With access to every frame of the process: the pass enters frames of other origins there by itself.
                {"frameId": world.frame_id, "worldName": _WORLD_NAME, "grantUniveralAccess": True},
            )
        except Error:
            self.border.check()
            return None

    async def send_to(
        self, world: World, method: str, params: dict[str, Any], deadline_s: float = 5.0
    ) -> dict[str, Any]:
        """A CDP command on the session of a world."""
        reply = await self.border.call(world.session.send(method, params), deadline_s=deadline_s, crash=self.crash)
        return dict(reply or {})

    async def _evaluate(
        self, world: World, expression: str, *, deadline_s: float = READ_DEADLINE_S, by_value: bool = True
    ) -> Any:
        try:
            reply = await self.send_to(
                world,
                "Runtime.evaluate",
                {
                    "expression": expression,
                    "contextId": world.context_id,
                    "returnByValue": by_value,
                    "awaitPromise": True,
                    "silent": True,
                },
                deadline_s,
            )
        except Error as error:
            world.context_id = 0
            self.border.check()
            raise WorldGone("The page was left while it was read.") from error
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            words = details.get("exception", {}).get("description") or details.get("text", "")
            raise Unreadable(f"The page could not be read: {words.splitlines()[0] if words else 'unknown reason'}")
        return reply["result"].get("value") if by_value else reply["result"]

    async def run(
        self, world: World, name: str, *arguments: Any, deadline_s: float = READ_DEADLINE_S, by_value: bool = True
    ) -> Any:
        """Call a function of the script in a world that exists.

        Raises:
            WorldGone: The world is no more; nodes known there are gone.
        """
        if not world.context_id:
            raise WorldGone("The page was left.")
        call = f"globalThis[{self.door!r}]({json.dumps(name)}, {json.dumps(arguments)})"
        guarded = f"typeof globalThis[{self.door!r}] === 'function' ? {call} : {json.dumps(_ABSENT)}"
        result = await self._evaluate(world, guarded, deadline_s=deadline_s, by_value=by_value)
        if result == _ABSENT:
            world.context_id = 0
            raise WorldGone("The page was left.")
        return result

    async def call(self, name: str, *arguments: Any, deadline_s: float = READ_DEADLINE_S) -> Any:
        """Call a function in the page's top world; made anew, for some seconds, when a navigation took it away."""
        world = await self.top_world()
        loop = asyncio.get_running_loop()
        end = loop.time() + RETRY_S
        pause_s = 0.01
        while True:
            try:
                async with self._preparing:  # live frames ask too
                    if not world.context_id:
                        await self._prepare(world)
                return await self.run(world, name, *arguments, deadline_s=deadline_s)
            except (WorldGone, Error) as error:
                world.context_id = 0
                self.border.check()
                if loop.time() > end:
                    raise NoAnswer("The page kept changing while it was read.") from error
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, 0.25)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def node(self, key: str, label: str = "") -> Node | None:
        """The node a key names, None when its world is no more."""
        match = _KEY.match(key)
        if match is None:
            return None
        for world in self.worlds():
            if world.context_id and world.tag == match[1]:
                return Node(world=world, id=int(match[2]), label=label)
        return None

    def worlds(self) -> list[World]:
        return ([self.top] if self.top else []) + list(self._foreign.values())

    async def on(self, node: Node, name: str, *arguments: Any, deadline_s: float = READ_DEADLINE_S) -> Any:
        """Call a function on a node in its world."""
        return await self.run(node.world, name, node.id, *arguments, deadline_s=deadline_s)

    async def object_id(self, node: Node, door: str = "nodeOf") -> str:
        """A CDP handle of the node, or of the one `door` finds for it; "" when there is none."""
        found = await self.run(node.world, door, node.id, by_value=False)
        return str(found.get("objectId", ""))

    # --- frames of other processes -----------------------------------------------------------------------------------

    async def foreign_world(self, parent: World, owner_id: int) -> World | None:
        """The world inside a frame element the parent world cannot enter; None while it has no document yet."""
        handle = await self.object_id(Node(world=parent, id=owner_id))
        if not handle:
            return None
        described = await self.send_to(parent, "DOM.describeNode", {"objectId": handle})
        frame_id = described["node"].get("frameId", "")
        world = self._foreign.get(frame_id)
        if world is None:
            session = await self._session_of(frame_id)
            if session is None:
                return None
            world = World(session=session, frame_id=frame_id)
            self._foreign[frame_id] = world
        world.owner, world.owner_id = parent, owner_id
        if not world.context_id:
            try:
                await self._prepare(world)
            except (Error, WorldGone):
                self.forget_frames()
                return None
        return world

    async def _session_of(self, frame_id: str) -> CDPSession | None:
        for frame in self.page.frames:
            if frame is self.page.main_frame or frame in self._sessions:
                continue
            try:
                session = await self.border.call(self.page.context.new_cdp_session(frame), crash=self.crash)
            except Error:  # it shares its parent's process
                continue
            self._sessions[frame] = session
            if self.hear_frame is not None:
                await self.hear_frame(session)
        for frame, session in list(self._sessions.items()):
            try:
                reply = await self.border.call(session.send("Page.getFrameTree"), crash=self.crash)
            except Error:
                self._sessions.pop(frame, None)
                continue
            if reply["frameTree"]["frame"]["id"] == frame_id:
                return session
        return None

    def sessions(self) -> list[CDPSession]:
        """The sessions of the page and of its frames of other processes, as far as they are known."""
        return ([self.session] if self.session is not None else []) + list(self._sessions.values())

    def forget_frames(self) -> None:
        """Frames of other processes are looked for anew at the next read."""
        self._foreign.clear()
        self._sessions.clear()


@dataclass(frozen=True, slots=True)
class ChooserRequest:
    """The page asks for a file: by which input (CDP's node number in `session`).

    Attributes:
        handle: The input as an object of that session. Held from the start: an input that stands in no page would be
            collected by the browser before a file is there. Playwright's error when the field is gone.
    """

    backend_node_id: int
    session: CDPSession
    handle: asyncio.Task[str]
