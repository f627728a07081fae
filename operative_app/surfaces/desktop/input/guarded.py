"""The input process without the stop key: the agent can never press what a person stops it with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from operative_app.core.errors import RefusedAction
from operative_app.core.keys import MODIFIERS
from operative_app.surfaces.desktop.input.client import InputProcess
from operative_app.surfaces.desktop.input.key_names import physical
from operative_app.surfaces.desktop.input.own import own_process

_SAME = {"AltGraph": "Alt"}


class GuardedInput(InputProcess):
    """Refuses keys that would complete the stop key, with what is held down already. Agent thread.

    A stop key that the agent presses would end its own run, and one it may use for something else could not be relied
    on. Everything that is typed or pressed on the desktop comes through here. (In the managed browser keys go to the
    page alone, which no hotkey hears.)

    Args:
        own_pids: As `InputProcess` has it.
        stop_keys: The keys of the stop key by their names in `core.keys`; empty: there is none.
    """

    def __init__(
        self,
        own_pids: Callable[[], Collection[int]] = own_process,
        *,
        stop_keys: Collection[str] = frozenset(),
    ) -> None:
        super().__init__(own_pids)
        self._stop_keys = _plain(stop_keys)

    async def press(self, chord: Sequence[str]) -> None:
        self._refuse_stop_key(physical(chord))
        await super().press(chord)

    async def key_down(self, key: str) -> None:
        self._refuse_stop_key(physical((key,)))
        await super().key_down(key)

    async def type_text(self, text: str, *, delay_ms: float = 0, window_id: int = 0) -> None:
        if self._stop_keys and _plain(self.held) >= self._stop_keys & set(MODIFIERS):
            raise RefusedAction("The modifiers of the stop key are held down; let go of them before typing text.")
        await super().type_text(text, delay_ms=delay_ms, window_id=window_id)

    def _refuse_stop_key(self, keys: Collection[str]) -> None:
        down = _plain([*keys, *self.held])
        if self._stop_keys and (down >= self._stop_keys or self._is_same_key(down)):
            raise RefusedAction("That is the stop key, which only a person may press.")

    def _is_same_key(self, down: Collection[str]) -> bool:
        """In another layout, or with Shift, the key of a letter or digit may type another sign; it is the same key."""
        modifiers = self._stop_keys & set(MODIFIERS)
        is_letter = any(len(key) == 1 for key in self._stop_keys)
        others = [key for key in down if len(key) == 1 and not (key.isascii() and key.isalnum())]
        return is_letter and bool(others) and set(down) >= modifiers


def _plain(keys: Collection[str]) -> frozenset[str]:
    return frozenset(_SAME.get(key, key.lower() if len(key) == 1 else key) for key in keys)
