"""How a question goes out and its answer comes back."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import json
import logging
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from operative_app.core.endpoint import Api, Capabilities, Endpoint
from operative_app.core.errors import ModelError, SettingsError
from operative_app.llm.client import ModelClient
from operative_app.llm.errors import (
    BadReply,
    ContextTooLong,
    CreditUsedUp,
    EndpointBusy,
    EndpointUnreachable,
    KeyRejected,
    ModelRefused,
    NotAnApi,
    ReplyCutOff,
    RequestRejected,
)
from operative_app.llm.faults import FaultError, FaultKind
from operative_app.llm.messages import Message, ModelReply, Usage
from operative_app.llm.prices import Price, Prices
from operative_app.llm.transport import Transport
from operative_app.llm.waiting import KeyQueue, KeyQueues
from tests.llm.asking import KEY, PICTURE, QUICK, Asked, Memory, Wire, binding, client_of, request, run, shown
from tests.llm.endpoint_server import USAGE, EndpointServer, Says, Sends, chat_body, error_reply, silent_port

CLICK_3 = {"action": "click", "index": 3}
BOTH = pytest.mark.parametrize("wire", Wire)


# --- the wire ---


@BOTH
def test_a_question_is_answered(wire: Wire) -> None:
    asked = Asked([Says(CLICK_3, reasoning="The third one.", model="stub-2")], wire=wire)

    reply = asked.reply
    assert reply.content == CLICK_3
    assert reply.reasoning == "The third one."
    assert reply.usage == Usage(input_tokens=900, output_tokens=40)
    assert reply.model == "stub-2"
    assert reply.duration_ms > 0
    (sent,) = asked.requests
    assert sent.is_streamed is wire.is_streamed
    assert sent.system == "You press buttons."
    assert sent.path == ("/v1/responses" if wire.api is Api.RESPONSES else "/v1/chat/completions")
    assert asked.capabilities.api is wire.api


class _Endless(BaseHTTPRequestHandler):
    """Answers in one piece that never ends; `sent` counts what the client let it send."""

    sent = 0
    has_ended = threading.Event()

    def log_message(self, *_: object) -> None:
        return

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        piece = b" " * 1_000_000
        try:
            while type(self).sent < 200_000_000:
                self.wfile.write(piece)
                type(self).sent += len(piece)
        except OSError:
            type(self).has_ended.set()


def test_an_answer_in_one_piece_that_never_ends_is_broken_off() -> None:
    server = HTTPServer(("127.0.0.1", 0), _Endless)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()

    async def ask() -> None:
        endpoint = Endpoint(base_url=f"http://127.0.0.1:{server.server_port}/v1", model="m", api=Api.CHAT)
        client = ModelClient(endpoint, KEY, memory=Memory(has_streaming=False), patience=QUICK)
        try:
            with pytest.raises(NotAnApi, match="never ends"):
                await client.ask(request())
        finally:
            await client.close()

    try:
        run(ask())
        assert _Endless.has_ended.wait(60)
        assert _Endless.sent < 100_000_000
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_refusal_that_never_ends_is_broken_off() -> None:
    words = json.dumps({"error": {"message": "no" * 3_000_000}})
    assert "never ends" in str(Asked([Sends(raw=words, status=400)]).error(NotAnApi))


def test_a_list_of_models_that_never_ends_is_broken_off() -> None:
    async def ask(server: EndpointServer) -> None:
        transport = Transport(Endpoint(base_url=server.base_url, model="stub"), KEY, QUICK)
        try:
            with pytest.raises(FaultError, match="never ends"):
                await transport.get("/models", timeout_s=20)
        finally:
            await transport.close()

    with EndpointServer([Says(CLICK_3)], models=[{"id": "stub", "about": "m" * 5_000_000}]) as server:
        run(ask(server))


@BOTH
def test_a_tool_call_is_an_answer(wire: Wire) -> None:
    memory = Memory(has_schema=False, has_streaming=wire.is_streamed)
    asked = Asked([Says(CLICK_3)], wire=wire, memory=memory)

    assert asked.reply.content == CLICK_3
    assert asked.reply.text == f"click({json.dumps(CLICK_3)})"
    assert binding(asked.requests[0].body) == "tool"


def test_without_any_binding_the_schema_stands_in_the_instructions() -> None:
    memory = Memory(has_schema=False, has_tools=False, has_json_mode=False)
    asked = Asked([Says(CLICK_3)], memory=memory)

    assert asked.reply.content == CLICK_3
    (sent,) = asked.requests
    assert binding(sent.body) == "text"
    assert '"required":["index"]' in sent.system


def test_neighbours_of_one_role_are_joined_and_pictures_keep_their_place() -> None:
    messages = (
        Message.user("One."),
        Message.user("Two.", PICTURE),
        Message.assistant("Three."),
        Message.user("Four."),
    )
    asked = Asked([Says(CLICK_3)], request(messages=messages))

    turns = asked.requests[0].body["messages"]
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert [part["type"] for part in turns[1]["content"]] == ["text", "text", "image_url"]
    assert turns[1]["content"][2]["image_url"]["url"].startswith("data:image/jpeg;base64,/9gg")
    assert turns[3]["content"] == "Four."


def test_openai_itself_gets_newer_names_and_the_strict_form() -> None:
    endpoint = Endpoint(base_url="https://api.openai.com/v1", model="gpt-5.4")
    client = ModelClient(endpoint, KEY)

    assert client.capabilities.api is Api.RESPONSES


@BOTH
def test_what_was_sent_and_received_is_told_without_key_and_pictures(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = Asked([Says({"index": 3}, reasoning=f"My key is {KEY}.")], request(PICTURE, text=f"I am {KEY}"), wire=wire)

    reply = asked.reply
    address, _, body = reply.sent.partition("\n")
    assert address.startswith(f"POST {asked.server.base_url}/")
    sent = json.loads(body)
    assert sent["model"] == "stub"
    assert "bytes, sha256 " in body
    assert "320x200 px" in body
    assert "base64" not in body
    assert json.loads(reply.received)["model"] == "stub"
    assert KEY not in shown(reply)
    assert KEY not in caplog.text


def test_figures_of_the_cache_and_of_the_cost_are_taken_over() -> None:
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 600}}
    prices = Prices([Price("stub", input=1.0, cached_input=0.1, output=10.0)])

    priced = Asked([Says(CLICK_3, usage=usage)], prices=prices).reply.usage
    told = Asked([Says(CLICK_3, usage={**usage, "cost": 0.25})], prices=prices).reply.usage
    unknown = Asked([Says(CLICK_3, usage=usage)]).reply.usage

    assert priced.cached_input_tokens == 600
    assert priced.cost == pytest.approx((300 * 1.0 + 600 * 0.1 + 40 * 10.0) / 1_000_000)
    assert told.cost == 0.25
    assert unknown.cost is None


def test_without_figures_they_are_estimated() -> None:
    usage = Asked([Says(CLICK_3, usage=None)], request(PICTURE, text="x" * 400, system="y" * 400)).reply.usage

    assert usage.is_estimated
    assert usage.input_tokens == 1200
    assert usage.output_tokens > 0


# --- what is odd but usable ---


@BOTH
def test_halves_of_characters_stop_nothing(wire: Wire) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    half = "\ud83d"
    script = [Sends(chat_body(json.dumps({"text": f"cut {half}"})))]
    asked = Asked(script, request(text=f"page {half}", system=f"be {half}", schema=schema), wire=wire)

    assert asked.reply.content == {"text": "cut ?"}
    assert asked.requests[0].system == "be ?"
    assert "page ?" in asked.requests[0].text
    shown(asked.reply).encode()


def test_a_server_that_answers_in_one_piece_although_asked_to_stream_is_understood() -> None:
    whole = json.dumps(chat_body(json.dumps(CLICK_3)))

    assert Asked([Sends(raw=whole)], wire=Wire.CHAT_STREAM).reply.content == CLICK_3


def _piece(arguments: object, **place: object) -> dict[str, object]:
    return {
        **place,
        "function": {"name": "click", "arguments": arguments} if "id" in place else {"arguments": arguments},
    }


@pytest.mark.parametrize(
    "calls",
    [
        [_piece('{"in', index=0, id="a"), _piece('dex":3}', index=0)],
        [_piece('{"in', id="a"), _piece('dex":3}')],
        [_piece('{"in', index=0, id="a"), _piece('dex":3}', index=0, id="a")],
        [_piece({"index": 3}, index=0, id="a")],
        [_piece('{"index":3}', index=0, id="a"), _piece('{"index":3}', index=0, id="b")],
    ],
    ids=["by index", "without index", "id repeated", "as an object", "all numbered 0"],
)
def test_pieces_of_tool_calls_are_put_together(calls: list[dict[str, object]]) -> None:
    pieces: list[dict[str, object] | str] = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]} for call in calls
    ]
    end: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}

    asked = Asked([Sends(events=[*pieces, end, "[DONE]"])], wire=Wire.CHAT_STREAM)

    assert asked.reply.content == {"index": 3}


def test_a_stream_with_comments_and_an_error_in_it_ends_in_words() -> None:
    events: list[dict[str, object] | str] = [
        {"choices": [{"index": 0, "delta": {"content": '{"index"'}, "finish_reason": None}]},
        {"error": {"message": "The engine is dead", "code": 503}},
    ]
    error = Asked([Sends(events=events)], wire=Wire.CHAT_STREAM).error(EndpointBusy)

    assert "The engine is dead" in str(error)


def test_an_error_with_status_200_is_an_error() -> None:
    error = Asked([Sends({"error": {"message": "No credits", "code": 402}})]).error(CreditUsedUp)

    assert "No credits" in str(error)


@pytest.mark.parametrize("raw", ['"just text"', "", "[]", "plain words"])
def test_what_is_no_json_object_is_no_answer(raw: str) -> None:
    assert "is not a model's API" in str(Asked([Sends(raw=raw)]).error(NotAnApi))


def test_choices_null_is_no_answer() -> None:
    asked = Asked([Sends({"id": "x", "choices": None})])

    assert "sent no choice of answers" in str(asked.error(NotAnApi))
    assert len(asked.requests) == 2


def test_a_filtered_answer_is_a_refusal() -> None:
    error = Asked([Sends(chat_body('{"index": 3', finish="content_filter"))]).error(ModelRefused)

    assert "content filter" in str(error)


def test_an_answer_that_ended_because_the_context_was_full_says_so() -> None:
    cut = chat_body('{"index": 3', finish="length")
    asked = Asked([Sends(cut)], memory=Memory(context_tokens=945))

    assert asked.error(ContextTooLong).limit_tokens == 945


@pytest.mark.parametrize(
    "end", ["", '"', ': {"deep": 3'], ids=["before its value", "within a word", "within an object"]
)
def test_a_cut_call_that_is_said_to_be_complete_is_known_for_cut_off(end: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "click", "arguments": '{"index"' + end}}
    events: list[dict[str, object] | str] = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        "[DONE]",
    ]
    error = Asked([Sends(events=events)], wire=Wire.CHAT_STREAM).error(ReplyCutOff)

    assert "cut off at the output limit" in error.fault


def test_a_stream_that_ends_without_a_word_is_asked_for_in_one_piece() -> None:
    refused = error_reply(400, "maximum context length is 2048 tokens", code="context_length_exceeded")
    asked = Asked([Sends(events=[]), refused], wire=Wire.CHAT_STREAM)

    assert asked.error(ContextTooLong).limit_tokens == 2048


def test_a_bad_reply_tells_what_it_took() -> None:
    error = Asked([Says("nothing useful", as_text=True)]).error(BadReply)

    assert error.raw == "nothing useful"
    assert error.usage.input_tokens == 900
    assert "POST " in error.sent
    assert "nothing useful" in error.received


@BOTH
def test_calls_that_the_text_names_reach_an_asker_that_takes_them(wire: Wire) -> None:
    calls = [("fill", '{"element": 3, "text": "Ada"}'), ("press_key", "")]
    script = [Sends(chat_body(None, calls=calls, finish="tool_calls"))]

    taken = Asked(script, request(takes_other_calls=True), wire=wire).reply
    refused = Asked(script, wire=wire).error(BadReply)

    assert taken.content == {
        "calls": [
            {"name": "fill", "parameters": {"element": 3, "text": "Ada"}},
            {"name": "press_key", "parameters": {}},
        ]
    }
    assert "there is no function “fill”" in refused.fault


def test_a_named_call_that_cannot_be_read_is_a_bad_reply() -> None:
    script = [Sends(chat_body(None, calls=[("fill", '{"element": 3 text}')], finish="tool_calls"))]

    assert "invalid JSON" in Asked(script, request(takes_other_calls=True)).error(BadReply).fault


# --- finding out ---


def test_an_endpoint_that_does_not_keep_to_the_schema_is_asked_in_the_next_way() -> None:
    asked = Asked([Says("I press it.", as_text=True), Says(CLICK_3)], request(), request())

    assert asked.error(BadReply, 0).fault == "the reply holds no JSON object"
    assert asked.reply.content == CLICK_3
    assert [binding(sent.body) for sent in asked.requests] == ["json_schema", "tool"]


def test_an_answer_of_the_wrong_shape_says_nothing_about_the_endpoint() -> None:
    asked = Asked([Says({"wrong": 1}), Says(CLICK_3)], request(), request())

    asked.error(BadReply, 0)
    assert [binding(sent.body) for sent in asked.requests] == ["json_schema", "json_schema"]


def test_when_the_way_around_is_refused_too_the_first_error_is_told_and_nothing_remembered() -> None:
    memory = Memory()
    script = [
        error_reply(400, "response_format is not supported", when=lambda sent: "response_format" in sent.body),
        error_reply(400, "the messages are wrong"),
    ]
    asked = Asked(script, memory=memory)

    assert "response_format is not supported" in str(asked.error(RequestRejected))
    assert asked.capabilities.has_schema
    assert memory.known == {}


def test_an_unrelated_refusal_is_told_at_once() -> None:
    asked = Asked([error_reply(400, "messages: the last turn must not be empty")], request(PICTURE))

    assert "the last turn must not be empty" in str(asked.error(RequestRejected))
    assert len(asked.requests) == 1


def test_a_server_without_the_responses_api_is_asked_over_chat() -> None:
    memory = Memory(api=Api.RESPONSES)
    with EndpointServer([Says(CLICK_3)], has_responses=False) as server:
        client = client_of(server, api=Api.AUTO, memory=memory)

        async def ask() -> ModelReply:
            try:
                return await client.ask(request())
            finally:
                await client.close()

        assert run(ask()).content == CLICK_3
    assert [sent.path for sent in server.asked] == ["/v1/responses", "/v1/chat/completions"]
    assert client.capabilities.api is Api.CHAT


def test_the_responses_api_is_not_left_when_it_was_chosen() -> None:
    with EndpointServer([Says(CLICK_3)], has_responses=False) as server:
        client = client_of(server, api=Api.RESPONSES)

        async def ask() -> None:
            try:
                await client.ask(request())
            finally:
                await client.close()

        with pytest.raises(RequestRejected, match="Check the model's name and the address"):
            run(ask())


# --- waiting ---


def test_trouble_of_the_server_is_waited_out_and_told() -> None:
    asked = Asked([error_reply(503, "loading"), error_reply(500, "oops"), Says(CLICK_3)])

    assert asked.reply.content == CLICK_3
    host = f"127.0.0.1:{asked.server.port}"
    assert asked.waits == [
        f"{host} has trouble of its own (status 503); trying again.",
        f"{host} has trouble of its own (status 500); trying again.",
    ]


def test_the_wait_doubles_and_the_servers_own_wait_comes_first() -> None:
    slow = dataclasses.replace(QUICK, first_wait_s=0.01)
    headers = {"retry-after-ms": "5"}
    asked = Asked(
        [error_reply(500, ""), error_reply(500, ""), error_reply(429, "slow down", headers=headers), Says(CLICK_3)],
        patience=slow,
    )

    assert asked.reply.content == CLICK_3
    assert [wait.rpartition(" in ")[2] for wait in asked.waits] == ["0.01 s.", "0.02 s.", "0.005 s."]


def test_a_wait_that_is_too_long_is_told_instead() -> None:
    asked = Asked([error_reply(429, "come back later", headers={"Retry-After": "3600"})])

    error = asked.error(EndpointBusy)
    assert error.wait_s == 3600
    assert "asks to wait 60 min" in str(error)
    assert asked.waits == []


def test_used_up_credit_is_not_waited_for() -> None:
    asked = Asked([error_reply(429, "You exceeded your current quota", code="insufficient_quota")])

    asked.error(CreditUsedUp)
    assert len(asked.requests) == 1


def test_a_connection_that_ends_without_a_byte_is_tried_again() -> None:
    asked = Asked([Sends(is_dropped=True), Says(CLICK_3)])

    assert asked.reply.content == CLICK_3


def test_a_stream_that_stalls_is_broken_off() -> None:
    brief = dataclasses.replace(QUICK, pause_s=0.05, tries={FaultKind.TIME_OUT: 100})
    stalled = Sends(chat_body(json.dumps(CLICK_3)), hold=2)
    in_one_piece = Sends(raw=json.dumps(chat_body(json.dumps(CLICK_3))))
    asked = Asked([stalled, in_one_piece], wire=Wire.CHAT_STREAM, patience=brief)

    assert asked.reply.content == CLICK_3
    assert set(asked.waits) == {f"127.0.0.1:{asked.server.port} did not answer in time; trying again."}


def test_where_nothing_listens_is_said() -> None:
    async def ask(port: int) -> None:
        endpoint = Endpoint(base_url=f"http://127.0.0.1:{port}/v1", model="stub")
        client = ModelClient(endpoint, KEY, memory=Memory(), patience=QUICK)
        try:
            await client.ask(request())
        finally:
            await client.close()

    with silent_port() as port, pytest.raises(EndpointUnreachable, match="cannot be reached"):
        run(ask(port))


def self_signed(folder: Path) -> ssl.SSLContext:
    """What a server has that made its certificate itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, begin + datetime.timedelta(days=9))
    own = folder / "own.pem"
    own.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + made.sign(key, SHA256()).public_bytes(Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    return context


def test_a_certificate_that_is_not_trusted_is_said_at_once(tmp_path: Path) -> None:
    """The server runs and its address is right: to look for another fault would be in vain."""
    waits: list[str] = []

    async def ask(server: EndpointServer) -> None:
        client = ModelClient(Endpoint(base_url=server.base_url, model="stub"), KEY, memory=Memory(), patience=QUICK)
        try:
            await client.ask(request(), on_wait=waits.append)
        finally:
            await client.close()

    with EndpointServer([Says(CLICK_3)], tls=self_signed(tmp_path)) as server:
        with pytest.raises(EndpointUnreachable, match=r"shows a certificate that is not trusted.*self-signed"):
            run(ask(server))
        assert server.requests == []
    assert waits == []


@pytest.mark.parametrize("key", ["sk-…", "two words", "sk-a\nb"])
def test_a_key_that_cannot_be_one_is_not_sent(key: str) -> None:
    asked = Asked([Says(CLICK_3)], key=key)

    assert key not in str(asked.error(KeyRejected))
    assert asked.server.requests == []


def test_an_endpoint_without_a_key_gets_none() -> None:
    asked = Asked([Says(CLICK_3)], key="")

    assert "authorization" not in asked.requests[0].headers


def test_what_the_environment_holds_for_openai_goes_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-environment")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-environment")
    asked = Asked([Says(CLICK_3)], key="")

    assert "of-the-environment" not in str(asked.requests[0].headers)


