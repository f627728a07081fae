"""Coming back: what a checkpoint holds of the browser, and how far it can be restored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.plan import Checkpoint
from operative_app.core.screen import Element, ElementState, ScreenState

_CHOICES = frozenset({"checkbox", "radio", "switch"})
_SKIPPED_TYPES = frozenset({"password", "file"})


def form_values(state: ScreenState) -> tuple[tuple[str, str], ...]:
    """What the fields hold, by label and path; never passwords or files."""
    found = []
    for element in state.elements:
        value = _held(element)
        if value is not None:
            found.append((form_key(element), value))
    return tuple(found)


def form_key(element: Element) -> str:
    """A field's label, frame and path, parted by tabs: the label for people, the path to tell equal labels apart."""
    return "\t".join((element.name, element.frame, element.path))


def _held(element: Element) -> str | None:
    if element.has(ElementState.PASSWORD) or element.input_type in _SKIPPED_TYPES:
        return None
    if element.role in _CHOICES:
        if element.has(ElementState.CHECKED):
            return "checked"
        return None if element.role == "radio" else "unchecked"
    if element.tag in {"input", "textarea", "select"} and (
        element.tag == "select" or element.has(ElementState.EDITABLE)
    ):
        return element.value
    return None


async def put_back(
    checkpoint: Checkpoint,
    state: ScreenState,
    *,
    fill: Callable[[Element, str], Awaitable[object]],
    choose: Callable[[Element, str], Awaitable[object]],
    press: Callable[[Element], Awaitable[object]],
) -> None:
    """Put form values back where they differ.

    Raises:
        SurfaceError: Names the fields that could not be restored.
    """
    fields = {form_key(element): element for element in state.elements}
    missed = []
    for key, value in checkpoint.forms:
        element = fields.get(key)
        name = key.split("\t")[0] or "a field without a name"
        if element is None:
            missed.append(name)
            continue
        if _held(element) == value:
            continue
        try:
            if element.role in _CHOICES:
                await press(element)
            elif element.tag == "select":
                await choose(element, value)
            else:
                await fill(element, value)
        except ActionError:
            missed.append(name)
    if missed:
        raise SurfaceError(f"Not restored: {', '.join(missed)}.")
