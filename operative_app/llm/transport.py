"""The wire itself, through the `openai` package: one request out, one body back, every failure a `FaultError`.

All coroutines run on the agent thread. Cancelling one closes its connection at once. The package is imported and set up
in a worker at the first request, because that takes long enough to be felt.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from operative_app.core.endpoint import Endpoint
from operative_app.llm import chat, presets, responses
from operative_app.llm.errors import KeyRejected
from operative_app.llm.faults import (
    Fault,
    FaultError,
    FaultKind,
    fault_of_error_body,
    fault_of_status,
    looks_like_a_page,
)
from operative_app.llm.waiting import Patience
from operative_app.llm.wire import Body, as_dict, as_text

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_MOST_CHARACTERS = 4_000_000
_MOST_BYTES = 4 * _MOST_CHARACTERS
"""An answer longer than this is not read to its end."""

_MOST_BESIDE_BYTES = 4_000_000
"""Nor is anything else a server tells: why it refuses, which models it has."""

_MOST_PACKED_BYTES = 64_000
"""The same for what comes packed, though it was asked for as it is: it can unpack to a thousand times as much."""

_EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Received:
    """A body that came back. `duration_ms` runs from the first byte sent to the last received."""

    body: Body
    duration_ms: float


class Transport:
    """Sends to one endpoint with one key. `close` leaves no socket open; it may be used again afterwards."""

    def __init__(self, endpoint: Endpoint, key: str, patience: Patience) -> None:
        self._endpoint = endpoint
        self._key = key.strip()
        self._patience = patience
        self._openai: ModuleType | None = None
        self._client: AsyncOpenAI | None = None

    @property
    def key(self) -> str:
        return self._key

    def address(self, path: str) -> str:
        """The whole address of a call, without the query."""
        parts = urlsplit(self._endpoint.base_url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, "", ""))

    async def post(self, path: str, body: Body) -> Received:
        """Send a request and wait for its whole answer.

        Raises:
            FaultError: None came, or one that is none of this API.
            KeyRejected: The key cannot be sent.
        """
        client, openai = await self._opened()
        is_streamed = bool(body.get("stream"))
        started = time.monotonic()
        limit_s = self._patience.first_byte_s if is_streamed else self._patience.total_s
        try:
            async with asyncio.timeout(limit_s) as clock:
                end = clock.when()
                last = (end or 0.0) - limit_s + self._patience.total_s
                received = await self._exchange(client, openai, path, body, clock, last)
        except TimeoutError as error:
            raise FaultError(Fault(FaultKind.TIME_OUT)) from error
        except Exception as error:
            fault = _fault_of(error, openai)
            if fault is None:
                raise
            raise FaultError(fault) from error
        return Received(received, (time.monotonic() - started) * 1000)

    async def get(self, path: str, *, timeout_s: float, is_beside: bool = False, body: Body | None = None) -> Any:
        """What a GET answers, decoded.

        Args:
            path: Below the base URL, or below its host when `is_beside`.
            body: Where a server wants its question posted.

        Raises:
            FaultError: Nothing usable came within `timeout_s` seconds.
            KeyRejected: The key cannot be sent.
        """
        client, openai = await self._opened()
        parts = urlsplit(self._endpoint.base_url)
        url = urlunsplit((parts.scheme, parts.netloc, path, "", "")) if is_beside else path
        try:
            async with asyncio.timeout(timeout_s):
                options: Any = {"headers": self._headers(openai) | {"Accept-Encoding": "identity"}}
                if body is not None:
                    return _without_page(await client.post(url, cast_to=object, body=dict(body), options=options))
                return _without_page(await client.get(url, cast_to=object, options=options))
        except TimeoutError as error:
            raise FaultError(Fault(FaultKind.TIME_OUT)) from error
        except Exception as error:
            fault = _fault_of(error, openai)
            if fault is None:
                raise
            raise FaultError(fault) from error

    async def close(self) -> None:
        """Close the connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _opened(self) -> tuple[AsyncOpenAI, ModuleType]:
        if self._client is None or self._openai is None:
            if not self._key.isascii() or any(character.isspace() for character in self._key):
                raise KeyRejected("The key holds characters no key has. Copy it once more and save it in the settings.")
            made = await asyncio.to_thread(self._made)
            self._client, self._openai = made
            return made
        return self._client, self._openai

    def _made(self) -> tuple[AsyncOpenAI, ModuleType]:
        import openai

        parts = urlsplit(self._endpoint.base_url)
        patience = self._patience
        client = openai.AsyncOpenAI(
            base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            api_key=self._key or "none",
            max_retries=0,
            default_query=dict(parse_qsl(parts.query)) or None,
            timeout=openai.Timeout(patience.total_s, connect=patience.connect_s),
            http_client=openai.DefaultAsyncHttpxClient(
                # A proxy cannot reach this machine's own servers, and a key is not carried on to another host.
                trust_env=not presets.is_local(self._endpoint.base_url),
                follow_redirects=False,
                event_hooks={"response": [_bound]},
            ),
        )
        return client, openai

    def _headers(self, openai: ModuleType) -> dict[str, Any]:
        headers: dict[str, Any] = {}
        if not self._key:
            headers["Authorization"] = openai.Omit()
        elif presets.is_azure(self._endpoint.base_url):
            headers["api-key"] = self._key
        if not presets.is_openai(self._endpoint):
            # The package reads these from the environment; they are no business of other hosts.
            headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        return headers

    async def _exchange(
        self, client: AsyncOpenAI, openai: ModuleType, path: str, body: Body, clock: asyncio.Timeout, last: float
    ) -> Body:
        # The package's own types for answers are passed by: building them for the first event takes seconds on the
        # loop, and what a server sends need not fit them. Every answer is read as a stream, also one in one piece.
        stream: Any = await client.post(
            path,
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
            options={"headers": self._headers(openai)},
        )
        async with stream:
            if body.get("stream") and _EVENT_STREAM in stream.response.headers.get("content-type", ""):
                return await self._streamed(stream, path, clock, last)
            clock.reschedule(last)
            return _body_of(await _bounded_text(stream.response), stream.response.headers)

    async def _streamed(self, stream: Any, path: str, clock: asyncio.Timeout, last: float) -> Body:
        loop = asyncio.get_running_loop()
        assembled = chat.StreamedAnswer()
        size = 0
        async for piece in stream:
            clock.reschedule(min(loop.time() + self._patience.pause_s, last))
            event = as_dict(piece)
            if path == responses.PATH:
                size += len(as_text(event.get("delta")))
                if size > _MOST_CHARACTERS:
                    raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer never ends"))
                kind = event.get("type")
                if kind in responses.ENDS:
                    return _succeeded(as_dict(event.get("response")))
                if kind == "error":
                    raise FaultError(fault_of_error_body({"error": event}, json.dumps(event)))
                continue
            assembled.add(event)
            if assembled.size > _MOST_CHARACTERS:
                raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer never ends"))
        if path == responses.PATH or not assembled.is_complete:
            raise FaultError(Fault(FaultKind.CUT, received=json.dumps(assembled.body(), ensure_ascii=False)))
        return assembled.body()


