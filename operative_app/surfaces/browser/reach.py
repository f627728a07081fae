"""What a page's own tree keeps to itself and the browser tells: closed shadow roots, and where things can be dropped.

The pass names candidates; the browser is asked about each once. Roots and targets found are handed into the isolated
world, where the next pass finds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from playwright.async_api import Error

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.browser.border import NoAnswer
from operative_app.surfaces.browser.tab import Tab, World

MAX_DROP_TARGETS = 60
HOSTS_AT_ONCE = 20
DEADLINE_S = 1.5
UNASKED = "closed components were not all looked into"
_DROPS = frozenset({"drop", "dragover"})
_GROUP = "operative-reach"


async def reach(tab: Tab, world: World, page: dict[str, Any]) -> bool:
    """Ask for what the pass could not see; True when something was found, so that another pass tells more.

    Never raises for what the browser refuses to tell: it stays unseen. Bounded by `DEADLINE_S`; what there was no
    time for is said in `left_out`, and asked for at the next pass.
    """
    if not page["hosts"] and not page["has_drags"]:
        return False
    found: list[bool] = []
    are_asked = not page["hosts"]
    try:
        async with asyncio.timeout(DEADLINE_S):
            if page["hosts"]:
                async for has_roots in _adopt_roots(tab, world):
                    found.append(has_roots)
                are_asked = True
            if page["has_drags"]:
                found.append(await _adopt_drops(tab, world))
    except (Error, NoAnswer, SurfaceError, TimeoutError, KeyError):
        tab.border.check()
        if not are_asked:
            page["left_out"].append(UNASKED)
    return any(found)


async def _adopt_roots(tab: Tab, world: World) -> AsyncIterator[bool]:
    """Some hosts at a time, so that a slow browser gets on with them from pass to pass; whether any had a root."""
    hosts = await _handle(tab, world, f"globalThis[{tab.door!r}]('hostsToAsk', [])")
    listed = await tab.send_to(world, "Runtime.getProperties", {"objectId": hosts, "ownProperties": True})
    handles = [one["value"]["objectId"] for one in listed["result"] if one["name"].isdigit()]
    for begin in range(0, len(handles), HOSTS_AT_ONCE):
        end = begin + HOSTS_AT_ONCE
        asked = [tab.send_to(world, "DOM.describeNode", {"objectId": handle}) for handle in handles[begin:end]]
        roots = [
            root["backendNodeId"]
            for told in await asyncio.gather(*asked)
            for root in told["node"].get("shadowRoots", ())
            if root["shadowRootType"] == "closed"
        ]
        taken = await asyncio.gather(*(_adopt_one(tab, world, "adoptRoot", node_id) for node_id in roots))
        await _call_on(tab, world, hosts, f"'hostsAsked', [this.slice({begin}, {end})]")
        yield any(taken)
    await tab.send_to(world, "Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


async def _adopt_drops(tab: Tab, world: World) -> bool:
    # The document as the page's own world has it (a name no page can take): asked about through the isolated world's,
    # Chromium 156 crashes the page some moments after something was dragged there (measured: within 2 to 7 drags).
    found = await tab.send_to(world, "Runtime.evaluate", {"expression": "document", "objectGroup": _GROUP})
    document = found["result"]["objectId"]
    told = await tab.send_to(
        world, "DOMDebugger.getEventListeners", {"objectId": document, "depth": -1, "pierce": True}
    )
    targets = {one["backendNodeId"] for one in told["listeners"] if one["type"] in _DROPS and "backendNodeId" in one}
    fresh = sorted(targets - world.known_drops)[:MAX_DROP_TARGETS]
    taken = await asyncio.gather(*(_adopt_one(tab, world, "adoptDrop", node_id) for node_id in fresh))
    world.known_drops.update(fresh)
    await tab.send_to(world, "Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    return any(taken)


async def _adopt_one(tab: Tab, world: World, door: str, node_id: int) -> bool:
    """Hand a node into the world; it is told by the browser's number."""
    resolved = await tab.send_to(
        world,
        "DOM.resolveNode",
        {"backendNodeId": node_id, "executionContextId": world.context_id, "objectGroup": _GROUP},
    )
    return bool(await _call_on(tab, world, resolved["object"]["objectId"], f"{door!r}, [this]"))


async def _call_on(tab: Tab, world: World, handle: str, call: str) -> Any:
    """Call one of the world's functions, given as its name and its arguments, with `this` for what the handle means."""
    reply = await tab.send_to(
        world,
        "Runtime.callFunctionOn",
        {
            "objectId": handle,
            "functionDeclaration": f"function() {{ return globalThis[{tab.door!r}]({call}); }}",
            "returnByValue": True,
        },
    )
    return reply["result"].get("value")


async def _handle(tab: Tab, world: World, expression: str) -> str:
    found = await tab.send_to(
        world,
        "Runtime.evaluate",
        {"expression": expression, "contextId": world.context_id, "objectGroup": _GROUP, "silent": True},
    )
    return str(found["result"]["objectId"])
