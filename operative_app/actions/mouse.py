"""Mouse actions. In the browser they go through the page, never the person's own pointer."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from operative_app.actions.conditions import (
    Draggable,
    Enabled,
    EnabledAt,
    Held,
    InViewport,
    Present,
    Scrollable,
    TextAt,
    Unblocked,
)
from operative_app.actions.declare import BOTH, Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.actions.effects import ScreenChanged, SelectionMade, StillHeld
from operative_app.actions.targeting import (
    PLACE,
    PlacedAction,
    PointedAction,
    inside_words,
    place_of,
    where_words,
)
from operative_app.core.ports import MouseButton, Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef

_AT_A_PLACE = (InViewport(), Unblocked(), EnabledAt())
_ON_EITHER = (Present("target"), Enabled("target"), Unblocked("target"), *_AT_A_PLACE)


@action(
    label="Click at {x_px}, {y_px} {with_button}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=_AT_A_PLACE,
    post=[ScreenChanged()],
)
class Click(PlacedAction):
    """Click at a place, for what is not listed as an element."""

    button: MouseButton = Field(default=MouseButton.LEFT, description="the mouse button")

    @property
    def with_button(self) -> str:
        return "" if self.button is MouseButton.LEFT else f"with the {self.button} button"

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.click(self.spot(ctx), button=self.button)
        return done()


@action(
    label="Click {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[Present("target"), Enabled("target"), Unblocked("target")],
    post=[ScreenChanged()],
)
class ClickElement(Action):
    """Click the middle of an element, scrolled into view first."""

    target: ElementRef = Field(description="the element to click")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.click(self.target)
        return done()


@action(
    label="Double-click {where}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=_ON_EITHER,
    post=[ScreenChanged()],
)
class DoubleClick(PointedAction):
    """Click an element or a place twice in quick succession."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.click(self.spot(ctx), count=2)
        return done()


@action(
    label="Triple-click {where}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=(Present("target"), Unblocked("target"), InViewport(), Unblocked(), TextAt()),
    post=[SelectionMade()],
)
class TripleClick(PointedAction):
    """Click a text three times, which selects its line or paragraph."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.click(self.spot(ctx), count=3)
        return done()


@action(
    label="Right-click {where}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=_ON_EITHER,
)
class RightClick(PointedAction):
    """Click an element or a place with the right button."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.click(self.spot(ctx), button=MouseButton.RIGHT)
        return done()


