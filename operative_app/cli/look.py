"""`operative look`: prints what the agent sees on a page or on the desktop. Nothing is acted on."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TextIO, cast

from operative_app.cli.exit_codes import DONE, STOPPED
from operative_app.cli.inbox import on_stop_signals
from operative_app.cli.options import LookOptions
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.core.errors import StoreError
from operative_app.core.ports import BrowserSurface, Surface, SurfaceProvider
from operative_app.core.run import RunRequest
from operative_app.core.screen import Picture, ScreenState, SurfaceKind
from operative_app.perception.describe import describe
from operative_app.perception.marks import draw_marks
from operative_app.safety.redaction import Redactor

PNG = ".png"


def look(options: LookOptions, provider: SurfaceProvider, *, out: TextIO, redactor: Redactor | None = None) -> int:
    """Open, look once, close; returns the exit code. Main thread only; Ctrl+C, SIGTERM and SIGHUP end it.

    Args:
        options: `url` is complete; "" looks at the desktop.
        redactor: Knows what must be neither printed nor pictured; None for nothing.

    Raises:
        OperativeError: It could not be opened, or the picture not be written; the message is for the person.
    """
    accept_any_text(out, encoding="utf-8" if options.json else None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until something is opened
    try:
        state, picture = asyncio.run(_seen(options, provider, redactor or Redactor()))
    except asyncio.CancelledError:
        return STOPPED
    if options.picture is not None and picture is not None:
        _write(options.picture, draw_marks(picture, state))
    Lines(out).line(harmless_json(state.model_dump_json()) if options.json else describe(state))
    return DONE


async def _seen(
    options: LookOptions, provider: SurfaceProvider, redactor: Redactor
) -> tuple[ScreenState, Picture | None]:
    """Look; a signal cancels that from outside: raised in the middle, it could hit what is to close the browser."""
    looking = asyncio.ensure_future(_look(options, provider, redactor))
    loop = asyncio.get_running_loop()

    def end() -> None:
        if not looking.cancelling():  # the closing is not cut short
            looking.cancel()

    def on_signal() -> None:
        loop.call_soon_threadsafe(end)

    with on_stop_signals(on_signal):
        return await looking


async def _look(
    options: LookOptions, provider: SurfaceProvider, redactor: Redactor
) -> tuple[ScreenState, Picture | None]:
    kind = SurfaceKind.BROWSER if options.url else SurfaceKind.DESKTOP
    surface = await provider.acquire(RunRequest(goal="look", url=options.url, surface=kind, headless=True))
    surface.conceal(redactor)
    try:
        if options.url:
            await cast(BrowserSurface, surface).navigate(options.url)
        await surface.settle()
        seen = await surface.observe(with_picture=options.picture is not None)
        return redactor.value(seen.state), await _picture(surface, options.picture, seen.picture)
    finally:
        await provider.release(surface)


async def _picture(surface: Surface, wanted: Path | None, seen: Picture | None) -> Picture | None:
    """The picture of the observation, or a lossless one where that is wanted."""
    return await surface.take_picture() if wanted is not None and wanted.suffix.lower() == PNG else seen


def _write(path: Path, picture: Picture) -> None:
    try:
        path.write_bytes(picture.data)
    except OSError as error:
        raise StoreError(f"The picture cannot be written to {path}: {error.strerror or error}.") from error
