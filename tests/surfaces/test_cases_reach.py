"""Nothing that can be reached on the difficult pages is missing from what a model is told of them.

What can be reached is taken from the browser's own accessibility tree, which knows nothing of our reading of the page.
"""

from __future__ import annotations

import re
from typing import Any

from operative_app.core.screen import ScreenState
from operative_app.planning.model.numbers import Numbers
from operative_app.planning.model.sight import LARGE_CHARS, find, see
from tests.surfaces.pages import CASES
from tests.surfaces.work import Work

_ROLES = frozenset(
    {
        *("button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"),
        *("spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem"),
        *("DisclosureTriangle", "ColorWell", "Date", "DateTime", "InputTime", "PopUpButton"),
    }
)
_KEYS = """function(door) {
  const number = (node) => globalThis[door]('idOf', [node]);
  const all = [];
  for (let at = this, up = 0; at && up < 8; at = at.parentNode || at.host, up += 1) {
    if (at.nodeType === 1) all.push(number(at));
  }
  for (const inside of this.querySelectorAll('*')) all.push(number(inside));
  return all;
}"""
"""The node with what it is part of and what is part of it: a control may be listed by its field or by its label."""

_CAN_BE_SEEN = """async function() {
  this.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  return new Promise((resolve) => new IntersectionObserver((all, one) => {
    one.disconnect(); resolve(all[0].intersectionRect.width * all[0].intersectionRect.height > 0);
  }).observe(this));
}"""


def test_everything_that_can_be_reached_is_told_or_found_on_request(work: Work) -> None:
    async def look_at(name: str) -> tuple[int, list[str]]:
        state = await work.open(work.pages.url(name))
        count, missing = await compare(state)
        if missing:  # it may have come after the look: some parts come late
            count, missing = await compare(await work.look())
        return count, missing

    async def compare(state: ScreenState) -> tuple[int, list[str]]:
        tab = work.browser._tabs.active
        assert tab is not None
        assert tab.top is not None
        told = _numbers_told(state)
        known = {key: number for number, key in told.items()}
        count, missing = 0, []
        for node in await _reachable(tab):
            handle = {"backendNodeId": node["backendDOMNodeId"], "executionContextId": tab.top.context_id}
            held = (await tab.send("DOM.resolveNode", handle))["object"]["objectId"]
            numbers = await _called(tab, held, _KEYS, tab.door)
            if any(f"{tab.top.tag}n{number}" in known for number in numbers):
                count += 1
            elif await _called(tab, held, _CAN_BE_SEEN):
                missing.append(f"{node['role']['value']} “{node['name']['value']}”")
        return count, missing

    names = [page.name for page in sorted(CASES.glob("*.html"))]
    found = {name: work.run(look_at(name)) for name in names}
    assert {name: missing for name, (_, missing) in found.items() if missing} == {}
    assert sum(count for count, _ in found.values()) > 100


def _numbers_told(state: ScreenState) -> dict[int, str]:
    """The elements whose numbers stand in the text for a model, or in its answer to “show” with their words."""
    numbers = Numbers()
    elements = numbers.of(state)
    sight = see(state, numbers, ())
    told = set(_listed(sight.text))
    if sight.left_out:
        assert "ask with “show”" in sight.text
        for element in elements.values():
            told |= set(_listed(find(state, numbers, element.name or element.text, max_chars=LARGE_CHARS)))
    return {number: element.key for number, element in elements.items() if number in told}


def _listed(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\] ", text)]


async def _reachable(tab: Any) -> list[dict[str, Any]]:
    """What the browser tells programs for blind people can be operated, over all frames."""
    frames: list[str] = []

    def note(tree: dict[str, Any]) -> None:
        frames.append(tree["frame"]["id"])
        for child in tree.get("childFrames", ()):
            note(child)

    note((await tab.send("Page.getFrameTree"))["frameTree"])
    nodes: list[dict[str, Any]] = []
    for frame in frames:
        nodes += (await tab.send("Accessibility.getFullAXTree", {"frameId": frame}))["nodes"]
    return [one for one in nodes if not one["ignored"] and one.get("role", {}).get("value") in _ROLES]


async def _called(tab: Any, held: str, function: str, *arguments: Any) -> Any:
    call = {
        "objectId": held,
        "functionDeclaration": function,
        "arguments": [{"value": one} for one in arguments],
        "returnByValue": True,
        "awaitPromise": True,
    }
    return (await tab.send("Runtime.callFunctionOn", call))["result"].get("value")
