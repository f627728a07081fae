"""Completes addresses: `practice:NAME` becomes a page of the practice site, which is started when it is needed."""

from __future__ import annotations

import threading

from operative_app.core.errors import SettingsError
from operative_app.practice import PAGE_NAMES, PracticeSite
from operative_app.safety.addresses import completed_url

PRACTICE = "practice:"


def checked_practice_name(url: str) -> str:
    """The page's name in `practice:NAME`; raises SettingsError naming the pages there are."""
    name = url[len(PRACTICE) :].strip("/ ").lower()
    if name not in PAGE_NAMES:
        known = ", ".join(f"{PRACTICE}{page}" for page in PAGE_NAMES)
        raise SettingsError(f"The practice site has no page “{name}”. There are {known}.")
    return name


class AddressBook:
    """Resolves addresses; owns the practice site. Thread-safe."""

    def __init__(self) -> None:
        self._site = PracticeSite()
        self._lock = threading.Lock()

    @property
    def site(self) -> PracticeSite:
        return self._site

    def resolve(self, url: str) -> str:
        """A URL a browser can open; raises SettingsError."""
        typed = url.strip()
        if not typed.lower().startswith(PRACTICE):
            return completed_url(typed)
        name = checked_practice_name(typed)
        with self._lock:
            self._site.start()
        return self._site.page_url(name)

    def close(self) -> None:
        """Stop the practice site. Idempotent, bounded."""
        with self._lock:
            self._site.stop()
