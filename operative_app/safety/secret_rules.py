"""Where a saved secret may be revealed. Pure: judged on what the surface itself knows of the field.

Principle: a secret goes to the site it was saved for and to nothing that only looks like it. What counts is the origin
of the document the field is in, never the address line, a frame around it, or a name the page gives itself.

| rule | refused |
|---|---|
| field | what takes no text |
| no site | a document without an origin of its own (sandboxed frames, `data:`, files) |
| https | plain http, unless the host is this computer |
| site | an origin that matches none of the secret's patterns |
| program | an executable that is none of the secret's programs, or is not known |

A match is exact as `safety.sites` has it: whole hosts, the browser's own reading of addresses, no user names in them.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence

from ada_url import URL

from operative_app.core.errors import SettingsError
from operative_app.core.screen import SurfaceKind
from operative_app.core.secrets import FieldPlace, SavedSecret
from operative_app.safety.sites import SitePattern, SiteRules

_NAME = re.compile(r"[^{}\x00-\x1f\x7f]{1,60}")
_ENDING = re.compile(r"\.(?:exe|app)$", re.I)


def refusal(secret: SavedSecret, place: FieldPlace, surface: SurfaceKind) -> str:
    """Why the secret may not go into that field, as a clause for people; "" when it may."""
    where = place.label or "what has the focus"
    if not place.takes_text:
        return f"“{secret.name}” was not filled in: {where} takes no text"
    if surface is SurfaceKind.DESKTOP:
        return _program_refusal(secret, place)
    return _site_refusal(secret, place)


def _site_refusal(secret: SavedSecret, place: FieldPlace) -> str:
    url = _origin(place.origin)
    if url is None:
        return (
            f"“{secret.name}” was not filled in: {place.label or 'the field'} is in a part of the page without a site"
        )
    site = url.host
    if url.protocol != "https:" and not is_this_computer(url):
        return f"“{secret.name}” was not filled in: {site} is not reached over https, so that others could read it"
    if not secret.sites:
        return f"“{secret.name}” was saved for no site; add {site} to it under Saved secrets if that is right"
    if not SiteRules.read(allow=secret.sites).judge(url.href).is_allowed:
        return f"“{secret.name}” was saved for {', '.join(secret.sites)} and the field belongs to {site}"
    return ""


def _program_refusal(secret: SavedSecret, place: FieldPlace) -> str:
    if not place.app:
        return f"“{secret.name}” was not filled in: which program the field belongs to is not known"
    if not secret.apps:
        return f"“{secret.name}” was saved for no program; add {place.app} to it under Saved secrets if that is right"
    if program_name(place.app) not in {program_name(one) for one in secret.apps}:
        return f"“{secret.name}” was saved for {', '.join(secret.apps)} and the field belongs to {place.app}"
    return ""


def _origin(text: str) -> URL | None:
    """An origin as browsers write it; None for an opaque one, or one that says more than an origin does."""
    try:
        url = URL(text)
    except ValueError:
        return None
    is_bare = url.protocol in {"http:", "https:"} and not url.username and not url.password
    return url if is_bare and url.pathname == "/" and not url.search and not url.hash else None


def is_this_computer(url: URL) -> bool:
    """Whether a host is this very machine, so that nobody stands in between."""
    host = str(url.hostname).strip("[]").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def program_name(name: str) -> str:
    """An executable's name for comparing: without folders, ending and case."""
    return _ENDING.sub("", re.split(r"[\\/]", name.strip())[-1]).casefold()


def checked_name(name: str) -> str:
    """The name of a secret as it is saved.

    Raises:
        SettingsError: It cannot be written as `{{secret:name}}`.
    """
    clean = " ".join(name.split())
    if not _NAME.fullmatch(clean):
        raise SettingsError("A secret's name has 1 to 60 characters on one line, without braces.")
    return clean


def checked_sites(sites: Iterable[str]) -> tuple[str, ...]:
    """Site patterns in the browser's spelling, each once.

    Raises:
        SettingsError: One is no pattern, or names a site by plain http that is not this computer.
    """
    patterns = [SitePattern.read(text) for text in sites if text.strip()]
    for pattern in patterns:
        if pattern.scheme == "http" and not is_this_computer(URL(f"http://{pattern.host}")):
            raise SettingsError(
                f"“{pattern.text}” is reached over plain http, where others can read a secret. "
                "Write it with https, or the host alone."
            )
    return tuple(dict.fromkeys(pattern.text for pattern in patterns))


def checked_apps(apps: Iterable[str]) -> tuple[str, ...]:
    """Names of executables, each once."""
    return tuple(dict.fromkeys(name for text in apps if (name := program_name(text))))


def checked_value(value: str) -> str:
    """A value as it is kept: of one line, since a line end would be the Enter key.

    Raises:
        SettingsError: It is empty, or holds what no keyboard types.
    """
    clean = value.removesuffix("\n").removesuffix("\r")
    if not clean.strip():
        raise SettingsError("There is no value to save; the field is empty.")
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in clean):
        raise SettingsError("A secret is one line of text; this one holds a line end or another control character.")
    return clean


def words_of_places(secret: SavedSecret) -> str:
    """Where it may be used, for people and planners."""
    return ", ".join(_places(secret.sites, secret.apps)) or "nowhere yet"


def _places(sites: Sequence[str], apps: Sequence[str]) -> list[str]:
    return [*sites, *(f"the program {app}" for app in apps)]
