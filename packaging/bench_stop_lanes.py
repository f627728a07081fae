"""A place to stop an application in: a display of its own with what watches it, opened for one surface."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.display import running_display
from tests.guard import stand
from tests.guard.stand import Key, Page, Subject
from tests.guard.tap import Tap, tapping


@dataclass(frozen=True, slots=True)
class Lane:
    """One application on its display, and its witnesses. `gate` is the pipe that a blocked thread waits at."""

    app: Subject
    tap: Tap
    key: Key
    page: Page
    gate: Path


@contextmanager
def lane(surface: str) -> Iterator[Lane]:
    """Start all of it; "desktop" with a window to act in. All of it is ended afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="bs-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        home = folder / "manager"
        home.mkdir()
        display = stack.enter_context(running_display(home))
        key = Key(display)
        stack.callback(key.close)
        tap = stack.enter_context(tapping(display))
        page = stack.enter_context(stand.page())
        if surface == "desktop":
            stack.enter_context(stand.window(display))
        app = stack.enter_context(stand.subject(display, folder / "app"))
        yield Lane(app, tap, key, page, folder / "gate")
