"""Every handed reply of a faulty endpoint, in each of the four ways it can come, as far as it is the client's part."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable

import pytest

from operative_app.core.endpoint import Api
from operative_app.llm.concessions import NO_VISION
from operative_app.llm.errors import (
    BadReply,
    ContextTooLong,
    EndpointBusy,
    EndpointUnreachable,
    KeyRejected,
    ModelRefused,
    NotAnApi,
    ReplyCutOff,
)
from operative_app.llm.waiting import Patience
from tests.llm.asking import KEY, PICTURE, QUICK, TYPE_TEXT, Asked, Memory, Wire, binding, request, shown
from tests.llm.endpoint_server import case, case_names

CLICK_3 = {"action": "click", "index": 3}


def bad_key(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    asked = Asked(case("bad_key")[1], wire=wire)

    error = asked.error(KeyRejected)

    assert len(asked.requests) == 1
    assert "does not accept the key" in str(error)
    assert "settings" in str(error)
    assert "FAKE" not in shown(error)
    assert asked.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text


def choices_empty(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("choices_empty")[1], wire=wire)

    assert "answered, but it sent an" in str(asked.error(NotAnApi))
    assert len(asked.requests) == 2


def context_length(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("context_length")[1], request(), request(), wire=wire)

    error = asked.error(ContextTooLong, 0)

    assert error.limit_tokens == 8192
    assert "8,192 tokens" in str(error)
    assert asked.reply.content == {"index": 3}
    assert len(asked.requests) == 2
    assert asked.capabilities.context_tokens == 8192


def done_without_doing(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    schema = {
        "type": "object",
        "properties": {"success": {"type": "boolean"}, "text": {"type": "string"}},
        "required": ["success", "text"],
    }
    asked = Asked(case("done_without_doing")[1], request(name="done", schema=schema), wire=wire)

    assert asked.reply.content == {"success": True, "text": "I pressed the button."}


def fenced_json(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    assert Asked(case("fenced_json")[1], wire=wire).reply.content == CLICK_3


def hang(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    brief = dataclasses.replace(QUICK, first_byte_s=0.05, total_s=0.05)
    asked = Asked(case("hang")[1], wire=wire, patience=brief)

    assert "did not answer in time" in str(asked.error(EndpointUnreachable))
    assert asked.waits == [f"127.0.0.1:{asked.server.port} did not answer in time; trying again."]
    assert Patience().first_byte_s < 600
    assert Patience().total_s < 600


def html_body(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    page, gateway = case("html_body")[1]

    asked = Asked([page], wire=wire)
    error = asked.error(NotAnApi)
    assert f"What answers at {asked.server.base_url} is not a model's API" in str(error)
    assert "<" not in str(error)
    assert len(asked.requests) == 1

    asked = Asked([gateway], wire=wire)
    busy = asked.error(EndpointBusy)
    assert "trouble of its own (status 502)" in str(busy)
    assert "<" not in str(busy)
    assert len(asked.requests) == 3


def length_truncated_call(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    question = request(name="type_text", schema=TYPE_TEXT)
    asked = Asked(case("length_truncated_call")[1], question, request(), wire=wire)

    error = asked.error(ReplyCutOff, 0)

    assert "cut off at the output limit" in error.fault
    assert "Dear all" in error.raw
    assert error.usage.output_tokens == 40
    assert asked.reply.content == {"index": 3}
    assert len(asked.requests) == 2


def malformed_arguments(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("malformed_arguments")[1], request(), request(), wire=wire)

    error = asked.error(BadReply, 0)

    assert error.fault.startswith("invalid JSON")
    assert not isinstance(error, ReplyCutOff)
    assert "3 click" in error.raw
    assert asked.reply.content == {"index": 3}


def missing_params(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("missing_params")[1], request(name="type_text", schema=TYPE_TEXT), request(), wire=wire)

    assert asked.error(BadReply, 0).fault == "text is missing"
    assert asked.reply.content == {"index": 3}


def no_response_format(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    memory = Memory(has_streaming=wire.is_streamed, has_tools=False)
    asked = Asked(case("no_response_format")[1], request(), request(), wire=wire, memory=memory)

    assert asked.reply.content == CLICK_3
    ways = [binding(asked_for.body) for asked_for in asked.requests]
    assert ways == ["json_schema", "json_object", "text", "text"]
    assert list(memory.known.values()) == [asked.capabilities]
    assert (asked.capabilities.has_schema, asked.capabilities.has_json_mode) == (False, False)


def no_tools(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    memory = Memory(has_streaming=wire.is_streamed, has_schema=False)
    asked = Asked(case("no_tools")[1], request(), request(), wire=wire, memory=memory)

    assert asked.reply.content == CLICK_3
    assert [binding(asked_for.body) for asked_for in asked.requests] == ["tool", "json_object", "json_object"]
    assert not asked.capabilities.has_tools


def no_vision(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("no_vision")[1], request(PICTURE), request(PICTURE), wire=wire)

    first, second = asked.answers
    assert not isinstance(first, Exception)
    assert not isinstance(second, Exception)
    assert first.content == {"index": 3}
    assert first.notices == (NO_VISION,)
    assert second.notices == ()
    assert [sent.has_picture for sent in asked.requests] == [True, False, False]
    assert "this model does not see pictures" in asked.requests[1].text
    assert not asked.capabilities.has_vision


def prose_around_json(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    assert Asked(case("prose_around_json")[1], wire=wire).reply.content == CLICK_3


def rate_limit_then_ok(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("rate_limit_then_ok")[1], wire=wire)

    assert asked.reply.content == {"index": 3}
    host = f"127.0.0.1:{asked.server.port}"
    assert asked.waits == [f"{host} takes no more requests now (rate limit); trying again in 2 s."]
    assert len(asked.requests) == 2


def refusal_field(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("refusal_field")[1], wire=wire)

    assert asked.error(ModelRefused).text == "I can't help with that."
    assert "I can't help with that." in str(asked.error(ModelRefused))
    assert len(asked.requests) == 1


def repeats_itself(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("repeats_itself")[1], request(), request(), wire=wire)

    assert asked.reply.content == {"index": 404}
    assert len(asked.requests) == 2


def stream_cut(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("stream_cut")[1], request(name="type_text", schema=TYPE_TEXT), wire=wire)

    assert "broke off its answer" in str(asked.error(EndpointUnreachable))
    assert [sent.is_streamed for sent in asked.requests] == [wire.is_streamed, False, False]


def think_tags(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    reply = Asked(case("think_tags")[1], wire=wire).reply

    assert reply.content == CLICK_3
    assert reply.reasoning == 'maybe {"action":"click","index":9}? no.'
    assert "9" not in reply.text


def unknown_action(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(case("unknown_action")[1], request(), request(), wire=wire)

    assert asked.error(BadReply, 0).fault == "there is no function “teleport”; call “click”"
    assert asked.reply.content == {"index": 3}


def wrong_types(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    fault = Asked(case("wrong_types")[1], wire=wire).error(BadReply).fault

    assert fault.startswith("call 2: index is missing; x is unknown")
    assert "call 1" not in fault


CHECKS: dict[str, Callable[[Wire, pytest.LogCaptureFixture], None]] = {
    check.__name__: check
    for check in (
        bad_key,
        choices_empty,
        context_length,
        done_without_doing,
        fenced_json,
        hang,
        html_body,
        length_truncated_call,
        malformed_arguments,
        missing_params,
        no_response_format,
        no_tools,
        no_vision,
        prose_around_json,
        rate_limit_then_ok,
        refusal_field,
        repeats_itself,
        stream_cut,
        think_tags,
        unknown_action,
        wrong_types,
    )
}
ONCE = {"rate_limit_then_ok"}
"""Waits for two real seconds, so one way is enough."""


def test_every_case_has_its_check() -> None:
    assert sorted(CHECKS) == case_names()


@pytest.mark.parametrize(
    ("name", "wire"),
    [(name, wire) for name in case_names() for wire in Wire if name not in ONCE or wire is Wire.CHAT_STREAM],
)
def test_case(name: str, wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    CHECKS[name](wire, caplog)


def test_refused_formats_go_to_a_tool_call_first() -> None:
    asked = Asked(case("no_response_format")[1])

    assert [binding(sent.body) for sent in asked.requests] == ["json_schema", "tool"]
    assert asked.reply.content == CLICK_3
    assert asked.capabilities.api is Api.CHAT
