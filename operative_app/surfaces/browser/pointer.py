"""The page's own pointer, never the person's: pressing, pointing, dragging, scrolling with real input."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from weakref import WeakKeyDictionary

from playwright.async_api import Error, Page

from operative_app.core.coordinates import CssPoint
from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.ports import MouseButton
from operative_app.surfaces.browser.aiming import (
    Point,
    Target,
    aim,
    carried_up,
    words_for,
)
from operative_app.surfaces.browser.border import DialogWaits, NoAnswer
from operative_app.surfaces.browser.following import Acts
from operative_app.surfaces.browser.tab import Node, Tab, WorldGone

STEP_CSS_PX = 25.0
MIN_STEPS, MAX_STEPS = 4, 40
"""A drag is made of small moves, since pages watch the way and not only its ends."""
LIFT_CSS_PX = 6.0
"""How far the first move goes: pages and browsers take a press for a drag only after some pixels."""
RELEASE_S = 1.0
ARRIVALS = 3
"""How often a target is followed that is elsewhere once the pointer has come to it."""


class Pointer:
    """Knows which buttons it holds, and where (agent thread); each press is announced as it is sent."""

    def __init__(self, acts: Acts) -> None:
        self._acts = acts
        self._held: dict[MouseButton, Tab] = {}
        self._places: WeakKeyDictionary[Page, Point] = WeakKeyDictionary()

    @property
    def held(self) -> frozenset[str]:
        return frozenset(button.value for button in self._held)

    async def move(self, tab: Tab, point: Point, *, steps: int = 1) -> None:
        """Go there; in one step, so that no menu on the way opens or closes, unless more are asked for.

        Each step is sent once the one before was answered: a stop on the way is the end of it.
        """
        limit_s = 5.0 + steps * 0.25
        end_s = time.monotonic() + limit_s
        begin = self._places.get(tab.page, Point(0.0, 0.0))
        for step in range(1, steps + 1):
            part = step / steps
            x = begin.x_css_px + (point.x_css_px - begin.x_css_px) * part
            y = begin.y_css_px + (point.y_css_px - begin.y_css_px) * part
            self._places[tab.page] = Point(x, y)
            if (left_s := end_s - time.monotonic()) <= 0:
                raise NoAnswer(f"The page did not answer within {limit_s:g} s.")
            await tab.border.call(tab.page.mouse.move(x, y), deadline_s=left_s, crash=tab.crash)

    async def hover(self, tab: Tab, target: Target) -> None:
        await self.move(tab, await aim(tab, target))

    async def click(self, tab: Tab, target: Target, *, button: MouseButton, count: int) -> None:
        """Press and let go `count` times in quick succession.

        Raises:
            RefusedAction: The element is disabled or covered, the place is not in view, or a link there would start
                another program; the page got no event.
            EffectUnknown: It got them, and does not answer any more.
        """
        await self._arrive(tab, target)
        for number in range(1, count + 1):
            try:
                await self._press(tab, button, number)
                await self._lift(tab, button, number)
            except DialogWaits:  # the press opened it; it went through
                self._held.pop(button, None)
                return
            except BaseException:
                self._let_go_behind(tab)
                raise

    async def down(self, tab: Tab, target: Target, *, button: MouseButton) -> None:
        """Press and keep it down.

        Raises:
            RefusedAction: As for `click`; or the button is down already.
        """
        if button in self._held:
            raise RefusedAction(f"The {button.value} mouse button is held down already.")
        await self._arrive(tab, target)
        try:
            await self._press(tab, button, 1)
        except BaseException:
            self._let_go_behind(tab)
            raise

    async def up(self, tab: Tab, target: Target, *, button: MouseButton) -> None:
        """Move to the target as a hand does and let go there.

        Raises:
            RefusedAction: The button is not held down, or the place is not in view; it stays held.
        """
        if button not in self._held:
            raise RefusedAction(f"The {button.value} mouse button is not held down.")
        point = await aim(tab, target)
        await self.move(tab, point, steps=MIN_STEPS)
        try:
            await self._lift(tab, button, 1)
        except DialogWaits:
            self._held.pop(button, None)

    async def drag(self, tab: Tab, start: Target, end: Target) -> None:
        """Press at the start, go to the end in small moves, let go there.

        Raises:
            RefusedAction: One of the ends cannot be reached; nothing was pressed, or it was put back where it was.
        """
        await self._bring_both_into_view(tab, start, end)
        begin = await self._arrive(tab, start)
        try:
            await self._press(tab, MouseButton.LEFT, 1)
            await self._travel(tab, begin, start, end)
            await self._lift(tab, MouseButton.LEFT, 1)
        except DialogWaits:  # the way there or the letting go opened it
            self._let_go_behind(tab)
        except BaseException:
            tab.border.keep_letting_go(asyncio.ensure_future(self._put_back(tab, begin)))
            raise

    async def _bring_both_into_view(self, tab: Tab, start: Target, end: Target) -> None:
        """Scroll so that both ends are in sight where that can be; the start is what must be."""
        if isinstance(end, Node):
            with contextlib.suppress(RefusedAction):
                await aim(tab, end)
        if isinstance(start, Node):
            try:
                await aim(tab, start, alignments=("",))
            except RefusedAction:
                await aim(tab, start, alignments=("nearest", "center", "end", "start"))

    async def _travel(self, tab: Tab, begin: Point, start: Target, end: Target) -> None:
        """Held down from the start to the end; what is out of sight there comes into view on the way."""
        dragged = start if isinstance(start, Node) and start.world.owner is None else None
        stood = await tab.on(dragged, "standing") if dragged is not None else ""
        away = 1.0 if begin.x_css_px < 2 * LIFT_CSS_PX else -1.0
        lifted = Point(begin.x_css_px + away * LIFT_CSS_PX, begin.y_css_px)
        await self.move(tab, lifted, steps=2)
        goal = await aim(tab, end) if isinstance(end, CssPoint) else await self._goal(tab, end)
        distance = math.hypot(goal.x_css_px - lifted.x_css_px, goal.y_css_px - lifted.y_css_px)
        await self.move(tab, goal, steps=max(MIN_STEPS, min(MAX_STEPS, round(distance / STEP_CSS_PX))))
        place = goal.x_css_px, goal.y_css_px
        has_arrived = dragged is not None and await tab.on(dragged, "hasTakenPlace", stood, *place)
        if isinstance(end, Node) and not has_arrived:  # the page may have made room for what is dragged
            goal = await self._goal(tab, end, nearby=goal)
        await self.move(tab, goal)  # once more in place: some drop targets take a drop only after resting over them

    async def _goal(self, tab: Tab, end: Node, *, nearby: Point | None = None) -> Point:
        """Where the end's middle is now; what is dragged may itself lie over it, which is no hindrance."""
        box = await tab.on(end, "boxOf", "nearest" if nearby is None else "")
        box = await carried_up(tab, end, box) if box is not None else None
        if box is None:
            raise StaleReference(f"{end.label} went while something was dragged to it.")
        goal = Point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return await self._within(tab, goal, end)

    @staticmethod
    async def _within(tab: Tab, goal: Point, end: Node) -> Point:
        answer = await tab.call("spotAt", goal.x_css_px, goal.y_css_px)
        if answer["status"] == "outside":
            raise RefusedAction(f"{end.label} cannot be scrolled into view while something is dragged.")
        return goal

    async def select_text(self, tab: Tab, start: CssPoint, end: CssPoint) -> str:
        """Drag over the text between two places; returns what is selected then."""
        begin, goal = await aim(tab, start), await aim(tab, end)
        await self.move(tab, begin)
        try:
            await self._press(tab, MouseButton.LEFT, 1)
            await self.move(tab, goal, steps=MIN_STEPS)
            await self._lift(tab, MouseButton.LEFT, 1)
        except BaseException:
            self._let_go_behind(tab)
            raise
        return await selected_text(tab)

    async def scroll(self, tab: Tab, dx_css_px: float, dy_css_px: float, target: Target | None) -> None:
        """Scroll the page, or the scroll container around the target; where none moves, turn the wheel over it."""
        if target is None:
            await tab.call("scrollBy_", 0, dx_css_px, dy_css_px)
            return
        if isinstance(target, CssPoint):
            await aim(tab, target)
            moved = await tab.call("scrollAt", target.x_css_px, target.y_css_px, dx_css_px, dy_css_px)
        else:
            moved = await tab.on(target, "scrollBy_", dx_css_px, dy_css_px)
            if moved is None:
                raise StaleReference(f"{target.label} is no longer on the page.")
        if not moved["moved"]:  # maps, canvases and other parts that scroll by the wheel alone
            with contextlib.suppress(RefusedAction):
                await self.move(tab, await aim(tab, target))
                await tab.border.call(tab.page.mouse.wheel(dx_css_px, dy_css_px), crash=tab.crash)

    async def release(self, tab: Tab) -> None:
        """Let go of held buttons. Idempotent."""
        held, self._held = self._held, {}
        for button, where in held.items():
            if where.crash.done():
                continue
            await tab.border.call(
                where.page.mouse.up(button=button.value), deadline_s=RELEASE_S, crash=where.crash, despite_dialog=True
            )

    # --- private -----------------------------------------------------------------------------------------------------

    async def _arrive(self, tab: Tab, target: Target) -> Point:
        """Move to where a press will land, and look again there: the page may move, or change under the pointer."""
        point = await aim(tab, target, rest_ms=0)
        for _ in range(ARRIVALS):
            self._refuse(point, target)
            await self.move(tab, point)
            try:
                now = await aim(tab, target, alignments=("",))
            except StaleReference:
                raise
            except ActionError:
                now = await aim(tab, target)
            if now == point:
                return now
            point = now
        self._refuse(point, target)
        await self.move(tab, point)
        return point

    @staticmethod
    def _refuse(point: Point, target: Target) -> None:
        if point.is_disabled:
            raise RefusedAction(f"{words_for(target)} is disabled.")
        if point.outside:  # the browser would ask about it in a box of its own, and take no more input meanwhile
            raise RefusedAction(f"{words_for(target)} would start another program on this computer ({point.outside}).")

    async def _press(self, tab: Tab, button: MouseButton, number: int) -> None:
        self._held[button] = tab
        self._acts.will_send(presses=1)
        await tab.border.press(tab.page.mouse.down(button=button.value, click_count=number), crash=tab.crash)

    async def _lift(self, tab: Tab, button: MouseButton, number: int) -> None:
        await tab.border.press(tab.page.mouse.up(button=button.value, click_count=number), crash=tab.crash)
        self._held.pop(button, None)

    def _let_go_behind(self, tab: Tab) -> None:
        """Let go although the act was cancelled or failed; nobody waits for it."""
        if self._held:
            tab.border.keep_letting_go(asyncio.ensure_future(self.release(tab)))

    async def _put_back(self, tab: Tab, begin: Point) -> None:
        """An interrupted drag ends where it began, so that nothing is dropped half-way."""
        with contextlib.suppress(ActionError, Error):
            self._places[tab.page] = Point(begin.x_css_px, begin.y_css_px)
            await tab.border.call(
                tab.page.mouse.move(begin.x_css_px, begin.y_css_px), deadline_s=RELEASE_S, crash=tab.crash
            )
        await self.release(tab)


async def selected_text(tab: Tab) -> str:
    """What is selected on the page or in the field that has the focus, over all frames."""
    text = str(await tab.call("selectedText"))
    for world in tab.worlds()[1:]:
        if text:
            break
        with contextlib.suppress(WorldGone):
            text = str(await tab.run(world, "selectedText"))
    return text
