"""Loading pages, and saying in words why one did not load."""

from __future__ import annotations

import asyncio
import ipaddress
import re
from urllib.parse import urlsplit

from playwright.async_api import Error
from playwright.async_api import TimeoutError as LateError

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.border import DialogWaits, NoAnswer, PageCrashed
from operative_app.surfaces.browser.downloads import Downloads
from operative_app.surfaces.browser.tab import Tab

BACK_S = 15.0
DOWNLOAD_S = 1.0
DOCUMENT_S = 10.0
GLANCE_S = 1.0
_CODE = re.compile(r"net::(ERR_\w+)")
_WORDS = {
    "ERR_NAME_NOT_RESOLVED": "the host {host} is not known",
    "ERR_CONNECTION_REFUSED": "{host} refuses the connection",
    "ERR_CONNECTION_RESET": "{host} broke the connection off",
    "ERR_CONNECTION_CLOSED": "{host} broke the connection off",
    "ERR_CONNECTION_TIMED_OUT": "{host} does not answer",
    "ERR_ADDRESS_UNREACHABLE": "{host} cannot be reached",
    "ERR_INTERNET_DISCONNECTED": "there is no network",
    "ERR_NETWORK_CHANGED": "the network changed meanwhile",
    "ERR_PROXY_CONNECTION_FAILED": "the proxy cannot be reached",
    "ERR_EMPTY_RESPONSE": "{host} sent nothing",
    "ERR_TOO_MANY_REDIRECTS": "{host} redirects without end",
    "ERR_INVALID_URL": "the address is not valid",
    "ERR_UNSAFE_PORT": "the browser does not allow this port",
    "ERR_BLOCKED_BY_CLIENT": "the browser blocked it",
    "ERR_HTTP_RESPONSE_CODE_FAILURE": "{host} answered with an error and an empty page",
    "ERR_INVALID_AUTH_CREDENTIALS": "{host} wants a name and a password in a box of the browser's own",
    "ERR_ABORTED": "the page was not loaded",
}


def address_of(url: str) -> str:
    """A full address from what a person or a planner wrote.

    Raises:
        ActionError: It is no web address; only http, https and about:blank are opened.
    """
    text = url.strip()
    if text == "about:blank":
        return text
    if not text or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise ActionError(f"“{url}” is no web address.")
    has_scheme = re.match(r"^[A-Za-z][A-Za-z0-9+.-]*:(?!\d+(?:[/?#]|$))", text)
    if not has_scheme:
        text = f"{'http' if _is_near(text) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ActionError(f"“{url}” is no web address.") from error
    if parts.scheme.lower() not in {"http", "https"}:
        raise ActionError(f"“{url}” cannot be opened: only http and https addresses can.")
    host = parts.hostname or ""
    if not host or port == 0 or not _is_host(host, has_scheme=bool(has_scheme)):
        raise ActionError(f"“{url}” is no web address.")
    return text


def _is_near(text: str) -> bool:
    host = re.split(r"[:/?#]", text, maxsplit=1)[0].lower()
    return host == "localhost" or host.endswith(".localhost") or host.startswith("127.")


def _is_host(host: str, *, has_scheme: bool) -> bool:
    if ":" in host:
        return _is_ip(host)
    labels = host.rstrip(".").split(".")
    if any(not label or len(label) > 63 for label in labels):
        return False
    if re.search(r"[^\w.\-]", host):
        return False
    return has_scheme or len(labels) > 1 or host.lower() == "localhost"


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


async def navigate(tab: Tab, downloads: Downloads, url: str, timeout_s: float) -> None:
    """Load a page and wait until its document is there.

    When the page that is left asks before it goes, this returns with that dialog waiting; the navigation goes on once
    it is answered.
    """
    address = address_of(url)
    started = downloads.started
    try:
        await tab.border.call(
            tab.page.goto(address, wait_until="commit", timeout=timeout_s * 1000),
            deadline_s=timeout_s + 2,
            crash=tab.crash,
        )
        await _wait_for_document(tab)
    except DialogWaits:
        return
    except asyncio.CancelledError:
        tab.border.keep(asyncio.ensure_future(stop_loading(tab)))
        raise
    except (NoAnswer, LateError) as error:
        await stop_loading(tab)
        raise ActionError(f"{_host(address)} did not answer within {timeout_s:g} s.") from error
    except Error as error:
        tab.border.check()
        if tab.crash.done():
            raise PageCrashed(tab.crash.result()) from error
        if _code(error) in {"", "ERR_ABORTED"} and await downloads.has_started(started, DOWNLOAD_S):
            return
        raise ActionError(f"{address} could not be opened: {_reason(error, address)}.") from error


async def _wait_for_document(tab: Tab) -> None:
    """Some pages never come to their end (a stream, a broken connection); what is there of them can be used."""
    try:
        async with asyncio.timeout(DOCUMENT_S):
            while not await _has_document(tab):
                continue
    except (NoAnswer, TimeoutError):
        return


async def _has_document(tab: Tab) -> bool:
    """Whether the document is there, after a wait of up to `GLANCE_S`.

    The page itself is asked too: the driver waits for ever when the document has begun to lead on to another one and
    that was not loaded.
    """
    try:
        await tab.border.call(
            tab.page.wait_for_load_state("domcontentloaded", timeout=GLANCE_S * 1000),
            deadline_s=GLANCE_S + 2,
            crash=tab.crash,
        )
    except LateError:
        asked = {"expression": "document.readyState", "returnByValue": True}
        try:
            reply = await tab.send("Runtime.evaluate", asked, deadline_s=GLANCE_S)
        except NoAnswer:
            return False
        return str(reply.get("result", {}).get("value", "loading")) != "loading"
    return True


async def stop_loading(tab: Tab) -> None:
    """Without this, every later call to a page that waits for a silent server would hang."""
    try:
        await tab.send("Page.stopLoading", deadline_s=1.0, despite_dialog=True)
    except (Error, ActionError):
        return


async def go_back(tab: Tab) -> None:
    """Go to the page before.

    Raises:
        ActionError: There is none.
    """
    history = await tab.send("Page.getNavigationHistory")
    if history["currentIndex"] <= 0:
        raise ActionError("There is no page before this one in the tab.")
    try:
        await tab.border.call(
            tab.page.go_back(wait_until="domcontentloaded", timeout=BACK_S * 1000),
            deadline_s=BACK_S + 2,
            crash=tab.crash,
        )
    except DialogWaits:
        return
    except asyncio.CancelledError:
        tab.border.keep(asyncio.ensure_future(stop_loading(tab)))
        raise
    except (NoAnswer, LateError) as error:
        await stop_loading(tab)
        raise ActionError("The page before did not load in time.") from error
    except Error as error:
        tab.border.check()
        raise ActionError(f"The page before could not be opened: {_reason(error, tab.page.url)}.") from error


def _host(address: str) -> str:
    return urlsplit(address).netloc or address


def _code(error: Error) -> str:
    match = _CODE.search(error.message)
    return match[1] if match else ""


def _reason(error: Error, address: str) -> str:
    code = _code(error)
    if code in _WORDS:
        return _WORDS[code].format(host=_host(address))
    if code.startswith(("ERR_CERT", "ERR_SSL")):
        return f"the connection to {_host(address)} is not safe ({code})"
    return f"the browser says {code}" if code else "the browser could not load it"
