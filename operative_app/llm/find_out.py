"""What an endpoint tells about a model by itself: the size of its context, whether it sees pictures and calls tools.

Each kind of server says it in another place; nothing is asked that costs tokens. What is not told stays unknown.

| server | where | context |
|---|---|---|
| vLLM | /v1/models | max_model_len |
| llama.cpp | /props beside /v1 | default_generation_settings.n_ctx, modalities |
| LM Studio | /api/v0/models/NAME beside /v1 | loaded_context_length, type vlm, capabilities |
| Ollama | /api/ps beside /v1 | context_length of the loaded model; one that is not loaded is loaded first |
| Ollama that cannot load it now | /api/show beside /v1 | its num_ctx, else the least that Ollama takes by itself |
| OpenRouter | /v1/models | context_length, architecture, supported_parameters |
| OpenAI | nowhere | the table below |
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from operative_app.core.endpoint import Capabilities, Endpoint
from operative_app.llm import presets
from operative_app.llm.faults import FaultError
from operative_app.llm.transport import Transport
from operative_app.llm.wire import Body, as_dict, whole_number

TIMEOUT_S = 8.0
LOADING_TIMEOUT_S = 60.0
"""A model is read from the disk. The first question would wait for that anyway."""

OLLAMA_LEAST_CONTEXT = 4096
"""What Ollama takes unless it is told otherwise; what is beyond is cut off silently, from the beginning."""

_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)\s*$", re.MULTILINE)

_KNOWN_CONTEXTS = (
    ("gpt-5.4-mini", 400_000),
    ("gpt-5.4-nano", 400_000),
    ("gpt-5.4", 1_050_000),
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("computer-use-preview", 8_192),
)
"""Beginnings of OpenAI's model names, the longest first, and what they take in tokens, the answer included.

Where a model takes less, its first refusal tells the real limit, which counts from then on.
"""


_WITH_COMPUTER_USE = ("computer-use-preview", "gpt-5.4")
"""Beginnings of the names of OpenAI's models that have the native computer-use tool, as far as is known."""


async def find_out(transport: Transport, endpoint: Endpoint, known: Capabilities) -> Capabilities:
    """What is known after asking the endpoint about its model. Never raises for an endpoint that does not tell."""
    if presets.is_openai(endpoint):
        name = endpoint.model.lower()
        context = next((tokens for begin, tokens in _KNOWN_CONTEXTS if name.startswith(begin)), None)
        has_computer_use = name.startswith(_WITH_COMPUTER_USE)
        return known.model_copy(
            update={"context_tokens": known.context_tokens or context, "has_computer_use": has_computer_use}
        )
    listed = await _listed(transport, endpoint)
    told = _from_listing(listed)
    if presets.is_local(endpoint.base_url):
        told |= await _from_local(transport, endpoint, listed)
    return known.model_copy(update=told)


async def model_names(transport: Transport, *, timeout_s: float = TIMEOUT_S) -> list[str]:
    """The models an endpoint offers.

    Raises:
        FaultError: It gave no list.
    """
    return [str(entry["id"]) for entry in _entries(await transport.get("/models", timeout_s=timeout_s))]


def _entries(answer: Any) -> list[dict[str, Any]]:
    data = as_dict(answer).get("data")
    return [entry for entry in data if isinstance(entry, dict) and "id" in entry] if isinstance(data, list) else []


async def _listed(transport: Transport, endpoint: Endpoint) -> dict[str, Any]:
    entries = _entries(await _asked(transport, "/models"))
    return next((entry for entry in entries if entry["id"] == endpoint.model), {})


async def _asked(
    transport: Transport, path: str, *, timeout_s: float = TIMEOUT_S, is_beside: bool = False, body: Body | None = None
) -> Any:
    try:
        return await transport.get(path, timeout_s=timeout_s, is_beside=is_beside, body=body)
    except FaultError:
        return None


def _from_listing(entry: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name in ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length"):
        if context := whole_number(entry.get(name)):
            told["context_tokens"] = context
            break
    modalities = as_dict(entry.get("architecture")).get("input_modalities")
    if isinstance(modalities, list) and modalities:
        told["has_vision"] = "image" in modalities
    parameters = entry.get("supported_parameters")
    if isinstance(parameters, list) and parameters:
        told["has_tools"] = "tools" in parameters
        told["has_schema"] = "structured_outputs" in parameters
        told["has_json_mode"] = "response_format" in parameters
    return told


async def _from_local(transport: Transport, endpoint: Endpoint, listed: dict[str, Any]) -> dict[str, Any]:
    owner = str(listed.get("owned_by", ""))
    if owner == "vllm" or "max_model_len" in listed:
        return {}
    if owner == "llamacpp":
        return _from_props(await _asked(transport, "/props", is_beside=True))
    path = f"/api/v0/models/{quote(endpoint.model, safe='')}"
    studio = as_dict(await _asked(transport, path, is_beside=True))
    if studio.get("id") == endpoint.model:
        return _from_studio(studio)
    running = as_dict(await _asked(transport, "/api/ps", is_beside=True))
    if told := _from_running(running, endpoint.model):
        return told
    return await _from_ollama(transport, endpoint.model) if isinstance(running.get("models"), list) else {}


async def _from_ollama(transport: Transport, model: str) -> dict[str, Any]:
    """What is told of a model that is not loaded: its real context is known only once it is."""
    shown = as_dict(await _asked(transport, "/api/show", is_beside=True, body={"model": model}))
    info = as_dict(shown.get("model_info"))
    longest = next(
        (size for key, one in info.items() if key.endswith(".context_length") and (size := whole_number(one))), 0
    )
    if shown.get("remote_model"):  # carried out elsewhere, with all of its context
        return {"context_tokens": longest} if longest else {}
    load: Body = {"model": model}  # without a prompt it is loaded and nothing else
    await _asked(transport, "/api/generate", timeout_s=LOADING_TIMEOUT_S, is_beside=True, body=load)
    running = as_dict(await _asked(transport, "/api/ps", is_beside=True))
    if (loaded := _from_running(running, model)) or not shown:
        return loaded
    set_to = _NUM_CTX.search(str(shown.get("parameters") or ""))
    size = int(set_to[1]) if set_to else OLLAMA_LEAST_CONTEXT
    return {"context_tokens": min(one for one in (size, longest) if one)}


def _from_props(answer: Any) -> dict[str, Any]:
    props = as_dict(answer)
    told: dict[str, Any] = {}
    if context := whole_number(as_dict(props.get("default_generation_settings")).get("n_ctx")):
        told["context_tokens"] = context
    vision = as_dict(props.get("modalities")).get("vision")
    if isinstance(vision, bool):
        told["has_vision"] = vision
    return told


def _from_studio(entry: dict[str, Any]) -> dict[str, Any]:
    told = _from_listing(entry)
    if isinstance(kind := entry.get("type"), str):
        told["has_vision"] = kind == "vlm"
    return told


def _from_running(answer: dict[str, Any], model: str) -> dict[str, Any]:
    for entry in answer.get("models") or ():
        if as_dict(entry).get("name") in {model, f"{model}:latest"} and (
            context := whole_number(entry.get("context_length"))
        ):
            return {"context_tokens": context}
    return {}
