"""One browser and one loopback server for the tests of a module that need a real page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.desk import Desk, opened_desk
from tests.surfaces.pages import Pages


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="module")
def open_desk(chromium_path: str) -> Iterator[Desk]:
    """The desk with its browser open; its home is a short path of its own."""
    with opened_desk(chromium_path) as desk:
        yield desk


@pytest.fixture
def desk(open_desk: Desk) -> Desk:
    open_desk.reset()
    return open_desk
