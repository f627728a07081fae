"""A scripted endpoint on loopback that speaks the real wire formats: Chat Completions and Responses, streamed or not.

A script is a list of replies; the last one is given again and again. Each is written once and sent in the format the
request asks for. `requests` holds what came in.

    with EndpointServer([Says({"action": "click"})]) as server:
        client = ModelClient(Endpoint(base_url=server.base_url, model="stub"))
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

Json = dict[str, Any]
CASES = Path(__file__).parents[1] / "cases" / "model"
USAGE = {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940}
FREE_PORT = 0


@dataclass(frozen=True)
class Received:
    """One request. `path` is without the query."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Json

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def text(self) -> str:
        """All of the body as JSON text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def has_picture(self) -> bool:
        return '"image_url"' in self.text

    @property
    def system(self) -> str:
        """The instructions in either format."""
        if "instructions" in self.body:
            return str(self.body["instructions"])
        return next((str(turn["content"]) for turn in self.body.get("messages", ()) if turn["role"] == "system"), "")


@dataclass(frozen=True)
class Says:
    """A good answer: an object, or text as it is. Given as a tool call when the request binds one."""

    content: Json | str
    reasoning: str = ""
    usage: Json | None = field(default_factory=lambda: dict(USAGE))
    model: str = "stub"
    as_text: bool = False


@dataclass(frozen=True)
class Sends:
    """A body of Chat Completions, turned into the format asked for; or exactly what is given.

    Attributes:
        body: A chat.completion, or an error with a status of 400 or more.
        raw: Sent as it is instead, with `content_type`.
        events: Sent as an event stream instead, whatever was asked for.
        is_cut: The connection is closed before the end of the stream.
        hold: The answer stops after this many pieces of a stream (0: before the first byte) until the client goes or
            the server closes; None for no stop.
        is_dropped: The connection is closed without a byte.
        when: The reply counts for requests of which this is true; others go on to the next reply.
    """

    body: Json | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None
    content_type: str = "application/json"
    events: Sequence[Json | str] | None = None
    is_cut: bool = False
    hold: int | None = None
    is_dropped: bool = False
    when: Callable[[Received], bool] | None = None


Reply = Says | Sends
Script = Sequence[Reply] | Callable[[Received], Reply]


def error_reply(status: int, message: str, **parts: Any) -> Sends:
    headers = parts.pop("headers", {})
    when = parts.pop("when", None)
    return Sends({"error": {"message": message, **parts}}, status=status, headers=headers, when=when)


def chat_body(
    content: str | None, *, finish: str = "stop", calls: Sequence[tuple[str, str]] = (), **message: Any
) -> Json:
    """A body of Chat Completions; `calls` are names and arguments of tool calls."""
    tool_calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    said = {"role": "assistant", "content": content, **message} | ({"tool_calls": tool_calls} if calls else {})
    return _chat([{"index": 0, "message": said, "finish_reason": finish}], dict(USAGE), "stub")


def case_names() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.json"))


def case(name: str) -> tuple[Json, list[Reply]]:
    """A case of `tests/cases/model` and its replies as a script, those with a condition first."""
    told: Json = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    replies = [_case_reply(reply) for reply in told["replies"]]
    return told, [*(reply for reply in replies if reply.when), *(reply for reply in replies if not reply.when)]


def _case_reply(reply: Json) -> Sends:
    condition = reply.get("when")

    def when(request: Received) -> bool:
        wanted = condition or {}
        if wanted.get("has_image"):
            return request.has_picture
        parts = {"response_format": '"text": {"format"', "tools": '"tools"'}
        return any(name in request.body or parts.get(name, "\0") in request.text for name in wanted.get("has", ()))

    return Sends(
        body=reply.get("body"),
        status=reply.get("status", 200),
        headers=reply.get("headers", {}),
        raw=reply.get("raw"),
        content_type=reply.get("content_type", "application/json"),
        events=reply.get("stream"),
        is_cut=reply.get("cut", False),
        hold=0 if reply.get("delay_s") else None,
        when=when if condition else None,
    )


@contextmanager
def silent_port() -> Iterator[int]:
    """A port of 127.0.0.1 where nothing listens, and which nobody else is given meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


