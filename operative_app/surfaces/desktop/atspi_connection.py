"""The accessibility bus: questions to programs, many in flight, each answered or given up.

A program that hangs never answers. So every question belongs to a round with an end, and what has not come until then
is told as missing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from operative_app.core.errors import SurfaceError

if TYPE_CHECKING:
    from dbus_fast.aio import MessageBus
    from dbus_fast.message import Message

T = TypeVar("T")

CONNECT_S = 3.0
MOST_IN_FLIGHT = 96
"""Questions at a time. dbus-fast 5.2 takes a full socket buffer for the end of the connection (issue 153 of
python-dbus-next, of which it is a fork): so few that they always fit. Can go when it waits for the socket instead."""
ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
EDITABLE_TEXT = "org.a11y.atspi.EditableText"
TABLE = "org.a11y.atspi.Table"
TABLE_CELL = "org.a11y.atspi.TableCell"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
CACHE = "org.a11y.atspi.Cache"
CACHE_PATH = "/org/a11y/atspi/cache"
ROOT_PATH = "/org/a11y/atspi/accessible/root"
PREFIX = "/org/a11y/atspi/accessible/"
NO_PATH = "/org/a11y/atspi/null"
SCREEN = 0  # the coordinate type that counts from the screen's corner

_REGISTRY = "org.a11y.atspi.Registry"
_REGISTRY_PATH = "/org/a11y/atspi/registry"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_FOCUS_EVENT = "object:state-changed:focused"
_FOCUS_RULE = "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged',arg0='focused'"


@dataclass(frozen=True, slots=True)
class Ref:
    """An object of a program: the program's name on the bus, and a path."""

    bus: str
    path: str

    @property
    def key(self) -> str:
        """A key that stays while the object does."""
        return f"{self.bus}/{self.path.removeprefix(PREFIX)}"

    @property
    def is_null(self) -> bool:
        return self.path in {NO_PATH, ""} or not self.bus

    @staticmethod
    def of_key(key: str) -> Ref:
        bus, _, rest = key.partition("/")
        return Ref(bus, rest if rest.startswith("/") else PREFIX + rest)


