"""Answers file dialogs of programs: the path is put into the field for the name and confirmed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.ports import MouseButton
from operative_app.core.screen import Element, Window
from operative_app.surfaces.desktop.file_dialog_signs import file_chooser, name_field
from operative_app.surfaces.desktop.observer import Look, Observer
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.settle import settle

COMES_S: Final = 5.0
CLOSES_S: Final = 6.0
LOOK_S: Final = 0.1
SETTLE_S: Final = 1.5


async def choose(parts: Parts, observer: Observer, paths: Sequence[str], *, is_coming: bool) -> None:
    """Answer the dialog that is open, or (`is_coming`) that was just asked for.

    Raises:
        RefusedAction: No file dialog is open, or it takes one file only.
        ActionError: It does not take the path; says what the program asks instead, such as whether to replace a file.
    """
    dialog = await _dialog(observer, COMES_S if is_coming else 0)
    if len(paths) > 1:
        if dialog.tree.asks_for_file:
            raise RefusedAction("This dialog takes the path of one file at a time.")
        folder = Path(paths[0]).parent
        if any(Path(path).parent != folder for path in paths):
            raise RefusedAction("The files must be in one folder.")
        await _enter(parts, observer, str(folder))
        dialog = await _dialog(observer, COMES_S)
        names = " ".join(f'"{Path(path).name}"' for path in paths)
        await _enter(parts, observer, names)
    else:
        await _enter(parts, observer, paths[0])
    await _see_closed(observer, dialog)


async def _dialog(observer: Observer, wait_s: float) -> Look:
    """The look at a file dialog in front; RefusedAction when none comes in time."""
    look = await _wait(observer, wait_s, lambda seen: bool(file_chooser(seen.active, seen.tree)))
    if look is None:
        raise RefusedAction("No file dialog is open.")
    return look


async def _enter(parts: Parts, observer: Observer, text: str) -> None:
    """Put a text into the field for the name and press Enter there."""
    look = await observer.look()
    field = name_field(look.tree)
    if field is None:  # GTK shows the field to open a file by its path on Ctrl+L only
        await parts.input.press(["Control", "l"])
        shown = await _wait(observer, COMES_S, lambda seen: name_field(seen.tree) is not None)
        if shown is None:
            raise ActionError("The file dialog shows no field for a path.")
        look, field = shown, name_field(shown.tree)
    if field is None or look.active is None:
        raise ActionError("The file dialog was closed.")
    await _focus(parts, look, field)
    # put in at once where that is possible: what is typed the dialog completes by itself, at its own pace
    if not await parts.accessibility.set_text(field.key, text):
        await parts.input.press(["Control", "a"])
        await parts.input.type_text(text, window_id=look.active.id)
    await settle(observer, SETTLE_S)  # until its button for that can be pressed, Enter does nothing
    held = await parts.accessibility.text_of(field.key)
    if held != text:
        raise ActionError(f"The file dialog's field holds “{held}” instead of “{text}”.")
    await parts.input.type_text("\n", window_id=look.active.id)


async def _focus(parts: Parts, look: Look, field: Element) -> None:
    if look.tree.focus != field.key:
        x, y = field.box.center
        await parts.input.click(ScreenPoint(x_screen_px=x, y_screen_px=y), MouseButton.LEFT, 1)


async def _see_closed(observer: Observer, dialog: Look) -> None:
    """Wait until the dialog's window is gone; ActionError with what the program asks instead."""
    before = {window.id for window in dialog.windows}
    own = dialog.active.id if dialog.active is not None else 0

    def is_over(seen: Look) -> bool:
        return not _is_open(seen, own) or _asking(seen, before) is not None

    look = await _wait(observer, CLOSES_S, is_over) or await observer.look()
    if not _is_open(look, own):
        return
    if _asking(look, before) is not None:
        said = " ".join(block.text for block in look.tree.texts)
        raise ActionError(f"The program asks: “{said or (look.active.title if look.active else '')}”.")
    raise ActionError("The file dialog stays open; it does not take this path.")


def _is_open(look: Look, window_id: int) -> bool:
    return any(window.id == window_id for window in look.windows)


def _asking(look: Look, before: set[int]) -> Window | None:
    """A window in front that came after the dialog."""
    return look.active if look.active is not None and look.active.id not in before else None


async def _wait(observer: Observer, wait_s: float, is_seen: Callable[[Look], bool]) -> Look | None:
    loop = asyncio.get_running_loop()
    end = loop.time() + wait_s
    while True:
        look = await observer.look()
        if is_seen(look):
            return look
        if loop.time() + LOOK_S > end:
            return None
        await asyncio.sleep(LOOK_S)
