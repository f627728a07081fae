"""Coming back: which window was in front and what its fields held, and how far that can be restored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.plan import Checkpoint
from operative_app.core.screen import Element, ElementState, ScreenState, Window

_WINDOW = "window"
_TICKS = frozenset({"checkbox", "radio", "switch"})


def checkpoint_of(state: ScreenState, step: int) -> Checkpoint:
    """The window in front and its fields, never passwords. Programs' own documents and files are not part of it."""
    window = state.active_window
    place = f"{_WINDOW}:{window.id}:{window.title}" if window is not None else ""
    forms = tuple((_key(one), held) for one in state.elements if (held := _held(one)) is not None)
    return Checkpoint(step=step, url=place, forms=forms, screenshot=state.screenshot)


async def restore(
    checkpoint: Checkpoint,
    windows: Sequence[Window],
    *,
    activate: Callable[[Window], Awaitable[None]],
    look: Callable[[], Awaitable[ScreenState]],
    fill: Callable[[Element, str], Awaitable[object]],
    press: Callable[[Element], Awaitable[object]],
) -> None:
    """Bring the window back to the front and put back what its fields held.

    Raises:
        SurfaceError: Says what could not be restored.
    """
    if not checkpoint.url:
        return
    _, number, title = checkpoint.url.split(":", 2)
    window = next((one for one in windows if one.id == int(number)), None)
    if window is None:
        raise SurfaceError(f"The window “{title}” is closed; what a program did by itself cannot be taken back.")
    await activate(window)
    missed: list[str] = []
    for key, value in checkpoint.forms:
        state = await look()
        element = next((one for one in state.elements if _key(one) == key), None)
        name = key.split("\t")[0] or "a field without a name"
        if element is None:
            missed.append(name)
            continue
        if _held(element) == value:
            continue
        try:
            await (press(element) if element.role in _TICKS else fill(element, value))
        except ActionError:
            missed.append(name)
    if missed:
        raise SurfaceError(f"Not restored: {', '.join(missed)}.")


def _key(element: Element) -> str:
    """Label and place, parted by a tab: the label for people, the place to tell equal labels apart."""
    return f"{element.name}\t{element.path}"


def _held(element: Element) -> str | None:
    if element.has(ElementState.PASSWORD) or element.has(ElementState.READONLY):
        return None
    if element.role in _TICKS:
        return "checked" if element.has(ElementState.CHECKED) else "unchecked"
    return element.value if element.has(ElementState.EDITABLE) else None
