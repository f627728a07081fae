"""Puts the parts of the desktop together for the system this runs on, or says in words why that cannot be."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Collection, Mapping

from operative_app.core.errors import SurfaceMissing
from operative_app.core.ports import TextReader
from operative_app.surfaces.desktop.parts import Merge, Parts


def why_not(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """A sentence that says why the desktop cannot be driven here; "" when nothing speaks against it."""
    given = os.environ if environment is None else environment
    if platform in {"win32", "darwin"}:
        return ""
    if given.get("WAYLAND_DISPLAY") or given.get("XDG_SESSION_TYPE") == "wayland":
        return (
            "Wayland does not let one program see and drive the others. Sign in to an X11 (Xorg) session to use the "
            "desktop; the browser works here too."
        )
    if not given.get("DISPLAY"):
        return "There is no display, so there is no desktop to act on. Start from a desktop session, or use a browser."
    return ""


def open_parts(*, reader: TextReader | None, merge: Merge | None, stop_keys: Collection[str] = frozenset()) -> Parts:
    """The adapters for this system; they connect on first use.

    Args:
        reader: Reads text off pictures.
        merge: Joins that with what programs tell.
        stop_keys: The stop key, which is never pressed here (`input.guarded`).

    Raises:
        SurfaceMissing: The desktop cannot be driven here; says why.
    """
    fault = why_not()
    if fault:
        raise SurfaceMissing(fault)
    from operative_app.surfaces.desktop.input.guarded import GuardedInput

    if sys.platform == "win32":
        from operative_app.surfaces.desktop.windows_parts import windows_parts

        return windows_parts(reader, merge, GuardedInput(stop_keys=stop_keys))
    if sys.platform == "darwin":
        from operative_app.surfaces.desktop.macos_parts import macos_parts

        return macos_parts(reader, merge, GuardedInput(stop_keys=stop_keys))
    return _linux_parts(reader, merge, stop_keys)


def _linux_parts(reader: TextReader | None, merge: Merge | None, stop_keys: Collection[str]) -> Parts:
    from operative_app.surfaces.desktop.apps import DesktopEntries
    from operative_app.surfaces.desktop.atspi import AtspiAccessibility
    from operative_app.surfaces.desktop.capture import MssScreens
    from operative_app.surfaces.desktop.clipboard_x11 import X11Clipboard
    from operative_app.surfaces.desktop.input.guarded import GuardedInput
    from operative_app.surfaces.desktop.x11_windows import X11Windows

    own = own_pids()
    windows = X11Windows(own)
    return Parts(
        screens=MssScreens(windows.own_windows),
        windows=windows,
        accessibility=AtspiAccessibility(windows.content_box),
        input=GuardedInput(lambda: own, stop_keys=stop_keys),
        clipboard=X11Clipboard(),
        programs=DesktopEntries(),
        reader=reader,
        merge=merge,
    )


def own_pids() -> Collection[int]:
    """This process, those counted as own, and the terminal it was started in: keys sent there would reach Operative."""
    import psutil

    from operative_app.surfaces.desktop.input.own import OwnProcesses

    found = {os.getpid()}
    with contextlib.suppress(psutil.Error):
        here = psutil.Process()
        terminal = here.terminal()
        if terminal is not None:
            outside = next((one for one in here.parents() if one.terminal() != terminal), None)
            if outside is not None and outside.pid > 1:
                found.add(outside.pid)
    return OwnProcesses(found)
