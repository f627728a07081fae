"""How long is waited for an endpoint, how often is asked again, and who is next."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from operative_app.llm.faults import Fault, FaultKind, in_words_s

Tell = Callable[[str], None]
"""Gets a sentence for the person whenever something is waited for; must return at once."""

_TRIES: Mapping[FaultKind, int] = MappingProxyType(
    {
        FaultKind.BUSY: 6,
        FaultKind.SERVER: 4,
        FaultKind.CUT: 3,
        FaultKind.TIME_OUT: 2,
        FaultKind.NO_CONNECTION: 2,
        FaultKind.EMPTY: 2,
    }
)


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of waiting, in seconds.

    Attributes:
        first_byte_s: Until a streamed answer begins; a local server may first have to load the model.
        pause_s: Between two pieces of a streamed answer.
        total_s: For one try, all in all.
        first_wait_s: Before the second try; doubled for each further one, up to `longest_wait_s`.
        most_asked_s: The longest wait a server may ask for; when it asks for more, the error is told at once.
        tries: How often is asked at most after each kind of fault; a kind that is missing is not tried again.
    """

    connect_s: float = 10.0
    first_byte_s: float = 120.0
    pause_s: float = 60.0
    total_s: float = 300.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    most_asked_s: float = 120.0
    tries: Mapping[FaultKind, int] = field(default_factory=lambda: _TRIES)


class Retries:
    """Counts the failed tries of one question."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failed: Counter[FaultKind] = Counter()

    def wait_s(self, fault: Fault) -> float | None:
        """Note a failed try; how long to wait before the next one, None when it was the last."""
        self._failed[fault.kind] += 1
        if self._failed[fault.kind] >= self._patience.tries.get(fault.kind, 1):
            return None
        if fault.wait_s is not None:
            return fault.wait_s if fault.wait_s <= self._patience.most_asked_s else None
        doubled = self._patience.first_wait_s * 2.0 ** (self._failed.total() - 1)
        return min(doubled, self._patience.longest_wait_s)

    def count(self, kind: FaultKind) -> int:
        return self._failed[kind]


def wait_words(fault: Fault, host: str, wait_s: float) -> str:
    """Why is waited, for the person."""
    again = f"trying again in {in_words_s(wait_s)}" if wait_s else "trying again"
    match fault.kind:
        case FaultKind.BUSY:
            return f"{host} takes no more requests now (rate limit); {again}."
        case FaultKind.SERVER:
            return f"{host} has trouble of its own (status {fault.status}); {again}."
        case FaultKind.TIME_OUT:
            return f"{host} did not answer in time; {again}."
        case FaultKind.CUT:
            return f"{host} broke off its answer; {again}."
        case FaultKind.EMPTY:
            return f"{host} sent no answer; {again}."
        case _:
            return f"{host} cannot be reached; {again}."


class KeyQueue:
    """Requests with one key go out one after the other, waits included, in the order they were asked (one loop)."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, tell: Tell) -> AsyncIterator[None]:
        if self._turn.locked():
            tell("Another request with the same key comes first.")
        async with self._turn:
            yield


class KeyQueues:
    """The queues of all keys; made once by the composition root, used on the agent thread."""

    def __init__(self) -> None:
        self._queues: dict[str, KeyQueue] = {}

    def of(self, base_url: str, key: str) -> KeyQueue:
        """The queue of a key at an address; the key itself is not kept."""
        name = hashlib.sha256(f"{base_url}\n{key}".encode()).hexdigest()
        return self._queues.setdefault(name, KeyQueue())
