"""Typing: key by key into what has the focus, and into nothing else."""

from __future__ import annotations

from collections.abc import Callable

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.tab import Tab


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


async def type_text(tab: Tab, text: str, delay_ms: float, *, is_in_front: Callable[[], bool]) -> None:
    """Type key by key; a newline is Enter."""
    clean = typeable(text)
    deadline_s = 5 + len(clean) * (0.05 + delay_ms / 1000)
    try:
        await tab.border.call(tab.page.keyboard.type(clean, delay=delay_ms), deadline_s=deadline_s, crash=tab.crash)
    except DialogWaits:
        raise ActionError("A dialog opened while the text was typed; not all of it may have arrived.") from None
