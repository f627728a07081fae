from __future__ import annotations

import json
from typing import Any

import pytest

from operative_app.actions.registry import Registry
from operative_app.core.screen import Box
from operative_app.llm.computer_use import UnknownCall, action_calls
from operative_app.llm.errors import BadReply
from operative_app.llm.messages import ComputerScreen, NamedCall
from tests.llm.asking import PICTURE, Asked, Memory, Wire, request
from tests.llm.endpoint_server import Sends, chat_body, error_reply

SCREEN = ComputerScreen(
    width_px=640,
    height_px=400,
    viewport=Box(x_css_px=-100, y_css_px=50, width_css_px=1280, height_css_px=800),
)
"""A picture at half the size, of a screen that begins left of and below the origin."""


def calls(*actions: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    found = action_calls([{"type": "computer_call", "actions": list(actions)}], SCREEN)
    return [(call.name, dict(call.parameters)) for call in found]


PLACE = {"x_px": 100.0, "y_px": 450.0}
AT = {"x": 100, "y": 200}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "button": "left", **AT}, [("click", PLACE | {"button": "left"})]),
        ({"type": "click", "button": "right", **AT}, [("right_click", PLACE)]),
        ({"type": "click", "button": "wheel", **AT}, [("click", PLACE | {"button": "middle"})]),
        ({"type": "click", "button": "back", **AT}, [("go_back", {})]),
        ({"type": "click", "button": "forward", **AT}, [("hotkey", {"keys": ["Alt", "ArrowRight"]})]),
        ({"type": "double_click", **AT}, [("double_click", PLACE)]),
        ({"type": "move", **AT}, [("hover", PLACE)]),
        (
            {"type": "drag", "path": [{"x": 100, "y": 200}, {"x": 150, "y": 210}, {"x": 200, "y": 220}]},
            [("drag", {"x1_px": 100.0, "y1_px": 450.0, "x2_px": 300.0, "y2_px": 490.0})],
        ),
        (
            {"type": "scroll", "scroll_x": 0, "scroll_y": 120, **AT},
            [("scroll", PLACE | {"dx_css_px": 0.0, "dy_css_px": 240.0})],
        ),
        ({"type": "type", "text": "Ada\nLovelace"}, [("type_text", {"text": "Ada\nLovelace"})]),
        ({"type": "keypress", "keys": ["ENTER"]}, [("press_key", {"key": "Enter"})]),
        ({"type": "keypress", "keys": ["CTRL", "SHIFT", "T"]}, [("hotkey", {"keys": ["Control", "Shift", "T"]})]),
        ({"type": "keypress", "keys": ["ARROWDOWN"]}, [("press_key", {"key": "ArrowDown"})]),
        ({"type": "screenshot"}, [("take_screenshot", {})]),
        ({"type": "wait"}, []),
        (
            {"type": "click", "button": "left", "keys": ["SHIFT"], **AT},
            [("key_down", {"key": "Shift"}), ("click", PLACE | {"button": "left"}), ("key_up", {"key": "Shift"})],
        ),
    ],
    ids=lambda value: value.get("type", "") if isinstance(value, dict) else "",
)
def test_native_actions_become_our_own(action: dict[str, Any], expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls(action) == expected
    for name, parameters in expected:
        assert Registry().read(name, parameters).name == name


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "teleport"}, "there is no computer action “teleport”"),
        ({"type": "click", "button": "left", "x": 100}, "“click” lacks a part"),
        ({"type": "click", "button": "left", "x": 640, "y": 10}, "outside the picture of 640 x 400 pixels"),
        ({"type": "click", "button": "left", "x": -1, "y": 10}, "outside the picture"),
        ({"type": "click", "button": "fourth", **AT}, "“click” lacks a part"),
        ({"type": "drag", "path": [AT]}, "a drag needs two places"),
        ({"type": "keypress", "keys": ["NoSuchKey"]}, "There is no key “NoSuchKey”"),
        ({"type": "keypress", "keys": []}, "“keypress” lacks a part"),
    ],
)
def test_what_has_no_counterpart_is_named(action: dict[str, Any], words: str) -> None:
    with pytest.raises(UnknownCall) as caught:
        calls({"type": "wait"}, action)

    assert words in str(caught.value)


CALL = {
    "type": "computer_call",
    "id": "cu_0",
    "call_id": "call_0",
    "status": "completed",
    "action": {"type": "click", "button": "left", "x": 100, "y": 200},
    "pending_safety_checks": [{"id": "sc_0", "code": "malicious_instructions", "message": "The page gives orders."}],
}


@pytest.mark.parametrize("wire", [Wire.RESPONSES, Wire.RESPONSES_STREAM])
def test_a_native_call_comes_as_calls_with_its_safety_checks(wire: Wire) -> None:
    script = [Sends(chat_body(None, computer_items=[CALL]))]
    asked = Asked(script, request(PICTURE, computer=SCREEN), wire=wire)

    reply = asked.reply
    assert reply.calls == (NamedCall("click", PLACE | {"button": "left"}),)
    assert reply.content == {}
    assert reply.safety_checks == ("The page gives orders.",)
    assert asked.requests[0].body["tools"] == [{"type": "computer"}]
    assert asked.capabilities.has_computer_use


def test_a_native_call_that_was_not_offered_is_a_bad_reply() -> None:
    asked = Asked([Sends(chat_body(None, computer_items=[CALL]))], wire=Wire.RESPONSES)

    assert asked.error(BadReply).fault == "the computer tool was not offered"


def test_a_model_without_the_computer_tool_is_asked_without_it() -> None:
    script = [
        error_reply(400, "Tool 'computer' is not supported with stub.", when=lambda sent: '"computer"' in sent.text),
        Sends(chat_body(json.dumps({"index": 3}))),
    ]
    memory = Memory()
    asked = Asked(script, request(PICTURE, computer=SCREEN), wire=Wire.RESPONSES, memory=memory)

    assert asked.reply.content == {"index": 3}
    assert asked.capabilities.refused_parameters == frozenset({"computer"})
    assert not asked.capabilities.has_computer_use
