"""Which window gets the keys, to whom it belongs, and whether its program has read what was sent."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING, Any

from operative_app.surfaces.desktop.input.injector import FocusLost

if TYPE_CHECKING:
    from Xlib.display import Display

_PING_NUMBER = 0x4F500000
_SLICE_S = 0.04
_UNASKED_S = 0.15
_DEPTH = 12


class X11Focus:
    """Looks at windows over the input process's connection. That process's one thread.

    A program that answers `_NET_WM_PING` (GTK, Qt and all browsers do) answers in the order of its events: when the
    answer comes, every key sent before has been read with the keyboard map of that moment. For one that does not
    (xterm), a pause stands for the answer.
    """

    def __init__(self, display: Display) -> None:
        from Xlib import X
        from Xlib.protocol import event

        self._x = X
        self._event = event
        self._display = display
        self._root = display.screen().root
        self._atoms = {
            name: display.intern_atom(name)
            for name in ("WM_STATE", "WM_PROTOCOLS", "_NET_WM_PING", "_NET_WM_PID", "_NET_WM_NAME", "UTF8_STRING")
        }
        self._tops: dict[int, int] = {}
        self._pids: dict[int, int] = {}
        self._number = 0
        self._asked: tuple[int, int, float] | None = None
        self.is_map_changed = False
        self.own_pids: frozenset[int] = frozenset()
        self.own_windows: frozenset[int] = frozenset()

    def focused(self) -> int:
        """The top window with the keyboard focus.

        Raises:
            FocusLost: No window has it.
        """
        focus = self._display.get_input_focus().focus
        if focus == self._x.PointerRoot or getattr(focus, "id", None) == self._root.id:
            focus = self._root.query_pointer().child
        if isinstance(focus, int):
            raise FocusLost("No window has the keyboard focus")
        return self.top_of(focus)

    def at_pointer(self) -> int:
        """The top window below the pointer, 0 for the bare desktop."""
        window = self._root.query_pointer().child
        found = 0
        for _ in range(_DEPTH):
            if isinstance(window, int):
                break
            if self._is_top(window):
                return int(window.id)
            found = found or int(window.id)
            window = window.query_pointer().child
        return found

    def top_of(self, window: Any) -> int:
        """The window of a program that a window is part of; remembered."""
        known = self._tops.get(window.id)
        if known is not None:
            return known
        current, top = window, window
        for _ in range(_DEPTH):
            if self._is_top(current):
                top = current
                break
            parent = current.query_tree().parent
            if isinstance(parent, int) or parent.id == self._root.id:
                break
            current = top = parent
        self._tops[window.id] = top.id
        return int(top.id)

    def forget(self) -> None:
        """Look anew at windows seen before: their numbers are used again for other windows."""
        self._tops.clear()
        self._pids.clear()

    def is_own(self, window: int) -> bool:
        """Whether a top window belongs to Operative, or is the terminal it was started from."""
        if window in self.own_windows:
            return True
        if not self.own_pids or not window:
            return False
        if window not in self._pids:
            found = self._property(window, "_NET_WM_PID")
            self._pids[window] = int(found[0]) if found else 0
        return self._pids[window] in self.own_pids

    def title(self, window: int) -> str:
        found = self._property(window, "_NET_WM_NAME")
        if found:
            return bytes(found).decode(errors="replace")
        from Xlib.error import XError

        try:
            return str(self._display.create_resource_object("window", window).get_wm_name() or "")
        except XError:
            return ""

    def is_taken(self, window: int) -> bool:
        """Whether the program has read its keys; waits one slice for the answer at most."""
        if self._asked is None or self._asked[0] != window:
            self._ask(window)
        assert self._asked is not None  # noqa: S101 - just set
        number, ready_s = self._asked[1:]
        if number:
            is_taken = self._wait_for_answer(number)
        else:
            time.sleep(max(0.0, min(_SLICE_S, ready_s - time.monotonic())))
            is_taken = time.monotonic() >= ready_s
        if is_taken:
            self._asked = None
            self._root.change_attributes(event_mask=0)
            self._display.flush()
        return is_taken

    def ask_anew(self) -> None:
        """A key is sent now: an answer to what was asked before says nothing of it."""
        self._asked = None

    def drain(self) -> None:
        """Read the events that wait, and note when the keyboard map was changed."""
        while self._display.pending_events():
            if self._display.next_event().type == self._x.MappingNotify:
                self.is_map_changed = True

    def _ask(self, window: int) -> None:
        protocols = self._property(window, "WM_PROTOCOLS")
        if self._atoms["_NET_WM_PING"] not in (protocols or ()):
            self._asked = (window, 0, time.monotonic() + _UNASKED_S)
            return
        self._number += 1
        number = _PING_NUMBER + os.getpid() % 4096 * 256 + self._number % 256
        self._asked = (window, number, 0.0)
        # GTK sends its answer to those who watch the root window's children, Qt to those who watch it itself.
        self._root.change_attributes(event_mask=self._x.SubstructureNotifyMask | self._x.StructureNotifyMask)
        target = self._display.create_resource_object("window", window)
        question = self._event.ClientMessage(
            window=target,
            client_type=self._atoms["WM_PROTOCOLS"],
            data=(32, [self._atoms["_NET_WM_PING"], number, window, 0, 0]),
        )
        target.send_event(question, event_mask=0)
        self._display.flush()

    def _wait_for_answer(self, number: int) -> bool:
        end_s = time.monotonic() + _SLICE_S
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == self._x.MappingNotify:
                    self.is_map_changed = True
                elif event.type == self._x.ClientMessage and event.window.id == self._root.id:
                    values = event.data[1]
                    if values[0] == self._atoms["_NET_WM_PING"] and values[1] == number:
                        return True
            remaining_s = end_s - time.monotonic()
            if remaining_s <= 0 or not select.select([self._display.fileno()], [], [], remaining_s)[0]:
                return False

    def _is_top(self, window: Any) -> bool:
        return window.get_full_property(self._atoms["WM_STATE"], self._x.AnyPropertyType) is not None

    def _property(self, window: int, name: str) -> Any:
        from Xlib.error import XError

        try:
            target = self._display.create_resource_object("window", window)
            found = target.get_full_property(self._atoms[name], self._x.AnyPropertyType)
        except XError:  # the window is gone
            return None
        return found.value if found is not None else None
