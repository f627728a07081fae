"""Giving files to a page: what it asks for, or what the input behind a control takes."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Error

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.surfaces.browser.tab import ChooserRequest, Node, Tab, WorldGone


async def answer_chooser(tab: Tab, paths: Sequence[str]) -> None:
    """Answer the page's request for a file.

    Raises:
        ActionError: Nothing asks for one, a file is not there, or the input does not take these.
    """
    chooser = tab.chooser
    if chooser is None:
        raise ActionError("No page asks for a file.")
    await _answer(tab, chooser, "The page", paths)


async def choose(tab: Tab, node: Node, paths: Sequence[str], *, is_asked_by: bool) -> None:
    """Put files into the input the element stands for.

    Args:
        is_asked_by: The page's open request came from this element.

    Raises:
        ActionError: A file is not there, or the element leads to no file input, or that does not take these.
    """
    chooser = tab.chooser
    if chooser is not None and is_asked_by:
        await _answer(tab, chooser, node.label, paths)
        return
    try:
        handle = await tab.object_id(node, "fileInputOf")
    except WorldGone as error:
        raise StaleReference(f"{node.label} is gone: the page was left.") from error
    if not handle:
        if chooser is not None:
            await _answer(tab, chooser, node.label, paths)
            return
        raise ActionError(f"{node.label} leads to no file field; click it first, so that the page asks for the file.")
    await _put(tab, node.world.session, handle, node.label, paths)


async def _answer(tab: Tab, chooser: ChooserRequest, label: str, paths: Sequence[str]) -> None:
    try:
        handle = await asyncio.shield(chooser.handle)
    except Error as error:
        tab.border.check()
        tab.chooser = None
        raise StaleReference("The page's request for a file went with its field.") from error
    await _put(tab, chooser.session, handle, label, paths)


async def _put(tab: Tab, session: CDPSession, handle: str, label: str, paths: Sequence[str]) -> None:
    files = await asyncio.to_thread(_whole_paths, paths)
    wants = await _ask(tab, session, handle)
    _check(wants, label, files)
    try:
        await tab.border.call(
            session.send("DOM.setFileInputFiles", {"files": files, "objectId": handle}), crash=tab.crash
        )
    except Error as error:
        tab.border.check()
        raise ActionError(f"{label} did not take the file.") from error
    tab.chooser = None


async def _ask(tab: Tab, session: CDPSession, handle: str) -> dict[str, Any]:
    """What the input takes."""
    reply = await tab.border.call(
        session.send(
            "Runtime.callFunctionOn",
            {
                "objectId": handle,
                "functionDeclaration": "function () { return { accept: this.accept, isMultiple: this.multiple, "
                "isFolder: this.webkitdirectory, isDisabled: this.matches(':disabled') }; }",
                "returnByValue": True,
            },
        ),
        crash=tab.crash,
    )
    return dict(reply["result"]["value"])


def _check(wants: dict[str, Any], label: str, files: Sequence[str]) -> None:
    if wants["isDisabled"]:
        raise RefusedAction(f"The file field of {label} is disabled.")
    if wants["isFolder"]:
        raise RefusedAction(f"{label} asks for a whole folder, not for files.")
    if len(files) > 1 and not wants["isMultiple"]:
        raise RefusedAction(f"{label} takes one file only.")
    accepted = [part.strip().lower() for part in str(wants["accept"]).split(",") if part.strip()]
    for file in files:
        if not is_accepted(Path(file).name, accepted):
            raise RefusedAction(f"{label} takes only {', '.join(accepted)}; “{Path(file).name}” is something else.")


def is_accepted(name: str, accepted: Sequence[str]) -> bool:
    """Whether an input with these `accept` parts (extensions, MIME types, "image/*") takes a file of that name."""
    if not accepted:
        return True
    kind = (mimetypes.guess_type(name)[0] or "").lower()
    return any(_fits(part, name.lower(), kind) for part in accepted)


def _fits(part: str, name: str, kind: str) -> bool:
    if part.startswith("."):
        return name.endswith(part)
    if not kind:  # some kinds cannot be told by the name
        return True
    return part in {"*/*", kind} or (part.endswith("/*") and kind.startswith(part[:-1]))


def _whole_paths(paths: Sequence[str]) -> list[str]:
    for path in paths:
        if not Path(path).is_file():
            raise ActionError(f"There is no file {path}.")
    return [str(Path(path).resolve()) for path in paths]
