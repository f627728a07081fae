"""The practice site as the rest of the program sees it: start, stop, addresses and a copy of the state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date

from operative_app.core.errors import SettingsError
from operative_app.practice.application import PracticeApplication
from operative_app.practice.listener import Listener

PAGE_NAMES = ("shop", "flights", "food", "newsletter", "codehost", "pdf", "captcha", "report")
"""Names that `PracticeSite.page_url` knows, besides "home" for the index page."""

_STOP_TIMEOUT_S = 5.0


class UnknownPageError(SettingsError, LookupError):
    """A page was named that the practice site does not have."""

    def __init__(self, name: str) -> None:
        """Say which names there are."""
        super().__init__(f"The practice site has no page “{name}”. Its pages are: home, {', '.join(PAGE_NAMES)}.")
        self.name = name


class PracticeSite:
    """A small web site on the loopback interface, with real state.

    Every method may be called from any thread. Pages are served on daemon threads between `start` and `stop`; the state
    outlives a stop and is forgotten with `reset`.
    """

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        """Prepare the pages; nothing is served yet.

        Args:
            today: The clock that the flight search goes by.

        Raises:
            FileNotFoundError: The pages did not ship with the program.
        """
        self._application = PracticeApplication(today)
        self._life_lock = threading.Lock()
        self._listener: Listener | None = None

    def start(self, port: int = 0) -> str:
        """Serve the site, or go on serving it where it is.

        Args:
            port: Where to serve it; 0 lets the system pick one.

        Returns:
            The base address, such as "http://127.0.0.1:40123", without a slash at the end.

        Raises:
            OSError: The port could not be bound.
        """
        with self._life_lock:
            if self._listener is None:
                listener = Listener(self._application, port)
                listener.start()
                self._listener = listener
            return f"http://127.0.0.1:{self._listener.server_port}"

    def stop(self) -> None:
        """Stop serving and wait for the threads, at most ten seconds; does nothing when the site is not running."""
        with self._life_lock:
            listener, self._listener = self._listener, None
            if listener is not None:
                listener.close(_STOP_TIMEOUT_S)
            self._application.close(_STOP_TIMEOUT_S)

    def page_url(self, name: str) -> str:
        """Give the address of a page, starting the site when it is not running.

        Args:
            name: "home" or one of `PAGE_NAMES`.

        Raises:
            UnknownPageError: There is no such page.
            OSError: The site could not be started.
        """
        if name == "home":
            return f"{self.start()}/"
        if name not in PAGE_NAMES:
            raise UnknownPageError(name)
        return f"{self.start()}/{name}"

    def snapshot(self) -> dict[str, object]:
        """Copy the whole state as JSON values: one entry per page; sessions are numbered from 1."""
        return self._application.snapshot()

    def reset(self) -> None:
        """Bring the site back to how it was at first, for all visitors."""
        self._application.reset()
