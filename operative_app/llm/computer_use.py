"""The native computer-use tool of the Responses API, mapped onto our own actions.

| native action | our action |
|---|---|
| click left, right | click, right_click |
| click wheel | click with the middle button |
| click back, forward | go_back, hotkey Alt+ArrowRight |
| double_click | double_click |
| move | hover |
| drag | drag from the first place of the path to the last |
| scroll | scroll at the place |
| type | type_text |
| keypress | press_key for one key, hotkey for several |
| screenshot | take_screenshot |
| wait | none: every step looks anew after the screen came to rest |

Places come in pixels of the picture that was sent and are turned into the unit of the ScreenState. Nothing is carried
out here: the calls go the way of all actions, declarations and policy included.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from operative_app.core.errors import ActionError
from operative_app.core.keys import key_name
from operative_app.llm.messages import ComputerScreen, NamedCall

_PREVIEW_MODELS = "computer-use-preview"
_KEYS = {
    "arrowleft": "ArrowLeft",
    "arrowright": "ArrowRight",
    "arrowup": "ArrowUp",
    "arrowdown": "ArrowDown",
    "divide": "/",
    "multiply": "*",
    "subtract": "-",
    "add": "+",
}
_CLICKS: dict[str, tuple[str, dict[str, Any]]] = {
    "left": ("click", {"button": "left"}),
    "right": ("right_click", {}),
    "wheel": ("click", {"button": "middle"}),
}


class UnknownCall(ValueError):
    """A native action that has no counterpart, or lacks what it needs; one sentence for the model."""


def tool(screen: ComputerScreen, model: str) -> dict[str, Any]:
    """The tool as it stands in a request."""
    if not model.rpartition("/")[2].startswith(_PREVIEW_MODELS):
        return {"type": "computer"}
    return {
        "type": "computer_use_preview",
        "display_width": screen.width_px,
        "display_height": screen.height_px,
        "environment": screen.environment,
    }


def action_calls(items: Iterable[dict[str, Any]], screen: ComputerScreen) -> tuple[NamedCall, ...]:
    """The calls of computer_call items, in order.

    Raises:
        UnknownCall: One cannot be mapped; none of them may be carried out then.
    """
    calls: list[NamedCall] = []
    for item in items:
        actions = item.get("actions") or [item.get("action")]
        for action in actions:
            if not isinstance(action, dict):
                raise UnknownCall("a computer call holds no action")
            calls.extend(_calls_of(action, screen))
    return tuple(calls)


def safety_checks(items: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """What the endpoint wants a person to see before these calls are carried out."""
    found: list[str] = []
    for item in items:
        for check in item.get("pending_safety_checks") or ():
            words = check.get("message") or check.get("code") or "The model's provider asks for a check."
            found.append(str(words))
    return tuple(found)


def _calls_of(action: dict[str, Any], screen: ComputerScreen) -> list[NamedCall]:
    kind = action.get("type")
    try:
        calls = _plain_calls(str(kind), action, screen)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UnknownCall(f"the computer action “{kind}” lacks a part or has a wrong one: {error}") from error
    except ActionError as error:
        raise UnknownCall(str(error)) from error
    held = [_key(name) for name in action.get("keys") or ()] if kind != "keypress" else []
    if not held or not calls:
        return calls
    return [
        *(NamedCall("key_down", {"key": key}) for key in held),
        *calls,
        *(NamedCall("key_up", {"key": key}) for key in reversed(held)),
    ]


def _plain_calls(kind: str, action: dict[str, Any], screen: ComputerScreen) -> list[NamedCall]:
    match kind:
        case "click":
            button = action.get("button", "left")
            if button == "back":
                return [NamedCall("go_back", {})]
            if button == "forward":
                return [NamedCall("hotkey", {"keys": ["Alt", "ArrowRight"]})]
            name, parameters = _CLICKS[button]
            return [NamedCall(name, _place(action, screen) | parameters)]
        case "double_click":
            return [NamedCall("double_click", _place(action, screen))]
        case "move":
            return [NamedCall("hover", _place(action, screen))]
        case "drag":
            path = action["path"]
            if len(path) < 2:
                raise ValueError("a drag needs two places")
            start, end = _place(path[0], screen), _place(path[-1], screen)
            ends = {"x1_px": start["x_px"], "y1_px": start["y_px"], "x2_px": end["x_px"], "y2_px": end["y_px"]}
            return [NamedCall("drag", ends)]
        case "scroll":
            distances = {
                "dx_css_px": float(action.get("scroll_x", 0)) * _scale_x(screen),
                "dy_css_px": float(action.get("scroll_y", 0)) * _scale_y(screen),
            }
            return [NamedCall("scroll", distances | _place(action, screen))]
        case "type":
            return [NamedCall("type_text", {"text": action["text"]})]
        case "keypress":
            keys = [_key(name) for name in action["keys"]]
            if not keys:
                raise ValueError("no key is named")
            return [NamedCall("press_key", {"key": keys[0]}) if len(keys) == 1 else NamedCall("hotkey", {"keys": keys})]
        case "screenshot":
            return [NamedCall("take_screenshot", {})]
        case "wait":
            return []
        case _:
            raise UnknownCall(f"there is no computer action “{kind}”")


def _place(action: dict[str, Any], screen: ComputerScreen) -> dict[str, Any]:
    """A place in pixels of the picture, in the unit of the ScreenState."""
    x_image_px, y_image_px = float(action["x"]), float(action["y"])
    if not (0 <= x_image_px < screen.width_px and 0 <= y_image_px < screen.height_px):
        size = f"{screen.width_px} x {screen.height_px}"
        raise ValueError(f"{x_image_px:g}, {y_image_px:g} lies outside the picture of {size} pixels")
    return {
        "x_px": screen.viewport.x_css_px + x_image_px * _scale_x(screen),
        "y_px": screen.viewport.y_css_px + y_image_px * _scale_y(screen),
    }


def _scale_x(screen: ComputerScreen) -> float:
    return screen.viewport.width_css_px / screen.width_px


def _scale_y(screen: ComputerScreen) -> float:
    return screen.viewport.height_css_px / screen.height_px


def _key(name: str) -> str:
    return _KEYS.get(name.lower()) or key_name(name)
