"""One loopback server for all browser tests of a session, and one browser for each file.

What ends a page's process in one file must not reach the tests of another.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.surfaces.browser import following, reach
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.surfaces.pages import Pages
from tests.surfaces.work import Work


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    """The loop all browser tests share, with the worker thread of its executor already there."""
    with asyncio.Runner() as runner:
        runner.run(asyncio.to_thread(int))
        yield runner


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A short path of its own for profiles, downloads and the home of the browser."""
    folder = Path(tempfile.mkdtemp(prefix="opb-"))
    (folder / "home").mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def shared_browser(runner: asyncio.Runner, place: Path, chromium_path: str) -> Iterator[ManagedBrowser]:
    before = dict(os.environ)
    os.environ |= {
        "HOME": str(place / "home"),
        "XDG_CONFIG_HOME": str(place / "home"),
        "OPERATIVE_BROWSER": chromium_path,
    }
    try:
        browser = runner.run(
            ManagedBrowser.launch(profile_dir=place / "profile", downloads_dir=place / "downloads", headless=True)
        )
    finally:
        os.environ.clear()
        os.environ |= before
    yield browser
    runner.run(browser.close())


@pytest.fixture
def work(runner: asyncio.Runner, shared_browser: ManagedBrowser, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> Work:
    """The shared browser on a blank page with one tab and no dialog; it has all the time that it needs to answer."""
    monkeypatch.setattr(reach, "DEADLINE_S", 60.0)
    monkeypatch.setattr(following, "INSTALL_S", 60.0)
    work = Work(runner, shared_browser, pages)
    work.reset()
    return work