async def _bound(response: Any) -> None:
    """Have everything but an answer read no further than it can be long: the package would take it in whole."""
    if response.request.method == "GET" or not response.is_success:
        is_packed = response.headers.get("content-encoding", "identity").strip().lower() != "identity"
        kind = _bounded_kind(type(response.stream))
        response.stream = kind(response.stream, _MOST_PACKED_BYTES if is_packed else _MOST_BESIDE_BYTES)


class _Bounded:
    """A body as it comes from the wire, up to so many bytes."""

    def __init__(self, stream: Any, most_bytes: int) -> None:
        self._stream = stream
        self._left = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer never ends"))
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _bounded_kind(kind: type) -> type:
    """The class of bounded bodies for one of the HTTP packages, which take none but their own kind."""
    return type("Bounded", (_Bounded, next(one for one in kind.__mro__ if one.__name__ == "AsyncByteStream")), {})


async def _bounded_text(response: Any) -> str:
    """An answer in one piece, read no further than an answer can be long.

    Raises:
        FaultError: It is longer.
    """
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > _MOST_BYTES:
            raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer never ends"))
        parts.append(part)
    return b"".join(parts).decode(response.encoding or "utf-8", "replace")


def _body_of(text: str, headers: Mapping[str, str]) -> Body:
    """The JSON object of an answer in one piece.

    Raises:
        FaultError: It is none, or one that holds an error.
    """
    if len(text) > _MOST_CHARACTERS:
        raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer never ends"))
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        is_page = looks_like_a_page(text) or "html" in headers.get("content-type", "")
        what = "a web page came" if is_page else "its answer is not JSON" if text.strip() else "its answer is empty"
        raise FaultError(Fault(FaultKind.NOT_AN_API, what, received=text[:2000])) from error
    if not isinstance(body, dict):
        raise FaultError(Fault(FaultKind.NOT_AN_API, "its answer is no JSON object", received=text[:2000]))
    return _succeeded(body)


