"""A tray of its own (freedesktop.org's System Tray Protocol), with room for one icon.

`python tray_host.py` shows it and writes "ready", then "docked" once an icon is shown in it. It ends when it is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACE = (60, 60)
"""The middle of the icon, in pixels of the screen."""
_SIDE_PX = 24


class TrayHost:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def wait(self, word: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == f"{word}\n"


@contextmanager
def tray_host(name: str) -> Iterator[TrayHost]:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__))], env={**os.environ, "DISPLAY": name}, stdout=subprocess.PIPE, text=True
    )
    try:
        host = TrayHost(process)
        host.wait("ready")
        yield host
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def main() -> None:
    from Xlib import X, display
    from Xlib.protocol.event import ClientMessage

    server = display.Display()
    root = server.screen().root
    x, y = (place - _SIDE_PX // 2 for place in PLACE)
    tray = root.create_window(
        x, y, _SIDE_PX, _SIDE_PX, 0, X.CopyFromParent, override_redirect=True, event_mask=X.SubstructureNotifyMask
    )
    tray.map()
    selection = server.intern_atom(f"_NET_SYSTEM_TRAY_S{server.get_default_screen()}")
    tray.set_selection_owner(selection, X.CurrentTime)
    told = (32, [X.CurrentTime, selection, tray.id, 0, 0])
    manager = ClientMessage(window=root, client_type=server.intern_atom("MANAGER"), data=told)
    root.send_event(manager, event_mask=X.StructureNotifyMask)
    server.sync()
    os.write(1, b"ready\n")
    opcode = server.intern_atom("_NET_SYSTEM_TRAY_OPCODE")
    while True:
        event = server.next_event()
        if event.type == X.ClientMessage and event.client_type == opcode and event.data[1][1] == 0:
            icon = server.create_resource_object("window", event.data[1][2])
            icon.reparent(tray, 0, 0)
            icon.configure(width=_SIDE_PX, height=_SIDE_PX)
            icon.map()
            server.sync()
        elif event.type == X.MapNotify and event.event == tray:
            os.write(1, b"docked\n")


if __name__ == "__main__":
    main()
