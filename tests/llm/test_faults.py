from __future__ import annotations

import email.utils
import json
import time
from typing import Any

import pytest

from operative_app.core.endpoint import Endpoint
from operative_app.llm.errors import ContextTooLong, CreditUsedUp, EndpointBusy, KeyRejected, RequestRejected
from operative_app.llm.faults import FaultKind, asked_wait_s, error_of, fault_of_status
from operative_app.llm.masking import mask

ENDPOINT = Endpoint(base_url="https://models.example/v1", model="stub")
KEY = "my-very-own-key-0123456789"


def fault(status: int, body: Any) -> Any:
    if isinstance(body, str):
        return fault_of_status(status, {}, None, body)
    return fault_of_status(status, {}, body, json.dumps(body))


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("This model's maximum context length is 8192 tokens, you requested 9100", 8192),
        ("This endpoint's maximum context length is 131,072 tokens. However, you requested about 140000", 131072),
        ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000.", 272000),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200000),
        ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
        (
            "the model is loaded with context length of only 4096 tokens, which the input exceeds: context overflow",
            4096,
        ),
        ("The input is too long for this model", None),
    ],
)
def test_a_full_context_is_told_with_its_limit(words: str, limit: int | None) -> None:
    found = fault(400, {"error": {"message": words}})

    assert found.kind is FaultKind.CONTEXT or "configured limit" in words
    error = error_of(fault(400, {"error": {"message": words, "code": "context_length_exceeded"}}), ENDPOINT, KEY)
    assert isinstance(error, ContextTooLong)
    assert error.limit_tokens == limit


def test_llama_cpp_tells_the_limit_as_a_number() -> None:
    body = {"error": {"code": 400, "message": "too much", "type": "exceed_context_size_error", "n_ctx": 2048}}

    error = error_of(fault(400, body), ENDPOINT, KEY)

    assert isinstance(error, ContextTooLong)
    assert error.limit_tokens == 2048


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (401, {"error": {"message": f"Incorrect API key: {KEY}"}}, KeyRejected, "does not accept the key (status 401)"),
        (403, {"detail": "Not allowed"}, KeyRejected, "It said: “Not allowed”"),
        (402, {"error": {"message": "Insufficient credits", "code": 402}}, CreditUsedUp, "has no credit left"),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, CreditUsedUp, "has no credit left"),
        (429, {"message": "Too many requests"}, EndpointBusy, "rate limit"),
        (503, "<html><body>Unavailable</body></html>", EndpointBusy, "trouble of its own (status 503)"),
        (404, {"error": {"message": "The model `x` does not exist"}}, RequestRejected, "Check the model's name"),
        (422, {"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]}, RequestRejected, "messages: Field"),
        (400, {"error": {"message": "Upstream", "metadata": {"raw": "bad turn"}}}, RequestRejected, ": bad turn"),
        (502, {"error": {"message": "<html><body>Bad Gateway"}}, EndpointBusy, "trouble of its own (status 502)."),
        (400, [{"error": {"message": "in a list"}}], RequestRejected, "in a list"),
        (400, {"error": None}, RequestRejected, "does not take the request"),
    ],
)  # fmt: skip
def test_each_status_ends_in_a_sentence(status: int, body: Any, kind: type[Exception], words: str) -> None:
    error = error_of(fault(status, body), ENDPOINT, KEY)

    assert type(error) is kind
    assert words in str(error)
    assert "models.example" in str(error)
    assert KEY not in str(error)
    assert "<" not in str(error)


def test_long_words_are_shortened() -> None:
    error = error_of(fault(400, {"error": {"message": "word " * 1000}}), ENDPOINT, KEY)

    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_the_servers_own_wait_is_read(headers: dict[str, str], wait_s: float | None) -> None:
    assert asked_wait_s(headers) == wait_s


def test_a_date_to_come_is_a_wait() -> None:
    later = email.utils.formatdate(time.time() + 100, usegmt=True)

    assert 90 < (asked_wait_s({"retry-after": later}) or 0) <= 100


@pytest.mark.parametrize(
    "text",
    [
        f"the key {KEY} is wrong",
        f"the key {KEY[:12]}*** is wrong",
        f"the key ***{KEY[-8:]} is wrong",
        "the key sk-proj-abcDEF0123456789 is wrong",
        "the key sk-proj-****************mnop is wrong",
        "the key AIzaSyA1234567890abcdefghijk is wrong",
    ],
)
def test_keys_are_masked_whole_and_in_part(text: str) -> None:
    assert mask(text, KEY) == "the key (key) is wrong"


def test_other_words_are_not_masked() -> None:
    text = "risk-free key-value pairs; gpt-4.1-mini at https://models.example/v1, task-oriented, hf_hub_download"

    assert mask(text, KEY) == text
    assert mask(text, "") == text