class AtspiConnection:
    """A connection to the accessibility bus. Owned by the loop that opened it."""

    def __init__(self, session: MessageBus, bus: MessageBus) -> None:
        self._session = session
        self._bus = bus
        self._pids: dict[str, int] = {}
        self._was_enabled = True
        self._in_flight = asyncio.Semaphore(MOST_IN_FLIGHT)
        self.last_focus: Ref | None = None

    @classmethod
    async def open(cls) -> AtspiConnection:
        """Connect, tell programs that somebody listens, and follow the keyboard focus.

        Raises:
            SurfaceError: There is no accessibility bus.
        """
        from dbus_fast import Message
        from dbus_fast.aio import MessageBus
        from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

        session: MessageBus | None = None
        try:
            async with asyncio.timeout(CONNECT_S):
                session = await MessageBus().connect()
                asked = Message(
                    destination="org.a11y.Bus", path="/org/a11y/bus", interface="org.a11y.Bus", member="GetAddress"
                )
                address = (await session.call(asked)).body[0]
                bus = await MessageBus(bus_address=address).connect()
        except (OSError, EOFError, AuthError, DBusError, InvalidAddressError, ValueError, IndexError) as error:
            if session is not None:
                session.disconnect()
            raise SurfaceError(_no_bus()) from error
        connection = cls(session, bus)
        await connection._listen()
        return connection

    @property
    def is_open(self) -> bool:
        return self._bus.connected

    async def close(self) -> None:
        """Take back what was asked of programs, and disconnect. Bounded, idempotent."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                if self._bus.connected:
                    await self.call(_REGISTRY, _REGISTRY_PATH, _REGISTRY, "DeregisterEvent", "s", _FOCUS_EVENT)
                if self._session.connected and not self._was_enabled:
                    await self._enable(False)
        for bus in (self._bus, self._session):
            if bus.connected:
                bus.disconnect()

    # --- questions ---

    async def call(
        self, bus: str, path: str, interface: str, member: str, signature: str = "", *arguments: Any
    ) -> Sequence[Any] | None:
        """One question; None when the object is gone or does not know it."""
        from dbus_fast import Message, MessageType

        message = Message(
            destination=bus,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(arguments),
        )
        try:
            async with self._in_flight:
                reply = await self._bus.call(message)
        except (OSError, EOFError):
            return None
        if reply.message_type is MessageType.ERROR:
            return None
        return reply.body

    async def ask(self, ref: Ref, interface: str, member: str, signature: str = "", *arguments: Any) -> Any:
        """The first value of an answer; None when there is none."""
        answer = await self.call(ref.bus, ref.path, interface, member, signature, *arguments)
        return answer[0] if answer else None

    async def get(self, ref: Ref, interface: str, name: str) -> Any:
        """One property; never all of them, which ends some Qt programs."""
        answer = await self.ask(ref, _PROPERTIES, "Get", "ss", interface, name)
        return None if answer is None else answer.value

    async def refs(self, ref: Ref, interface: str, member: str, signature: str = "", *arguments: Any) -> list[Ref]:
        """An answer that is a list of objects."""
        answer = await self.ask(ref, interface, member, signature, *arguments)
        return [one for one in (Ref(bus, path) for bus, path in answer or ()) if not one.is_null]

    async def programs(self) -> list[Ref]:
        """The roots of all programs that tell what they show."""
        return await self.refs(Ref(_REGISTRY, ROOT_PATH), ACCESSIBLE, "GetChildren")

    async def pid(self, bus: str) -> int:
        """The process behind a name on the bus; 0 when it is gone."""
        if bus not in self._pids:
            name = "org.freedesktop.DBus"
            answer = await self.call(name, "/org/freedesktop/DBus", name, "GetConnectionUnixProcessID", "s", bus)
            if not answer:
                return 0
            self._pids[bus] = int(answer[0])
        return self._pids[bus]

    # --- events ---

    async def _listen(self) -> None:
        name = "org.freedesktop.DBus"
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                self._bus.add_message_handler(self._on_message)
                await self.call(name, "/org/freedesktop/DBus", name, "AddMatch", "s", _FOCUS_RULE)
                # Only with a listener do GTK programs offer their cache.
                await self.call(_REGISTRY, _REGISTRY_PATH, _REGISTRY, "RegisterEvent", "sass", _FOCUS_EVENT, [], "")
                self._was_enabled = await self._is_enabled()
                if not self._was_enabled:
                    await self._enable(True)

    def _on_message(self, message: Message) -> None:
        if message.member == "StateChanged" and message.sender and message.path and len(message.body) > 1:
            ref = Ref(message.sender, message.path)
            if message.body[0] == "focused" and message.body[1]:
                self.last_focus = ref
            elif message.body[0] == "focused" and self.last_focus == ref:
                self.last_focus = None

    async def _is_enabled(self) -> bool:
        from dbus_fast import Message, MessageType

        asked = Message(
            destination="org.a11y.Bus",
            path="/org/a11y/bus",
            interface=_PROPERTIES,
            member="Get",
            signature="ss",
            body=["org.a11y.Status", "IsEnabled"],
        )
        reply = await self._session.call(asked)
        return reply.message_type is MessageType.ERROR or bool(reply.body[0].value)

    async def _enable(self, is_on: bool) -> None:
        """Some programs tell what they show only when this is set."""
        from dbus_fast import Message, Variant

        wish = Message(
            destination="org.a11y.Bus",
            path="/org/a11y/bus",
            interface=_PROPERTIES,
            member="Set",
            signature="ssv",
            body=["org.a11y.Status", "IsEnabled", Variant("b", is_on)],
        )
        await self._session.call(wish)


class Round:
    """Questions that end together, at a time of the loop's clock.

    Attributes:
        is_over: The end came before all answers did.
    """

    def __init__(self, budget_s: float) -> None:
        self._end_s = asyncio.get_running_loop().time() + budget_s
        self.is_over = False

    @property
    def left_s(self) -> float:
        return max(0.0, self._end_s - asyncio.get_running_loop().time())

    async def all(self, questions: Iterable[Coroutine[Any, Any, T]]) -> list[T | None]:
        """The answers in order; None for each that did not come in time."""
        tasks = [asyncio.ensure_future(question) for question in questions]
        if not tasks:
            return []
        try:
            _, late = await asyncio.wait(tasks, timeout=self.left_s)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            raise
        if late:
            self.is_over = True
            for task in late:
                task.cancel()
            await asyncio.wait(late)
        return [None if task.cancelled() else task.result() for task in tasks]

    async def each(self, items: Iterable[Any], question: Callable[[Any], Coroutine[Any, Any, T]]) -> list[T | None]:
        return await self.all([question(item) for item in items])


def _no_bus() -> str:
    return (
        "Programs cannot be asked what they show: there is no accessibility bus in this session. "
        "On Debian or Ubuntu it comes with the package at-spi2-core."
    )
