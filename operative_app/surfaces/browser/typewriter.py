"""Typing: key by key into what has the focus, and into nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable

from playwright.async_api import Error

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.border import DialogWaits, NoAnswer
from operative_app.surfaces.browser.following import Acts
from operative_app.surfaces.browser.tab import Tab, World, WorldGone

KEY_S = 5.0
CHECK_EVERY = 12
"""Characters between two looks at the focus; meanwhile the guard in the page lets nothing land elsewhere."""


def typeable(text: str) -> str:
    """The text with line feeds as line ends.

    Raises:
        ActionError: It holds what no keyboard enters: halves of characters, or control characters.
    """
    clean = text.replace("\r\n", "\n").replace("\r", "\n")
    for sign in clean:
        if "\ud800" <= sign <= "\udfff" or (ord(sign) < 32 and sign not in "\n\t") or sign == "\x7f":
            raise ActionError(f"The text holds the character U+{ord(sign):04X}, which cannot be typed.")
    return clean


async def type_text(tab: Tab, acts: Acts, text: str, delay_ms: float, *, is_in_front: Callable[[], bool]) -> None:
    """Type key by key; a newline is Enter, a tab is that character.

    Args:
        acts: Are told of each key before it is sent, so that others are a person's.

    Raises:
        ActionError: The focus went elsewhere, another tab came to the front, or a dialog opened; the sentence says how
            many characters arrived.
    """
    clean = typeable(text)
    guard = Guard(tab)
    sent = 0
    try:
        await guard.begin()
        for sign in clean:
            is_due = sent % CHECK_EVERY == 0 or sign == "\t" or clean[sent - 1] == "\n" or bool(delay_ms)
            if sent and (is_due or guard.is_needed):
                away = await guard.look()
                if away:
                    raise ActionError(_stopped(away, sent if guard.is_left else guard.arrived, clean))
            if not is_in_front():
                raise ActionError(_stopped("another tab came to the front", sent, clean))
            if tab.border.has_dialog:
                raise ActionError(_stopped("a dialog opened", sent, clean))
            sent += 1
            if sign != "\t":
                acts.will_send(keys=1)
            try:
                await tab.border.call(_key(tab, sign), deadline_s=KEY_S, crash=tab.crash)
            except DialogWaits as error:  # the key that opened it went through
                if sent < len(clean):
                    raise ActionError(_stopped("a dialog opened", sent, clean)) from error
                return
            if delay_ms and sent < len(clean):
                await asyncio.sleep(delay_ms / 1000)
        away = "" if tab.border.has_dialog else await guard.look()
        if away and guard.arrived < sent and not guard.is_left:
            raise ActionError(_stopped(away, guard.arrived, clean))
    except asyncio.CancelledError:
        tab.border.keep_letting_go(asyncio.ensure_future(_lift(tab, clean[sent - 1 : sent])))
        raise
    finally:
        guard.end()


async def _key(tab: Tab, sign: str) -> None:
    if sign == "\n":
        await tab.page.keyboard.press("Enter")
    elif sign == "\t":  # as a key it would leave the field
        await tab.page.keyboard.insert_text(sign)
    elif sign.isascii():
        await tab.page.keyboard.press("Space" if sign == " " else sign)
    else:  # a key of its own, as other keyboards have it: text that is merely inserted cannot be held back
        session = await tab.cdp()
        key = {"key": sign, "text": sign, "unmodifiedText": sign}
        await asyncio.gather(
            session.send("Input.dispatchKeyEvent", {"type": "keyDown", **key}),
            session.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": sign}),
        )


async def _lift(tab: Tab, sign: str) -> None:
    """A key that was under way when the typing was cancelled may be down still."""
    key = "Enter" if sign == "\n" else "Space" if sign == " " else sign
    if key and key.isascii() and key.isprintable():
        with contextlib.suppress(ActionError, Error):
            await tab.border.call(tab.page.keyboard.up(key), deadline_s=1.0, crash=tab.crash, despite_dialog=True)


def _stopped(why: str, arrived: int, text: str) -> str:
    return f"Typing stopped because {why}: {arrived} of {len(text)} characters arrived (“{text[:arrived][-40:]}”)."


class Guard:
    """Keeps keys and texts to the place that has the focus when it begins, in all frames of the page (agent thread)."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._worlds: list[World] = []
        self._loads = tab.loads
        self._token = secrets.token_hex(4)
        self.arrived = 0
        self.is_left = False

    @property
    def is_needed(self) -> bool:
        """Whether to look after each key: the page may have been left, or a frame of another process be new."""
        return len(self._worlds) > 1 or self._tab.loads != self._loads

    async def begin(self) -> None:
        """Stand guard from now on.

        Raises:
            ActionError: The focus is in a frame that cannot be read.
        """
        inner = int(await self._tab.call("guardBegin", True, self._token))
        holder = await self._tab.top_world()
        self._worlds = [holder]
        others = list(self._tab.worlds()[1:])
        while inner:
            inner, holder = await self._begin_inside(holder, inner, others)
            self._worlds.append(holder)
        for world in others:
            if world not in self._worlds and world.context_id:
                with contextlib.suppress(WorldGone, Error):
                    await self._tab.run(world, "guardBegin", False, self._token)
                    self._worlds.append(world)

    async def _begin_inside(self, holder: World, inner: int, others: list[World]) -> tuple[int, World]:
        """Stand guard in the frame of another process that has the focus; worlds of frames that went may be listed too.

        Raises:
            ActionError: None of them can be read.
        """
        for world in others:
            if world.owner is holder and world.owner_id == inner and world.context_id:
                try:
                    return int(await self._tab.run(world, "guardBegin", True, self._token)), world
                except (WorldGone, Error):
                    self._tab.border.check()
        raise ActionError("The focus is in a frame that cannot be read yet; look again before typing.")

    async def look(self) -> str:
        """Why the typing must stop, "" when the focus is where it was. Counts what arrived."""
        self._loads = self._tab.loads
        arrived, is_here, away = 0, False, ""
        for number, world in enumerate(self._worlds):
            try:
                state = await self._tab.run(world, "guardState", self._token)
            except (WorldGone, Error):
                self._tab.border.check()
                if number == 0:
                    self.is_left = True
                    return "the page was left"
                continue
            arrived += int(state["arrived"])
            is_here = is_here or (state["isHere"] and not state["isAway"])
            if state["isHere"] and state["isAway"]:
                away = f"the focus went to {state['now']}" if state["now"] else "the field lost the focus"
        self.arrived = arrived
        return "" if is_here else away or "the field lost the focus"

    def end(self) -> None:
        for world in self._worlds:
            if world.context_id:
                self._tab.border.keep(asyncio.ensure_future(self._end(world)))

    async def _end(self, world: World) -> None:
        with contextlib.suppress(WorldGone, Error, NoAnswer, DialogWaits):
            await self._tab.run(world, "guardEnd", self._token, deadline_s=1.0)
