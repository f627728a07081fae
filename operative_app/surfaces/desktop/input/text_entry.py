"""Types a text exactly, character by character, into one window and no other."""

from __future__ import annotations

import asyncio
import contextlib
import time
import unicodedata

from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop.input.channel import Channel, SliceFailed

_AHEAD = 100
_MODIFIER_WAIT_S = 1.5
_MODIFIER_PAUSE_S = 0.02
_MAX_VAIN = 20
_FAILED_S = 0.5


class TextEntry:
    """One text on its way into a window. Agent thread.

    Cancelling it stops within one character. Keys that are still borrowed then are given back with the next text,
    key, `release` or end: taking them back at once could change characters that the program has not read yet.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sent = 0

    async def enter(self, text: str, *, delay_s: float, window: int) -> None:
        """Type a text; `window` 0 means the one that has the keyboard focus now.

        Raises:
            ActionError: A character cannot be typed (nothing was), or typing had to stop; says how many arrived.
        """
        characters = as_typed(text)
        if not characters:
            return
        try:
            window = window or await self._channel.ask("focused_window")
            await self._enter(characters, delay_s, window)
        except SliceFailed as failure:
            with contextlib.suppress(SliceFailed):
                await self._channel.pay_back(window, _FAILED_S)
            arrived = f"{self._sent} of {len(characters)} characters arrived"
            raise ActionError(f"{failure.text}; {arrived}.") from None

    async def _enter(self, characters: str, delay_s: float, window: int) -> None:
        vain = 0
        while self._sent < len(characters):
            before = self._sent
            part = characters[before : before + _AHEAD]
            ready = await self._channel.ask("prepare", text=part, may_replace=False)
            if not ready:
                if not await self._channel.wait_until_taken(window):
                    raise SliceFailed("refused", "The program does not read its keys")
                ready = await self._channel.ask("prepare", text=part, may_replace=True)
            for character in part[:ready]:
                if not await self._stroke(character, window):
                    break  # the layout was changed: look at it anew
                self._sent += 1
                if delay_s:
                    await asyncio.sleep(delay_s)
            vain = vain + 1 if self._sent == before else 0
            if vain > _MAX_VAIN:
                raise SliceFailed("refused", "The keyboard layout keeps changing")
        await self._channel.pay_back(window)

    async def _stroke(self, character: str, window: int) -> bool:
        """Type one character. A person may still hold a modifier of a shortcut: that is waited out."""
        end_s = time.monotonic() + _MODIFIER_WAIT_S
        while True:
            try:
                return bool(await self._channel.ask("stroke", character=character, window=window))
            except SliceFailed as failure:
                if failure.kind != "modifier" or time.monotonic() > end_s:
                    raise
            await asyncio.sleep(_MODIFIER_PAUSE_S)


def as_typed(text: str) -> str:
    """The characters as keys: each kind of line end is one Enter.

    Raises:
        ActionError: One of them is no character a person can type.
    """
    typed = text.replace("\r\n", "\n").replace("\r", "\n")
    for character in typed:
        if character not in "\n\t" and not _is_typeable(character):
            raise ActionError(f"The character U+{ord(character):04X} cannot be typed; nothing was.")
    return typed


def _is_typeable(character: str) -> bool:
    code = ord(character)
    is_noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return not is_noncharacter and unicodedata.category(character) not in ("Cc", "Cs")