@action(
    label="Point at {where}",
    category=Category.MOUSE,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=(Present("target"), Unblocked("target"), InViewport(), Unblocked()),
)
class Hover(PointedAction):
    """Move the pointer over an element or a place and leave it there."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.hover(self.spot(ctx))
        return done()


@action(
    label="Drag from {x1_px}, {y1_px} to {x2_px}, {y2_px}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[
        InViewport("x1_px", "y1_px"),
        InViewport("x2_px", "y2_px"),
        Unblocked(x="x1_px", y="y1_px"),
        EnabledAt("x1_px", "y1_px"),
    ],
    post=[ScreenChanged()],
)
class Drag(Action):
    """Press the left button at one place, move to another, let go there."""

    x1_px: float = Field(description=f"where it begins, from the left, {PLACE}", allow_inf_nan=False)
    y1_px: float = Field(description=f"where it begins, from the top, {PLACE}", allow_inf_nan=False)
    x2_px: float = Field(description=f"where it ends, from the left, {PLACE}", allow_inf_nan=False)
    y2_px: float = Field(description=f"where it ends, from the top, {PLACE}", allow_inf_nan=False)

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.drag(place_of(self, ctx.state, "x1_px", "y1_px"), place_of(self, ctx.state, "x2_px", "y2_px"))
        return done()


@action(
    label="Drag {target} to {end}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[
        Present("target"),
        Enabled("target"),
        Unblocked("target"),
        Draggable("target"),
        Present("onto"),
        Unblocked("onto"),
        InViewport(),
    ],
    post=[ScreenChanged()],
)
class DragElement(Action):
    """Drag an element onto another one, or to a place."""

    target: ElementRef = Field(description="the element to drag")
    onto: ElementRef | None = Field(default=None, description="the element to drop it on; none where a place is given")
    x_px: float | None = Field(default=None, description=f"where to, from the left, {PLACE}", allow_inf_nan=False)
    y_px: float | None = Field(default=None, description=f"where to, from the top, {PLACE}", allow_inf_nan=False)

    @property
    def end(self) -> str:
        return where_words(self.onto, self.x_px, self.y_px)

    @model_validator(mode="after")
    def _has_one_end(self) -> Self:
        if (self.x_px is None) is not (self.y_px is None):
            raise ValueError("a place needs x_px and y_px")
        if (self.onto is None) is (self.x_px is None):
            raise ValueError("give either an element or a place to drag to")
        return self

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        end = self.onto if self.onto is not None else place_of(self, ctx.state)
        await surface.drag(self.target, end)
        return done()


@action(
    label="Scroll {way} {where}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[Present("target"), InViewport(), Scrollable()],
    post=[ScreenChanged()],
)
class Scroll(Action):
    """Scroll the page, or the scroll container around an element or a place."""

    dy_css_px: float = Field(
        default=0, description="pixels of the screen state downwards; negative scrolls up", allow_inf_nan=False
    )
    dx_css_px: float = Field(
        default=0, description="pixels of the screen state to the right; negative scrolls left", allow_inf_nan=False
    )
    target: ElementRef | None = Field(default=None, description="an element inside what is to scroll; none: the page")
    x_px: float | None = Field(default=None, description=f"from the left, {PLACE}", allow_inf_nan=False)
    y_px: float | None = Field(default=None, description=f"from the top, {PLACE}", allow_inf_nan=False)

    @property
    def way(self) -> str:
        ways = ((self.dy_css_px, "down", "up"), (self.dx_css_px, "to the right", "to the left"))
        return " and ".join(f"{to if px > 0 else fro} by {abs(px):g} px" for px, to, fro in ways if px) or "by nothing"

    @property
    def where(self) -> str:
        return inside_words(self.target, self.x_px, self.y_px)

    @model_validator(mode="after")
    def _has_at_most_one_place(self) -> Self:
        if (self.x_px is None) is not (self.y_px is None):
            raise ValueError("a place needs x_px and y_px")
        if self.target is not None and self.x_px is not None:
            raise ValueError("give an element or a place, not both")
        return self

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        at = self.target if self.x_px is None else place_of(self, ctx.state)
        await surface.scroll(self.dx_css_px, self.dy_css_px, at)
        return done()


@action(
    label="Select the text from {x1_px}, {y1_px} to {x2_px}, {y2_px}",
    category=Category.MOUSE,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[
        InViewport("x1_px", "y1_px"),
        InViewport("x2_px", "y2_px"),
        Unblocked(x="x1_px", y="y1_px"),
        TextAt("", "x1_px", "y1_px"),
    ],
    post=[SelectionMade()],
)
class SelectText(Action):
    """Select the text between two places by dragging over it; the outcome holds the text."""

    x1_px: float = Field(description=f"where it begins, from the left, {PLACE}", allow_inf_nan=False)
    y1_px: float = Field(description=f"where it begins, from the top, {PLACE}", allow_inf_nan=False)
    x2_px: float = Field(description=f"where it ends, from the left, {PLACE}", allow_inf_nan=False)
    y2_px: float = Field(description=f"where it ends, from the top, {PLACE}", allow_inf_nan=False)

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        start, end = ctx.state.point(self.x1_px, self.y1_px), ctx.state.point(self.x2_px, self.y2_px)
        return done(value=await surface.select_text(start, end))


@action(
    label="Press the {button} mouse button at {x_px}, {y_px} and hold it",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=_AT_A_PLACE,
    post=[StillHeld("button")],
)
class MouseDown(PlacedAction):
    """Press a mouse button at a place and keep it down until `mouse_up`."""

    button: MouseButton = Field(default=MouseButton.LEFT, description="the mouse button")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.mouse_down(self.spot(ctx), button=self.button)
        return done()


@action(
    label="Let go of the {button} mouse button at {x_px}, {y_px}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[InViewport(), Held("button")],
    post=[StillHeld("button", is_held=False)],
)
class MouseUp(PlacedAction):
    """Move to a place and let go of a mouse button that is held down."""

    button: MouseButton = Field(default=MouseButton.LEFT, description="the mouse button")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.mouse_up(self.spot(ctx), button=self.button)
        return done()
