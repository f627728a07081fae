"""Running a script for the agent in a world of its own, which the page's scripts cannot see."""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import Error

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.border import NoAnswer
from operative_app.surfaces.browser.tab import Tab

WORLD_NAME = "operative script"
PROBE_S = 0.2
_BODY = """async function () {
const value = await (async () => {
%s
})();
return value === undefined ? "" : JSON.stringify(value) ?? "";
}"""


async def execute(tab: Tab, code: str, *, timeout_s: float) -> str:
    """Run a function body in the top page; its result as JSON text, "" for none.

    A script that computes on is ended at the time-out and when the call is cancelled; what it only waits for (a timer,
    an answer) cannot be taken back.

    Raises:
        ActionError: The script's own error, its result is no JSON, or it took too long.
    """
    context_id = await _world(tab)
    try:
        reply = await tab.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": _BODY % code,
                "executionContextId": context_id,
                "awaitPromise": True,
                "returnByValue": True,
                "userGesture": False,
                "silent": True,
            },
            deadline_s=timeout_s,
        )
    except NoAnswer as error:
        await _end_script(tab)
        raise ActionError(f"The script did not end within {timeout_s:g} s.") from error
    except asyncio.CancelledError:
        tab.border.keep(asyncio.ensure_future(_end_script(tab)))
        raise
    except Error as error:
        tab.border.check()
        raise ActionError("The page was left while the script ran.") from error
    if "exceptionDetails" in reply:
        raise ActionError(f"The script failed: {_words(reply['exceptionDetails'])}")
    return str(reply["result"].get("value", ""))


async def _world(tab: Tab) -> int:
    try:
        tree = await tab.send("Page.getFrameTree")
        made = await tab.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"], "worldName": WORLD_NAME}
        )
    except Error as error:
        tab.border.check()
        raise ActionError("The page cannot run a script now.") from error
    return int(made["executionContextId"])


async def _end_script(tab: Tab) -> None:
    """End a script that keeps the page from answering; nothing is ended in a page that answers."""
    try:
        await tab.send("Runtime.evaluate", {"expression": "0"}, deadline_s=PROBE_S, despite_dialog=True)
    except NoAnswer:
        await tab.stop_busy_script()
    except (ActionError, Error):
        return


def _words(details: dict[str, Any]) -> str:
    thrown = details.get("exception", {})
    words = thrown.get("description") or str(thrown.get("value", "")) or details.get("text", "")
    return words.splitlines()[0] if words else "it gave no reason"