def test_a_redirect_is_not_followed() -> None:
    with EndpointServer([Says(CLICK_3)]) as other:
        asked = Asked([Sends({"moved": True}, status=307, headers={"Location": f"{other.base_url}/chat/completions"})])

    assert "leads to another address" in str(asked.error(NotAnApi))
    assert other.requests == []


def test_an_address_that_cannot_be_one_is_refused_at_once() -> None:
    with pytest.raises(SettingsError):
        ModelClient(Endpoint(base_url="ftp://models", model="m"))


# --- stopping ---


@pytest.mark.parametrize(
    ("reply", "wire"),
    [
        (Sends(hold=0), Wire.CHAT),
        (Sends(hold=0), Wire.RESPONSES_STREAM),
        (Sends(chat_body(json.dumps(CLICK_3)), hold=2), Wire.CHAT_STREAM),
        (Sends(chat_body(json.dumps(CLICK_3)), hold=2), Wire.RESPONSES_STREAM),
    ],
    ids=["before a byte", "before a byte of a stream", "in a stream", "in a stream of responses"],
)
def test_a_stop_closes_the_connection_at_once(reply: Sends, wire: Wire) -> None:
    with EndpointServer([reply]) as server:

        async def stop() -> None:
            client = client_of(server, wire=wire)
            question = asyncio.create_task(client.ask(request()))
            assert await asyncio.to_thread(server.held.wait, 60)
            question.cancel()
            with pytest.raises(asyncio.CancelledError):
                await question
            assert await asyncio.to_thread(server.gone.wait, 60)
            await client.close()

        run(stop())
        assert len(server.asked) == 1


