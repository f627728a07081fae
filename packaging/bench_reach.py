"""What can be reached on a page by the browser's own account, and what of it a program's list of a page lacks.

It takes nothing but the standard library, since it runs in the environments of other programs too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

Json = dict[str, Any]
Send = Callable[[str, Json], Awaitable[Json]]

ROLES = frozenset(
    {
        *("button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"),
        *("spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"),
        *("DisclosureTriangle", "ColorWell", "Date", "DateTime", "InputTime", "PopUpButton"),
    }
)
_CAN_BE_SEEN = """async function() {
  this.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  return new Promise((resolve) => new IntersectionObserver((all, one) => {
    one.disconnect(); resolve(all[0].intersectionRect.width * all[0].intersectionRect.height > 0);
  }).observe(this));
}"""


async def unlisted(send: Send, listed: Collection[int]) -> list[str]:
    """Role and name of what can be operated and brought into sight, but is not listed.

    What stands for it is as good: the field around its parts, the label around a field.

    Args:
        send: Sends a command to the session of the page.
        listed: The browser's numbers for the nodes that the program lists.
    """
    missing: list[str] = []
    for frame in _frames((await send("Page.getFrameTree", {}))["frameTree"]):
        nodes = {one["nodeId"]: one for one in (await send("Accessibility.getFullAXTree", {"frameId": frame}))["nodes"]}
        for node in nodes.values():
            if node["ignored"] or node.get("role", {}).get("value") not in ROLES:
                continue
            family = {*_above(node, nodes), *_below(node, nodes)}
            if family.isdisjoint(listed) and await _can_be_seen(send, node):
                missing.append(f"{node['role']['value']} “{node.get('name', {}).get('value', '')}”")
    return missing


def _frames(tree: Json) -> list[str]:
    return [tree["frame"]["id"], *(name for child in tree.get("childFrames", ()) for name in _frames(child))]


def _above(node: Json, nodes: dict[str, Json]) -> list[int]:
    found: list[int] = []
    at: Json | None = node
    while at is not None and len(found) < 8:
        found.append(at.get("backendDOMNodeId", 0))
        at = nodes.get(at.get("parentId", ""))
    return found


def _below(node: Json, nodes: dict[str, Json]) -> list[int]:
    inside = [nodes[one] for one in node.get("childIds", ()) if one in nodes]
    return [number for one in inside for number in (one.get("backendDOMNodeId", 0), *_below(one, nodes))]


async def _can_be_seen(send: Send, node: Json) -> bool:
    held = await send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})
    call = {
        "objectId": held["object"]["objectId"],
        "functionDeclaration": _CAN_BE_SEEN,
        "returnByValue": True,
        "awaitPromise": True,
    }
    return bool((await send("Runtime.callFunctionOn", call))["result"].get("value"))
