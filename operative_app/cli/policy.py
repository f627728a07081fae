"""`operative policy explain`: what the site rules say of an address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TextIO

from operative_app.cli.exit_codes import DONE, FAILED
from operative_app.cli.options import PolicyOptions
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.safety.policy_file import PolicyLayer, PolicyRules, judge_site
from operative_app.safety.sites import SiteRules


def explain(options: PolicyOptions, layers: Sequence[PolicyLayer], *, out: TextIO) -> int:
    """Print allow or deny, the rule, the reason, and which layer decided; the exit code says the same.

    Args:
        layers: What narrows every run, the outermost first.

    Raises:
        SettingsError: A pattern is none.
    """
    accept_any_text(out, encoding="utf-8" if options.json else None)
    own = PolicyRules(sites=SiteRules.read(options.allow, options.deny))
    verdict, decided_by = judge_site(options.url, [*layers, PolicyLayer(name="the options of this command", rules=own)])
    lines = Lines(out)
    if options.json:
        lines.line(harmless_json(json.dumps({**verdict.model_dump(mode="json"), "decided_by": decided_by})))
    else:
        lines.line(f"{'allow' if verdict.is_allowed else 'deny'}  {verdict.rule}")
        lines.line(f"{verdict.site}: {verdict.reason}" if verdict.site else verdict.reason)
        lines.line(f"Decided by {decided_by}.")
    return DONE if verdict.is_allowed else FAILED