def test_a_stop_ends_a_wait() -> None:
    waits: list[str] = []
    with EndpointServer([error_reply(429, "later", headers={"Retry-After": "60"})]) as server:

        async def stop() -> None:
            client = client_of(server)
            is_waiting = asyncio.Event()

            def on_wait(sentence: str) -> None:
                waits.append(sentence)
                is_waiting.set()

            question = asyncio.create_task(client.ask(request(), on_wait=on_wait))
            await is_waiting.wait()
            question.cancel()
            with pytest.raises(asyncio.CancelledError):
                await question
            await client.close()

        run(stop())
    assert waits[0].endswith("trying again in 60 s.")


def test_no_connection_is_left_open() -> None:
    with EndpointServer([Says(CLICK_3), error_reply(400, "no"), Says("x", as_text=True)]) as server:

        async def ask() -> None:
            client = client_of(server)
            for _ in range(3):
                try:
                    await client.ask(request())
                except ModelError:
                    continue
            await client.close()
            assert await asyncio.to_thread(_emptied, server)

        run(ask())


def _emptied(server: EndpointServer) -> bool:
    while server.open_connections():
        if server.closing.wait(0.005):
            return False
    return True


# --- one queue for a key ---


def test_questions_with_one_key_go_out_one_after_the_other() -> None:
    waits: list[str] = []
    queues = KeyQueues()
    with EndpointServer([Sends(hold=0), Says(CLICK_3)]) as server:

        async def ask() -> ModelReply:
            first = client_of(server, queue=queues.of(server.base_url, KEY))
            second = client_of(server, queue=queues.of(server.base_url, KEY))
            held = asyncio.create_task(first.ask(request()))
            assert await asyncio.to_thread(server.held.wait, 60)
            waiting = asyncio.create_task(second.ask(request(), on_wait=waits.append))
            await asyncio.sleep(0)
            assert len(server.asked) == 1
            held.cancel()
            try:
                return await waiting
            finally:
                await first.close()
                await second.close()

        assert run(ask()).content == CLICK_3
    assert waits == ["Another request with the same key comes first."]


def test_other_keys_have_other_queues() -> None:
    queues = KeyQueues()

    assert queues.of("http://a", "one") is queues.of("http://a", "one")
    assert queues.of("http://a", "one") is not queues.of("http://a", "two")
    assert isinstance(queues.of("http://a", "one"), KeyQueue)


def test_what_is_remembered_is_used_from_the_first_question_on() -> None:
    memory = Memory()
    Asked([Says(CLICK_3)], memory=memory)
    (known,) = memory.known.values()

    assert known == Capabilities(api=Api.CHAT)
