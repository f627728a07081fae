"""What narrows every run of this person on this computer: the policy files, then the sites of the settings.

Read anew whenever it is asked for: a file that was changed counts from the next run on.
"""

from __future__ import annotations

from pathlib import Path

from operative_app.core.errors import SettingsError
from operative_app.engine.run import RunPolicy
from operative_app.safety.policy_file import PolicyLayer, PolicyRules, combined
from operative_app.safety.sites import SiteRules
from operative_app.store.policies import policy_layers
from operative_app.store.settings import SiteSettings, load_settings


def written_layers(config: Path) -> list[PolicyLayer]:
    """The layers, the administrator's first.

    Args:
        config: The person's folder of settings.

    Raises:
        SettingsError: A file cannot be used; the sentence names it, the line and the reason.
    """
    loaded = load_settings(config)
    if loaded.fault:
        raise SettingsError(loaded.fault)
    own = PolicyRules(sites=rules_of(loaded.settings.sites))
    return [*policy_layers(config), PolicyLayer(name="the settings", rules=own)]


def rules_of(sites: SiteSettings) -> SiteRules:
    """The lists of the settings as rules; raises SettingsError when a pattern is none."""
    try:
        return SiteRules.read(sites.allow, sites.deny)
    except SettingsError as error:
        raise SettingsError(
            f"The sites in the settings cannot be used: {error} No run starts until they are set right."
        ) from error


def run_policy(config: Path) -> RunPolicy:
    """What holds for a run that begins now; where a file cannot be used, that no run may begin."""
    try:
        rules = combined(written_layers(config))
    except SettingsError as error:
        return RunPolicy(sites=SiteRules(allow=()), fault=str(error))
    return RunPolicy(sites=rules.sites, rules=rules)
