"""Looks at real programs for tests, through the same doors as the desktop surface."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from operative_app.core.screen import Element, Window
from operative_app.surfaces.desktop.atspi import AtspiAccessibility
from operative_app.surfaces.desktop.ports import WindowTree
from operative_app.surfaces.desktop.x11_windows import X11Windows
from tests.desktop_session import until

QT_CONTROLS = (sys.executable, str(Path(__file__).parent / "programs" / "qt_controls.py"))

T = TypeVar("T")


class Eyes:
    """Windows and accessibility of one desktop, with a loop of their own."""

    def __init__(self, display: str) -> None:
        self._runner = asyncio.Runner()
        self.run(asyncio.to_thread(int))  # the worker thread is there before a test begins
        self.windows = X11Windows(display_name=display)
        self.accessibility = AtspiAccessibility(self.windows.content_box)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def window(self, title: str) -> Window:
        """The window with that in its title, as soon as it is there."""
        (found,) = until(
            lambda: [one for one in self.windows.open_windows() if title in one.title][:1],
            what=f"a window “{title}”",
        )
        return found

    def read(self, title: str) -> WindowTree:
        return self.run(self.accessibility.read(self.window(title)))

    def read_until(self, title: str, is_there: Callable[[WindowTree], object]) -> WindowTree:
        """What a window shows, as soon as something is true of it: programs tell a little later than they show."""

        def look() -> list[WindowTree]:
            tree = self.read(title)
            return [tree] if is_there(tree) else []

        (found,) = until(look, what=f"what was waited for in “{title}”")
        return found

    def close(self) -> None:
        self.run(self.accessibility.close())
        self.windows.close()
        self._runner.close()


def named(tree: WindowTree, name: str, role: str = "") -> Element:
    """The one control of that name (and role)."""
    found = [one for one in tree.elements if one.name == name and role in ("", one.role)]
    assert len(found) == 1, f"{name}: {[(one.role, one.name) for one in tree.elements]}"
    return found[0]


def names(tree: WindowTree, role: str) -> list[str]:
    """The names of all controls of a role, in order."""
    return [one.name for one in tree.elements if one.role == role]


def has(tree: WindowTree, name: str) -> bool:
    return any(one.name == name for one in tree.elements)
