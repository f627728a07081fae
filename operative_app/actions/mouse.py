"""Mouse actions. In the browser they go through the page, never the person's own pointer."""

from __future__ import annotations

from pydantic import Field

from operative_app.actions.conditions import Enabled, Present, ScreenChanged
from operative_app.actions.declare import Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.core.ports import BrowserSurface, MouseButton
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef


@action(
    label="Click {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    pre=[Present("target"), Enabled("target")],
    post=[ScreenChanged()],
)
class ClickElement(Action):
    """Click the middle of an element, scrolled into view first."""

    target: ElementRef

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.click(self.target)
        return done()


@action(
    label="Double-click {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    pre=[Present("target"), Enabled("target")],
    post=[ScreenChanged()],
)
class DoubleClick(Action):
    """Click an element twice in quick succession."""

    target: ElementRef

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.click(self.target, count=2)
        return done()


@action(
    label="Right-click {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    pre=[Present("target"), Enabled("target")],
)
class RightClick(Action):
    """Click an element with the right button."""

    target: ElementRef

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.click(self.target, button=MouseButton.RIGHT)
        return done()


@action(
    label="Point at {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.POINT,
    pre=[Present("target")],
)
class Hover(Action):
    """Move the pointer over an element and leave it there."""

    target: ElementRef

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.hover(self.target)
        return done()


@action(
    label="Scroll by {dy_css_px} px {target}",
    category=Category.MOUSE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    pre=[Present("target")],
    post=[ScreenChanged()],
)
class Scroll(Action):
    """Scroll the page, or the scroll container around an element."""

    dy_css_px: float = Field(description="CSS pixels downwards; negative scrolls up")
    dx_css_px: float = Field(default=0, description="CSS pixels to the right; negative scrolls left")
    target: ElementRef | None = None

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.scroll(self.dx_css_px, self.dy_css_px, self.target)
        return done()
