"""What an endpoint tells by itself, which servers run here, and “Test connection”."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
from PIL import Image

from operative_app.core.endpoint import Api, Capabilities, Endpoint
from operative_app.llm import local_servers
from operative_app.llm.client import ModelClient
from operative_app.llm.connection import Check, try_connection
from operative_app.llm.local_servers import LocalServer, find_local_servers
from tests.llm.asking import KEY, QUICK, Asked, Memory, client_of, request, run
from tests.llm.endpoint_server import EndpointServer, Received, Reply, Says, Sends, error_reply, silent_port

Json = dict[str, Any]


def found_out(models: list[Json], gets: Mapping[str, Json | Callable[[], Json]] | None = None) -> Capabilities:
    with EndpointServer([Says({"index": 3})], models=models, gets=gets) as server:

        async def find_out() -> Capabilities:
            client = client_of(server)
            await client.find_out()
            await client.close()
            return client.capabilities

        return run(find_out())


@pytest.mark.parametrize(
    ("models", "gets", "told"),
    [
        ([{"id": "stub", "max_model_len": 16384, "owned_by": "vllm"}], {}, {"context_tokens": 16384}),
        (
            [{"id": "other", "context_length": 1}, {"id": "stub", "owned_by": "llamacpp"}],
            {"/props": {"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": False}}},
            {"context_tokens": 4096, "has_vision": False},
        ),
        (
            [{"id": "stub"}],
            {"/api/v0/models/stub": {"id": "stub", "type": "llm", "loaded_context_length": 8192}},
            {"context_tokens": 8192, "has_vision": False},
        ),
        (
            [{"id": "stub", "owned_by": "library"}],
            {"/api/ps": {"models": [{"name": "stub", "context_length": 4096}]}},
            {"context_tokens": 4096},
        ),
        (
            [
                {
                    "id": "stub",
                    "context_length": 131072,
                    "architecture": {"input_modalities": ["text", "image"]},
                    "supported_parameters": ["tools", "response_format"],
                }
            ],
            {},
            {"context_tokens": 131072, "has_vision": True, "has_schema": False},
        ),
        ([{"id": "stub"}], {}, {"context_tokens": None}),
        ([{"id": "stub", "max_model_len": "many"}], {"/api/ps": {"models": [3]}}, {"context_tokens": None}),
    ],
    ids=["vLLM", "llama.cpp", "LM Studio", "Ollama", "OpenRouter", "tells nothing", "tells nonsense"],
)
def test_what_each_kind_of_server_tells_is_known(models: list[Json], gets: dict[str, Json], told: Json) -> None:
    known = found_out(models, gets)

    assert {name: getattr(known, name) for name in told} == told


@pytest.mark.parametrize(
    ("model", "context_tokens", "has_computer_use"),
    [
        ("gpt-5.4", 1_050_000, True),
        ("gpt-5.4-mini", 400_000, True),
        ("gpt-5.2-2025-12-11", 400_000, False),
        ("gpt-4.1-nano", 1_047_576, False),
        ("computer-use-preview", 8_192, True),
        ("new-model", None, False),
    ],
)
def test_openai_tells_nothing_so_its_models_are_known(
    model: str, context_tokens: int | None, has_computer_use: bool
) -> None:
    async def find_out() -> Capabilities:
        client = ModelClient(Endpoint(base_url="https://api.openai.com/v1", model=model), KEY)
        await client.find_out()
        await client.close()
        return client.capabilities

    known = run(find_out())

    assert (known.context_tokens, known.has_computer_use) == (context_tokens, has_computer_use)
    assert known.api is Api.RESPONSES


SHOWN: Json = {"model_info": {"general.architecture": "llama", "llama.context_length": 131072}, "parameters": ""}


@pytest.mark.parametrize(
    ("shown", "is_loaded", "context_tokens"),
    [
        (SHOWN, True, 16384),  # what the server gives it, known once it is loaded
        (SHOWN, False, 4096),
        (SHOWN | {"parameters": "temperature 0.7\nnum_ctx                        8192"}, False, 8192),
        ({"model_info": {"bert.context_length": 512}}, False, 512),
        (SHOWN | {"remote_model": "big"}, False, 131072),
        ({}, False, None),
    ],
    ids=["loaded by it", "cannot be loaded", "set in the model", "small model", "elsewhere", "tells nothing"],
)
def test_ollama_with_a_model_that_is_not_loaded_is_taken_for_no_larger_than_it_is(
    shown: Json, is_loaded: bool, context_tokens: int | None
) -> None:
    running: list[Json] = []

    def load() -> Json:
        if is_loaded:
            running.append({"name": "stub:latest", "context_length": 16384})
        return {"model": "stub", "done": True}

    gets: dict[str, Json | Callable[[], Json]] = {
        "/api/ps": lambda: {"models": list(running)},
        "/api/show": shown,
        "/api/generate": load,
    }
    assert found_out([{"id": "stub", "owned_by": "library"}], gets).context_tokens == context_tokens


def test_a_server_that_tells_nothing_is_asked_all_the_same() -> None:
    asked = Asked([Says({"index": 3})], request(), request())

    assert asked.reply.content == {"index": 3}
    assert len([sent for sent in asked.server.requests if sent.path == "/v1/models"]) == 1


def test_servers_of_this_machine_are_found_and_others_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("CONNECT_TIMEOUT_S", "ANSWER_TIMEOUT_S"):
        monkeypatch.setattr(local_servers, limit, 60.0)
    page = Sends(raw="<html>a shop</html>", content_type="text/html")
    with (
        silent_port() as closed,
        EndpointServer([page], models=[{"id": "llama3.2"}, {"id": "qwen3"}]) as models,
        EndpointServer([page], models=[]) as empty,
        EndpointServer([page], key="wanted") as locked,
    ):
        ports = {closed: "Gone", models.port: "Ollama", empty.port: "Empty", locked.port: "Locked"}
        found = run(find_local_servers(ports))

    assert found == (LocalServer("Ollama", f"http://localhost:{models.port}/v1", ("llama3.2", "qwen3")),)
    assert {sent.method for sent in models.requests} == {"GET"}


BLIND = {"left": "none", "right": "none"}
COLOURS = {
    (230, 0, 0): "red",
    (0, 160, 0): "green",
    (0, 0, 230): "blue",
    (250, 220, 0): "yellow",
    (0, 0, 0): "black",
    (255, 255, 255): "white",
}


def seen_in(sent: Received) -> Json:
    """The colours on the picture that was sent, as eyes would see them."""
    data = re.search(r"data:image/png;base64,([^\"]+)", sent.text)
    assert data is not None
    picture = Image.open(io.BytesIO(base64.b64decode(data[1])))
    left, right = (COLOURS[cast("tuple[int, int, int]", picture.getpixel((x, 100)))] for x in (10, 210))
    return {"left": left, "right": right}


def able(sent: Received) -> Reply:
    """An endpoint that can do everything."""
    return Says(seen_in(sent) if sent.has_picture else {"sum": 5})


def checks_of(script: Any, *, key: str = KEY, server_key: str = "", memory: Memory | None = None, **parts: Any) -> Any:
    with EndpointServer(script, key=server_key, **parts) as server:
        endpoint = Endpoint(base_url=server.base_url, model="stub")
        seen: list[Check] = []
        checks = run(try_connection(endpoint, key, memory=memory, patience=QUICK, on_check=seen.append))
    assert tuple(seen) == checks
    return {check.what: check for check in checks}, server


def test_all_that_works_is_said() -> None:
    memory = Memory()
    checks, server = checks_of(able, server_key=KEY, memory=memory, models=[{"id": "stub", "max_model_len": 8192}])

    assert {what: check.works for what, check in checks.items()} == dict.fromkeys(
        ("address", "model", "key", "answer", "streaming", "schema", "tools", "json", "pictures", "context"), True
    )
    assert checks["model"].sentence == "“stub” is the model there."
    assert checks["context"].sentence == "It takes 8,192 tokens at a time."
    (known,) = memory.known.values()
    assert known == Capabilities(api=Api.CHAT, context_tokens=8192)
    assert all(KEY not in sent.text for sent in server.requests)


def test_a_context_too_small_for_the_questions_is_said() -> None:
    checks, _ = checks_of(able, models=[{"id": "stub", "max_model_len": 4096}])
    assert checks["context"].works is False
    assert checks["context"].sentence.startswith("It takes 4,096 tokens at a time. Operative needs about 6,500")


def plain(sent: Received) -> Reply:
    """An endpoint that can do nothing but text."""
    if sent.has_picture:
        return error_reply(400, "images are not supported")
    for part in ("response_format", "tools", "stream"):
        if part in sent.body:
            return error_reply(400, f"{part} is not supported by this model: does not support {part}")
    return Says({"sum": 5})


def test_all_that_does_not_work_is_said() -> None:
    memory = Memory()
    checks, _ = checks_of(plain, memory=memory)

    assert {what: check.works for what, check in checks.items()} == {
        "address": True,
        "model": True,
        "key": True,
        "streaming": False,
        "schema": False,
        "tools": False,
        "json": False,
        "answer": None,
        "pictures": False,
        "context": None,
    }
    (known,) = memory.known.values()
    assert (known.has_schema, known.has_tools, known.has_json_mode, known.has_vision) == (False,) * 4
    assert not known.has_streaming


def test_a_model_that_does_not_see_what_it_takes_is_found_out() -> None:
    checks, _ = checks_of(lambda sent: Says(BLIND if sent.has_picture else {"sum": 5}))

    assert checks["pictures"].works is False
    assert "does not see what is on them" in checks["pictures"].sentence


def test_a_model_that_answers_tool_calls_in_words_has_no_tools() -> None:
    checks, _ = checks_of(lambda sent: Says(BLIND if sent.has_picture else {"sum": 5}, as_text=True))

    assert checks["tools"] == Check("tools", False, "It does not call tools: it answered in words.")
    assert checks["schema"].works is True


def test_a_wrong_key_ends_the_test() -> None:
    checks, server = checks_of(able, server_key="another-key-1234567890")

    assert {what: check.works for what, check in checks.items()} == {"address": True, "key": False}
    assert KEY not in checks["key"].sentence
    assert server.asked == []


def test_a_model_that_is_not_there_ends_the_test() -> None:
    checks, server = checks_of(able, models=[{"id": "llama3.2"}])

    assert checks["model"].works is False
    assert checks["model"].sentence.endswith("offers llama3.2.")
    assert server.asked == []


def test_an_address_where_nobody_answers_ends_the_test() -> None:
    with silent_port() as port:
        endpoint = Endpoint(base_url=f"http://127.0.0.1:{port}/v1", model="stub")
        checks = run(try_connection(endpoint, "", patience=QUICK))

    assert [(check.what, check.works) for check in checks] == [("address", False)]
    assert "cannot be reached" in checks[0].sentence


def test_trouble_while_answering_ends_the_test() -> None:
    checks, _ = checks_of([error_reply(500, "out of memory")])

    assert checks["answer"].works is False
    assert "out of memory" in checks["answer"].sentence
    assert "schema" not in checks
