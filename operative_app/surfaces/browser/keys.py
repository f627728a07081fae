"""Keys: typing and chords. Whatever ends a chord early, no key stays held."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Error

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.tab import Tab

TYPE_S_PER_CHARACTER = 0.05


class Keys:
    """The page's keyboard; knows which keys it holds."""

    def __init__(self) -> None:
        self._held: list[str] = []

    async def type_text(self, tab: Tab, text: str, delay_ms: float) -> None:
        """Key by key; a newline is Enter."""
        clean = text.replace("\r\n", "\n").replace("\r", "\n")
        deadline_s = 5 + len(clean) * (TYPE_S_PER_CHARACTER + delay_ms / 1000)
        try:
            await tab.border.call(tab.page.keyboard.type(clean, delay=delay_ms), deadline_s=deadline_s, crash=tab.crash)
        except DialogWaits:
            raise ActionError("A dialog opened while the text was typed; not all of it may have arrived.") from None

    async def press(self, tab: Tab, chord: str) -> None:
        """One key or chord ("Enter", "Control+A", "Control++").

        Raises:
            ActionError: There is no such key.
        """
        names = split_chord(chord)
        try:
            for name in names:
                self._held.append(name)
                await tab.border.call(tab.page.keyboard.down(name), crash=tab.crash)
            for name in reversed(names):
                await tab.border.call(tab.page.keyboard.up(name), crash=tab.crash)
                self._held.remove(name)
        except DialogWaits:  # the press opened it
            tab.border.keep(asyncio.ensure_future(self._let_go(tab)))
        except asyncio.CancelledError:
            tab.border.keep(asyncio.ensure_future(self._let_go(tab)))
            raise
        except Error as error:
            self._held.pop()
            await self._let_go(tab)
            tab.border.check()
            raise ActionError(
                f"There is no key “{names[-1] if names else chord}”; names are like Enter, Tab, Control+A."
            ) from error

    async def _let_go(self, tab: Tab) -> None:
        held, self._held = self._held, []
        for name in reversed(held):
            await tab.border.call(tab.page.keyboard.up(name), deadline_s=1.0, crash=tab.crash, despite_dialog=True)

    async def release(self, tab: Tab) -> None:
        """Let go of held keys. Idempotent."""
        await self._let_go(tab)


def split_chord(chord: str) -> list[str]:
    """The keys of a chord; the plus sign itself may be the last."""
    text = chord.strip() or chord
    if text == "+":
        return ["+"]
    parts = re.split(r"\+(?!$)", text)
    names = [part.strip() or part for part in parts]
    if names and names[-1].endswith("++"):
        names[-1:] = [names[-1][:-2], "+"]
    elif len(names[-1]) > 1 and names[-1].endswith("+"):
        names[-1:] = [names[-1][:-1], "+"]
    aliases = {
        "ctrl": "Control",
        "cmd": "Meta",
        "command": "Meta",
        "return": "Enter",
        "esc": "Escape",
        "del": "Delete",
        "option": "Alt",
    }
    return [aliases.get(name.lower(), name) for name in names if name]
