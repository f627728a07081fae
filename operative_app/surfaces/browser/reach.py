"""What a page's own tree keeps to itself and the browser tells: closed shadow roots, and where things can be dropped.

The pass names candidates; the browser is asked about each once. Roots and targets found are handed into the isolated
world, where the next pass finds them.
"""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import Error

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.browser.border import NoAnswer
from operative_app.surfaces.browser.tab import Tab, World

MAX_DROP_TARGETS = 60
DEADLINE_S = 1.5
_DROPS = frozenset({"drop", "dragover"})
_GROUP = "operative-reach"


async def reach(tab: Tab, world: World, page: dict[str, Any]) -> bool:
    """Ask for what the pass could not see; True when something was found, so that another pass tells more.

    Never raises for what the browser refuses to tell: it stays unseen. Bounded by `DEADLINE_S`.
    """
    if not page["hosts"] and not page["has_drags"]:
        return False
    try:
        async with asyncio.timeout(DEADLINE_S):
            has_roots = bool(page["hosts"]) and await _adopt_roots(tab, world)
            has_drops = page["has_drags"] and await _adopt_drops(tab, world)
    except (Error, NoAnswer, SurfaceError, TimeoutError, KeyError):
        tab.border.check()
        return False
    return has_roots or has_drops


async def _adopt_roots(tab: Tab, world: World) -> bool:
    hosts = await _handle(tab, world, f"globalThis[{tab.door!r}]('hostsToAsk', [])")
    listed = await tab.send_to(world, "Runtime.getProperties", {"objectId": hosts, "ownProperties": True})
    handles = [one["value"]["objectId"] for one in listed["result"] if one["name"].isdigit()]
    asked = [tab.send_to(world, "DOM.describeNode", {"objectId": handle}) for handle in handles]
    roots = [
        root["backendNodeId"]
        for told in await asyncio.gather(*asked)
        for root in told["node"].get("shadowRoots", ())
        if root["shadowRootType"] == "closed"
    ]
    return await _adopt(tab, world, "adoptRoot", roots)


async def _adopt_drops(tab: Tab, world: World) -> bool:
    document = await _handle(tab, world, "document")
    told = await tab.send_to(
        world, "DOMDebugger.getEventListeners", {"objectId": document, "depth": -1, "pierce": True}
    )
    targets = {one["backendNodeId"] for one in told["listeners"] if one["type"] in _DROPS and "backendNodeId" in one}
    fresh = sorted(targets - world.known_drops)[:MAX_DROP_TARGETS]
    world.known_drops.update(fresh)
    return await _adopt(tab, world, "adoptDrop", fresh)


async def _adopt(tab: Tab, world: World, door: str, node_ids: list[int]) -> bool:
    """Hand nodes into the world; they are told by the browser's numbers."""
    taken = await asyncio.gather(*(_adopt_one(tab, world, door, node_id) for node_id in node_ids))
    await tab.send_to(world, "Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    return any(taken)


async def _adopt_one(tab: Tab, world: World, door: str, node_id: int) -> bool:
    resolved = await tab.send_to(
        world,
        "DOM.resolveNode",
        {"backendNodeId": node_id, "executionContextId": world.context_id, "objectGroup": _GROUP},
    )
    reply = await tab.send_to(
        world,
        "Runtime.callFunctionOn",
        {
            "objectId": resolved["object"]["objectId"],
            "functionDeclaration": f"function() {{ return globalThis[{tab.door!r}]({door!r}, [this]); }}",
            "returnByValue": True,
        },
    )
    return bool(reply["result"].get("value"))


async def _handle(tab: Tab, world: World, expression: str) -> str:
    found = await tab.send_to(
        world,
        "Runtime.evaluate",
        {"expression": expression, "contextId": world.context_id, "objectGroup": _GROUP, "silent": True},
    )
    return str(found["result"]["objectId"])