def _succeeded(body: Body) -> Body:
    """The body unless it tells an error in spite of its status."""
    if body.get("error") and not body.get("choices"):
        raise FaultError(fault_of_error_body(body, json.dumps(body, ensure_ascii=False)))
    return body


def _without_page(value: Any) -> Any:
    if isinstance(value, str) and looks_like_a_page(value):
        raise FaultError(Fault(FaultKind.NOT_AN_API, "a web page came"))
    return value


def _fault_of(error: Exception, openai: ModuleType) -> Fault | None:
    """The fault an error of the package, or of the HTTP client below it, means; None for all others."""
    if isinstance(error, FaultError):
        return error.fault
    if isinstance(error.__cause__, FaultError):
        return error.__cause__.fault
    if isinstance(error, openai.APIStatusError):
        text = error.response.text
        if 300 <= error.status_code < 400:
            return Fault(FaultKind.NOT_AN_API, "it leads to another address", error.status_code)
        try:
            body: object = json.loads(text)
        except ValueError:
            body = None
        return fault_of_status(error.status_code, error.response.headers, body, text)
    if isinstance(error, openai.APITimeoutError):
        return Fault(FaultKind.TIME_OUT)
    if isinstance(error, openai.APIConnectionError):
        return _fault_of_connection(error.__cause__ or error)
    if isinstance(error, openai.APIError):
        return fault_of_error_body({"error": error.body or error.message}, as_text(error.message))
    if isinstance(error, json.JSONDecodeError | openai.OpenAIError):
        return Fault(FaultKind.NOT_AN_API, "its answer is not JSON")
    if _is_named(error, "TransportError"):
        return _fault_of_connection(error)
    return None


def _fault_of_connection(error: BaseException) -> Fault:
    if _is_named(error, "ConnectTimeout") or (
        _is_named(error, "TimeoutException") and _is_named(error, "ConnectError")
    ):
        return Fault(FaultKind.NO_CONNECTION, "the connection took too long")
    if _is_named(error, "TimeoutException"):
        return Fault(FaultKind.TIME_OUT)
    if (untrusted := _untrusted(error)) is not None:
        return Fault(FaultKind.NOT_TRUSTED, untrusted.verify_message)
    if _is_named(error, "ConnectError") or _is_named(error, "ProxyError") or _is_named(error, "UnsupportedProtocol"):
        return Fault(FaultKind.NO_CONNECTION, str(error))
    return Fault(FaultKind.CUT, str(error))


def _untrusted(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """What is wrong with the server's certificate, where that is what an error came of."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def _is_named(error: BaseException, name: str) -> bool:
    """Whether an error is of a class by name: `openai` brings one of two HTTP packages, depending on its version."""
    return any(base.__name__ == name for base in type(error).__mro__)