class EndpointServer:
    """Serves on 127.0.0.1 in threads of its own; a context manager. Any thread may read `requests`.

    Args:
        models: The entries of GET /models.
        gets: Answers by further paths from the root, or what gives them; a path that is missing is 404.
        key: When given, requests without it are refused with 401.
        has_responses: POST /responses answers; otherwise it is 404.
        tls: What it proves itself with, where it speaks HTTPS.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        models: Sequence[Json] = ({"id": "stub", "object": "model"},),
        gets: Mapping[str, Json | Callable[[], Json]] | None = None,
        key: str = "",
        has_responses: bool = True,
        port: int = FREE_PORT,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.gone = threading.Event()
        """Set when a client closed its connection while an answer was held."""
        self.held = threading.Event()
        """Set when an answer is held."""
        self._script = script
        self._given = 0
        self._lock = threading.Lock()
        self.models = list(models)
        self.gets = dict(gets or {})
        self.key = key
        self.has_responses = has_responses
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), _handler(self))
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="scripted endpoint")

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}/v1"

    @property
    def asked(self) -> list[Received]:
        """The requests for answers, without the GETs."""
        return [request for request in list(self.requests) if request.method == "POST"]

    def script(self, script: Script) -> None:
        """Begin another script; the requests so far stay."""
        with self._lock:
            self._script, self._given = script, 0

    def open_connections(self) -> int:
        return self._server.open_connections()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, request: Received) -> Reply:
        with self._lock:
            if callable(self._script):
                return self._script(request)
            for reply in self._script:
                if isinstance(reply, Sends) and reply.when is not None and reply.when(request):
                    return reply
            plain = [reply for reply in self._script if not (isinstance(reply, Sends) and reply.when)]
            if not plain:
                return error_reply(500, "the script is empty")
            reply = plain[min(self._given, len(plain) - 1)]
            self._given += 1
            return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self._open.discard(request)

    def open_connections(self) -> int:
        return len(self._open)

    def close_connections(self) -> None:
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that went away is not news
            super().handle_error(request, client_address)


def _handler(endpoint: EndpointServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *args: object) -> None:
            del args

        def do_GET(self) -> None:
            request = self._received({})
            if request.path == "/v1/models" and self._is_allowed(request):
                self._send(200, json.dumps({"object": "list", "data": endpoint.models}))
            elif request.path in endpoint.gets:
                self._tell(request.path)
            elif request.path != "/v1/models":
                self._send(404, json.dumps({"error": {"message": "no such path"}}))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = self._received(json.loads(raw))
            is_responses = request.path.endswith("/responses")
            if request.path in endpoint.gets:
                self._tell(request.path)
            elif not (request.path.endswith("/chat/completions") or (is_responses and endpoint.has_responses)):
                self._send(404, json.dumps({"error": {"message": "no such path"}}))
            elif self._is_allowed(request):
                self._answer(endpoint.reply_to(request), request, is_responses=is_responses)

        def _tell(self, path: str) -> None:
            answer = endpoint.gets[path]
            self._send(200, json.dumps(answer() if callable(answer) else answer))

        def _received(self, body: Json) -> Received:
            path, _, query = self.path.partition("?")
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.command, path, query, headers, body)
            endpoint.requests.append(request)
            return request

        def _is_allowed(self, request: Received) -> bool:
            if not endpoint.key or request.headers.get("authorization") == f"Bearer {endpoint.key}":
                return True
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            self._send(401, json.dumps({"error": {"message": f"Incorrect API key provided: {given}.", "code": "bad"}}))
            return False

        def _answer(self, reply: Reply, request: Received, *, is_responses: bool) -> None:
            if isinstance(reply, Says):
                reply = Sends(_body_of(reply, request))
            if reply.is_dropped:
                self.close_connection = True
            elif reply.hold == 0:
                self._hold()
            elif reply.events is not None:
                self._stream(reply.events, reply)
            elif reply.raw is not None or reply.status >= 400 or "choices" not in (reply.body or {}):
                raw = reply.raw if reply.raw is not None else json.dumps(reply.body)
                self._send(reply.status, raw, reply.content_type, reply.headers)
            elif request.is_streamed and reply.body is not None:
                turned = _response_events(reply.body) if is_responses else _chunks(reply.body)
                self._stream([*turned, *([] if is_responses else ["[DONE]"])], reply)
            else:
                body = _response(reply.body or {}) if is_responses else reply.body
                self._send(reply.status, json.dumps(body), reply.content_type, reply.headers)

        def _send(
            self, status: int, text: str, kind: str = "application/json", headers: Mapping[str, str] | None = None
        ) -> None:
            body = text.encode()
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, events: Sequence[Json | str], reply: Sends) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number, event in enumerate(events):
                if number == reply.hold:
                    self._hold()
                    return
                name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
                data = f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            if not reply.is_cut:
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True

        def _hold(self) -> None:
            """Say nothing more until the client goes or the server closes."""
            endpoint.held.set()
            self.close_connection = True
            while not endpoint.closing.is_set():
                if select.select([self.connection], [], [], 0.01)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                    endpoint.gone.set()
                    return

    return Handler


# --- the formats ---


def _body_of(reply: Says, request: Received) -> Json:
    """A good answer as the request binds it: a call of its one tool, or text."""
    text = reply.content if isinstance(reply.content, str) else json.dumps(reply.content, ensure_ascii=False)
    message: Json = {"role": "assistant", "content": text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    finish = "stop"
    if name := "" if reply.as_text else _tool_name(request.body):
        message |= {
            "content": None,
            "tool_calls": [{"id": "call_0", "type": "function", "function": {"name": name, "arguments": text}}],
        }
        finish = "tool_calls"
    return _chat([{"index": 0, "message": message, "finish_reason": finish}], reply.usage, reply.model)


def _tool_name(body: Json) -> str:
    for tool in body.get("tools", ()):
        if tool["type"] == "function":
            return str(tool.get("function", tool)["name"])
    return ""


def _chat(choices: list[Json], usage: Json | None, model: str) -> Json:
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": choices,
        "usage": usage,
    }


def _chunks(body: Json) -> Iterator[Json]:
    """A body of Chat Completions as the pieces of a stream: texts and arguments in parts of a few characters."""
    head = {"id": body.get("id"), "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    if not body["choices"]:
        yield {**head, "choices": body["choices"], "usage": body.get("usage")}
        return
    message = body["choices"][0]["message"]
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    for name in ("reasoning_content", "content", "refusal"):
        deltas.extend({name: part} for part in _parts(message.get(name) or ""))
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        opened = {"name": function["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": opened}]})
        deltas.extend(
            {"tool_calls": [{"index": index, "function": {"arguments": part}}]}
            for part in _parts(function["arguments"])
        )
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": body["choices"][0]["finish_reason"]}]}
    yield {**head, "choices": [], "usage": body.get("usage")}


def _parts(text: str, size: int = 7) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _response(body: Json) -> Json:
    """A body of Chat Completions as one of the Responses API."""
    output: list[Json] = []
    finish = "stop"
    if body["choices"]:
        message, finish = body["choices"][0]["message"], body["choices"][0]["finish_reason"]
        if thought := message.get("reasoning_content"):
            output.append({"type": "reasoning", "id": "rs_0", "summary": [{"type": "summary_text", "text": thought}]})
        said = [
            *(
                [{"type": "output_text", "text": message["content"], "annotations": []}]
                if message.get("content")
                else []
            ),
            *([{"type": "refusal", "refusal": message["refusal"]}] if message.get("refusal") else []),
        ]
        if said:
            output.append(
                {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": said}
            )
        for call in message.get("tool_calls") or ():
            function = {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
            output.append({"type": "function_call", "id": "fc_0", "call_id": call["id"], **function})
        output.extend(message.get("computer_items") or ())
    usage = body.get("usage") or {}
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    return {
        "id": "resp_stub",
        "object": "response",
        "created_at": 1,
        "model": body.get("model"),
        "status": "incomplete" if finish in reasons else "completed",
        "incomplete_details": {"reason": reasons[finish]} if finish in reasons else None,
        "output": output,
        "usage": {
            "input_tokens": usage.get("prompt_tokens", 0),
            "input_tokens_details": {
                "cached_tokens": usage.get("prompt_tokens_details", {}).get("cached_tokens", 0),
            },
            "output_tokens": usage.get("completion_tokens", 0),
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.get("total_tokens", 0),
        },
    }


def _response_events(body: Json) -> Iterator[Json]:
    whole = _response(body)
    yield {
        "type": "response.created",
        "sequence_number": 0,
        "response": {**whole, "status": "in_progress", "output": []},
    }
    number = 1
    for item in whole["output"]:
        for part in item.get("content", ()) if item["type"] == "message" else ():
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            for piece in _parts(part.get("text", "")):
                yield {"type": "response.output_text.delta", "sequence_number": number, "delta": piece, **place}
                number += 1
    kind = "response.completed" if whole["status"] == "completed" else "response.incomplete"
    yield {"type": kind, "sequence_number": number, "response": whole}
