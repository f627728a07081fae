"""The desktop on Windows: windows by the Win32 API, controls by UI Automation, programs by the Start menu.

Written after Microsoft's documentation; the contract tests run where there is a Windows to run them on.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Sequence
from ctypes import wintypes
from pathlib import Path
from typing import Any, Final

import psutil

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction, SurfaceError
from operative_app.core.ports import TextReader
from operative_app.core.screen import Box, Window
from operative_app.surfaces.desktop.capture import MssScreens
from operative_app.surfaces.desktop.parts import Merge, Parts
from operative_app.surfaces.desktop.ports import Input, Program
from operative_app.surfaces.desktop.windows_uia import UiaAccessibility

assert sys.platform == "win32"  # noqa: S101 - imported on Windows only

ACTIVATE_S: Final = 2.0
_CLOSE: Final = 0x0010
_ROOT: Final = 2
_OWNER: Final = 4
_CLOAKED: Final = 14
_TOOL_WINDOW: Final = 0x80
_UNICODE_TEXT: Final = 13
_MOVABLE: Final = 2
_SHOW: Final = 9


def windows_parts(reader: TextReader | None, merge: Merge | None, given_input: Input) -> Parts:
    """The adapters for this system; the process becomes aware of each monitor's scale, so that all pixels are one."""
    ctypes.windll.shcore.SetProcessDpiAwareness(2)
    windows = Win32Windows()
    return Parts(
        screens=MssScreens(windows.own_windows),
        windows=windows,
        accessibility=UiaAccessibility(),
        input=given_input,
        clipboard=Win32Clipboard(),
        programs=StartMenu(),
        reader=reader,
        merge=merge,
    )


