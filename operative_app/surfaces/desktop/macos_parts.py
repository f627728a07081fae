"""The desktop on macOS: windows by Quartz, controls by the accessibility API (AX), programs by their bundles.

Written after Apple's documentation; the contract tests run where there is a macOS to run them on. The person must allow
Operative “Accessibility” and “Screen Recording” in the system settings; without that it is said in words.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction, SurfaceError, SurfaceMissing
from operative_app.core.ports import TextReader
from operative_app.core.screen import Box, Window
from operative_app.surfaces.desktop.capture import MssScreens
from operative_app.surfaces.desktop.macos_ax import AxAccessibility, children, press, title_of
from operative_app.surfaces.desktop.parts import Merge, Parts
from operative_app.surfaces.desktop.ports import Input, Program

ACTIVATE_S: Final = 2.0
_FOLDERS: Final = ("/Applications", "/Applications/Utilities", "/System/Applications", "/System/Applications/Utilities")


def macos_parts(reader: TextReader | None, merge: Merge | None, given_input: Input) -> Parts:
    """The adapters for this system.

    Raises:
        SurfaceMissing: The packages for it are missing, or the person has not allowed it.
    """
    try:
        from ApplicationServices import AXIsProcessTrusted
    except ImportError as error:
        raise SurfaceMissing(
            "The desktop needs pyobjc's ApplicationServices and Quartz, not installed here."
        ) from error
    if not AXIsProcessTrusted():
        raise SurfaceMissing("Allow Operative under Privacy & Security, Accessibility, in the system settings first.")
    windows = QuartzWindows()
    return Parts(
        screens=MssScreens(windows.own_windows),
        windows=windows,
        accessibility=AxAccessibility(),
        input=given_input,
        clipboard=Pasteboard(),
        programs=Bundles(),
        reader=reader,
        merge=merge,
    )


class QuartzWindows:
    """`ports.Windows`. Any thread."""

    def open_windows(self) -> Sequence[Window]:
        return [window for window in self._all() if window.pid != os.getpid()]

    def own_windows(self) -> Sequence[Box]:
        return [window.box for window in self._all() if window.pid == os.getpid()]

    def window_at(self, point: ScreenPoint) -> Window | None:
        x, y = point.x_screen_px, point.y_screen_px
        window = next((one for one in self._all() if one.box.contains(x, y)), None)
        if window is not None and window.pid == os.getpid():
            raise SurfaceError("One of Operative's own windows is there; it is never acted on.")
        return window

    def activate(self, window_id: int) -> None:
        window = self._window(window_id)
        _program(window.pid).activateWithOptions_(2)
        for part in _windows_of(window.pid):
            if title_of(part) == window.title:
                press(part, "AXRaise")
        end = time.monotonic() + ACTIVATE_S
        while not any(one.id == window_id and one.is_active for one in self._all()):
            if time.monotonic() > end:
                raise ActionError(f"The window “{window.title}” does not come to the front.")
            time.sleep(0.02)

    def maker_of(self, window: Window) -> int:
        return window.pid  # told by the system

    def ask_to_close(self, window_id: int) -> None:
        window = self._window(window_id)
        for part in _windows_of(window.pid):
            if title_of(part) == window.title:
                buttons = children(part, "AXCloseButton")
                if buttons and press(buttons[0], "AXPress"):
                    return
        raise ActionError(f"The window “{window.title}” cannot be asked to close.")

    def close(self) -> None:
        return

    def _window(self, window_id: int) -> Window:
        window = next((one for one in self.open_windows() if one.id == window_id), None)
        if window is None:
            raise ActionError("That window is not open any more.")
        return window

    def _all(self) -> list[Window]:
        """Front to back: layer 0 holds the windows of programs."""
        import Quartz
        from AppKit import NSWorkspace

        options = Quartz.kCGWindowListOptionOnScreenOnly | Quartz.kCGWindowListExcludeDesktopElements
        listed = Quartz.CGWindowListCopyWindowInfo(options, Quartz.kCGNullWindowID) or []
        front = NSWorkspace.sharedWorkspace().frontmostApplication()
        found: list[Window] = []
        for one in listed:
            if one.get("kCGWindowLayer", 0) != 0:
                continue
            pid, area = int(one["kCGWindowOwnerPID"]), one["kCGWindowBounds"]
            is_first = not any(window.pid == pid for window in found)
            found.append(
                Window(
                    id=int(one["kCGWindowNumber"]),
                    title=str(one.get("kCGWindowName") or one.get("kCGWindowOwnerName") or ""),
                    app=str(one.get("kCGWindowOwnerName") or ""),
                    pid=pid,
                    box=Box(
                        x_css_px=area["X"], y_css_px=area["Y"], width_css_px=area["Width"], height_css_px=area["Height"]
                    ),
                    is_active=front is not None and pid == front.processIdentifier() and is_first,
                )
            )
        return found


class Pasteboard:
    """`ports.Clipboard`: text only, other formats are not given back. Any thread."""

    def read_text(self) -> str:
        return subprocess.run(["/usr/bin/pbpaste"], capture_output=True, timeout=5, check=True).stdout.decode()

    def write_text(self, text: str) -> None:
        subprocess.run(["/usr/bin/pbcopy"], input=text.encode(), timeout=5, check=True)

    def save(self) -> object:
        return self.read_text()

    def restore(self, saved: object) -> None:
        self.write_text(str(saved))

    def close(self) -> None:
        return


class OpenStarted:
    """`open` hands over to the system and ends."""

    pid = 0

    def exit_code(self) -> int | None:
        return 0


class Bundles:
    """`ports.Programs`: the bundles in the folders for programs."""

    def find(self, name: str) -> Program:
        wanted = name.casefold().strip()
        folders = [Path(folder) for folder in (*_FOLDERS, str(Path.home() / "Applications"))]
        bundles = {bundle.stem: bundle for folder in folders for bundle in folder.glob("*.app")}
        exact = next((stem for stem in bundles if stem.casefold() == wanted), "")
        if not exact:
            close = ", ".join(f"“{stem}”" for stem in sorted(bundles) if wanted in stem.casefold())
            raise RefusedAction(
                f"No program “{name}” is installed. {f'Close to it: {close}.' if close else ''}".strip()
            )
        return Program(id=str(bundles[exact]), name=exact, window_names=frozenset({wanted}), takes_files=True)

    def start(self, program: Program, arguments: Sequence[str]) -> OpenStarted:
        ended = subprocess.run(
            ["/usr/bin/open", "-a", program.id, *arguments], capture_output=True, text=True, timeout=20, check=False
        )
        if ended.returncode:
            raise ActionError(f"“{program.name}” cannot be started: {ended.stderr.strip()}")
        return OpenStarted()


def _program(pid: int) -> Any:
    from AppKit import NSRunningApplication

    program = NSRunningApplication.runningApplicationWithProcessIdentifier_(pid)
    if program is None:
        raise ActionError("That program is not open any more.")
    return program


def _windows_of(pid: int) -> list[Any]:
    from ApplicationServices import AXUIElementCreateApplication

    return children(AXUIElementCreateApplication(pid), "AXWindows")
