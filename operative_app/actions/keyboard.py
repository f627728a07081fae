"""Keyboard actions."""

from __future__ import annotations

from pydantic import Field

from operative_app.actions.conditions import Present, ScreenChanged
from operative_app.actions.declare import Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.core.ports import BrowserSurface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef


@action(
    label="Type “{text}”",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.ENTER,
    post=[ScreenChanged()],
)
class TypeText(Action):
    """Type text into what has the focus, key by key; a newline is the Enter key."""

    text: str
    delay_ms: float = Field(default=0, ge=0, le=1000, description="milliseconds between keystrokes")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.type_text(self.text, delay_ms=self.delay_ms)
        return done()


@action(
    label="Press {key} {target}",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    pre=[Present("target")],
    post=[ScreenChanged()],
)
class PressKey(Action):
    """Press one key or chord ("Enter", "Control+A"), on an element when one is given."""

    key: str = Field(min_length=1)
    target: ElementRef | None = None

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.press_key(self.key, self.target)
        return done()
