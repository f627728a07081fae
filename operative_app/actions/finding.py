"""`scroll_to_find`: scroll until something is in sight.

| what scrolls | what is done |
|---|---|
| a page or part whose content is there | steps of most of a view, so that nothing is skipped |
| a part that loads more at its end | the same; an end is believed if nothing came for a while, nor after a step back |
| numbered rows ("Invoice 4217" among 5,000) | jumps to where the number should be, by the rows in sight |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import Field

from operative_app.actions.conditions import Present
from operative_app.actions.declare import BOTH, Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.actions.effects import GaveText
from operative_app.actions.looking import seen
from operative_app.actions.mouse import Scroll
from operative_app.actions.targeting import inside_words
from operative_app.core.errors import ActionError
from operative_app.core.ports import Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import Box, Element, ElementRef, ElementState, ScreenState, ScrollContainer, folded

MAX_SCROLLS = 100
_STEP_SHARE = 0.8
"""How much of what is in sight one step moves."""
_FAR_SHARE = 2.0
"""What is further away than so many steps is jumped to."""
_USUAL_HEIGHT_PX = 700.0
_DRAWN_S = 3.0
"""Rows that are drawn only where the list was scrolled to have come by then."""
_NUMBERED = re.compile(r"^(.*?)(\d+)\D*$")


@action(
    label="Scroll {way} until “{text}” is seen {where}",
    category=Category.COMPOSITE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.COMPOSITE,
    surfaces=BOTH,
    pre=[Present("scroller")],
    post=[GaveText("it did not come into sight")],
)
class ScrollToFind(Action):
    """Scroll step by step until a text or an element of that name is in sight."""

    text: str = Field(min_length=1, description="words of the text, or the element's name")
    scroller: ElementRef | None = Field(
        default=None, description="the part that scrolls, or something inside it; none: the page"
    )
    is_upwards: bool = Field(default=False, description="scroll up instead of down")
    max_scrolls: int = Field(default=40, ge=1, le=MAX_SCROLLS, description="how often to scroll at most")

    @property
    def way(self) -> str:
        return "up" if self.is_upwards else "down"

    @property
    def where(self) -> str:
        return inside_words(self.scroller)

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        jumped: float | None = 0.0
        turned_px = 0.0
        for number in range(self.max_scrolls + 1):
            found = _in_sight(ctx.state, self.text)
            if found:
                return done(f"found after {_times(number)}" if number else "it is in sight", value=found)
            if number == self.max_scrolls:
                break
            part = _part(ctx.state, self.scroller, is_upwards=self.is_upwards)
            step = _STEP_SHARE * (part.view.height_css_px or _USUAL_HEIGHT_PX)
            distance = _jump(ctx.state, self.text, part.view) if jumped is not None else None
            if distance is not None and abs(distance) > (0.5 if jumped else _FAR_SHARE) * step:
                jumped = distance
            elif jumped and distance is None:  # nothing there tells where it is: back, and step by step from there on
                distance, jumped = -jumped, None
            else:
                distance = -step if self.is_upwards else step
            try:
                await ctx.perform(part.scroll(distance, ctx.state))
            except ActionError as error:
                if part.behind_css_px <= turned_px:  # it did not get longer since
                    where = "up to where the scrolling ended"
                    raise ActionError(f"“{self.text}” was not found {where}: {error}") from error
                turned_px = part.behind_css_px  # some load more only when their end comes into sight anew
                await ctx.perform(part.scroll(step if self.is_upwards else -step, ctx.state))
            if jumped:
                await seen(ctx, lambda state, view=part.view: _is_telling(state, self.text, view), timeout_s=_DRAWN_S)  # type: ignore[misc]
        raise ActionError(f"“{self.text}” was not found within {_times(self.max_scrolls)}")


@dataclass(frozen=True, slots=True)
class _Part:
    """What is scrolled: the page, or a part by an element in it or by its place.

    `view` is what is seen of it, `behind_css_px` how much of it was scrolled past.
    """

    view: Box
    behind_css_px: float
    target: Element | None = None
    is_page: bool = False

    def scroll(self, distance: float, state: ScreenState) -> Scroll:
        if self.target is not None:
            return Scroll(dy_css_px=distance, target=state.ref(self.target))
        if self.is_page:
            return Scroll(dy_css_px=distance)
        x, y = self.view.center
        return Scroll(dy_css_px=distance, x_px=x, y_px=y)


def _part(state: ScreenState, scroller: ElementRef | None, *, is_upwards: bool) -> _Part:
    if scroller is not None:
        element = state.find(scroller)
        if element is None:
            raise ActionError("the part that scrolls is no longer told apart")
        keys = {element.key, element.scroller}
        around = next((one for one in state.scrollers if one.key and one.key in keys), None)
        if around is not None:
            return _Part(_seen(around.box, state), _room(around, is_upwards=not is_upwards), element)
        box = element.box if element.has(ElementState.SCROLLABLE) else state.viewport
        return _Part(_seen(box, state), 0, element)
    rooms = [one for one in state.scrollers if _room(one, is_upwards=is_upwards) >= 1]
    page = state.scroll
    below = page.height_css_px - page.y_css_px - state.viewport.height_css_px
    if (page.y_css_px if is_upwards else below) < 1 and len(rooms) == 1:
        return _Part(_seen(rooms[0].box, state), _room(rooms[0], is_upwards=not is_upwards))
    return _Part(state.viewport, below if is_upwards else page.y_css_px, is_page=True)


def _room(one: ScrollContainer, *, is_upwards: bool) -> float:
    return one.above_css_px if is_upwards else one.below_css_px


def _seen(box: Box, state: ScreenState) -> Box:
    """The part of a box that lies inside the viewport; the whole box when none does."""
    view = state.viewport
    x, y = max(box.x_css_px, view.x_css_px), max(box.y_css_px, view.y_css_px)
    width, height = min(box.right_css_px, view.right_css_px) - x, min(box.bottom_css_px, view.bottom_css_px) - y
    if width <= 0 or height <= 0:
        return box
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def _jump(state: ScreenState, text: str, view: Box) -> float | None:
    """How far the row of that number should be, by two rows of the same words that are in sight; None: no telling."""
    wanted = _NUMBERED.match(folded(text))
    if wanted is None:
        return None
    seen = [
        (_NUMBERED.match(words), box)
        for words, box in _boxes_in_sight(state)
        if view.contains(*box.center) and box.height_css_px < view.height_css_px / 2
    ]
    rows = sorted((int(row[2]), box.center[1]) for row, box in seen if row is not None and row[1].endswith(wanted[1]))
    if len(rows) < 2 or rows[-1][0] == rows[0][0]:
        return None
    (first, first_y), (last, last_y) = rows[0], rows[-1]
    row_height = (last_y - first_y) / (last - first)
    if row_height < 1:
        return None
    return first_y + (int(wanted[2]) - first) * row_height - view.center[1]


def _is_telling(state: ScreenState, text: str, view: Box) -> bool | None:
    """True when the rows there are drawn: it is in sight, or they tell where it is. None when they are not (yet)."""
    return bool(_in_sight(state, text)) or _jump(state, text, view) is not None or None


def _boxes_in_sight(state: ScreenState) -> list[tuple[str, Box]]:
    named = [(folded(one.name), one.box) for one in state.elements if one.name and not one.has(ElementState.OFFSCREEN)]
    return named + [(folded(block.text), block.box) for block in state.texts]


def _in_sight(state: ScreenState, text: str) -> str:
    """Words for the first element or text that shows it inside the viewport, "" when nothing does."""
    wanted = re.compile(rf"(?<!\w){re.escape(folded(text))}(?!\w)")
    for element in state.elements:
        is_seen = not element.has(ElementState.OFFSCREEN) and state.viewport.contains(*element.box.center)
        if is_seen and wanted.search(folded(f"{element.name} {element.text}")):
            return element.label
    for block in state.texts:
        if _is_in_view(block.box, block.scroller, state) and wanted.search(folded(block.text)):
            return f"{block.role} “{block.text}”"
    return ""


def _is_in_view(box: Box, scroller: str, state: ScreenState) -> bool:
    """Whether the middle is in the viewport and in the visible part of the scroll container around it."""
    around = next((one.box for one in state.scrollers if scroller and one.key == scroller), None)
    return state.viewport.contains(*box.center) and (around is None or around.contains(*box.center))


def _times(number: int) -> str:
    return f"{number} scroll{'' if number == 1 else 's'}"
