"""Where a secret would go: the document a field belongs to, as the browser keeps it, and that very field again."""

from __future__ import annotations

from operative_app.core.errors import RefusedAction, StaleReference
from operative_app.core.secrets import FieldPlace
from operative_app.surfaces.browser.tab import Node, Tab, World, WorldGone


async def place_of(tab: Tab, node: Node) -> FieldPlace:
    """What the browser knows of the field; raises StaleReference when it is gone."""
    try:
        told = await tab.on(node, "fieldPlace")
    except WorldGone as error:
        raise StaleReference(f"{node.label or 'The field'} is gone: the page was left.") from error
    if told is None:
        raise StaleReference(f"{node.label or 'The field'} is no longer on the page.")
    return FieldPlace(
        key=f"{node.world.tag}n{node.id}",
        label=node.label or str(told["label"]),
        origin=str(told["origin"]),
        is_password=bool(told["isPassword"]),
        takes_text=bool(told["takesText"]),
    )


async def focused(tab: Tab) -> Node:
    """What has the focus, in whatever frame.

    Raises:
        RefusedAction: Nothing has, or it is in a frame that cannot be read.
    """
    told = await tab.call("focusPlace")
    world: World | None = await tab.top_world()
    while told is not None and world is not None and told["isFrame"]:
        owner, world = world, None
        for one in tab.worlds()[1:]:
            if one.owner is owner and one.owner_id == told["id"] and one.context_id:
                world = one
        told = await tab.run(world, "focusPlace") if world is not None else None
    if told is None or world is None:
        raise RefusedAction("No field has the focus.")
    return Node(world=world, id=int(told["id"]))


async def same(tab: Tab, place: FieldPlace) -> Node:
    """The very field a place was told of: a node never changes its document, so its site is the one that was judged.

    Raises:
        RefusedAction: It is gone, or another one stands in its place.
    """
    node = tab.node(place.key, place.label)
    try:
        now = await place_of(tab, node) if node is not None else None
    except StaleReference:
        now = None
    if node is None or now != place:
        raise RefusedAction(f"{place.label} is not the field any more that the secret was meant for.")
    return node
