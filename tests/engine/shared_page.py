"""A page in memory that a person has hands on too."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from operative_app.core.screen import ElementRef
from operative_app.core.taking import Deed, Hand, HandListener
from tests.engine.world import FakePage


@dataclass
class SharedPage(FakePage):
    """A page a person has hands on too: `move` is theirs; while one acts it takes nothing."""

    deeds: Sequence[Deed] = ()
    rested_s: float = 60.0
    is_watched: bool = False
    is_taught: bool = False
    watched: threading.Event = field(default_factory=threading.Event)
    listener: HandListener = lambda hand: None

    def __post_init__(self) -> None:
        for name in self.buttons:
            self.on_click.setdefault(name, lambda page, name=name: page.texts.append(f"{name} was pressed"))  # type: ignore[misc]

    def tell_of_person(self, listener: HandListener) -> None:
        self.listener = listener

    async def watch_person(self, *, on: bool) -> float:
        self.is_watched = on
        if on:
            self.watched.set()
        return self.rested_s

    async def begin_teaching(self) -> None:
        self.is_taught = True

    async def end_teaching(self) -> Sequence[Deed]:
        self.is_taught = False
        return self.deeds

    def use(self, hand: Hand = Hand.MOVED) -> None:
        """As the input process does it: nothing is sent any more, then it is told. Agent thread."""
        assert self.is_watched
        self.is_watched = False
        self.listener(hand)

    def ref(self, name: str) -> ElementRef:
        state = self.state()
        return state.ref(next(one for one in state.elements if one.name == name))
