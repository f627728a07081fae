"""Short words for asking a scripted endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from operative_app.core.endpoint import Api, Capabilities, Endpoint
from operative_app.core.screen import Picture
from operative_app.llm.client import ModelClient
from operative_app.llm.faults import FaultKind
from operative_app.llm.messages import Message, ModelReply, ModelRequest
from operative_app.llm.prices import Prices
from operative_app.llm.waiting import KeyQueue, Patience
from tests.llm.endpoint_server import EndpointServer, Reply

T = TypeVar("T")
Json = dict[str, Any]

KEY = "sk-test-FAKE000000000000000000000000"
CLICK: Json = {
    "type": "object",
    "properties": {"action": {"const": "click"}, "index": {"type": "integer"}},
    "required": ["index"],
    "additionalProperties": False,
}
TYPE_TEXT: Json = {
    "type": "object",
    "properties": {"index": {"type": "integer"}, "text": {"type": "string"}},
    "required": ["index", "text"],
    "additionalProperties": False,
}
QUICK = Patience(
    connect_s=20,
    first_byte_s=30,
    pause_s=30,
    total_s=40,
    first_wait_s=0,
    tries={
        FaultKind.BUSY: 3,
        FaultKind.SERVER: 3,
        FaultKind.CUT: 3,
        FaultKind.TIME_OUT: 2,
        FaultKind.NO_CONNECTION: 2,
        FaultKind.EMPTY: 2,
    },
)
PICTURE = Picture(data=b"\xff\xd8 not really a picture", width_px=320, height_px=200)


class Wire(StrEnum):
    """The four ways a reply can come."""

    CHAT = "chat"
    CHAT_STREAM = "chat, streamed"
    RESPONSES = "responses"
    RESPONSES_STREAM = "responses, streamed"

    @property
    def api(self) -> Api:
        return Api.CHAT if self in (Wire.CHAT, Wire.CHAT_STREAM) else Api.RESPONSES

    @property
    def is_streamed(self) -> bool:
        return self in (Wire.CHAT_STREAM, Wire.RESPONSES_STREAM)


class Memory:
    """Remembers in a dict, as the store does on disk."""

    def __init__(self, **known: Any) -> None:
        self.start = Capabilities(**known)
        self.known: dict[tuple[str, str], Capabilities] = {}

    def recall(self, base_url: str, model: str) -> Capabilities | None:
        return self.known.get((base_url, model), self.start)

    def remember(self, base_url: str, model: str, known: Capabilities) -> None:
        self.known[base_url, model] = known


def request(*pictures: Picture, text: str = "Press the button.", name: str = "click", **parts: Any) -> ModelRequest:
    return ModelRequest(
        system=parts.pop("system", "You press buttons."),
        messages=parts.pop("messages", (Message.user(text, *pictures),)),
        schema=parts.pop("schema", CLICK),
        schema_name=name,
        max_output_tokens=parts.pop("max_output_tokens", 500),
        **parts,
    )


def client_of(
    server: EndpointServer,
    *,
    wire: Wire = Wire.CHAT,
    api: Api | None = None,
    key: str = KEY,
    memory: Memory | None = None,
    patience: Patience = QUICK,
    model: str = "stub",
    prices: Prices | None = None,
    queue: KeyQueue | None = None,
) -> ModelClient:
    return ModelClient(
        Endpoint(base_url=server.base_url, model=model, api=wire.api if api is None else api),
        key,
        memory=memory if memory is not None else Memory(has_streaming=wire.is_streamed),
        patience=patience,
        prices=prices,
        queue=queue,
    )


class Asked:
    """What came of asking a script: the reply of each question or its error, what was sent, what was waited for."""

    def __init__(self, script: Sequence[Reply], *questions: ModelRequest, **client: Any) -> None:
        self.answers: list[ModelReply | Exception] = []
        self.waits: list[str] = []
        self.capabilities = Capabilities()
        with EndpointServer(script) as self.server:
            run(self._ask(questions or (request(),), client))
        self.requests = self.server.asked

    async def _ask(self, questions: Sequence[ModelRequest], parts: Json) -> None:
        client = client_of(self.server, **parts)
        try:
            for question in questions:
                try:
                    self.answers.append(await client.ask(question, on_wait=self.waits.append))
                except Exception as error:  # noqa: BLE001 - looked at by the test
                    self.answers.append(error)
            self.capabilities = client.capabilities
        finally:
            await client.close()

    @property
    def reply(self) -> ModelReply:
        """The last answer; its error is raised."""
        last = self.answers[-1]
        if isinstance(last, Exception):
            raise last
        return last

    def error(self, kind: type[T], number: int = -1) -> T:
        error = self.answers[number]
        assert isinstance(error, kind), f"{error!r} is no {kind.__name__}"
        return error


def run(work: Coroutine[Any, Any, T], *, limit_s: float = 60.0) -> T:
    return asyncio.run(asyncio.wait_for(work, limit_s))


def binding(body: Json) -> str:
    """How a request binds its answer."""
    form = body.get("response_format") or body.get("text", {}).get("format") or {}
    return str(form.get("type") or ("tool" if body.get("tools") else "text"))


def shown(reply: ModelReply | Exception) -> str:
    """All words of an answer or error that a person or the record may see."""
    if isinstance(reply, Exception):
        parts = [getattr(reply, name, "") for name in ("raw", "sent", "received")]
        return " ".join([str(reply), *parts])
    return f"{json.dumps(reply.content)} {reply.text} {reply.sent} {reply.received}"
