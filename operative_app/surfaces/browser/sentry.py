"""What a page does that would open a box of the browser itself: printing, and links to other programs.

Such a box cannot be seen or answered from here and holds the page up, so both are caught inside the page
(`page/sentry.js`) and told. While a person has the browser in hand they are let through.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from playwright.async_api import BrowserContext, Error, Page

from operative_app.core.errors import ActionError
from operative_app.core.screen import PendingDialog
from operative_app.surfaces.browser.border import Border
from operative_app.surfaces.browser.downloads import Downloads
from operative_app.surfaces.browser.tab import Tab

INSTALL_S = 2.0
PRINT_S = 30.0
MAX_NOTES = 5


@dataclass(frozen=True, slots=True)
class _Print:
    page: Page
    url: str


class Sentry:
    """Knows which page wants to print, and which links were not followed (agent thread)."""

    def __init__(self, border: Border, downloads: Downloads, *, is_in_person: Callable[[], bool]) -> None:
        """`is_in_person` tells whether a person has the browser in hand now."""
        self._border = border
        self._downloads = downloads
        self._is_in_person = is_in_person
        self._door = f"op_{secrets.token_hex(8)}"
        self._print: _Print | None = None
        self._schemes: list[str] = []

    async def install(self, context: BrowserContext) -> None:
        """Watch all pages, the ones that are open too."""
        script = (resources.files(__package__) / "page" / "sentry.js").read_text(encoding="utf-8")
        script = script.replace("DOOR", repr(self._door))
        await self._border.call(context.expose_binding(self._door, self._on_told), despite_dialog=True)
        await self._border.call(context.add_init_script(script), despite_dialog=True)
        for page in context.pages:
            for frame in page.frames:
                try:
                    await self._border.call(frame.evaluate(script), deadline_s=INSTALL_S)
                except (Error, ActionError):  # it is busy, or leaves; its next document is watched
                    self._border.check()

    def pending(self, tab: Tab) -> PendingDialog | None:
        """The print box of the tab, None when its page does not want to print or was left since."""
        wish = self._print
        if wish is None or wish.page is not tab.page or wish.page.url != wish.url:
            return None
        return PendingDialog(kind="print", message=f"Print “{tab.title or wish.url}”")

    def take_notes(self) -> list[str]:
        """Sentences about links that were not followed since they were last asked for."""
        schemes, self._schemes = self._schemes, []
        return [
            f"the page wanted to start another program on this computer ({one}), which was not done" for one in schemes
        ]

    async def answer(self, tab: Tab, *, accept: bool) -> None:
        """Print into a PDF file among the downloads, or not at all.

        Raises:
            ActionError: The browser could not print.
        """
        wish, self._print = self._print, None
        if wish is None or not accept:
            return
        try:
            reply = await tab.send("Page.printToPDF", {"printBackground": True}, deadline_s=PRINT_S)
        except Error as error:
            self._border.check()
            raise ActionError("The browser could not print the page.") from error
        await self._downloads.keep_file(f"{tab.title or 'page'}.pdf", wish.url, base64.b64decode(reply["data"]))

    def _on_told(self, source: Any, kind: str, detail: str) -> str:
        """Nothing is waited for here: the look that follows must know of it."""
        if self._is_in_person():
            return "native"
        if kind == "print":
            page: Page = source["page"]
            self._print = _Print(page, page.url)
        elif detail not in self._schemes and len(self._schemes) < MAX_NOTES:
            self._schemes.append(detail)
        return "told"
