"""`operative policy explain`: what the site rules say of an address."""

from __future__ import annotations

from typing import TextIO

from operative_app.cli.exit_codes import DONE, FAILED
from operative_app.cli.options import PolicyOptions
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.safety.sites import SiteRules


def explain(options: PolicyOptions, *, out: TextIO) -> int:
    """Print allow or deny, the rule and the reason; the exit code says the same.

    Raises:
        SettingsError: A pattern is none.
    """
    accept_any_text(out, encoding="utf-8" if options.json else None)
    verdict = SiteRules.read(options.allow, options.deny).judge(options.url)
    lines = Lines(out)
    if options.json:
        lines.line(harmless_json(verdict.model_dump_json()))
    else:
        lines.line(f"{'allow' if verdict.is_allowed else 'deny'}  {verdict.rule}")
        lines.line(f"{verdict.site}: {verdict.reason}" if verdict.site else verdict.reason)
    return DONE if verdict.is_allowed else FAILED
