"""Waiting until what an act set off has calmed down."""

from __future__ import annotations

import asyncio
from typing import Final

from operative_app.core.screen import Element
from operative_app.surfaces.desktop.observer import Look, Observer

REACT_S: Final = 0.05
"""A program gets this to begin reacting."""
STEP_S: Final = 0.06

_Signature = tuple[object, ...]


async def settle(observer: Observer, ceiling_s: float) -> None:
    """Return once two looks in a row are alike, at the ceiling at the latest.

    The accessibility tree is compared, not the picture: a caret that blinks never rests.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + ceiling_s
    await asyncio.sleep(min(REACT_S, ceiling_s))
    try:
        async with asyncio.timeout_at(end):
            before = _signature(await observer.look())
            while True:
                await asyncio.sleep(STEP_S)
                now = _signature(await observer.look())
                if now == before:
                    return
                before = now
    except TimeoutError:
        return


def _signature(look: Look) -> _Signature:
    windows = tuple((one.id, one.title, one.box, one.is_active, one.is_minimized) for one in look.windows)
    tree = look.tree
    return windows, tree.focus, tree.modal, tuple(map(_of, tree.elements)), tuple(one.text for one in tree.texts)


def _of(element: Element) -> _Signature:
    # without the key: Qt makes some objects, such as column headers, anew each time they are asked for
    return element.role, element.name, element.value, element.states, element.box
