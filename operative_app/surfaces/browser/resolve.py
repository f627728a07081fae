"""From a reference to the node it means now, or a refusal that says why."""

from __future__ import annotations

from collections import OrderedDict

from operative_app.core.errors import StaleReference
from operative_app.core.screen import Element, ElementRef, ScreenState
from operative_app.surfaces.browser.observer import Observer
from operative_app.surfaces.browser.tab import Node, Tab, WorldGone

KEPT = 12
"""Observations whose elements are remembered with their surroundings; older references count by fingerprint alone."""


class Memory:
    """The last observations, to tell what stood around an element when it was seen (agent thread)."""

    def __init__(self) -> None:
        self._states: OrderedDict[int, ScreenState] = OrderedDict()

    def keep(self, state: ScreenState) -> None:
        self._states[state.observation] = state
        while len(self._states) > KEPT:
            self._states.popitem(last=False)

    def element(self, ref: ElementRef) -> Element | None:
        """The element as it was seen, None when that is too long ago."""
        state = self._states.get(ref.observation)
        return state.element(ref.key) if state is not None else None


async def resolve(tab: Tab, observer: Observer, memory: Memory, ref: ElementRef) -> Node:
    """The live node of a reference.

    The very node counts while it still is what was seen: same role, same name, same row or card around it (lists reuse
    nodes for other rows). Otherwise the page is read again and the one element with the same fingerprint counts, if it
    stands among the same things and leads to the same place.

    Raises:
        StaleReference: It is gone, no longer unique, or its node now stands for something else.
    """
    label = ref.label or f"{ref.fingerprint.role} “{ref.fingerprint.name}”"
    node = tab.node(ref.key, label)
    if node is not None:
        try:
            answer = await tab.on(node, "check", ref.fingerprint.name, ref.fingerprint.role)
        except WorldGone:
            answer = {"status": "gone"}
        if answer["status"] == "same":
            return node
        if answer["status"] == "changed":
            raise StaleReference(f"{label} is something else now (“{answer['now']}”); look again before acting.")
    state = await observer.peek(tab)
    same = [element for element in state.elements if element.fingerprint == ref.fingerprint]
    if not same:
        raise StaleReference(f"{label} is no longer on the page.")
    if len(same) > 1:
        raise StaleReference(f"{label} is no longer unique on the page.")
    seen = memory.element(ref)
    if seen is not None and (seen.context, seen.href) != (same[0].context, same[0].href):
        raise StaleReference(f"{label} stands among other things now; look again before acting.")
    found = tab.node(same[0].key, label)
    if found is None:
        raise StaleReference(f"{label} went while it was looked for.")
    return found
