"""Keyboard actions. A newline in a text is the Enter key."""

from __future__ import annotations

from pydantic import Field

from operative_app.actions.conditions import Editing, Held, KeyKnown, Present, SomethingSelected
from operative_app.actions.declare import BOTH, Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.actions.effects import ClipboardGiven, ScreenChanged, SelectionMade, StillHeld, TextEntered
from operative_app.actions.targeting import inside_words
from operative_app.core.errors import ActionError, HalfDone, RefusedAction, StaleReference
from operative_app.core.ports import Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef


@action(
    label="Type “{text}”",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.ENTER,
    surfaces=BOTH,
    post=[TextEntered()],
)
class TypeText(Action):
    """Type text into what has the focus, key by key; a newline is the Enter key."""

    text: str = Field(min_length=1, description="exactly what to type")
    delay_ms: float = Field(default=0, ge=0, le=1000, description="milliseconds between keystrokes")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        shown = await ctx.reveal(self.text)
        try:
            if shown.place is not None:
                await surface.type_text(shown.text, delay_ms=self.delay_ms, only_in=shown.place)
            else:
                await surface.type_text(shown.text, delay_ms=self.delay_ms)
        except (RefusedAction, StaleReference):
            raise
        except ActionError as error:
            raise HalfDone(str(error)) from error
        return done()


@action(
    label="Press {key} {where}",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[KeyKnown("key"), Present("target")],
    post=[ScreenChanged()],
)
class PressKey(Action):
    """Press one key ("Enter", "ArrowDown", "a") or chord ("Control+A"), on an element when one is given."""

    key: str = Field(min_length=1, description="a key's name, or a chord of names joined by +")
    target: ElementRef | None = Field(default=None, description="gets the focus first; none: what has the focus")

    @property
    def where(self) -> str:
        return inside_words(self.target)

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key(self.key, self.target)
        return done()


@action(
    label="Press {chord}",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[KeyKnown("keys")],
    post=[ScreenChanged()],
)
class Hotkey(Action):
    """Press several keys together and let go of all: ("Control", "Shift", "s")."""

    keys: tuple[str, ...] = Field(min_length=2, max_length=5, description="the keys' names in the order of pressing")

    @property
    def chord(self) -> str:
        return "+".join(self.keys)

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key(self.chord)
        return done()


@action(
    label="Hold the key {key} down",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[KeyKnown("key")],
    post=[StillHeld("key")],
)
class KeyDown(Action):
    """Press one key and keep it down until `key_up`."""

    key: str = Field(min_length=1, description="the key's name")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.key_down(self.key)
        return done()


@action(
    label="Let go of the key {key}",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    pre=[Held("key")],
    post=[StillHeld("key", is_held=False)],
)
class KeyUp(Action):
    """Let go of a key that is held down."""

    key: str = Field(min_length=1, description="the key's name")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.key_up(self.key)
        return done()


@action(
    label="Select all",
    category=Category.KEYBOARD,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    post=[SelectionMade()],
)
class SelectAll(Action):
    """Select everything in the field that has the focus, or on the whole page."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key("ControlOrMeta+a")
        return done()


@action(
    label="Copy what is selected",
    category=Category.KEYBOARD,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.CLIPBOARD,
    surfaces=BOTH,
    pre=[SomethingSelected()],
    post=[ClipboardGiven()],
)
class Copy(Action):
    """Copy the selection to the clipboard; the outcome holds the text."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key("ControlOrMeta+c")
        return done(value=await surface.read_clipboard())


@action(
    label="Cut what is selected",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.CLIPBOARD,
    surfaces=BOTH,
    pre=[SomethingSelected(), Editing()],
    post=[ClipboardGiven(), ScreenChanged()],
)
class Cut(Action):
    """Move the selection to the clipboard; the outcome holds the text."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key("ControlOrMeta+x")
        return done(value=await surface.read_clipboard())


@action(
    label="Paste",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.ENTER,
    surfaces=BOTH,
    pre=[Editing()],
    post=[ScreenChanged()],
)
class Paste(Action):
    """Put the clipboard's content where the focus is."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key("ControlOrMeta+v")
        return done()


@action(
    label="Undo the last change",
    category=Category.KEYBOARD,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    post=[ScreenChanged()],
)
class Undo(Action):
    """Undo the last change in the field or program that has the focus."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.press_key("ControlOrMeta+z")
        return done()
