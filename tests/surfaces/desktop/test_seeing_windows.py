"""Windows of real programs, with a window manager and without one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.screen import Window
from operative_app.surfaces.desktop.input import own
from operative_app.surfaces.desktop.x11_windows import X11Windows
from tests.desktop_session import DesktopSession, until
from tests.display import running_server


@pytest.fixture
def windows() -> Iterator[X11Windows]:
    windows = X11Windows()
    yield windows
    windows.close()


def dialog(desktop: DesktopSession, title: str) -> int:
    """A dialog of a program of its own; its process."""
    return desktop.start("zenity", "--info", f"--title={title}", "--text=Some words", "--width=300").pid


def titled(windows: X11Windows, title: str) -> Window:
    (found,) = until(lambda: [one for one in windows.open_windows() if one.title == title][:1], what=title)
    return found


def middle(window: Window) -> ScreenPoint:
    x, y = window.box.center
    return ScreenPoint(x_screen_px=x, y_screen_px=y)


def test_windows_are_listed_from_the_front_with_program_and_place(desktop: DesktopSession, windows: X11Windows) -> None:
    first = dialog(desktop, "First")
    second = dialog(desktop, "Second")
    until(lambda: [one.title for one in windows.open_windows()] == ["Second", "First"])

    front, back = windows.open_windows()

    assert (front.app, front.pid, front.is_active, front.is_dialog) == ("Zenity", second, True, True)
    assert (back.pid, back.is_active) == (first, False)
    content = windows.content_box(front.id)
    assert content is not None
    assert front.box.y_css_px < content.y_css_px  # the frame has a title bar
    assert front.box.contains(*content.center)
    assert windows.own_windows() == []


def test_a_window_is_brought_to_the_front(desktop: DesktopSession, windows: X11Windows) -> None:
    dialog(desktop, "First")
    dialog(desktop, "Second")
    first = titled(windows, "First")
    until(lambda: windows.open_windows()[0].title == "Second" and windows.open_windows()[0].is_active)

    windows.activate(first.id)

    assert windows.open_windows()[0].id == first.id
    assert windows.open_windows()[0].is_active


def test_a_minimised_window_is_told_and_comes_back(desktop: DesktopSession, windows: X11Windows) -> None:
    desktop.start("mousepad")
    (window,) = until(windows.open_windows)
    desktop.minimise(window.id)

    until(lambda: windows.open_windows()[0].is_minimized and not windows.open_windows()[0].is_active)
    assert windows.window_at(middle(window)) is None
    windows.activate(window.id)
    assert not windows.open_windows()[0].is_minimized


def test_the_front_window_is_found_at_a_place(desktop: DesktopSession, windows: X11Windows) -> None:
    dialog(desktop, "Below")
    dialog(desktop, "Above")
    above = titled(windows, "Above")
    until(lambda: windows.open_windows()[0].title == "Above")

    hit = windows.window_at(middle(above))

    assert hit is not None
    assert hit.title == "Above"
    assert windows.window_at(ScreenPoint(x_screen_px=1, y_screen_px=1)) is None


def test_a_menu_belongs_to_the_window_it_hangs_from(desktop: DesktopSession, windows: X11Windows) -> None:
    desktop.start("mousepad")
    (window,) = until(windows.open_windows)
    content = windows.content_box(window.id)
    assert content is not None
    before = desktop.menus()
    desktop.click(content.x_css_px + 20, content.y_css_px + 12)
    menu = ScreenPoint(x_screen_px=content.x_css_px + 150, y_screen_px=content.y_css_px + 120)

    until(lambda: desktop.menus() > before, what="the menu's own window")
    hit = windows.window_at(menu)

    assert hit is not None
    assert hit.id == window.id
    assert [one.id for one in windows.open_windows()] == [window.id]
    desktop.press("Escape")


def test_own_windows_are_neither_listed_nor_touched(desktop: DesktopSession) -> None:
    own = dialog(desktop, "Operative")
    dialog(desktop, "Other")
    everybody, windows = X11Windows(), X11Windows([own, os.getpid()])
    try:
        mine = titled(everybody, "Operative")
        titled(everybody, "Other")

        assert [one.title for one in windows.open_windows()] == ["Other"]
        assert windows.own_windows()[0] == mine.box
        for act in (windows.activate, windows.ask_to_close):
            with pytest.raises(SurfaceError, match="never acted on"):
                act(mine.id)
        everybody.activate(mine.id)
        with pytest.raises(SurfaceError, match="never acted on"):
            windows.window_at(middle(mine))
    finally:
        everybody.close()
        windows.close()


def test_windows_of_a_process_that_is_counted_as_own_later_are_so_too(
    desktop: DesktopSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "_beside", frozenset())
    windows = X11Windows(own.OwnProcesses({os.getpid()}))
    try:
        beside = dialog(desktop, "Beside")
        titled(windows, "Beside")
        own.count_as_own(beside)
        assert windows.open_windows() == []
        assert len(windows.own_windows()) == 1
    finally:
        windows.close()


def test_a_window_closes_when_it_is_asked_to(desktop: DesktopSession, windows: X11Windows) -> None:
    started = desktop.start("zenity", "--info", "--title=Goes", "--text=x")
    window = titled(windows, "Goes")

    windows.ask_to_close(window.id)

    assert started.wait(60) is not None
    until(lambda: not windows.open_windows())


def test_a_window_that_is_gone_is_told_as_such(desktop: DesktopSession, windows: X11Windows) -> None:
    desktop.start("zenity", "--info", "--title=Gone", "--text=x")
    window = titled(windows, "Gone")
    desktop.end_all()
    until(lambda: not windows.open_windows())

    for act in (windows.activate, windows.ask_to_close):
        with pytest.raises(ActionError, match="not open any more"):
            act(window.id)
    assert windows.content_box(window.id) is None


def test_windows_that_vanish_while_they_are_listed_do_no_harm(desktop: DesktopSession, windows: X11Windows) -> None:
    dialog(desktop, "Stays")
    for _ in range(3):
        goes = desktop.launch("zenity", "--info", "--title=Goes", "--text=x")
        until(lambda: len(windows.open_windows()) == 2)
        goes.kill()
        until(lambda: [one.title for one in windows.open_windows()] == ["Stays"])
        goes.wait(60)


def test_a_window_with_a_dialog_open_says_that_it_must_be_answered(
    desktop: DesktopSession, windows: X11Windows
) -> None:
    desktop.start("mousepad")
    (editor,) = until(lambda: [one for one in windows.open_windows() if one.is_active])
    desktop.press("ctrl+s")
    until(lambda: len(windows.open_windows()) == 2)
    until(lambda: windows.open_windows()[0].is_active and windows.open_windows()[0].is_dialog)

    with pytest.raises(ActionError, match=r"dialog open, “Save As”"):
        windows.activate(editor.id)


def test_without_a_window_manager_programs_are_found_all_the_same(desktop: DesktopSession) -> None:
    with tempfile.TemporaryDirectory(prefix="opw-") as folder, running_server() as display:
        session = DesktopSession(display, desktop.bus_address, Path(folder))
        session.start("zenity", "--info", "--title=Bare", "--text=x")
        session.start("mousepad")
        windows = X11Windows(display_name=display)
        try:
            bare = titled(windows, "Bare")
            windows.activate(bare.id)
            assert windows.open_windows()[0].title == "Bare"
            assert windows.open_windows()[0].is_active
            hit = windows.window_at(middle(bare))
            assert hit is not None
            assert hit.id == bare.id
            windows.ask_to_close(bare.id)
            until(lambda: [one.title for one in windows.open_windows() if one.title == "Bare"] == [])
        finally:
            windows.close()
            session.end_all()


def test_a_display_that_ends_is_told_and_the_next_call_connects_anew(desktop: DesktopSession) -> None:
    with running_server() as display:
        windows = X11Windows(display_name=display)
        assert windows.open_windows() == []
    try:
        for _ in range(2):
            with pytest.raises(SurfaceError, match=r"display was closed|no X11 display"):
                windows.open_windows()
    finally:
        windows.close()
        windows.close()
    assert desktop.display
