"""Keys: chords, and keys that stay down. Whatever ends a chord early, no key of it stays held."""

from __future__ import annotations

import asyncio

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.keys import NAMED_KEYS, key_name, split_chord
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.tab import Tab

RELEASE_S = 1.0
_BEYOND = frozenset(f"F{number}" for number in range(13, 25))
"""Keys that the browser driver has no code for."""


def known_chord(chord: str) -> tuple[str, ...]:
    """The keys of a chord by their one name.

    Raises:
        ActionError: There is no such key, or a page cannot be sent it; nothing was pressed.
    """
    return tuple(_sendable(name) for name in split_chord(chord))


def known_key(key: str) -> str:
    """One key by its one name. Raises as `known_chord` does."""
    return _sendable(key_name(key))


def _sendable(name: str) -> str:
    if name in _BEYOND:
        raise ActionError(f"The key {name} cannot be sent to a page; F1 to F12 can.")
    if name not in NAMED_KEYS and not name.isascii():
        raise ActionError(f"“{name}” is no key of the browser's keyboard; type it as text instead.")
    return name


class Keys:
    """The page's keyboard; knows which keys it holds, and in which tab (agent thread)."""

    def __init__(self) -> None:
        self._held: dict[str, Tab] = {}

    @property
    def held(self) -> frozenset[str]:
        return frozenset(self._held)

    async def press(self, tab: Tab, names: tuple[str, ...]) -> None:
        """Press the keys in order and let go in the other order; a key that is held down already stays so.

        Raises:
            EffectUnknown: The page got them, and does not answer any more.
        """
        own: list[str] = []
        try:
            for name in names:
                if name not in self._held:
                    own.append(name)
                    await self._down(tab, name)
            while own:
                await self._up(tab, own[-1])
                own.pop()
        except DialogWaits:  # the press opened it
            self._let_go_behind(tab, own)
        except BaseException:
            self._let_go_behind(tab, own)
            raise

    async def down(self, tab: Tab, name: str) -> None:
        """Press one key and keep it down.

        Raises:
            RefusedAction: It is held down already.
        """
        if name in self._held:
            raise RefusedAction(f"“{name}” is held down already.")
        try:
            await self._down(tab, name)
        except DialogWaits:
            return
        except BaseException:
            self._let_go_behind(tab, [name])
            raise

    async def up(self, tab: Tab, name: str) -> None:
        """Let go of one key.

        Raises:
            RefusedAction: It is not held down.
        """
        if name not in self._held:
            raise RefusedAction(f"“{name}” is not held down.")
        try:
            await self._up(self._held[name], name)
        except DialogWaits:
            self._held.pop(name, None)

    async def release(self, tab: Tab) -> None:
        """Let go of all keys. Idempotent."""
        await self._let_go(tab, list(self._held))

    async def _down(self, tab: Tab, name: str) -> None:
        self._held[name] = tab
        await tab.border.press(tab.page.keyboard.down(name), crash=tab.crash)

    async def _up(self, tab: Tab, name: str) -> None:
        await tab.border.press(tab.page.keyboard.up(name), crash=tab.crash)
        self._held.pop(name, None)

    def _let_go_behind(self, tab: Tab, names: list[str]) -> None:
        if names:
            tab.border.keep_letting_go(asyncio.ensure_future(self._let_go(tab, names)))

    async def _let_go(self, tab: Tab, names: list[str]) -> None:
        for name in reversed(names):
            where = self._held.pop(name, None)
            if where is None or where.crash.done():
                continue
            await tab.border.call(
                where.page.keyboard.up(name), deadline_s=RELEASE_S, crash=where.crash, despite_dialog=True
            )
