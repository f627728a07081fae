"""System actions: programs, pictures, the clipboard, commands, files."""

from __future__ import annotations

import shlex

from pydantic import Field

from operative_app.actions.conditions import AppIsOpen, CommandReadable, FileDialogOpen, PathsFit, Present
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
from operative_app.actions.effects import AppIsActive, AppIsClosed, ClipboardHolds, FileDialogClosed, GavePicture
from operative_app.core.errors import ActionError
from operative_app.core.ports import DesktopSurface, Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import ElementRef, SurfaceKind

COMMAND_CEILING_S = 120.0
_DESKTOP = (SurfaceKind.DESKTOP,)


@action(
    label="Open the program {app} {with_arguments}",
    category=Category.SYSTEM,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.APP,
    surfaces=_DESKTOP,
    post=[AppIsOpen("app"), AppIsActive("app")],
)
class OpenApp(Action):
    """Start an installed program by the name people know it by, and wait for its window; the outcome names it."""

    app: str = Field(min_length=1, description="the program's name")
    arguments: tuple[str, ...] = Field(default=(), description="files or addresses to open with it")

    @property
    def with_arguments(self) -> str:
        return f"with {words_of(self.arguments)}" if self.arguments else ""

    async def run(self, surface: DesktopSurface, ctx: ActionContext) -> Outcome:
        window = await surface.open_app(self.app, self.arguments)
        return done(f"its window is “{window.title}”", value=window.app or window.title)


@action(
    label="Close {app}",
    category=Category.SYSTEM,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.APP,
    surfaces=_DESKTOP,
    pre=[AppIsOpen("app")],
    post=[AppIsClosed("app")],
)
class CloseApp(Action):
    """Ask a program's windows to close; it may ask whether to save first, which is then the next thing to decide."""

    app: str = Field(min_length=1, description="a program's name or a window's title")

    async def run(self, surface: DesktopSurface, ctx: ActionContext) -> Outcome:
        if await surface.close_app(self.app):
            return done()
        return done("a window stays open and asks something")


@action(
    label="Switch to {app}",
    category=Category.SYSTEM,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.APP,
    surfaces=_DESKTOP,
    pre=[AppIsOpen("app")],
    post=[AppIsActive("app")],
)
class SwitchApp(Action):
    """Bring an open program's window to the front."""

    app: str = Field(min_length=1, description="a program's name or a window's title")

    async def run(self, surface: DesktopSurface, ctx: ActionContext) -> Outcome:
        window = await surface.switch_app(self.app)
        return done(f"“{window.title}” is in front")


@action(
    label="Take a picture of the screen",
    category=Category.SYSTEM,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.READ,
    surfaces=BOTH,
    post=[GavePicture()],
)
class TakeScreenshot(Action):
    """Take a lossless picture of all that is visible; the record keeps it."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        picture = await surface.take_picture()
        return done(f"a picture of {picture.width_px} x {picture.height_px} pixels", picture=ctx.keep_picture(picture))


@action(
    label="Read the clipboard",
    category=Category.SYSTEM,
    reversibility=Reversibility.IDEMPOTENT,
    effect=EffectKind.CLIPBOARD,
    surfaces=BOTH,
)
class ReadClipboard(Action):
    """Read the text on the clipboard."""

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        text = await surface.read_clipboard()
        return done("" if text else "the clipboard holds no text", value=text)


@action(
    label="Put “{text}” on the clipboard",
    category=Category.SYSTEM,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.POINT,
    surfaces=BOTH,
    post=[ClipboardHolds("text")],
)
class WriteClipboard(Action):
    """Put a text on the clipboard."""

    text: str = Field(description="the text")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.write_clipboard(self.text)
        return done(value=await surface.read_clipboard())


@action(
    label="Run the command {command}",
    category=Category.SYSTEM,
    reversibility=Reversibility.IRREVERSIBLE,
    effect=EffectKind.RUN,
    surfaces=_DESKTOP,
    pre=[CommandReadable("command")],
)
class RunCommand(Action):
    """Run a program with arguments, without a shell; the outcome holds what it printed."""

    command: str = Field(min_length=1, description="the program and its arguments, quoted as in a shell")
    timeout_s: float = Field(default=30.0, gt=0, le=COMMAND_CEILING_S, description="how long it may take, in seconds")

    async def run(self, surface: DesktopSurface, ctx: ActionContext) -> Outcome:
        result = await surface.run_command(shlex.split(self.command), timeout_s=self.timeout_s)
        if result.exit_code != 0:
            raise ActionError(f"it ended with exit code {result.exit_code}: {result.output.strip() or 'no output'}")
        return done(value=result.output)


@action(
    label="Choose {files}",
    category=Category.SYSTEM,
    reversibility=Reversibility.IRREVERSIBLE,
    effect=EffectKind.UPLOAD,
    surfaces=BOTH,
    pre=[Present("target"), FileDialogOpen(), PathsFit("paths")],
    post=[FileDialogClosed()],
)
class FileDialog(Action):
    """Answer an open file dialog, or a page's request for a file, with absolute paths."""

    paths: tuple[str, ...] = Field(min_length=1, description="absolute; on the desktop one may be new, to save to")
    target: ElementRef | None = Field(default=None, description="the control that asks for a file, if none is open")

    @property
    def files(self) -> str:
        return f"the file{'' if len(self.paths) == 1 else 's'} {words_of(self.paths)}"

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        await surface.choose_files(self.paths, self.target)
        return done()
