"""What real servers say when they cannot do something, and what they say about other things."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operative_app.core.endpoint import Api, Capabilities
from operative_app.llm.concessions import concession
from operative_app.llm.faults import fault_of_status
from operative_app.llm.wire import best_way

Json = dict[str, Any]
NO_SCHEMA = {"has_schema": False}
NO_TOOLS = {"has_tools": False}
OPENAI = {"is_openai": True}
COMPUTER = {"computer": True, "api": Api.RESPONSES}
ALL_MODES_BUT_TEXT = {**NO_SCHEMA, **NO_TOOLS}


def learned(
    status: int, body: object, *, known: Json | None = None, api: Api = Api.CHAT, is_openai: bool = False,
    pictures: bool = False, computer: bool = False,
) -> Json | None:  # fmt: skip
    """The abilities that a refusal changes, None when it says nothing about them."""
    before = Capabilities(**(known or {}))
    way = best_way(before, api, is_openai=is_openai, wants_strict=is_openai)
    fault = fault_of_status(status, {}, body, body if isinstance(body, str) else json.dumps(body))
    found = concession(fault, way, before, with_pictures=pictures, with_computer=computer)
    if found is None:
        return None
    after, old = found.known.model_dump(), before.model_dump()
    return {name: value for name, value in after.items() if value != old[name]}


def message(text: str, **parts: Any) -> Json:
    return {"error": {"message": text, **parts}}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, message("No endpoints found that support image input")),
        (400, message("Invalid content type. image_url is only supported by certain models.")),
        (
            500,
            message("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
        ),
        (400, message("Model does not support images. Please use a model that does.")),
        (422, {"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "Input should be a valid string"}]}),
        (400, message("Failed to deserialize: messages[1]: unknown variant `image_url`, expected `text`")),
        (400, message("Message index[1] content should be string", code="invalid_argument")),
        (500, {"error": {"message": 'can only concatenate str (not "list") to str', "type": "internal_server_error"}}),
        (400, {"error": "this model is missing data required for image input: not a multimodal model, text-only"}),
        (
            400,
            {"object": "error", "message": "At most 0 image(s) may be provided; the model is not a multimodal model"},
        ),
    ],
)
def test_a_model_without_eyes(status: int, body: object) -> None:
    assert learned(status, body, pictures=True) == {"has_vision": False}
    assert learned(status, body) is None or "has_vision" not in (learned(status, body) or {})


@pytest.mark.parametrize(
    "text",
    [
        "Invalid image: unsupported image format. Supported are png, jpeg, gif, webp",
        "The image is too large and not allowed; the maximum size is 20 MB",
        "Could not decode the image; it is not a valid picture",
        "messages[0] must not be empty",
    ],
)
def test_a_fault_of_the_picture_itself_is_no_lack_of_eyes(text: str) -> None:
    assert learned(400, message(text), pictures=True) is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, message("registry.local/stub:latest does not support tools", type="api_error")),
        (404, message("No endpoints found that support tool use. Try disabling tools.")),
        (400, message('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
        (500, message("tools param requires --jinja flag")),
        (400, message("Tools are not supported in streaming mode.")),
        (400, message("Function calling is not enabled for this model")),
    ],
)
def test_a_model_without_tools(status: int, body: object) -> None:
    assert learned(status, body, known=NO_SCHEMA) == {"has_tools": False}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, message("This response_format type is unavailable now")),
        (400, message("response_format value as json_schema is enabled only for newer api versions")),
        (422, {"detail": [{"loc": ["body", "response_format", "type"], "msg": "unexpected value"}]}),
        (400, {"error": {"message": "invalid schema for response format: json_schema: minItems is not supported"}}),
        (400, message("Structured outputs are not supported by this model")),
    ],
)  # fmt: skip
def test_a_model_without_schema_output(status: int, body: object) -> None:
    assert learned(status, body) == {"has_schema": False}


def test_a_server_without_json_mode() -> None:
    body = {"error": "'response_format.type' must be 'json_schema' or 'text'"}

    assert learned(400, body, known=ALL_MODES_BUT_TEXT) == {"has_json_mode": False}


@pytest.mark.parametrize(
    ("body", "name", "more"),
    [
        ({"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]}, "stream_options", {}),
        (message("Unrecognized request argument supplied: stream_options"), "stream_options", {}),
        (message("Unsupported parameter: use another name instead.", param="max_tokens"), "max_tokens", {}),
        (message("Unsupported parameter: 'max_tokens' is not supported with this model."), "max_tokens", {}),
        (message("Unknown parameter: max_completion_tokens"), "max_completion_tokens", OPENAI),
        (message("Invalid schema for response_format: 'oneOf' is not permitted."), "strict", OPENAI),
        (message("tool_choice 'required' is not supported by this model"), "tool_choice", {"known": NO_SCHEMA}),
        (message("System role not supported"), "system", {}),
        (message("Tool 'computer' is not supported with gpt-4.1."), "computer", COMPUTER),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_single_parameters(body: object, name: str, more: Json) -> None:
    assert learned(400, body, **more) == {"refused_parameters": frozenset({name})}


def test_where_the_computer_tool_is_refused_it_is_not_offered_again() -> None:
    body = message("The tool 'computer_use_preview' is not supported with this model.")
    known = {"has_computer_use": True}

    assert learned(400, body, known=known, computer=True, api=Api.RESPONSES) == {
        "has_computer_use": False,
        "refused_parameters": frozenset({"computer"}),
    }


def test_a_value_that_is_too_high_is_no_unknown_parameter() -> None:
    body = message("max_tokens is too large: 100000. This model supports at most 16384 tokens", param="max_tokens")

    assert learned(400, body) is None


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_the_responses_api(status: int) -> None:
    assert learned(status, "Not Found", api=Api.RESPONSES) == {"api": Api.CHAT}
    assert learned(status, "Not Found", api=Api.CHAT) is None


def test_an_unknown_model_is_not_a_missing_api() -> None:
    body = message("The model `gpt-99` does not exist or you do not have access to it.", code="model_not_found")

    assert learned(404, body, api=Api.RESPONSES) is None


def test_no_streaming() -> None:
    assert learned(400, message("Streaming is not supported for this model")) == {"has_streaming": False}


@pytest.mark.parametrize("status", [401, 402, 403, 413, 429, 502, 503])
def test_other_statuses_say_nothing_about_abilities(status: int) -> None:
    assert learned(status, message("tools and response_format are not supported"), pictures=True) is None
