"""Written policy: what the built-in rules allow can be narrowed by files and by a run, layer upon layer, never widened.

| layer | from |
|---|---|
| built-in | the table of `safety.policy` |
| system | a file of this computer's administrator |
| person | a file of their own, and the sites in their settings |
| run | the options of one run |

A file, every part of it optional:

```toml
[sites]
allow = ["*.example.com"]      # the only sites; [] allows none
deny = ["ads.example.com"]     # never these

[actions]
deny = ["payment", "command"]  # kinds that are never done, by the names of the table there

[files]
allow = ["~/Documents/work"]   # the only folders from which files are opened, given away or saved to

[approval]
oversight = "risky"            # asked at least then: none, risky, every
beforehand = false             # nothing is approved beforehand (--yes)
```

What is not understood is a fault, not ignored: a misspelt rule would protect nobody.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError, field_validator

from operative_app.core.errors import SettingsError
from operative_app.core.run import Oversight
from operative_app.core.values import Value
from operative_app.safety.risk_words import Kind
from operative_app.safety.sites import SiteRules, SiteVerdict

BUILT_IN = "the built-in rules"
_STRICTNESS = (Oversight.NONE, Oversight.RISKY, Oversight.EVERY)
_NOT_DENIABLE = frozenset({Kind.NONE, Kind.ADDRESS, Kind.DOUBT})
DENIABLE = tuple(kind for kind in Kind if kind not in _NOT_DENIABLE)
"""The kinds a file can forbid."""


class PolicyRules(Value):
    """What one layer, or all of them together, leave allowed.

    Attributes:
        denied: Kinds that are never done.
        folders: The only folders for files; None sets no such limit, () allows none.
        oversight: The least a person is asked.
        may_approve_beforehand: Approvals may be answered with yes before they come.
    """

    sites: SiteRules = SiteRules()
    denied: frozenset[Kind] = frozenset()
    folders: tuple[str, ...] | None = None
    oversight: Oversight = Oversight.NONE
    may_approve_beforehand: bool = True

    def narrowed(self, other: PolicyRules) -> PolicyRules:
        """What both allow."""
        return PolicyRules(
            sites=self.sites.narrowed(other.sites),
            denied=self.denied | other.denied,
            folders=_common(self.folders, other.folders),
            oversight=stricter(self.oversight, other.oversight),
            may_approve_beforehand=self.may_approve_beforehand and other.may_approve_beforehand,
        )


class PolicyLayer(Value):
    """One layer by its name for people, such as "the file /etc/xdg/operative/policy.toml"."""

    name: str
    rules: PolicyRules


def stricter(one: Oversight, other: Oversight) -> Oversight:
    """The one at which a person is asked more."""
    return max(one, other, key=_STRICTNESS.index)


def combined(layers: Iterable[PolicyLayer]) -> PolicyRules:
    """What all layers allow together."""
    rules = PolicyRules()
    for layer in layers:
        rules = rules.narrowed(layer.rules)
    return rules


def judge_site(url: str, layers: Sequence[PolicyLayer]) -> tuple[SiteVerdict, str]:
    """The verdict of all layers on an address, and the name of the layer that decided.

    The first layer whose lists deny it decides; when none does, the last one with a list of allowed sites.
    """
    verdict = combined(layers).sites.judge(url)
    for layer in layers:
        own = layer.rules.sites.judge(url)
        if not verdict.is_allowed and own.rule in {"deny list", "not on the allow list"}:
            return own, layer.name
    listed = [layer.name for layer in layers if layer.rules.sites.allow is not None] if verdict.is_allowed else []
    return verdict, listed[-1] if listed else BUILT_IN


def read_policy(text: str, path: Path) -> PolicyRules:
    """The rules in a file.

    Raises:
        SettingsError: It cannot be read; file, line and reason are in the sentence.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*) \(at line (\d+), column \d+\)$", str(error))
        line, reason = (int(found[2]), found[1]) if found else (len(text.splitlines()), str(error))
        raise _broken(path, line, reason) from error
    try:
        written = _File.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise _broken(path, _line_of(text, first["loc"]), _reason(first)) from error
    return PolicyRules(
        sites=SiteRules.read(written.sites.allow, written.sites.deny),
        denied=frozenset(Kind(name) for name in written.actions.deny),
        folders=None
        if written.files.allow is None
        else tuple(str(Path(one).expanduser()) for one in written.files.allow),
        oversight=written.approval.oversight,
        may_approve_beforehand=written.approval.beforehand,
    )


class _Part(Value):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Sites(_Part):
    allow: list[str] | None = None
    deny: list[str] = Field(default_factory=list)

    @field_validator("allow", "deny")
    @classmethod
    def _are_patterns(cls, patterns: list[str] | None) -> list[str] | None:
        try:
            SiteRules.read(patterns)
        except SettingsError as error:
            raise ValueError(str(error).rstrip(".")) from error
        return patterns


class _Actions(_Part):
    deny: list[str] = Field(default_factory=list)

    @field_validator("deny")
    @classmethod
    def _are_kinds(cls, names: list[str]) -> list[str]:
        for name in names:
            if name not in DENIABLE:
                raise ValueError(f"“{name}” is no kind of action; there are {', '.join(DENIABLE)}")
        return names


class _Files(_Part):
    allow: list[str] | None = None

    @field_validator("allow")
    @classmethod
    def _are_folders(cls, folders: list[str] | None) -> list[str] | None:
        for folder in folders or ():
            if not Path(folder).expanduser().is_absolute():
                raise ValueError(f"“{folder}” is no absolute folder")
        return folders


class _Approval(_Part):
    oversight: Oversight = Field(default=Oversight.NONE, strict=False)
    beforehand: bool = True


class _File(_Part):
    sites: _Sites = _Sites()
    actions: _Actions = _Actions()
    files: _Files = _Files()
    approval: _Approval = _Approval()


def _broken(path: Path, line: int, reason: str) -> SettingsError:
    return SettingsError(
        f"The policy file {path} cannot be used: line {line}: {reason}. No run starts until it is set right."
    )


def _reason(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"] if isinstance(part, str))
    if error["type"] == "extra_forbidden":
        return f"there is no rule “{name}”"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] == "model_type":
        return f"“{name}” is to be a table, [{name}]"
    return f"“{name}” {error['msg'][:1].lower()}{error['msg'][1:]}"


def _line_of(text: str, place: Sequence[int | str]) -> int:
    """The line on which a key stands, or its table; the first one when neither is found."""
    names = [part for part in place if isinstance(part, str)]
    table: list[str] = []
    best, depth = 1, 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if header is not None:
            table = at = _parts(header[1])
        elif key is not None:
            at = [*table, *_parts(key[1])]
        else:
            continue
        if at == names[: len(at)] and len(at) > depth:
            best, depth = number, len(at)
    return best


def _parts(dotted: str) -> list[str]:
    return [part.strip(" \"'") for part in dotted.split(".")]


def _common(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The folders that lie in both lists: of two of which one holds the other, the inner one."""
    if one is None or other is None:
        return other if one is None else one
    pairs = ((Path(first), Path(second)) for first in one for second in other)
    inner = (
        str(first if first.is_relative_to(second) else second)
        for first, second in pairs
        if first.is_relative_to(second) or second.is_relative_to(first)
    )
    return tuple(dict.fromkeys(inner))
