"""Aiming: from an element or a place to a point where a press lands, or a refusal that names what is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from operative_app.core.coordinates import CssPoint, StatePoint
from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.surfaces.browser.tab import Node, Tab, WorldGone

ALIGNMENTS = ("", "nearest", "center", "end", "start")
"""How an element is scrolled into view, tried in this order: a fixed header lies over it in one and not in another."""
REST_MS = 2_500

Target = Node | CssPoint


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the top page's viewport, CSS pixels.

    `outside` is the scheme of a link there that starts another program ("tel:"), "" without one; `is_disabled` tells
    that the element aimed at is disabled.
    """

    x_css_px: float
    y_css_px: float
    outside: str = ""
    is_disabled: bool = False


def place_of(at: StatePoint) -> CssPoint:
    """The place as this surface counts.

    Raises:
        ActionError: It is a place on the desktop.
    """
    if isinstance(at, CssPoint):
        return at
    raise ActionError("A place on a page is given in CSS pixels of its viewport.")


def words_for(target: Target) -> str:
    """How a person reads the target."""
    if isinstance(target, CssPoint):
        return f"the place {target.x_css_px:g}, {target.y_css_px:g}"
    return target.label


async def aim(tab: Tab, target: Target, *, alignments: tuple[str, ...] = ALIGNMENTS, rest_ms: int = REST_MS) -> Point:
    """A point where a press reaches the target.

    Args:
        rest_ms: How long to wait until the element's box rests; 0 only notes where it is, for the next aim to compare.

    Raises:
        RefusedAction: Something covers the element everywhere (the sentence names it), it does not come to rest, cannot
            be brought into view or is in a frame that is turned; or the place lies outside the viewport.
        StaleReference: The element went meanwhile.
    """
    if isinstance(target, CssPoint):
        return await _aim_at_place(tab, target)
    return await _aim_at_node(tab, target, alignments, rest_ms)


async def _aim_at_place(tab: Tab, place: CssPoint) -> Point:
    answer = await tab.call("spotAt", place.x_css_px, place.y_css_px)
    if answer["status"] == "outside":
        size = f"{answer['width']:g} × {answer['height']:g}"
        raise RefusedAction(f"{words_for(place)} is outside the page's visible part, which is {size} px.")
    return Point(place.x_css_px, place.y_css_px, str(answer.get("outside", "")))


async def _aim_at_node(tab: Tab, node: Node, alignments: tuple[str, ...], rest_ms: int) -> Point:
    cover = ""
    status = "away"
    for alignment in alignments:
        try:
            result = await tab.on(node, "aim", alignment, rest_ms, deadline_s=rest_ms / 1000 + 5)
            outside, is_disabled = str(result.get("outside", "")), bool(result.get("isDisabled"))
            if result["status"] == "ok":
                result = await through_frames(tab, node, result, reveal=bool(alignment))
        except WorldGone as error:
            raise StaleReference(f"{node.label} is gone: the page was left.") from error
        status = result["status"]
        if status == "ok":
            return Point(result["x"], result["y"], outside, is_disabled)
        if status == "gone":
            raise StaleReference(f"{node.label} is no longer on the page.")
        if status in {"unseen", "moving", "turned", "bare"}:
            break
        cover = result.get("cover", "") or cover
    if status == "moving":
        raise RefusedAction(f"{node.label} does not come to rest.")
    if status == "turned":
        raise RefusedAction(f"{node.label} is in a frame that is turned or tilted; where a press lands is not known.")
    if status == "bare":
        raise RefusedAction(f"{node.label} takes no press: at its place the page answers as if it were not there.")
    if cover:
        raise RefusedAction(f"{node.label} is covered by {cover}; close or move that first.")
    if status == "unseen":
        raise RefusedAction(f"{node.label} is not visible now.")
    raise RefusedAction(f"{node.label} cannot be scrolled into view.")


async def through_frames(tab: Tab, node: Node, result: dict[str, Any], *, reveal: bool) -> dict[str, Any]:
    """Carry a point from a frame of another process up to the top page, testing each document on the way."""
    x, y = result["x"], result["y"]
    world = node.world
    while world.owner is not None:
        inside = await tab.run(world.owner, "frameInside", world.owner_id)
        if inside is None:
            return {"status": "gone"}
        outer = {"x": inside["x"] + x * inside["scale"], "y": inside["y"] + y * inside["scale"]}
        answer = await tab.run(world.owner, "through", world.owner_id, outer["x"], outer["y"])
        if answer["status"] == "away" and reveal:
            await tab.run(world.owner, "reveal", world.owner_id)
            inside = await tab.run(world.owner, "frameInside", world.owner_id)
            outer = {"x": inside["x"] + x * inside["scale"], "y": inside["y"] + y * inside["scale"]}
            answer = await tab.run(world.owner, "through", world.owner_id, outer["x"], outer["y"])
        if answer["status"] != "ok":
            return dict(answer)
        x, y = outer["x"], outer["y"]
        world = world.owner
    return {"status": "ok", "x": x, "y": y}


async def carried_up(tab: Tab, node: Node, box: dict[str, float]) -> dict[str, float] | None:
    """A box {x, y, width, height} of the node's world, in the top page's viewport; None when a frame around it went."""
    x, y, scale = box["x"], box["y"], 1.0
    world = node.world
    while world.owner is not None:
        inside = await tab.run(world.owner, "frameInside", world.owner_id)
        if inside is None:
            return None
        x, y = inside["x"] + x * inside["scale"], inside["y"] + y * inside["scale"]
        scale *= inside["scale"]
        world = world.owner
    return {"x": x, "y": y, "width": box["width"] * scale, "height": box["height"] * scale}
