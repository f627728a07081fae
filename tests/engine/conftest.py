"""One browser and one loopback server for the tests of a module that need a real page."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.actions.system import TakeScreenshot
from tests.engine.desk import Desk
from tests.surfaces.pages import Pages


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="module")
def open_desk(chromium_path: str) -> Iterator[Desk]:
    """The desk with its browser open; its home is a short path of its own."""
    folder = Path(tempfile.mkdtemp(prefix="opd-"))
    (folder / "home").mkdir()
    before = dict(os.environ)
    os.environ |= {
        "HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "OPERATIVE_BROWSER": chromium_path,
    }
    desk = Desk(folder)
    try:
        desk.agent.start()
        desk.drive("about:blank", lambda state, context: TakeScreenshot())
    except BaseException:
        desk.agent.close()
        raise
    finally:
        os.environ.clear()
        os.environ |= before
    yield desk
    assert desk.agent.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def desk(open_desk: Desk) -> Desk:
    open_desk.reset()
    return open_desk
