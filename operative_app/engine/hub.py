"""Events go out here: numbered, timed, recorded first, then handed to the sinks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from typing import Any, TypeVar

from operative_app.core.events import Event, EventBase
from operative_app.core.ports import EventSink, Recorder
from operative_app.core.screen import Picture
from operative_app.safety.redaction import Redactor

_log = logging.getLogger(__name__)

E = TypeVar("E", bound=EventBase)
T = TypeVar("T")


class EventHub:
    """Numbers and hands out events. Used on the agent thread; sinks may be added from any thread.

    Args:
        recorder: Gets each event first; its StoreError goes to the caller: an action without a record does not run.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._redactor = Redactor()
        self._sinks: tuple[EventSink, ...] = ()
        self._sinks_lock = threading.Lock()
        self._run_id = ""
        self._sequence = 0

    def add_sink(self, sink: EventSink) -> None:
        with self._sinks_lock:
            self._sinks = (*self._sinks, sink)

    def remove_sink(self, sink: EventSink) -> None:
        with self._sinks_lock:
            self._sinks = tuple(one for one in self._sinks if one is not sink)

    def begin(self, run_id: str) -> None:
        self._run_id, self._sequence = run_id, 0

    def emit(self, kind: type[E], *, is_recorded: bool = True, **fields: Any) -> E:
        """Make an event of the present run and hand it out.

        Raises:
            StoreError: It could not be recorded; no sink got it.
        """
        event = self._redactor.value(
            kind(run_id=self._run_id, sequence=self._sequence + 1, time_s=time.time(), **fields)
        )
        self._sequence += 1
        if is_recorded:
            self._recorder.record(_as_event(event))
        for sink in self._sinks:
            try:
                sink.emit(_as_event(event))
            except Exception:  # noqa: BLE001 - a sink is one of the three borders; it must not end a run
                _log.exception("an event sink failed")
        return event

    def conceal(self, texts: Iterable[str]) -> None:
        """From now on no event holds these texts, also where a page repeats them."""
        for text in texts:
            self._redactor.add(text)

    def cleaned(self, value: T) -> T:
        """A value without what is concealed; the very same one when it holds nothing of it."""
        return self._redactor.value(value)

    @property
    def concealer(self) -> Redactor:
        """What is concealed, for who makes pictures and files. Any thread."""
        return self._redactor

    def keep_picture(self, picture: Picture) -> str:
        """Store a picture and return its content hash; raises StoreError."""
        return self._recorder.keep_picture(picture)


def _as_event(event: EventBase) -> Event:
    return event  # type: ignore[return-value]  # every subclass is a member of the union
