from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, cast

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from operative_app.practice import PracticeSite
from tests.practice.client import Client

TODAY = date(2026, 11, 30)
PATIENCE_MS = 60_000
CHROMIUM_ARGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def site() -> Iterator[PracticeSite]:
    site = PracticeSite(today=lambda: TODAY)
    site.start()
    try:
        yield site
    finally:
        site.stop()


@pytest.fixture
def client(site: PracticeSite) -> Client:
    return Client(site.start())


@pytest.fixture
def state(site: PracticeSite) -> Callable[[str], dict[str, Any]]:
    """Read one page's part of the state."""
    return lambda name: cast("dict[str, Any]", site.snapshot()[name])


@pytest.fixture
def pdf_of() -> Callable[..., bytes]:
    """Make a PDF with some pages; at 72 dpi one page has `size` pixels."""

    def make(pages: int, size: tuple[int, int] = (200, 280)) -> bytes:
        pictures = [Image.new("RGB", size, (20 * page % 256, 120, 180)) for page in range(pages)]
        buffer = io.BytesIO()
        pictures[0].save(buffer, "PDF", save_all=True, append_images=pictures[1:], resolution=72)
        return buffer.getvalue()

    return make


@pytest.fixture(scope="module")
def browser(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    home = tmp_path_factory.mktemp("browser")
    as_root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path,
            args=[*CHROMIUM_ARGS, *as_root],
            env={**os.environ, "HOME": str(home), "TMPDIR": str(home)},
        )
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open an empty page in a fresh context; a script error on any page fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    try:
        yield page
        assert not faults
    finally:
        context.close()
