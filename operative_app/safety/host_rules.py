"""Site rules as the browser's resolver of names reads them: a second wall, below every request.

Principle: what has no address cannot be reached. It holds what no request tells: WebSockets of workers, connections
made ahead, WebRTC. It knows hosts only, so that ports, schemes and what is denied inside of an allowed wildcard are
left to the interception of requests.
"""

from __future__ import annotations

from collections.abc import Iterable

from operative_app.safety.sites import SitePattern, SiteRules, covers

_NOTHING = "~NOTFOUND"


def host_rules(sites: SiteRules, proxies: Iterable[str] = ()) -> str:
    """The value of Chromium's `--host-resolver-rules`, "" when no lists are given.

    Args:
        proxies: Hosts of the person's proxies: they must be found although they are no sites.
    """
    if sites.allow is not None:
        allowed = [one for one in sites.allow if not any(covers(denied, one) for denied in sites.deny)]
        spared = [name for pattern in allowed for name in _names(pattern)]
        spared += [name for proxy in proxies for name in (proxy, f"{proxy}.")]
        return ", ".join([f"MAP * {_NOTHING}", *(f"EXCLUDE {name}" for name in dict.fromkeys(spared))])
    whole = [pattern for pattern in sites.deny if not pattern.port and not pattern.scheme]
    return ", ".join(f"MAP {name} {_NOTHING}" for pattern in whole for name in _names(pattern))


def _names(pattern: SitePattern) -> tuple[str, ...]:
    """A host with and without the dot at its end, and what lies below it."""
    host = pattern.host.strip("[]")
    if pattern.host != host:
        return (host,)
    names = (host, f"{host}.")
    return (*names, *(f"*.{name}" for name in names)) if pattern.with_subdomains else names
