"""The adapters for Windows and macOS keep the contract of the ports; run where there is such a system."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop.opening import open_parts, why_not
from operative_app.surfaces.desktop.parts import Parts

SYSTEM = str(sys.platform)
needs_that_system = pytest.mark.skipif(
    SYSTEM not in {"win32", "darwin"}, reason="The adapters for Windows and macOS run on those systems only."
)


@pytest.fixture
def parts() -> Iterator[Parts]:
    made = open_parts(reader=None, merge=None)
    yield made
    made.windows.close()
    made.clipboard.close()
    made.screens.close()


@needs_that_system
def test_windows_have_titles_programs_and_boxes_and_one_is_active_at_most(parts: Parts) -> None:
    windows = parts.windows.open_windows()
    assert all(window.title and window.pid and window.box.area_css_px2 >= 0 for window in windows)
    assert sum(window.is_active for window in windows) <= 1


@needs_that_system
def test_a_window_is_found_at_its_middle_and_can_be_brought_to_the_front(parts: Parts) -> None:
    front = next(window for window in parts.windows.open_windows() if not window.is_minimized)
    parts.windows.activate(front.id)
    x, y = front.box.center
    found = parts.windows.window_at(ScreenPoint(x_screen_px=x, y_screen_px=y))
    assert found is not None
    assert found.id == front.id


@needs_that_system
def test_what_a_window_shows_is_read_with_places_inside_the_screens(parts: Parts) -> None:
    front = parts.windows.open_windows()[0]
    tree = asyncio.run(parts.accessibility.read(front))
    assert tree.is_poor or all(element.key and element.role for element in tree.elements)


@needs_that_system
def test_clipboard_gives_back_what_it_was_given(parts: Parts) -> None:
    before = parts.clipboard.save()
    try:
        parts.clipboard.write_text("zwei Zeilen\nü 🙂")
        assert parts.clipboard.read_text() == "zwei Zeilen\nü 🙂"
    finally:
        parts.clipboard.restore(before)


@needs_that_system
def test_program_that_is_not_installed_is_refused(parts: Parts) -> None:
    with pytest.raises(ActionError, match="No program “No Such Program Anywhere” is installed"):
        parts.programs.find("No Such Program Anywhere")


@pytest.mark.parametrize(
    ("variables", "platform", "words"),
    [
        ({"DISPLAY": ":0"}, "linux", ""),
        ({}, "linux", "There is no display"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "linux", "Wayland does not let"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "linux", "Wayland does not let"),
        ({}, "win32", ""),
        ({}, "darwin", ""),
    ],
)
def test_a_system_that_cannot_be_driven_is_told_in_words(variables: dict[str, str], platform: str, words: str) -> None:
    fault = why_not(variables, platform)
    assert fault.startswith(words)
    assert bool(fault) is bool(words)
