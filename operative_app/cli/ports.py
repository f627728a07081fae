"""What the commands need of the rest; the composition root hands it in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from operative_app.core.ports import EventSink
from operative_app.engine.control import RunControl
from operative_app.store.runs import RunSummary


class Agent(Protocol):
    """The engine on its own thread."""

    control: RunControl

    def add_sink(self, sink: EventSink) -> None:
        """Any thread; events come on the agent's thread."""
        ...

    def start(self) -> None:
        """Idempotent. Returns when commands are taken."""
        ...

    def close(self, *, timeout_s: float = 15.0) -> bool:
        """Stop, let go of everything and join. Idempotent; False when it did not end in time."""
        ...


class RunList(Protocol):
    """Raises StoreError."""

    notices: list[str]

    def list_runs(self) -> Sequence[RunSummary]:
        """All runs, newest first."""
        ...


class Site(Protocol):
    """The practice site."""

    def start(self, port: int = 0) -> str:
        """Serve it; returns the base address without a slash at its end. Raises OSError: no port could be bound."""
        ...

    def stop(self) -> None:
        """Idempotent, bounded."""
        ...
