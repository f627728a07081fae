"""Which sites a run may touch: allow and deny patterns, judged on addresses as the browser reads them.

Principle: parse with the browser's own rules (WHATWG URL), compare whole hosts, refuse what cannot be judged.

| pattern | matches |
|---|---|
| `example.com` | that host, any port, http and https |
| `*.example.com` | that host and every host below it |
| `example.com:8443` | that host on that port only |
| `https://example.com` | that host by https only |
| `127.0.0.1`, `[::1]` | that address, however it is spelt |

| rule | verdict |
|---|---|
| `scheme` | not http or https (`about:blank` passes): denied |
| `deny list` | matches a deny pattern: denied, whatever the allow list says |
| `allow list` | matches an allow pattern: allowed |
| `not on the allow list` | there is an allow list and nothing in it matches: denied; an empty list allows nothing |
| `metadata address` | without an allow list: addresses that answer with keys of cloud machines (link-local): denied |
| `no list` | no allow list was given: every other site is allowed |

A wildcard stands for whole labels at the front only: `www*.com`, `example.*` and `*.com` are refused as patterns. Names
are not looked up: a public name that leads to a private address is not noticed here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Self

from ada_url import URL, HostType

from operative_app.core.errors import SettingsError
from operative_app.core.values import Value

_PORTS = {"http:": "80", "https:": "443"}
_SOCKETS = {"ws": "http", "wss": "https"}
_METADATA_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal")
_LINK_LOCAL = ("*169.254.*", "*[fe8*", "*[fe9*", "*[fea*", "*[feb*", "*[::ffff:a9fe:*")
_REMEDIES = {
    "deny list": "Take it off the deny list to let it be used.",
    "not on the allow list": "Add it to the allow list if the goal needs it.",
}


class SiteVerdict(Value):
    """Whether a site may be touched, by which rule, and why in a sentence. `site` is the host as the browser has it."""

    is_allowed: bool
    rule: str
    reason: str
    site: str = ""


class SitePattern(Value):
    """One pattern, in the browser's spelling. `host` has no wildcard; "" for `scheme` and `port` is any."""

    host: str
    with_subdomains: bool = False
    port: str = ""
    scheme: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """A pattern as a person writes it.

        Raises:
            SettingsError: It is none; the sentence says what is wrong with it.
        """
        typed = text.strip()
        scheme, separator, rest = typed.partition("://")
        if not separator:
            scheme, rest = "", typed
        elif scheme.lower() not in {"http", "https"}:
            raise SettingsError(f"“{text}” is no site pattern: only http and https sites can be named.")
        rest = rest.rstrip("/")
        with_subdomains = rest.startswith("*.")
        host_and_port = rest.removeprefix("*.")
        if not host_and_port or any(sign in host_and_port for sign in "*/?#@ \\") or "://" in host_and_port:
            raise SettingsError(
                f"“{text}” is no site pattern: write a host such as example.com, or *.example.com for all below it."
            )
        try:
            url = URL(f"{scheme or 'http'}://{host_and_port}")
        except ValueError as error:
            raise SettingsError(f"“{text}” is no site pattern: the host name is wrong.") from error
        host = _host(url)
        if with_subdomains and (url.host_type is not HostType.DEFAULT or "." not in host):
            raise SettingsError(f"“{text}” is no site pattern: it would stand for far too many sites.")
        has_port = host_and_port.rpartition("]")[2].rpartition(":")[1] == ":"
        port = (url.port or _PORTS[url.protocol]) if has_port else ""
        return cls(host=host, with_subdomains=with_subdomains, port=port, scheme=scheme.lower())

    @property
    def text(self) -> str:
        """The pattern for people: letters that only look Latin show as what they are (xn--…)."""
        scheme = f"{self.scheme}://" if self.scheme else ""
        return f"{scheme}{'*.' if self.with_subdomains else ''}{self.host}{f':{self.port}' if self.port else ''}"

    def matches(self, url: URL) -> bool:
        host = _host(url)
        is_host = host == self.host or (self.with_subdomains and host.endswith(f".{self.host}"))
        is_port = not self.port or (url.port or _PORTS[url.protocol]) == self.port
        return is_host and is_port and (not self.scheme or url.protocol == f"{self.scheme}:")


