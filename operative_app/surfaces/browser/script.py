"""The script that is put into each frame's isolated world, from the files in `page/`."""

from __future__ import annotations

from functools import cache
from importlib import resources

_PARTS = (
    "legible.js",
    "names.js",
    "parts.js",
    "tables.js",
    "watch.js",
    "reach.js",
    "texts.js",
    "controls.js",
    "bounds.js",
    "walker.js",
    "acts.js",
    "typing.js",
    "veil.js",
)
_DOORS = (
    "observePage",
    "glance",
    "hostsToAsk",
    "hostsAsked",
    "adoptRoot",
    "adoptDrop",
    "check",
    "aim",
    "through",
    "frameInside",
    "reveal",
    "fillWay",
    "takeHold",
    "hasHold",
    "heldBy",
    "setValue",
    "choose",
    "focusNode",
    "scrollBy_",
    "scrollAt",
    "spotAt",
    "standing",
    "hasTakenPlace",
    "boxOf",
    "viewport",
    "selectedText",
    "guardBegin",
    "guardState",
    "guardEnd",
    "readText",
    "lookAt",
    "attributeOf",
    "scrollTo_",
    "isPageVisible",
    "calm",
    "nodeOf",
    "fileInputOf",
    "idOf",
    "beginWatch",
    "veil",
    "fieldPlace",
    "focusPlace",
)


@cache
def world_script(door: str) -> str:
    """The source that installs itself as the function `door(name, arguments)` of its world.

    Args:
        door: A name no page can guess, so that a context id that came to mean another world is noticed.
    """
    folder = resources.files(__package__) / "page"
    source = "\n".join((folder / part).read_text(encoding="utf-8") for part in _PARTS)
    doors = ", ".join(_DOORS)
    return (
        f"(() => {{ 'use strict';\n{source}\nconst doors = {{ {doors} }};\n"
        f"globalThis[{door!r}] = (name, list) => doors[name](...list); }})()"
    )
