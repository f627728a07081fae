"""How bodies look at endpoints that cannot be asked in a test."""

from __future__ import annotations

from operative_app.core.endpoint import Api, Capabilities
from operative_app.core.screen import Box
from operative_app.llm import chat, responses
from operative_app.llm.messages import ComputerScreen
from operative_app.llm.wire import best_way, data_url
from tests.llm.asking import PICTURE, request

SCREEN = ComputerScreen(
    width_px=1280,
    height_px=800,
    viewport=Box(x_css_px=0, y_css_px=0, width_css_px=1280, height_css_px=800),
)


def test_openai_gets_newer_names_and_the_strict_form() -> None:
    way = best_way(Capabilities(), Api.CHAT, is_openai=True, wants_strict=True)

    body = chat.body(request(), way, "gpt-4.1", data_url)

    assert body["max_completion_tokens"] == 500
    assert "max_tokens" not in body
    bound = body["response_format"]["json_schema"]
    assert bound["strict"] is True
    assert bound["schema"]["required"] == ["action", "index"]
    assert body["stream_options"] == {"include_usage": True}


def test_others_get_the_schema_as_it_is() -> None:
    way = best_way(Capabilities(), Api.CHAT, is_openai=False, wants_strict=False)

    body = chat.body(request(), way, "stub", data_url)

    assert body["max_tokens"] == 500
    assert body["response_format"]["json_schema"]["schema"] == request().schema
    assert body["response_format"]["json_schema"]["strict"] is False


def test_what_is_refused_is_left_out() -> None:
    refused = frozenset({"stream_options", "max_tokens", "strict", "system"})
    known = Capabilities(refused_parameters=refused)
    way = best_way(known, Api.CHAT, is_openai=False, wants_strict=True)

    body = chat.body(request(PICTURE), way, "stub", data_url)

    assert "stream_options" not in body
    assert body["max_completion_tokens"] == 500
    assert "strict" not in body["response_format"]["json_schema"]
    assert [turn["role"] for turn in body["messages"]] == ["user"]
    assert body["messages"][0]["content"][0] == {"type": "text", "text": "You press buttons."}


def test_nothing_is_kept_at_the_responses_api() -> None:
    way = best_way(Capabilities(), Api.RESPONSES, is_openai=True, wants_strict=True)

    body = responses.body(request(), way, "gpt-5.4", data_url)

    assert body["store"] is False
    assert body["text"]["format"]["strict"] is True


def test_the_computer_tool_stands_beside_the_schema() -> None:
    way = best_way(Capabilities(), Api.RESPONSES, is_openai=True, wants_strict=True)

    new = responses.body(request(PICTURE, computer=SCREEN), way, "gpt-5.4", data_url)
    old = responses.body(request(PICTURE, computer=SCREEN), way, "computer-use-preview-2025-03-11", data_url)

    assert new["tools"] == [{"type": "computer"}]
    assert new["truncation"] == "auto"
    assert "format" in new["text"]
    assert old["tools"] == [
        {
            "type": "computer_use_preview",
            "display_width": 1280,
            "display_height": 800,
            "environment": "browser",
        }
    ]


def test_without_eyes_no_computer_tool_is_offered() -> None:
    way = best_way(Capabilities(has_vision=False), Api.RESPONSES, is_openai=True, wants_strict=True)

    body = responses.body(request(PICTURE, computer=SCREEN), way, "gpt-5.4", data_url)

    assert "tools" not in body
