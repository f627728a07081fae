"""The browser's clipboard, without a permission and without touching a page.

Chromium gives the clipboard only to a document that has the focus and a permission, and not at all to pages without
https. So a hidden page of our own is opened for the moment, and the browser's own editing commands copy from it or
paste into it. No page of a site sees any of this.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Error

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.surfaces.browser.border import Border

ANSWER_S = 5.0
_FIELD = "document.querySelector('textarea')"


class Clipboard:
    """Reads and writes text (agent thread). Headless browsers have a clipboard of their own, others the system's."""

    def __init__(self, context: BrowserContext, border: Border) -> None:
        self._context = context
        self._border = border
        self._session: CDPSession | None = None
        self._lock = asyncio.Lock()

    async def read(self) -> str:
        """The text on the clipboard, "" when it holds none."""
        async with self._lock, _HiddenPage(await self._browser_session(), self._border) as page:
            await page.evaluate(f"document.body.innerHTML = '<textarea></textarea>'; {_FIELD}.focus()")
            await page.command("paste")
            return str(await page.evaluate(f"{_FIELD}.value"))

    async def write(self, text: str) -> None:
        """Put exactly this text on the clipboard.

        Raises:
            ActionError: The clipboard cannot hold it.
        """
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise ActionError("The text holds halves of characters, which the clipboard cannot keep.")
        async with self._lock, _HiddenPage(await self._browser_session(), self._border) as page:
            # A key command copies only a selection that is not empty; an event handler may set any text.
            await page.evaluate(
                "document.body.innerHTML = '<textarea>x</textarea>';"
                f"{_FIELD}.focus(); {_FIELD}.select();"
                "document.oncopy = (event) => { event.preventDefault();"
                f" event.clipboardData.setData('text/plain', {json.dumps(text)}); }}"
            )
            await page.command("copy")

    async def _browser_session(self) -> CDPSession:
        if self._session is None:
            browser = self._context.browser
            if browser is None:
                raise SurfaceError("The browser's clipboard cannot be reached.")
            self._session = await self._border.call(browser.new_browser_cdp_session(), despite_dialog=True)
        return self._session


class _HiddenPage:
    """A blank page no person sees, for the time of a `with` block; it is no tab."""

    def __init__(self, session: CDPSession, border: Border) -> None:
        self._session = session
        self._border = border
        self._target = ""
        self._id = ""
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def __aenter__(self) -> _HiddenPage:
        try:
            made = await self._ask("Target.createTarget", {"url": "about:blank", "hidden": True})
            self._target = made["targetId"]
            self._session.on("Target.receivedMessageFromTarget", self._on_message)
            attached = await self._ask("Target.attachToTarget", {"targetId": self._target, "flatten": False})
            self._id = attached["sessionId"]
            await self._send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def evaluate(self, expression: str) -> Any:
        reply = await self._send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        return reply["result"].get("value")

    async def command(self, name: str) -> None:
        """An editing command ("copy", "paste") as if its key had been pressed."""
        await self._send("Input.dispatchKeyEvent", {"type": "keyDown", "commands": [name]})
        await self._send("Input.dispatchKeyEvent", {"type": "keyUp"})

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            reply = await self._border.call(
                self._session.send(method, params), deadline_s=ANSWER_S, despite_dialog=True
            )
        except Error as error:
            self._border.check()
            raise ActionError("The browser's clipboard does not answer.") from error
        return dict(reply or {})

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[self._number] = answer
        message = json.dumps({"id": self._number, "method": method, "params": params})
        await self._ask("Target.sendMessageToTarget", {"sessionId": self._id, "message": message})
        reply = await self._border.call(_awaited(answer), deadline_s=ANSWER_S, despite_dialog=True)
        if "error" in reply:
            raise ActionError("The browser's clipboard cannot be used.")
        return dict(reply["result"])

    def _on_message(self, event: dict[str, Any]) -> None:
        if event.get("sessionId") != self._id:
            return
        message = json.loads(event["message"])
        answer = self._answers.pop(message.get("id", 0), None)
        if answer is not None and not answer.done():
            answer.set_result(message)

    async def _close(self) -> None:
        self._session.remove_listener("Target.receivedMessageFromTarget", self._on_message)
        if self._target:
            self._border.keep(asyncio.ensure_future(self._end()))

    async def _end(self) -> None:
        await self._ask("Target.closeTarget", {"targetId": self._target})


async def _awaited(answer: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    return await answer
