"""Which addresses may be opened at all, and how a typed one is completed.

Principle: parse as the browser does, refuse what cannot be judged.

| scheme | verdict |
|---|---|
| http, https | may be opened |
| about:blank | may be opened |
| everything else (file, javascript, data, blob, chrome, view-source, …) | refused |

A link that is pressed is judged by `link_fault` and `is_script`: pages carry addresses that nobody types.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from operative_app.core.errors import SettingsError

_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*):")
_HOST_AND_PORT = re.compile(r"^[^/?#:]+:\d{1,5}(?:[/?#]|$)")


def completed_url(text: str) -> str:
    """A typed address as a URL a browser can open; scheme-less hosts get https (http for this computer).

    Raises:
        SettingsError: It is no web address, or of a kind that is never opened; the sentence says why.
    """
    typed = text.strip()
    if not typed or any(ord(char) < 0x20 for char in typed) or " " in typed:
        raise SettingsError(f"“{text}” is not a web address.")
    if typed == "about:blank":
        return typed
    if not _SCHEME.match(typed) or _HOST_AND_PORT.match(typed):
        typed = f"{'http' if _is_this_computer(typed) else 'https'}://{typed}"
    scheme = typed.split(":", 1)[0].lower()
    if scheme not in {"http", "https"}:
        raise SettingsError(f"“{text}” is not opened: only http and https addresses are.")
    if not typed[len(scheme) + 1 :].startswith("//"):
        raise SettingsError(f"“{text}” is not a web address.")
    try:
        parts = urlsplit(typed)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise SettingsError(f"“{text}” is not a web address: {error}.") from error
    is_bracketed = "[" in parts.netloc
    if not (_is_ipv6(host) if is_bracketed else _is_host(host)) or port == 0:
        raise SettingsError(f"“{text}” is not a web address: the host name is wrong.")
    return typed


_CLOSED_SCHEMES = frozenset({"file", "filesystem", "view-source", "devtools", "res", "jar", "ms-its"})
_SHOWN_DATA = re.compile(r"^data:\s*(?:text/(?:html|xml)|application/(?:xhtml\+)?xml|image/svg\+xml)", re.IGNORECASE)
_NO_SCRIPT = re.compile(r"^javascript:\s*(?:void\s*(?:\(?\s*0?\s*\)?|0))?\s*;*\s*$", re.IGNORECASE)
_BROWSER_SCHEME = re.compile(r"^(?:chrome|edge|brave|opera|vivaldi|moz|about|safari)(?:-[a-z]+)*$")


def link_fault(href: str) -> str:
    """Why a link is not to be followed, "" when it may be: what the browser opens there is no web page.

    Links to other programs (mailto) and to files made in the page (blob, data) lead out of no page; a script is
    judged by `is_script`.
    """
    found = _SCHEME.match(href.strip())
    scheme = found[1].lower() if found is not None else ""
    is_own = bool(_BROWSER_SCHEME.match(scheme)) and href.strip() != "about:blank"
    if scheme in _CLOSED_SCHEMES or is_own or _SHOWN_DATA.match(href.strip()):
        return f"the link leads to “{href.strip()[:80]}”, which is not opened: only http and https addresses are"
    return ""


def is_script(href: str) -> bool:
    """Whether the address of a link is a script that does something."""
    text = href.strip()
    return text.lower().startswith("javascript:") and not _NO_SCRIPT.match(text)


def site_of(url: str) -> str:
    """Host and port for people and for "allow on this site"; "" for pages without one."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def _is_this_computer(typed: str) -> bool:
    host = re.split(r"[/?#]", typed, maxsplit=1)[0].rpartition(":")[0] or re.split(r"[/?#:]", typed, maxsplit=1)[0]
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_ipv6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.split("%")[0]).version == 6
    except ValueError:
        return False


def _is_host(host: str) -> bool:
    if not host or len(host) > 253:
        return False
    labels = host.rstrip(".").split(".")
    if any(not label or len(label) > 63 or re.search(r"[\s_<>\"'`\\^{}|%@:]", label) for label in labels):
        return False
    return len(labels) > 1 or labels[0] == "localhost" or labels[0].isascii()
