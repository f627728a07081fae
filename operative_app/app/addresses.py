"""Completes addresses: `practice:NAME` becomes a page of the practice site, which is started when it is needed."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from operative_app.core.errors import SettingsError
from operative_app.safety.addresses import completed_url

if TYPE_CHECKING:
    from operative_app.practice import PracticeSite

PRACTICE = "practice:"


def is_practice(url: str) -> bool:
    """Whether it is `practice:NAME`, whether or not there is such a page."""
    return url.strip().lower().startswith(PRACTICE)


def checked_practice_name(url: str) -> str:
    """The page's name in `practice:NAME`; raises SettingsError naming the pages there are."""
    from operative_app.practice import PAGE_NAMES  # with its server and templates: not needed to show a window

    name = url[len(PRACTICE) :].strip("/ ").lower()
    if name not in PAGE_NAMES:
        known = ", ".join(f"{PRACTICE}{page}" for page in PAGE_NAMES)
        raise SettingsError(f"The practice site has no page “{name}”. There are {known}.")
    return name


class AddressBook:
    """Resolves addresses; owns the practice site. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def site(self) -> PracticeSite:
        from operative_app.practice import PracticeSite

        return PracticeSite()

    def resolve(self, url: str) -> str:
        """A URL a browser can open; raises SettingsError."""
        typed = url.strip()
        if not is_practice(typed):
            return completed_url(typed)
        name = checked_practice_name(typed)
        with self._lock:
            self.site.start()
        return self.site.page_url(name)

    def close(self) -> None:
        """Stop the practice site. Idempotent, bounded."""
        with self._lock:
            if "site" in self.__dict__:  # else it was never needed
                self.site.stop()
