"""The same action again and again on a screen that only gets longer: something happens, and nothing comes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from operative_app.core.screen import ScreenState


@dataclass(slots=True)
class Growing:
    """Follows the decisions for one task, in their order. Owned by the agent thread.

    What was there stays there, control by control and text by text, and more comes: a log that gets lines, a list that
    gets rows. A screen on which anything went or changed its value is one that is worked on.
    """

    _words: str = ""
    _before: Counter[str] = field(default_factory=Counter)
    _count: int = 0

    def note(self, words: str, state: ScreenState) -> int:
        """Note a decision on this screen; how often the same one was made in a row while the screen only grew.

        Args:
            words: The decision; "" for one that is meant to make a screen longer, such as scrolling and waiting.
        """
        now = _parts(state)
        is_same = bool(words) and words == self._words and not self._before - now
        has_grown = now.total() > self._before.total()
        self._count = self._count + has_grown if is_same else 0
        self._words, self._before = words, now
        return self._count

    @property
    def what(self) -> str:
        """What the screen did meanwhile, as a clause."""
        return "the screen only got longer" if self._count else "the screen stayed the same"


def _parts(state: ScreenState) -> Counter[str]:
    """What stands on a screen, each as often as it does; where it stands does not count."""
    controls = (f"{one.role} {one.name} {one.value} {sorted(one.states)}" for one in state.elements)
    return Counter([state.url, *controls, *(text.text for text in state.texts)])