class Win32Windows:
    """`ports.Windows`. Any thread."""

    def __init__(self) -> None:
        self._user = ctypes.windll.user32
        self._own = os.getpid()

    def open_windows(self) -> Sequence[Window]:
        return [window for window in self._all() if window.pid != self._own]

    def own_windows(self) -> Sequence[Box]:
        return [window.box for window in self._all() if window.pid == self._own and not window.is_minimized]

    def window_at(self, point: ScreenPoint) -> Window | None:
        place = wintypes.POINT(round(point.x_screen_px), round(point.y_screen_px))
        handle = self._user.GetAncestor(self._user.WindowFromPoint(place), _ROOT)
        window = next((one for one in self._all() if one.id == handle), None)
        if window is not None and window.pid == self._own:
            raise SurfaceError("One of Operative's own windows is there; it is never acted on.")
        return window

    def activate(self, window_id: int) -> None:
        if self._user.IsIconic(window_id):
            self._user.ShowWindow(window_id, _SHOW)
        self._user.SetForegroundWindow(window_id)
        end = time.monotonic() + ACTIVATE_S
        while self._user.GetForegroundWindow() != window_id:
            if time.monotonic() > end:
                raise ActionError(f"The window “{self._title(window_id)}” does not come to the front.")
            time.sleep(0.01)

    def maker_of(self, window: Window) -> int:
        return window.pid  # told by the system

    def ask_to_close(self, window_id: int) -> None:
        if not self._user.PostMessageW(window_id, _CLOSE, 0, 0):
            raise ActionError("That window is not open any more.")

    def close(self) -> None:
        return

    def _all(self) -> list[Window]:
        """Front to back, as EnumWindows gives them."""
        found: list[Window] = []

        def take(handle: int, _: int) -> bool:
            if self._is_window(handle):
                found.append(self._described(handle))
            return True

        self._user.EnumWindows(ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)(take), 0)
        return found

    def _is_window(self, handle: int) -> bool:
        cloaked = wintypes.DWORD()
        ctypes.windll.dwmapi.DwmGetWindowAttribute(handle, _CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
        is_tool = self._user.GetWindowLongW(handle, -20) & _TOOL_WINDOW
        return bool(self._user.IsWindowVisible(handle) and not cloaked.value and not is_tool and self._title(handle))

    def _described(self, handle: int) -> Window:
        pid, area = wintypes.DWORD(), wintypes.RECT()
        self._user.GetWindowThreadProcessId(handle, ctypes.byref(pid))
        self._user.GetWindowRect(handle, ctypes.byref(area))
        try:
            app = Path(psutil.Process(pid.value).name()).stem
        except psutil.Error:
            app = ""
        return Window(
            id=handle,
            title=self._title(handle),
            app=app,
            pid=pid.value,
            box=Box(
                x_css_px=area.left,
                y_css_px=area.top,
                width_css_px=area.right - area.left,
                height_css_px=area.bottom - area.top,
            ),
            is_active=self._user.GetForegroundWindow() == handle,
            is_minimized=bool(self._user.IsIconic(handle)),
            is_dialog=bool(self._user.GetWindow(handle, _OWNER)),
        )

    def _title(self, handle: int) -> str:
        text = ctypes.create_unicode_buffer(512)
        self._user.GetWindowTextW(handle, text, 512)
        return text.value


class Win32Clipboard:
    """`ports.Clipboard`: text only, other formats are not given back. Any thread."""

    def read_text(self) -> str:
        kernel, user = _memory(), _open_clipboard()
        try:
            handle = user.GetClipboardData(_UNICODE_TEXT)
            if not handle:
                return ""
            text = ctypes.wstring_at(kernel.GlobalLock(handle)).replace("\r\n", "\n")
            kernel.GlobalUnlock(handle)
            return text
        finally:
            user.CloseClipboard()

    def write_text(self, text: str) -> None:
        kernel, user = _memory(), _open_clipboard()
        try:
            content = ctypes.create_unicode_buffer(text.replace("\n", "\r\n"))
            handle = kernel.GlobalAlloc(_MOVABLE, ctypes.sizeof(content))
            ctypes.memmove(kernel.GlobalLock(handle), content, ctypes.sizeof(content))
            kernel.GlobalUnlock(handle)
            user.EmptyClipboard()
            user.SetClipboardData(_UNICODE_TEXT, handle)
        finally:
            user.CloseClipboard()

    def save(self) -> object:
        return self.read_text()

    def restore(self, saved: object) -> None:
        self.write_text(str(saved))

    def close(self) -> None:
        return


def _memory() -> Any:
    kernel = ctypes.windll.kernel32
    kernel.GlobalLock.restype = kernel.GlobalAlloc.restype = ctypes.c_void_p
    kernel.GlobalLock.argtypes = kernel.GlobalUnlock.argtypes = [ctypes.c_void_p]
    return kernel


def _open_clipboard() -> Any:
    user = ctypes.windll.user32
    user.GetClipboardData.restype = ctypes.c_void_p
    user.SetClipboardData.argtypes = [wintypes.UINT, ctypes.c_void_p]
    for _ in range(50):
        if user.OpenClipboard(None):
            return user
        time.sleep(0.02)
    raise SurfaceError("Another program holds the clipboard.")


class ShellStarted:
    """Windows tells nothing of what it started by a shortcut."""

    pid = 0

    def exit_code(self) -> int | None:
        return 0


class StartMenu:
    """`ports.Programs`: the shortcuts of the Start menu. They take no files: Windows starts them as they are."""

    def find(self, name: str) -> Program:
        wanted = name.casefold().strip()
        links = {link.stem: link for folder in _start_menus() for link in folder.rglob("*.lnk")}
        exact = next((stem for stem in links if stem.casefold() == wanted), "")
        if not exact:
            close = ", ".join(f"“{stem}”" for stem in sorted(links) if wanted in stem.casefold())
            raise RefusedAction(
                f"No program “{name}” is installed. {f'Close to it: {close}.' if close else ''}".strip()
            )
        return Program(id=str(links[exact]), name=exact, window_names=frozenset({wanted, wanted.split()[-1]}))

    def start(self, program: Program, arguments: Sequence[str]) -> ShellStarted:
        if arguments:
            raise RefusedAction(f"“{program.name}” is started as its shortcut says, without files.")
        try:
            os.startfile(program.id)  # noqa: S606 - a shortcut of the person's own Start menu
        except OSError as error:
            raise ActionError(f"“{program.name}” cannot be started: {error.strerror or error}.") from error
        return ShellStarted()


def _start_menus() -> list[Path]:
    names = ("APPDATA", "PROGRAMDATA")
    return [Path(os.environ[name]) / "Microsoft/Windows/Start Menu/Programs" for name in names if name in os.environ]
