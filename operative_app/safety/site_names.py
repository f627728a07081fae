"""What counts as one site: the part of a host that one owner registers, as browsers see it ("same site").

| address | site |
|---|---|
| `https://www.shop.example.co.uk/x` | `example.co.uk` |
| `https://ada.github.io/` | `ada.github.io`: below a suffix where anybody may register a name |
| `http://127.0.0.1:8080/`, `http://localhost:8080/`, `http://printer/` | with the port: each program there is its own |
| `about:blank`, `data:`, what cannot be read | "", no site |

The Public Suffix List comes with the package `publicsuffixlist`; nothing is fetched. A suffix that is not on it counts
as one label long, as the list's own rules say.
"""

from __future__ import annotations

import ipaddress
from functools import cache
from typing import TYPE_CHECKING

from ada_url import URL

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_PORTS = {"http:": "80", "https:": "443"}


def site_name(url: str) -> str:
    """The site of an address, in the browser's spelling; "" when it has none."""
    try:
        parsed = URL(url)
    except ValueError:
        return ""
    if parsed.protocol not in _PORTS:
        return ""
    host = str(parsed.hostname).rstrip(".")
    if not _is_address(host) and (owned := _suffixes().privatesuffix(host)) is not None:
        return str(owned)
    return f"{host}:{parsed.port or _PORTS[parsed.protocol]}"


def has_known_suffix(host: str) -> bool:
    """Whether a host ends in a suffix of the list, so that "amazon.com" is one and "notes.txt" is none."""
    suffix = _known_suffixes().publicsuffix(host.rstrip(".").lower())
    return suffix is not None and suffix != host.lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # read on first use: its list takes a tenth of a second

    return PublicSuffixList()


@cache
def _known_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)
