"""Browser actions: more reliable than coordinates, since they outlive layout shifts."""

from __future__ import annotations

from pydantic import Field

from operative_app.actions.conditions import Editable, Enabled, HasOptions, Present, TabIsOpen
from operative_app.actions.declare import (
    BOTH,
    Action,
    ActionContext,
    Category,
    EffectKind,
    Reversibility,
    action,
    words_of,
)
from operative_app.actions.effects import (
    AddressIs,
    FieldShows,
    GavePicture,
    GaveText,
    OptionShows,
    ScreenChanged,
    TabIsActive,
)
from operative_app.core.errors import ActionError
from operative_app.core.ports import BrowserSurface, Surface, WaitState
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef

WAIT_CEILING_S = 60.0


@action(
    label="Open {url}",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.NAVIGATE,
    post=[AddressIs()],
)
class Navigate(Action):
    """Load a page in the current tab and wait until it is there."""

    url: str = Field(min_length=1, description="the address, http or https")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.navigate(self.url)
        return done()


@action(
    label="Go back",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.NAVIGATE,
    post=[ScreenChanged()],
)
class GoBack(Action):
    """Go to the page before in this tab's history."""

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.go_back()
        return done()


@action(
    label="Fill {target} with “{text}”",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.ENTER,
    surfaces=BOTH,
    pre=[Present("target"), Enabled("target"), Editable("target")],
    post=[FieldShows("target", "text")],
)
class Fill(Action):
    """Replace the whole content of one text field; dates and times in ISO form."""

    target: ElementRef = Field(description="the field")
    text: str = Field(description="what it is to hold; empty clears it")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        shown = await ctx.reveal(self.text, self.target)
        if shown.place is not None:
            await surface.fill(self.target, shown.text, only_in=shown.place)
            return done()
        return done(f"it now holds “{await surface.fill(self.target, shown.text)}”")


@action(
    label="Choose “{option}” in {target}",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.ENTER,
    pre=[Present("target"), Enabled("target"), HasOptions("target")],
    post=[OptionShows("target", "option")],
)
class SelectOption(Action):
    """Choose an option of a native drop-down list by its label or value."""

    target: ElementRef = Field(description="the list")
    option: str = Field(description="the label or value of the choice")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        chosen = await surface.select_option(self.target, self.option)
        return done(f"it now shows “{chosen}”")


@action(
    label="Wait until {target} is {state}",
    category=Category.BROWSER,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.READ,
    surfaces=BOTH,
)
class WaitFor(Action):
    """Wait until an element is visible, hidden or enabled."""

    target: ElementRef = Field(description="the element waited for")
    state: WaitState = Field(default=WaitState.VISIBLE, description="what it is to be")
    timeout_s: float = Field(default=10.0, gt=0, le=WAIT_CEILING_S, description="how long to wait, in seconds")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        if await surface.wait_for(self.target, self.state, timeout_s=self.timeout_s):
            return done(f"it is {self.state}")
        raise ActionError(f"{self.target.label} was not {self.state} within {self.timeout_s:g} s")


@action(
    label="Read {what}",
    category=Category.BROWSER,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.READ,
    surfaces=BOTH,
    pre=[Present("target")],
    post=[GaveText()],
)
class GetText(Action):
    """Read the visible text of an element, or of the whole page or window when none is given."""

    target: ElementRef | None = Field(default=None, description="the element; none: all that is in front")

    @property
    def what(self) -> str:
        return words_of(self.target) or "all that is in front"

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        text = await surface.get_text(self.target)
        return done(value=text)


@action(
    label="Read the attribute “{attribute}” of {target}",
    category=Category.BROWSER,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.READ,
    pre=[Present("target")],
)
class GetAttribute(Action):
    """Read an attribute of an element, such as "href" or "title"."""

    target: ElementRef = Field(description="the element")
    attribute: str = Field(min_length=1, description="the attribute's name")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        value = await surface.get_attribute(self.target, self.attribute)
        if value is None:
            raise ActionError(f"{self.target.label} has no attribute “{self.attribute}”")
        return done("" if value else "it is empty", value=value)


@action(
    label="Take a picture of {target}",
    category=Category.BROWSER,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.READ,
    surfaces=BOTH,
    pre=[Present("target")],
    post=[GavePicture()],
)
class ScreenshotElement(Action):
    """Take a lossless picture of one element; the record keeps it."""

    target: ElementRef = Field(description="the element")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        picture = await surface.take_picture(self.target)
        return done(f"a picture of {picture.width_px} x {picture.height_px} pixels", picture=ctx.keep_picture(picture))


@action(
    label="Run a script in the page: {code}",
    category=Category.BROWSER,
    reversibility=Reversibility.IRREVERSIBLE,
    effect=EffectKind.SCRIPT,
)
class ExecuteJs(Action):
    """Run the body of a JavaScript function in an isolated world of the page; what it returns is the value, as JSON."""

    code: str = Field(min_length=1, description="the function's body; `return` gives the value")
    timeout_s: float = Field(default=10.0, gt=0, le=WAIT_CEILING_S, description="how long it may take, in seconds")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        return done(value=await surface.execute_js(self.code, timeout_s=self.timeout_s))


@action(
    label="Open a new tab {with_page}",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.NAVIGATE,
    post=[ScreenChanged()],
)
class NewTab(Action):
    """Open a new tab in front, with a page when an address is given."""

    url: str = Field(default="", description="the address, http or https; empty for a blank tab")

    @property
    def with_page(self) -> str:
        return f"with {self.url}" if self.url else ""

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.new_tab(self.url)
        return done()


@action(
    label="Switch to tab {tab_id}",
    category=Category.BROWSER,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.NAVIGATE,
    pre=[TabIsOpen()],
    post=[TabIsActive()],
)
class SwitchTab(Action):
    """Bring another open tab to the front."""

    tab_id: int = Field(description="the tab's number in the list of open tabs")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.switch_tab(self.tab_id)
        return done()


@action(
    label="Close tab {tab_id}",
    category=Category.BROWSER,
    reversibility=Reversibility.IRREVERSIBLE,
    effect=EffectKind.NAVIGATE,
    pre=[TabIsOpen()],
    post=[ScreenChanged()],
)
class CloseTab(Action):
    """Close an open tab."""

    tab_id: int = Field(description="the tab's number in the list of open tabs")

    async def run(self, surface: BrowserSurface, ctx: ActionContext) -> Outcome:
        await surface.close_tab(self.tab_id)
        return done()
