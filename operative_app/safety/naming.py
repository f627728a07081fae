r"""What a person's own words name: sites, folders and files, kinds of effect. The words of pages never come here.

| words | grant |
|---|---|
| `https://shop.example/x`, `www.shop.example`, `shop.example`, `localhost:3000`, `practice:shop` | that site |
| `/home/ada/papers`, `~/a.pdf`, `C:\papers`, `"/with blanks/a.pdf"` | that folder or file |
| "accept the cookies", "agree to the terms" | consent |

Names alone ("on Wikipedia") grant nothing: a planner may name their sites before it has seen any page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from operative_app.core.errors import SettingsError
from operative_app.core.plan import Grants
from operative_app.safety.addresses import completed_url
from operative_app.safety.risk_words import Kind
from operative_app.safety.site_names import has_known_suffix, site_name

Resolve = Callable[[str], str]
"""Completes an address; raises SettingsError."""

_PRACTICE = re.compile(r"\bpractice:[\w-]+", re.I)
_WHOLE = re.compile(r"\bhttps?://[^\s\"'<>“”„«»‘’]+", re.I)
_HOST = re.compile(r"(?<![\w@./~\\:-])((?:[\w-]+\.)+[\w-]{2,})(:\d{1,5})?(?![\w@-])(?:/[^\s\"'<>“”«»]*)?")
_LOCAL = re.compile(r"(?<![\w@./:-])(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])(:\d{1,5})?(?![\w.])", re.I)
_QUOTED_PATH = re.compile(r"[\"“«„'‘`]((?:~|/|[A-Za-z]:[\\/])[^\"”»“'’`\n]*)[\"”»“'’`]")
_PATH = re.compile(r"(?<![\w:/.~\\])((?:~/|/(?!/)|[A-Za-z]:\\)[^\s\"'“”«»,;]+)")
_CONSENT = re.compile(
    r"\b(?:accept|agree to|allow|consent to)\b.{0,30}\b(?:cookies?|terms|conditions|consent|policy)\b"
    r"|\b(?:cookies?|agb|nutzungsbedingungen)\b.{0,20}\b(?:akzeptieren|zustimmen)\b"
    r"|\b(?:akzeptiere|accepte[rz]?|acepta|accetta|aceita|accepteer|zaakceptuj|godkänn)\b.{0,30}\bcookies?\b",
    re.I,
)
_END = ".,;:!?)]}"


def named_in(text: str, resolve: Resolve = completed_url) -> Grants:
    """What the words name."""
    kinds = (Kind.CONSENT.value,) if _CONSENT.search(text) else ()
    return Grants(sites=_once(_sites(text, resolve)), folders=_once(_paths(text)), kinds=kinds)


def _sites(text: str, resolve: Resolve) -> Iterator[str]:
    for typed in _addresses(text):
        try:
            site = site_name(resolve(typed))
        except SettingsError:
            continue
        if site:
            yield site


def _addresses(text: str) -> Iterator[str]:
    yield from (found.group() for found in _PRACTICE.finditer(text))
    yield from (found.group().rstrip(_END) for found in _WHOLE.finditer(text))
    rest = _WHOLE.sub(" ", text)
    yield from (found.group(1) + (found.group(2) or "") for found in _LOCAL.finditer(rest))
    for found in _HOST.finditer(rest):
        if has_known_suffix(found[1]):
            yield found[1] + (found[2] or "")


def _paths(text: str) -> Iterator[str]:
    bare = _WHOLE.sub(" ", text)
    quoted = [found[1] for found in _QUOTED_PATH.finditer(bare)]
    plain = [found[1].rstrip(_END) for found in _PATH.finditer(_QUOTED_PATH.sub(" ", bare))]
    for path in (*quoted, *plain):
        if path.strip("/\\~."):  # the whole disk or home is never meant by a word
            yield str(Path(path).expanduser()) if path.startswith("~/") else path


def _once(found: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
