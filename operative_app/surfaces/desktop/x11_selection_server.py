"""Gives the clipboard's content to programs that paste (ICCCM 2.2: owner of a selection)."""

from __future__ import annotations

import select
import time
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from operative_app.core.errors import SurfaceError

if TYPE_CHECKING:
    from Xlib.display import Display

CLIPBOARD = "CLIPBOARD"
PROPERTY = "_OPERATIVE_SELECTION"
_PART_BYTES = 128 * 1024
_EVENT_S = 2.0
_HAND_OVER_S = 3.0
_STALE_S = 10.0


class Format(NamedTuple):
    """One format of the content.

    Attributes:
        kind: The type's name, mostly that of the format itself.
        width: Bits of one item: 8, 16 or 32.
        raw: The bytes.
    """

    kind: str
    width: int
    raw: bytes


Content = dict[str, Format]
"""By the name of the format ("target"). Empty: the clipboard holds nothing."""


class _Parts(NamedTuple):
    """A long content under way in parts (INCR): what is still to be given."""

    window: Any
    form: Format
    start: int
    since_s: float


class SelectionServer:
    """Owner of the clipboard, on a connection of its own. The clipboard thread.

    Args:
        display: The connection.
        on_taken: Called after each time a program got content.

    Attributes:
        content: What is offered now; empty when another program owns the clipboard.
    """

    def __init__(self, display: Display, on_taken: Callable[[], None]) -> None:
        from Xlib import X, Xatom
        from Xlib.protocol import event, request

        self._x, self._xatom, self._event, self._request = X, Xatom, event, request
        self._display = display
        self._on_taken = on_taken
        self._parts: dict[tuple[int, int], _Parts] = {}
        self._since_time = 0
        self.window = display.screen().root.create_window(0, 0, 1, 1, 0, 0, event_mask=X.PropertyChangeMask)
        self.selection = self.atom(CLIPBOARD)
        self.content: Content = {}

    def atom(self, name: str) -> int:
        return int(self._display.intern_atom(name))

    def offer(self, content: Content) -> None:
        """Become the owner with this content; with none, let the clipboard be empty.

        Raises:
            SurfaceError: Another program does not let go of it.
        """
        self._since_time = self.now()
        self._request.SetSelectionOwner(
            display=self._display.display,
            window=self.window.id if content else self._x.NONE,
            selection=self.selection,
            time=self._since_time,
        )
        self.content = content
        if content and not self.is_owner():
            raise SurfaceError("Another program does not let go of the clipboard.")

    def is_owner(self) -> bool:
        """Whether the clipboard is ours at this moment, whatever events are still on their way."""
        owner = self._display.get_selection_owner(self.selection)
        if getattr(owner, "id", self._x.NONE) != self.window.id:
            self.content = {}
        return bool(self.content)

    def now(self) -> int:
        """The server's time: of an event that changing a property of our own causes."""
        self.window.change_property(self.atom(PROPERTY + "_TIME"), self._xatom.INTEGER, 8, b"")
        event = self.wait(lambda seen: seen.type == self._x.PropertyNotify and seen.window == self.window, _EVENT_S)
        if event is None:
            raise SurfaceError("The display does not answer.")
        return int(event.time)

    def pump(self) -> None:
        """Serve all requests that are there. Afterwards the next one wakes a select on the connection."""
        while self._has_event():
            self._serve(self._display.next_event())

    def wait(self, is_wanted: Callable[[Any], bool], timeout_s: float) -> Any:
        """Serve requests until a wanted event comes; None when it does not."""
        end_s = time.monotonic() + timeout_s
        while True:
            while self._has_event():
                event = self._display.next_event()
                if is_wanted(event):
                    return event
                self._serve(event)
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._display], [], [], left_s)[0]:
                return None

    def hand_over(self) -> None:
        """Let the clipboard manager, if one runs, keep what is offered."""
        manager = self.atom("CLIPBOARD_MANAGER")
        if not self.content or self._display.get_selection_owner(manager) == self._x.NONE:
            return
        answer = self.atom(PROPERTY)
        names = array("I", [self.atom(name) for name in self.content])
        self.window.change_property(answer, self._xatom.ATOM, 32, names)
        self.window.convert_selection(manager, self.atom("SAVE_TARGETS"), answer, self.now())
        self.wait(lambda event: event.type == self._x.SelectionNotify and event.selection == manager, _HAND_OVER_S)

    def _has_event(self) -> bool:
        """Whether an event is there, after all requests were sent: sending, too, reads events off the connection."""
        self._display.flush()
        return bool(self._display.pending_events())

    # --- requests ---

    def _serve(self, event: Any) -> None:
        if event.type == self._x.SelectionRequest and event.selection == self.selection:
            place = event.property or event.target  # old programs name no property
            is_given = self._give(event.requestor, event.target, place)
            answer = self._event.SelectionNotify(
                time=event.time,
                requestor=event.requestor,
                selection=event.selection,
                target=event.target,
                property=place if is_given else self._x.NONE,
            )
            event.requestor.send_event(answer, event_mask=0)
        elif event.type == self._x.SelectionClear and event.atom == self.selection:
            self.content = {}
        elif event.type == self._x.PropertyNotify and event.state == self._x.PropertyDelete:
            self._go_on((event.window.id, event.atom))

    def _give(self, window: Any, target: int, place: int) -> bool:
        name = self._display.get_atom_name(target)
        match name:
            case "TARGETS":
                names = [self.atom(known) for known in ("TARGETS", "TIMESTAMP", "MULTIPLE", *self.content)]
                window.change_property(place, self._xatom.ATOM, 32, array("I", names))
            case "TIMESTAMP":
                window.change_property(place, self._xatom.INTEGER, 32, array("I", [self._since_time]))
            case "MULTIPLE":
                return self._give_several(window, place)
            case "SAVE_TARGETS":
                window.change_property(place, self.atom("NULL"), 32, array("I"))
            case _ if name in self.content:
                self._give_content(window, place, self.content[name])
            case _:
                return False
        return True

    def _give_several(self, window: Any, place: int) -> bool:
        wanted = window.get_full_property(place, self._x.AnyPropertyType)
        if wanted is None:
            return False
        pairs = list(wanted.value)
        for index in range(0, len(pairs) - 1, 2):
            if not self._give(window, pairs[index], pairs[index + 1]):
                pairs[index + 1] = self._x.NONE
        window.change_property(place, self.atom("ATOM_PAIR"), 32, array("I", pairs))
        return True

    def _give_content(self, window: Any, place: int, form: Format) -> None:
        if len(form.raw) <= _PART_BYTES:
            window.change_property(place, self.atom(form.kind), form.width, _items(form.width, form.raw))
            self._on_taken()
            return
        window.change_attributes(event_mask=self._x.PropertyChangeMask)
        window.change_property(place, self.atom("INCR"), 32, array("I", [len(form.raw)]))
        now_s = time.monotonic()
        self._parts = {key: parts for key, parts in self._parts.items() if now_s - parts.since_s < _STALE_S}
        self._parts[window.id, place] = _Parts(window, form, 0, now_s)

    def _go_on(self, key: tuple[int, int]) -> None:
        """The program has read a part: give the next one; an empty part is the end."""
        parts = self._parts.pop(key, None)
        if parts is None:
            return
        form = parts.form
        part = form.raw[parts.start : parts.start + _PART_BYTES]
        parts.window.change_property(key[1], self.atom(form.kind), form.width, _items(form.width, part))
        if part:
            self._parts[key] = parts._replace(start=parts.start + len(part), since_s=time.monotonic())
        else:
            parts.window.change_attributes(event_mask=0)
            self._on_taken()


def _items(width: int, raw: bytes) -> bytes | array[int]:
    """Bytes as the items of a property; the X library wants arrays for the wider ones."""
    return raw if width == 8 else array({16: "H", 32: "I"}[width], raw)
