"""Questions to the X server, many in flight at a time.

All of it runs on the one thread that owns the connection (`x11_windows`). A window may vanish between two questions:
then the answer is None, never an error.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from operative_app.core.errors import SurfaceClosed, SurfaceMissing
from operative_app.core.screen import Box

CONNECT_S = 5.0
SOCKETS = "/tmp/.X11-unix/X"  # noqa: S108 - fixed by X11
MOST_WORDS = 1 << 16  # of a property, four bytes each


class Later:
    """A question that was sent. `answer` waits for what came back; None when the window is gone."""

    def __init__(self, request: Any) -> None:
        self._request = request

    @property
    def answer(self) -> Any:
        from Xlib.error import XError

        try:
            self._request.reply()
        except XError:
            return None
        return self._request


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a window is shown."""

    is_viewable: bool
    is_drawn: bool
    passes_by_manager: bool


class X11Connection:
    """One connection, for the thread that made it.

    Args:
        display_name: Such as ":0"; "" for the DISPLAY of the environment.

    Raises:
        SurfaceMissing: There is no X server, or it does not let us in.
    """

    def __init__(self, display_name: str = "") -> None:
        from Xlib import display, error, xauth

        try:
            _knock(display_name or os.environ.get("DISPLAY", ""))
            self._display: Any = display.Display(display_name or None)
        except (error.DisplayError, error.XauthError, xauth.error.XauthError, OSError) as refused:
            raise SurfaceMissing(
                "There is no X11 display to work on. Sign in to a graphical X11 session, or use the browser."
            ) from refused
        self._core: Any = self._display.display
        self.root: int = self._display.screen().root.id
        self._atoms: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def close(self) -> None:
        from Xlib.error import ConnectionClosedError

        try:
            self._display.close()
        except (ConnectionClosedError, OSError):
            self._core.socket.close()  # python-xlib leaves that of a broken connection open

    # --- questions ---

    def ask_property(self, window: int, name: str) -> Later:
        from Xlib import X
        from Xlib.protocol import request

        return Later(
            request.GetProperty(
                display=self._core,
                defer=True,
                delete=0,
                window=window,
                property=self.atom(name),
                type=X.AnyPropertyType,
                long_offset=0,
                long_length=MOST_WORDS,
            )
        )

    def ask_geometry(self, window: int) -> Later:
        from Xlib.protocol import request

        return Later(request.GetGeometry(display=self._core, defer=True, drawable=window))

    def ask_place(self, window: int) -> Later:
        """Where the window's content begins on the root window."""
        from Xlib.protocol import request

        return Later(
            request.TranslateCoords(display=self._core, defer=True, src_wid=window, dst_wid=self.root, src_x=0, src_y=0)
        )

    def ask_attributes(self, window: int) -> Later:
        from Xlib.protocol import request

        return Later(request.GetWindowAttributes(display=self._core, defer=True, window=window))

    def ask_tree(self, window: int) -> Later:
        from Xlib.protocol import request

        return Later(request.QueryTree(display=self._core, defer=True, window=window))

    # --- answers ---

    def numbers(self, asked: Later) -> Sequence[int]:
        """A property of numbers (windows, atoms, cardinals); empty when it is not set or the window is gone."""
        answer = asked.answer
        if answer is None or answer.property_type == 0 or answer.value[0] != 32:
            return ()
        return [int(number) for number in answer.value[1]]

    def text(self, asked: Later) -> str:
        """A property of text, Latin-1 when it is of the old kind; "" when not set."""
        answer = asked.answer
        if answer is None or answer.property_type == 0 or answer.value[0] != 8:
            return ""
        raw = bytes(answer.value[1])
        is_latin = answer.property_type == self.atom("STRING")
        return raw.decode("latin-1" if is_latin else "utf-8", errors="replace")

    def atom_names(self, asked: Later) -> frozenset[str]:
        return frozenset(self._atom_name(number) for number in self.numbers(asked))

    def box(self, geometry: Later, place: Later) -> Box | None:
        """The window's content on the root window, in pixels."""
        size, origin = geometry.answer, place.answer
        if size is None or origin is None:
            return None
        return Box(x_css_px=origin.x, y_css_px=origin.y, width_css_px=size.width, height_css_px=size.height)

    def attributes(self, asked: Later) -> Attributes | None:
        from Xlib import X

        answer = asked.answer
        if answer is None:
            return None
        return Attributes(
            is_viewable=answer.map_state == X.IsViewable,
            is_drawn=answer.win_class == X.InputOutput,
            passes_by_manager=bool(answer.override_redirect),
        )

    def children(self, asked: Later) -> Sequence[int]:
        """From the lowest to the topmost."""
        answer = asked.answer
        return () if answer is None else [_id(child) for child in answer.children]

    def parent(self, asked: Later) -> int:
        """0 for the root window and for one that is gone."""
        answer = asked.answer
        return 0 if answer is None or not answer.parent else _id(answer.parent)

    def input_shape(self, window: int) -> Sequence[Box] | None:
        """The parts of a window that take the pointer, relative to it; None when all of it does."""
        from Xlib.error import XError
        from Xlib.ext import shape

        if not self._display.has_extension("SHAPE"):
            return None
        try:
            found = shape.GetRectangles(
                display=self._core,
                opcode=self._core.get_extension_major("SHAPE"),
                window=window,
                source_kind=shape.SK.Input,
            )
        except XError:
            return None
        return [
            Box(x_css_px=one.x, y_css_px=one.y, width_css_px=one.width, height_css_px=one.height)
            for one in found.rectangles
        ]

    def client_pid(self, window: int) -> int:
        """The process that made a window, as the X server knows it; 0 when it does not say."""
        from Xlib.error import XError
        from Xlib.ext import res

        if not self._display.has_extension("X-Resource"):
            return 0
        try:
            found = self._display.res_query_client_ids([{"client": window, "mask": res.LocalClientPIDMask}])
        except XError:
            return 0
        return next((int(one.value[0]) for one in found.ids if one.value), 0)

    def focus(self) -> int:
        """The window with the keyboard focus; 0 for none."""
        focus = self._display.get_input_focus().focus
        return focus if isinstance(focus, int) else int(focus.id)

    # --- acts ---

    def send(self, window: int, to: int, message: str, data: Sequence[int]) -> None:
        """Send a client message about a window to it or to the root window."""
        from Xlib import X
        from Xlib.protocol import event

        words = [*data, 0, 0, 0, 0, 0][:5]
        note = event.ClientMessage(window=window, client_type=self.atom(message), data=(32, words))
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask if to == self.root else X.NoEventMask
        self._display.create_resource_object("window", to).send_event(note, event_mask=mask, onerror=_ignore)
        self._display.flush()

    def raise_and_focus(self, window: int) -> None:
        """What a window manager does, for a display without one."""
        from Xlib import X

        shown = self._display.create_resource_object("window", window)
        shown.map(onerror=_ignore)
        shown.configure(stack_mode=X.Above, onerror=_ignore)
        shown.set_input_focus(X.RevertToPointerRoot, X.CurrentTime, onerror=_ignore)
        self._display.flush()

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self._display.intern_atom(name)
        return self._atoms[name]

    def _atom_name(self, number: int) -> str:
        from Xlib.error import XError

        if number not in self._names:
            try:
                self._names[number] = self._display.get_atom_name(number)
            except XError:
                return ""
        return self._names[number]


def _knock(name: str) -> None:
    """Raise OSError when nobody listens on a local display: python-xlib leaves the sockets it tried open then."""
    number = name.removeprefix(":").partition(".")[0]
    if not name.startswith(":") or not number.isdigit():
        return
    for place in (f"{SOCKETS}{number}", f"\0{SOCKETS}{number}"):
        with socket.socket(socket.AF_UNIX) as tried, contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            tried.settimeout(CONNECT_S)
            tried.connect(place)
            return
    raise ConnectionRefusedError(f"Nobody listens on the display {name}.")


def closed(error: Exception) -> SurfaceClosed:
    """What a broken connection means."""
    return SurfaceClosed(f"The display was closed: {error}")


def _id(window: Any) -> int:
    return window if isinstance(window, int) else int(window.id)


def _ignore(*_: object) -> int:
    """Windows may vanish: an error that comes back for an act is of no interest, what is seen afterwards is."""
    return 1
