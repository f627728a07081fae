"""One browser for all tests of a module: starting one takes longer than most goals."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from operative_app.surfaces.browser.surface import ManagedBrowser

T = TypeVar("T")


class SharedBrowser:
    """A browser and the loop it lives on."""

    def __init__(self, runner: asyncio.Runner, browser: ManagedBrowser) -> None:
        self._runner = runner
        self.browser = browser

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out the work on the browser's loop."""
        return self._runner.run(work)


@pytest.fixture(scope="module")
def shared_browser(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBrowser]:
    """A headless browser that stays open between the tests of a module."""
    with opened(tmp_path_factory.mktemp("browser")) as shared:
        yield shared


@pytest.fixture
def own_browser(chromium_path: str, tmp_path: Path) -> Iterator[SharedBrowser]:
    """A headless browser for one test: one that was given a file keeps a folder of its own until it ends."""
    with opened(tmp_path) as own:
        yield own


@contextmanager
def opened(place: Path) -> Iterator[SharedBrowser]:
    """A browser with a profile below the place."""
    with asyncio.Runner() as runner:
        launch = ManagedBrowser.launch(profile_dir=place / "profile", downloads_dir=place / "files", headless=True)
        browser = runner.run(launch)
        try:
            yield SharedBrowser(runner, browser)
        finally:
            runner.run(browser.close())
