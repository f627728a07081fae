"""Windows of other programs on X11, by the Extended Window Manager Hints; in part also without a window manager.

Operative's own windows are found by their process. They are neither listed nor acted on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic
from typing import Any, TypeVar

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.screen import Box, Window
from operative_app.surfaces.desktop.bounded import BoundedThread, TooSlow
from operative_app.surfaces.desktop.x11_connection import Later, X11Connection, closed

LIMIT_S = 5.0
ACTIVATE_S = 2.0
LOOK_AGAIN_S = 0.01
MOST_NESTED = 6  # how many windows a window manager puts around one
MOST_INSIDE = 200

T = TypeVar("T")

_DESKTOP = "_NET_WM_WINDOW_TYPE_DESKTOP"
_NOT_LISTED = frozenset({_DESKTOP, "_NET_WM_WINDOW_TYPE_DOCK"})
_DIALOGS = frozenset({"_NET_WM_WINDOW_TYPE_DIALOG"})
_FROM_PAGER = 2
_ICONIC = 3


class X11Windows:
    """`ports.Windows` on X11. Any thread; one call at a time, each bounded.

    The connection belongs to a thread of its own, is made on first use and anew after it was lost or hung.

    Args:
        own_pids: Processes whose windows are Operative's own, looked at each time; by default this process.
        display_name: Such as ":0"; "" for the DISPLAY of the environment.
    """

    def __init__(self, own_pids: Collection[int] | None = None, *, display_name: str = "") -> None:
        self._own_pids: Collection[int] = frozenset({os.getpid()}) if own_pids is None else own_pids
        self._display_name = display_name
        self._session: _Session | None = None
        self._lock = Lock()

    def open_windows(self) -> Sequence[Window]:
        """Front to back, without Operative's own, panels and desktops."""
        return self._call(lambda desk: [one.window for one in desk.listed()])

    def own_windows(self) -> Sequence[Box]:
        """Where Operative's own windows, menus and tips are shown now."""
        return self._call(lambda desk: list(desk.own()))

    def content_box(self, window_id: int) -> Box | None:
        """Where a window's content is, without what the window manager draws around it; None when it is gone."""
        return self._call(lambda desk: desk.content(window_id))

    def window_at(self, point: ScreenPoint) -> Window | None:
        """The front window there, or the one whose menu is there; None for the desktop itself.

        Raises:
            SurfaceError: It is Operative's own.
        """
        return self._call(lambda desk: desk.at(point.x_screen_px, point.y_screen_px))

    def maker_of(self, window: Window) -> int:
        """The process that made a window, as the X server knows it; what the window says of itself does not count."""
        return self._call(lambda desk: desk.connection.client_pid(window.id))

    def activate(self, window_id: int) -> None:
        """Bring a window to the front with the focus.

        Raises:
            ActionError: It is gone, does not come, or has a dialog that must be answered first.
        """
        if self._call(lambda desk: desk.is_topmost(window_id)):
            return  # asking again would close its open menu
        title = self._call(lambda desk: desk.ask_to_activate(window_id))
        end, pause = monotonic() + ACTIVATE_S, Event()
        while not self._call(lambda desk: desk.is_in_front(window_id)):
            if monotonic() > end:
                raise ActionError(self._call(lambda desk: desk.why_not_in_front(window_id, title)))
            pause.wait(LOOK_AGAIN_S)

    def ask_to_close(self, window_id: int) -> None:
        """Ask a window to close, as its button does; it may ask something first.

        Raises:
            ActionError: It is gone, or cannot be asked.
        """
        self._call(lambda desk: desk.ask_to_close(window_id))

    def close(self) -> None:
        """End the connection and its thread. Idempotent."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _call(self, work: Callable[[_Desk], T]) -> T:
        with self._lock:
            session = self._session = self._session or _Session(self._display_name, self._own_pids)
        try:
            return session.call(work)
        except TooSlow:
            self._forget(session)
            raise SurfaceError(f"The display did not answer within {LIMIT_S:g} s.") from None
        except _Lost as lost:
            self._forget(session)
            raise closed(lost) from lost

    def _forget(self, session: _Session) -> None:
        with self._lock:
            if self._session is session:
                self._session = None


class _Lost(Exception):
    """The connection broke."""


class _Session:
    """The thread, and the connection made in it."""

    def __init__(self, display_name: str, own_pids: Collection[int]) -> None:
        self._thread = BoundedThread("x11 windows")
        self._display_name = display_name
        self._own_pids = own_pids
        self._desk: _Desk | None = None

    def call(self, work: Callable[[_Desk], T]) -> T:
        return self._thread.call(lambda: self._work(work), LIMIT_S)

    def close(self) -> None:
        try:
            self._thread.call(self._drop, LIMIT_S)
        except TooSlow:
            return
        self._thread.close()

    def _work(self, work: Callable[[_Desk], T]) -> T:
        from Xlib.error import ConnectionClosedError

        if self._desk is None:
            self._desk = _Desk(X11Connection(self._display_name), self._own_pids)
        try:
            return work(self._desk)
        except (ConnectionClosedError, OSError) as error:
            self._drop()
            raise _Lost(str(error)) from error

    def _drop(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            desk.connection.close()


@dataclass(frozen=True, slots=True)
class _Listed:
    """A window of a program, and what decides about it."""

    window: Window
    types: frozenset[str]
    is_shown: bool
    transient_for: int


class _Asked:
    """All questions about one window, sent together."""

    def __init__(self, connection: X11Connection, window: int) -> None:
        self.window = window
        self.geometry = connection.ask_geometry(window)
        self.place = connection.ask_place(window)
        self.attributes = connection.ask_attributes(window)
        self.name = connection.ask_property(window, "_NET_WM_NAME")
        self.old_name = connection.ask_property(window, "WM_NAME")
        self.program = connection.ask_property(window, "WM_CLASS")
        self.pid = connection.ask_property(window, "_NET_WM_PID")
        self.types = connection.ask_property(window, "_NET_WM_WINDOW_TYPE")
        self.states = connection.ask_property(window, "_NET_WM_STATE")
        self.old_state = connection.ask_property(window, "WM_STATE")
        self.transient_for = connection.ask_property(window, "WM_TRANSIENT_FOR")
        self.frame = connection.ask_property(window, "_NET_FRAME_EXTENTS")
        self.shadow = connection.ask_property(window, "_GTK_FRAME_EXTENTS")


class _Desk:
    """What is read and done; on the connection's thread."""

    def __init__(self, connection: X11Connection, own_pids: Collection[int]) -> None:
        self.connection = connection
        self._own_pids = own_pids

    # --- seeing ---

    def listed(self) -> Sequence[_Listed]:
        return [one for one in self._clients() if self._is_others(one) and not one.types & _NOT_LISTED]

    def own(self) -> Iterator[Box]:
        for one in self._clients():
            if one.window.pid in self._own_pids and one.is_shown:
                yield one.window.box
        for window, box in self._shown_on_root():
            if self._pid(window) in self._own_pids:
                yield box

    def content(self, window: int) -> Box | None:
        connection = self.connection
        return connection.box(connection.ask_geometry(window), connection.ask_place(window))

    def at(self, x_px: float, y_px: float) -> Window | None:
        hit = next((window for window, box in self._shown_on_root() if self._takes(window, box, x_px, y_px)), 0)
        if not hit:
            return None
        clients = {one.window.id: one for one in self._clients()}
        found = self._client_in(hit, clients)
        one = clients.get(found) or self._loose(hit)
        if one is None or _DESKTOP in one.types:
            return None
        if not self._is_others(one):
            raise SurfaceError("One of Operative's own windows is there; it is never acted on.")
        return self._owner(one, clients).window

    def _owner(self, one: _Listed, clients: dict[int, _Listed]) -> _Listed:
        """The window that a menu or tip belongs to; a window of its own belongs to itself."""
        if one.window.id in clients:
            return one
        if one.transient_for in clients:
            return clients[one.transient_for]
        same = [other for other in clients.values() if other.window.pid and other.window.pid == one.window.pid]
        return next((other for other in same if other.window.is_active), same[0] if same else one)

    def _is_others(self, one: _Listed) -> bool:
        return one.window.pid not in self._own_pids

    def _clients(self) -> list[_Listed]:
        """All windows that programs show, front to back."""
        connection = self.connection
        ids = self._stacked()
        active = self._active()
        asked = [_Asked(connection, window) for window in ids]
        return [one for one in (self._described(each, active) for each in asked) if one is not None]

    def _stacked(self) -> list[int]:
        if self._has_manager():
            for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
                found = self._root_numbers(name)
                if found:
                    return list(reversed(found))
            return []
        children = self.connection.children(self.connection.ask_tree(self.connection.root))
        asked = [(window, self.connection.ask_attributes(window)) for window in reversed(children)]
        programs = [(window, self.connection.ask_property(window, "WM_CLASS")) for window in reversed(children)]
        shown = {
            window
            for window, question in asked
            if (seen := self.connection.attributes(question)) is not None
            and seen.is_viewable
            and seen.is_drawn
            and not seen.passes_by_manager
        }
        return [window for window, program in programs if self.connection.text(program) and window in shown]

    def _has_manager(self) -> bool:
        """Whether a window manager runs: what an ended one wrote on the root window stays there."""
        check = self._root_numbers("_NET_SUPPORTING_WM_CHECK")
        if not check:
            return False
        again = self.connection.numbers(self.connection.ask_property(check[0], "_NET_SUPPORTING_WM_CHECK"))
        return list(again[:1]) == [check[0]]

    def _active(self) -> int:
        if self._has_manager():
            found = self._root_numbers("_NET_ACTIVE_WINDOW")
            return found[0] if found else 0
        window = self.connection.focus()
        for _ in range(MOST_NESTED):
            parent = self.connection.parent(self.connection.ask_tree(window)) if window > 1 else 0
            if parent in {0, self.connection.root}:
                break
            window = parent
        return window

    def _root_numbers(self, name: str) -> Sequence[int]:
        return self.connection.numbers(self.connection.ask_property(self.connection.root, name))

    def _described(self, asked: _Asked, active: int) -> _Listed | None:
        connection = self.connection
        content = connection.box(asked.geometry, asked.place)
        seen = connection.attributes(asked.attributes)
        if content is None or seen is None:
            return None
        states = connection.atom_names(asked.states)
        types = connection.atom_names(asked.types)
        transient = next(iter(connection.numbers(asked.transient_for)), 0)
        is_minimized = "_NET_WM_STATE_HIDDEN" in states or list(connection.numbers(asked.old_state)[:1]) == [_ICONIC]
        classes = [part for part in connection.text(asked.program).split("\0") if part]
        window = Window(
            id=asked.window,
            title=connection.text(asked.name) or connection.text(asked.old_name),
            app=classes[-1] if classes else "",
            pid=next(iter(connection.numbers(asked.pid)), 0) or connection.client_pid(asked.window),
            box=_framed(content, connection.numbers(asked.frame), connection.numbers(asked.shadow)),
            is_active=asked.window == active,
            is_minimized=is_minimized or not seen.is_viewable,
            is_dialog=bool(types & _DIALOGS) or bool(transient) or "_NET_WM_STATE_MODAL" in states,
        )
        is_shown = seen.is_viewable and not is_minimized
        return _Listed(window=window, types=types, is_shown=is_shown, transient_for=transient)

    def _loose(self, window: int) -> _Listed | None:
        """A window that the window manager does not know: a menu, a tip."""
        return self._described(_Asked(self.connection, window), active=0)

    def _shown_on_root(self) -> Iterator[tuple[int, Box]]:
        """What stands on the root window, topmost first: frames, menus, tips."""
        connection = self.connection
        children = list(reversed(connection.children(connection.ask_tree(connection.root))))
        asked: list[tuple[int, Later, Later, Later]] = [
            (one, connection.ask_attributes(one), connection.ask_geometry(one), connection.ask_place(one))
            for one in children
        ]
        for window, attributes, geometry, place in asked:
            seen, box = connection.attributes(attributes), connection.box(geometry, place)
            if seen is not None and box is not None and seen.is_viewable and seen.is_drawn:
                yield window, box

    def _takes(self, window: int, box: Box, x_px: float, y_px: float) -> bool:
        if not box.contains(x_px, y_px):
            return False
        parts = self.connection.input_shape(window)
        return parts is None or any(part.contains(x_px - box.x_css_px, y_px - box.y_css_px) for part in parts)

    def _client_in(self, frame: int, clients: Collection[int]) -> int:
        """The program's window inside a frame, which may be the frame itself; 0 when there is none."""
        level = [frame]
        for _ in range(MOST_NESTED):
            found = next((window for window in level if window in clients), 0)
            if found:
                return found
            trees = [self.connection.ask_tree(window) for window in level]
            level = [child for tree in trees for child in self.connection.children(tree)][:MOST_INSIDE]
        return 0

    def _pid(self, window: int) -> int:
        told = self.connection.numbers(self.connection.ask_property(window, "_NET_WM_PID"))
        return (told[0] if told else 0) or self.connection.client_pid(window)

    # --- acting ---

    def ask_to_activate(self, window: int) -> str:
        """Returns the window's title."""
        one = self._known(window)
        if self._has_manager():
            self.connection.send(window, self.connection.root, "_NET_ACTIVE_WINDOW", [_FROM_PAGER, 0, 0])
        else:
            self.connection.raise_and_focus(window)
        return one.window.title

    def is_topmost(self, window: int) -> bool:
        """Whether it has the focus and lies under no other window."""
        listed = self.listed()
        return bool(listed) and listed[0].window.id == window and listed[0].window.is_active

    def is_in_front(self, window: int) -> bool:
        return self._active() == window

    def why_not_in_front(self, window: int, title: str) -> str:
        clients = {one.window.id: one for one in self._clients()}
        if window not in clients:
            return f"The window “{title}” was closed."
        active = clients.get(self._active())
        if active is not None and active.transient_for == window:
            return f"“{title}” has a dialog open, “{active.window.title}”, that must be answered first."
        return f"The window “{title}” does not come to the front."

    def ask_to_close(self, window: int) -> None:
        one = self._known(window)
        protocols = self.connection.atom_names(self.connection.ask_property(window, "WM_PROTOCOLS"))
        if "WM_DELETE_WINDOW" not in protocols:
            raise ActionError(f"The window “{one.window.title}” cannot be asked to close.")
        if self._has_manager():
            self.connection.send(window, self.connection.root, "_NET_CLOSE_WINDOW", [0, _FROM_PAGER])
        else:
            self.connection.send(window, window, "WM_PROTOCOLS", [self.connection.atom("WM_DELETE_WINDOW"), 0])

    def _known(self, window: int) -> _Listed:
        one = next((one for one in self._clients() if one.window.id == window), None)
        if one is None:
            raise ActionError("That window is not open any more.")
        if not self._is_others(one):
            raise SurfaceError("That is one of Operative's own windows; it is never acted on.")
        return one


def _framed(content: Box, frame: Sequence[int], shadow: Sequence[int]) -> Box:
    """What is seen of a window: its content, the frame around it, without a shadow it draws itself."""
    left, right, top, bottom = _sides(frame)
    in_left, in_right, in_top, in_bottom = _sides(shadow)
    return Box(
        x_css_px=content.x_css_px - left + in_left,
        y_css_px=content.y_css_px - top + in_top,
        width_css_px=content.width_css_px + left + right - in_left - in_right,
        height_css_px=content.height_css_px + top + bottom - in_top - in_bottom,
    )


def _sides(numbers: Iterable[Any]) -> tuple[int, int, int, int]:
    found = [int(number) for number in numbers]
    return (found[0], found[1], found[2], found[3]) if len(found) >= 4 else (0, 0, 0, 0)
