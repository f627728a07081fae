"""Fetches the clipboard's content from the program that owns it (ICCCM 2.4: requestor of a selection)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.desktop.x11_selection_server import PROPERTY, Content, Format, SelectionServer

if TYPE_CHECKING:
    from Xlib.display import Display

_ANSWER_S = 2.0
_ALL_S = 6.0
_MOST_BYTES = 64 * 1024 * 1024
_NO_CONTENT = frozenset(
    ("TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_PROPERTY", "INSERT_SELECTION")
)


class SelectionReader:
    """Reads by the server's window, so that requests to our own content are answered meanwhile. The clipboard thread.

    Each wait is bounded: an owner that hangs is told, never waited for.
    """

    def __init__(self, display: Display, server: SelectionServer) -> None:
        from Xlib import X

        self._x = X
        self._display = display
        self._server = server
        self._place = server.atom(PROPERTY)
        self._incr = server.atom("INCR")

    def read_first(self, names: tuple[str, ...]) -> Content:
        """The first of these formats that the owner has; nothing when it has none of them.

        Raises:
            SurfaceError: The owner does not answer, or gives too much.
        """
        offered = self._offered()
        for name in names:
            if name in offered and (form := self._fetch(name)) is not None:
                return {name: form}
        return {}

    def read_all(self) -> Content:
        """All formats, as far as the owner gives them in time.

        Raises:
            SurfaceError: The owner does not answer at all.
        """
        end_s = time.monotonic() + _ALL_S
        content: Content = {}
        left_bytes = _MOST_BYTES
        for name in self._offered():
            if name in _NO_CONTENT or time.monotonic() > end_s:
                continue
            try:
                form = self._fetch(name)
            except SurfaceError:
                continue
            if form is not None and len(form.raw) <= left_bytes:
                content[name] = form
                left_bytes -= len(form.raw)
        return content

    def _offered(self) -> list[str]:
        if self._display.get_selection_owner(self._server.selection) == self._x.NONE:
            return []
        form = self._fetch("TARGETS")
        if form is None:  # an old program that tells no formats
            return ["STRING"]
        atoms = memoryview(form.raw).cast("I")
        return [name for name in (self._name(atom) for atom in atoms) if name]

    def _name(self, atom: int) -> str:
        from Xlib.error import XError

        try:
            return str(self._display.get_atom_name(atom))
        except XError:  # some programs offer numbers that are no names
            return ""

    def _fetch(self, name: str) -> Format | None:
        """One format; None when the owner refuses it."""
        window = self._server.window
        window.delete_property(self._place)
        target = self._server.atom(name)
        window.convert_selection(self._server.selection, target, self._place, self._server.now())
        answer = self._server.wait(
            lambda event: event.type == self._x.SelectionNotify and event.target == target, _ANSWER_S
        )
        if answer is None:
            raise SurfaceError("The program that holds the clipboard does not answer.")
        if answer.property == self._x.NONE:
            return None
        found = self._take()
        if found is None:
            return None
        if found.property_type == self._incr:
            return self._fetch_parts()
        return self._format(found.property_type, found.format, _raw(found))

    def _fetch_parts(self) -> Format:
        """A long content: the owner puts the next part when the last one was deleted; an empty one is the end."""
        raw = bytearray()
        while True:
            event = self._server.wait(
                lambda event: (
                    event.type == self._x.PropertyNotify
                    and event.atom == self._place
                    and event.state == self._x.PropertyNewValue
                ),
                _ANSWER_S,
            )
            if event is None:
                raise SurfaceError("The program that holds the clipboard stopped in the middle of its content.")
            part = self._take()
            if part is None:
                continue
            raw += _raw(part)
            if len(raw) > _MOST_BYTES:
                raise SurfaceError("The clipboard holds more than 64 MB.")
            if not part.value:
                return self._format(part.property_type, part.format, bytes(raw))

    def _take(self) -> Any:
        """The value put for us, deleted with the same request."""
        window = self._server.window
        found = window.get_full_property(self._place, self._x.AnyPropertyType)
        window.delete_property(self._place)
        self._display.flush()
        return found

    def _format(self, kind: int, width: int, raw: bytes) -> Format:
        return Format(self._name(kind), width, raw)


def _raw(found: Any) -> bytes:
    value = found.value
    return value.tobytes() if hasattr(value, "tobytes") else bytes(value)