class SiteRules(Value):
    """Allow and deny patterns. `allow` None is no list, so no limit; an empty tuple allows nothing."""

    allow: tuple[SitePattern, ...] | None = None
    deny: tuple[SitePattern, ...] = ()

    @classmethod
    def read(cls, allow: Sequence[str] | None = None, deny: Sequence[str] = ()) -> Self:
        """Rules from patterns as people write them; raises SettingsError naming the wrong one."""
        return cls(
            allow=None if allow is None else tuple(SitePattern.read(text) for text in allow),
            deny=tuple(SitePattern.read(text) for text in deny),
        )

    def narrowed(self, other: SiteRules) -> SiteRules:
        """Rules that allow only what both allow: layers narrow each other, never widen."""
        if self.allow is None or other.allow is None:
            allow = other.allow if self.allow is None else self.allow
        else:
            meetings = [meeting(one, two) for one in self.allow for two in other.allow]
            allow = tuple(dict.fromkeys(met for met in meetings if met is not None))
        return SiteRules(allow=allow, deny=(*self.deny, *(one for one in other.deny if one not in self.deny)))

    @property
    def watched(self) -> tuple[str, ...]:
        """Patterns, `*` for anything, that cover whatever `judge` may deny; the fewer match, the less is asked."""
        hosts = [pattern.host for pattern in self.deny]
        if self.allow is not None or any(host.startswith("[") or _is_ipv4(host) for host in hosts):
            return ("*",)  # an address has many spellings
        return (*(f"*{host}*" for host in hosts), *_LINK_LOCAL, *(f"*{name}*" for name in _METADATA_NAMES))

    def refusal(self, url: str) -> str:
        """Why an absolute address may not be touched, by which rule, and what a person can do; "" when it may.

        A WebSocket is judged as the site that it connects to.
        """
        scheme, separator, rest = url.partition("://")
        verdict = self.judge(f"{_SOCKETS[scheme]}://{rest}" if separator and scheme in _SOCKETS else url)
        if verdict.is_allowed:
            return ""
        named = verdict.site or f"“{url[:80]}”"
        reason = verdict.reason[0].lower() + verdict.reason[1:]
        return f"{named} is outside the sites of this run: {reason} {_REMEDIES.get(verdict.rule, '')}".strip()

    def connection_refusal(self, url: str, address: str) -> str:
        """Why a page is not read although its name may be, "" when it may: judged by what the name led to.

        A name on the allow list is trusted with the private network that it stands for, not with this computer; what is
        local by its name, or is an address itself, has been judged as what it is.

        Args:
            address: The IP address the connection went to.
        """
        try:
            parsed, ip = URL(url), ipaddress.ip_address(address.strip("[]"))
        except ValueError:
            return ""
        if parsed.host_type is not HostType.DEFAULT or is_local_name(_host(parsed)):
            return ""
        literal = f"[{ip.compressed}]" if ip.version == 6 else str(ip)
        verdict = self.judge(f"{parsed.protocol}//{literal}:{parsed.port or _PORTS.get(parsed.protocol, '80')}/")
        is_near = ip.is_loopback or ip.is_link_local or ip.is_unspecified
        if verdict.is_allowed or (verdict.rule == "not on the allow list" and not is_near):
            return ""
        where = "this computer" if ip.is_loopback or ip.is_unspecified else "a local address"
        return (
            f"{_site(parsed)} leads to {where} ({literal}), which is outside the sites of this run. "
            "Name that address in the allow list if the page is yours."
        )

    def judge(self, url: str) -> SiteVerdict:
        """The verdict on an address as a page or a person wrote it, resolved to an absolute one before."""
        try:
            parsed = URL(url)
        except ValueError:
            return _deny("address", "It is no complete web address.")
        if parsed.href == "about:blank":
            return SiteVerdict(is_allowed=True, rule="scheme", reason="An empty page touches no site.")
        if parsed.protocol not in _PORTS:
            kind = parsed.protocol.rstrip(":")
            return _deny("scheme", f"Only http and https addresses are opened, not {kind}.")
        site = _site(parsed)
        if (pattern := _first(self.deny, parsed)) is not None:
            return _deny("deny list", f"The deny list names it: {pattern.text}.", site)
        if self.allow is not None:
            pattern = _first(self.allow, parsed)
            if pattern is None:
                return _deny("not on the allow list", "No pattern of the allow list matches it.", site)
            return SiteVerdict(
                is_allowed=True, rule="allow list", reason=f"The allow list names it: {pattern.text}.", site=site
            )
        if _is_link_local(parsed) or _host(parsed) in _METADATA_NAMES:
            return _deny("metadata address", "Such addresses answer with keys of this machine; allow it by name.", site)
        return SiteVerdict(is_allowed=True, rule="no list", reason="There is no allow list, so no limit.", site=site)


def is_local_name(host: str) -> bool:
    """Whether a host is this computer or a machine of the local network by its name."""
    return "." not in host or host.endswith((".localhost", ".local", ".internal", ".lan", ".home.arpa"))


def _deny(rule: str, reason: str, site: str = "") -> SiteVerdict:
    return SiteVerdict(is_allowed=False, rule=rule, reason=reason, site=site)


def _first(patterns: Sequence[SitePattern], url: URL) -> SitePattern | None:
    return next((pattern for pattern in patterns if pattern.matches(url)), None)


def covers(wide: SitePattern, narrow: SitePattern) -> bool:
    """Whether everything `narrow` matches is matched by `wide`."""
    is_host = wide.host == narrow.host and (wide.with_subdomains or not narrow.with_subdomains)
    is_host = is_host or (wide.with_subdomains and narrow.host.endswith(f".{wide.host}"))
    return is_host and wide.port in {"", narrow.port} and wide.scheme in {"", narrow.scheme}


def meeting(one: SitePattern, two: SitePattern) -> SitePattern | None:
    """The pattern of just what both match; None when nothing does."""
    port, scheme = one.port or two.port, one.scheme or two.scheme
    if not ({one.port, two.port} <= {"", port} and {one.scheme, two.scheme} <= {"", scheme}):
        return None
    hosts = [SitePattern(host=pattern.host, with_subdomains=pattern.with_subdomains) for pattern in (one, two)]
    narrow = next((host for host, other in zip(hosts, reversed(hosts), strict=True) if covers(other, host)), None)
    if narrow is None:
        return None
    return narrow.model_copy(update={"port": port, "scheme": scheme})


def _host(url: URL) -> str:
    """The host in one spelling: no dot at the end; an IPv4 address in IPv6 clothes as IPv4."""
    host = str(url.hostname).rstrip(".")
    if url.host_type is HostType.IPV6:
        address = ipaddress.IPv6Address(host.strip("[]"))
        mapped = address.ipv4_mapped
        return str(mapped) if mapped is not None else f"[{address.compressed}]"
    return host


def _site(url: URL) -> str:
    return f"{_host(url)}:{url.port}" if url.port else _host(url)


def _is_ipv4(host: str) -> bool:
    return URL(f"http://{host}").host_type is HostType.IPV4


def _is_link_local(url: URL) -> bool:
    try:
        return ipaddress.ip_address(_host(url).strip("[]")).is_link_local
    except ValueError:
        return False
