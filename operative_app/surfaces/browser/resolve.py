"""From a reference to the node it means now, or a refusal that says why."""

from __future__ import annotations

from operative_app.core.errors import StaleReference
from operative_app.core.screen import ElementRef
from operative_app.surfaces.browser.observer import Observer
from operative_app.surfaces.browser.tab import Node, Tab, WorldGone


async def resolve(tab: Tab, observer: Observer, ref: ElementRef) -> Node:
    """The live node of a reference.

    The very node counts while it still is what was seen: same role, same name, same row or card around it (lists reuse
    nodes for other rows). Otherwise the page is read again and the one element with the same fingerprint counts.

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
    found = tab.node(same[0].key, label)
    if found is None:
        raise StaleReference(f"{label} went while it was looked for.")
    return found
