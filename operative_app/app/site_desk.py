"""The lists of sites in the settings, for the window that shows and changes them."""

from __future__ import annotations

from pathlib import Path

from operative_app.app.policy import rules_of
from operative_app.presentation.ports import SiteLists
from operative_app.store.settings import SiteSettings, load_settings, save_settings


class SettingsSites:
    """A `presentation.ports.SiteDesk` over the settings in a folder. Any thread."""

    def __init__(self, config: Path) -> None:
        self._config = config

    def current(self) -> SiteLists:
        loaded = load_settings(self._config)
        return SiteLists(loaded.settings.sites.allow, loaded.settings.sites.deny, loaded.fault)

    def save(self, lists: SiteLists) -> None:
        sites = SiteSettings(allow=lists.allow, deny=lists.deny)
        rules_of(sites)
        settings = load_settings(self._config).settings.model_copy(update={"sites": sites})
        save_settings(self._config, settings, instead_of_damaged=True)
