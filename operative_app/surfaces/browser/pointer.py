"""Pointing: bring an element into view, wait until it rests, test that a press reaches it, then press for real."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.ports import MouseButton
from operative_app.surfaces.browser.border import DialogWaits
from operative_app.surfaces.browser.tab import Node, Tab, WorldGone

ALIGNMENTS = ("", "nearest", "center", "end", "start")
REST_MS = 2_500
RECHECK_MS = 400


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the top page's viewport, CSS pixels.

    `outside` is the scheme of a link there that starts another program ("tel:"), "" without one.
    """

    x_css_px: float
    y_css_px: float
    outside: str = ""


async def aim(tab: Tab, node: Node, *, alignments: tuple[str, ...] = ALIGNMENTS, rest_ms: int = REST_MS) -> Point:
    """A point where a press reaches the element.

    Tries several scroll positions, since a fixed header may lie over the element in one and not in another.

    Raises:
        RefusedAction: Something covers it everywhere; the sentence names it. Or it cannot be brought into view.
        StaleReference: It went meanwhile.
    """
    cover = ""
    status = "away"
    for alignment in alignments:
        try:
            result = await tab.on(node, "aim", alignment, rest_ms, deadline_s=rest_ms / 1000 + 3)
            outside = str(result.get("outside", ""))
            if result["status"] == "ok":
                result = await _through_frames(tab, node, result, reveal=bool(alignment))
        except WorldGone as error:
            raise StaleReference(f"{node.label} is gone: the page was left.") from error
        status = result["status"]
        if status == "ok":
            return Point(result["x"], result["y"], outside)
        if status == "gone":
            raise StaleReference(f"{node.label} is no longer on the page.")
        if status in {"unseen", "moving"}:
            break
        cover = result.get("cover", "") or cover
    if status == "moving":
        raise RefusedAction(f"{node.label} does not come to rest.")
    if cover:
        raise RefusedAction(f"{node.label} is covered by {cover}; close or move that first.")
    if status == "unseen":
        raise RefusedAction(f"{node.label} is not visible now.")
    raise RefusedAction(f"{node.label} cannot be scrolled into view.")


async def _through_frames(tab: Tab, node: Node, result: dict[str, Any], *, reveal: bool) -> dict[str, Any]:
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


class Pointer:
    """The page's own pointer (never the person's). Knows which button it holds."""

    def __init__(self) -> None:
        self._held: set[MouseButton] = set()

    async def move(self, tab: Tab, point: Point) -> None:
        """Go there in one step, so that no menu on the way opens or closes."""
        await tab.border.call(tab.page.mouse.move(point.x_css_px, point.y_css_px), crash=tab.crash)

    async def hover(self, tab: Tab, node: Node) -> None:
        await self.move(tab, await aim(tab, node))

    async def click(self, tab: Tab, node: Node, *, button: MouseButton, count: int) -> None:
        point = await aim(tab, node)
        if point.outside:  # the browser would ask about it in a box of its own, and take no more input meanwhile
            raise RefusedAction(f"{node.label} would start another program on this computer ({point.outside}).")
        await self.move(tab, point)
        point = await self._again(tab, node, point)
        for number in range(1, count + 1):
            try:
                self._held.add(button)
                await tab.border.call(tab.page.mouse.down(button=button.value, click_count=number), crash=tab.crash)
                await tab.border.call(tab.page.mouse.up(button=button.value, click_count=number), crash=tab.crash)
                self._held.discard(button)
            except DialogWaits:  # the press opened it; it went through
                self._held.discard(button)
                return
            except asyncio.CancelledError:
                tab.border.keep(asyncio.ensure_future(self.release(tab)))
                raise

    async def _again(self, tab: Tab, node: Node, point: Point) -> Point:
        """The pointer may have changed the page by being there: look once more before pressing."""
        try:
            now = await aim(tab, node, alignments=("",), rest_ms=RECHECK_MS)
        except StaleReference:
            raise
        except ActionError:
            now = await aim(tab, node)
        if now != point:
            await self.move(tab, now)
        return now

    async def release(self, tab: Tab) -> None:
        """Let go of held buttons. Idempotent."""
        held, self._held = self._held, set()
        for button in held:
            await tab.border.call(tab.page.mouse.up(button=button.value), deadline_s=1.0, crash=tab.crash)
