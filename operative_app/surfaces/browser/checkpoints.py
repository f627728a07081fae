"""Coming back: what a checkpoint holds of the browser, and how far it can be restored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from operative_app.core.errors import ActionError
from operative_app.core.plan import Checkpoint
from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.surfaces.browser.tab import Tab
from operative_app.surfaces.browser.tabs import Tabs

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
    if element.is_concealed or element.input_type in _SKIPPED_TYPES:
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
) -> list[str]:
    """Put form values back where they differ; the names of the fields that could not be restored."""
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
    return missed


async def bring_tabs_back(
    checkpoint: Checkpoint, tabs: Tabs, load: Callable[[Tab, str], Awaitable[object]]
) -> list[str]:
    """Close the tabs opened since, open again those closed since, each at its address; the same one in front.

    A checkpoint without ids leaves the tabs as they are.

    Returns:
        The addresses that could not be loaded again.
    """
    missed: list[str] = []
    if not checkpoint.tab_ids:
        return missed
    front: Tab | None = None
    for tab_id, url in zip(checkpoint.tab_ids, checkpoint.tabs, strict=True):
        tab = next((one for one in tabs if one.id == tab_id), None) or await tabs.open(tab_id)
        front = tab if tab_id == checkpoint.active_tab else front
        if tab_id == checkpoint.active_tab or tab.page.url == url:
            continue  # the one in front is loaded with its fields
        try:
            await load(tab, url)
        except ActionError:
            missed.append(url)
    for tab in [one for one in tabs if one.id not in checkpoint.tab_ids]:
        await tabs.close(tab)
    if front is not None:
        await tabs.bring(front)
    return missed
