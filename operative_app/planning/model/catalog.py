"""The declared actions as a model is told of them, and calls of them read back.

Everything comes from the declarations: names, parameters with units, the surfaces. A model names elements by number; a
call is checked by the registry before it is anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, get_args

from operative_app.actions.declare import Action, Category
from operative_app.actions.registry import Registry
from operative_app.core.coordinates import ImageMap, ImagePoint
from operative_app.core.errors import ActionError
from operative_app.core.screen import Element, ElementRef, ScreenState, SurfaceKind, shorten

_TOLD_BY_NAME = frozenset(
    {
        *(
            "double_click",
            "right_click",
            "hover",
            "mouse_up",
            "key_down",
            "key_up",
            "select_all",
            "copy",
            "cut",
            "paste",
        ),
        *("undo", "close_tab", "switch_tab", "go_back", "read_clipboard", "write_clipboard"),
    }
)
"""Actions whose names say all there is to know of them: they are listed in one line, by their calls."""

_ELEMENT = "element"
"""What a model calls the parameter `target`."""

_PLACES = (("x_px", "y_px"), ("x1_px", "y1_px"), ("x2_px", "y2_px"))
_WORDS_FOR_ELEMENT = ("element", "index", "mark", "element_index", "number", "ref", "target")
_WORDS_FOR_NAME = ("do", "action", "name", "tool", "function", "type")
_WORDS_FOR_PARAMETERS = ("parameters", "arguments", "args", "params", "input")
_OTHER_NAMES = {
    "open_url": "navigate",
    "go_to_url": "navigate",
    "goto": "navigate",
    "input_text": "fill",
    "input_text_by_index": "fill",
    "click_element_by_index": "click_element",
    "send_keys": "press_key",
    "select": "select_option",
}
_OTHER_PARAMETERS = {"x": "x_px", "y": "y_px", "tab": "tab_id", "tab_index": "tab_id", "link": "url"}


class Catalog:
    """What a surface offers, in words, as a schema, and as a reader of calls. Any thread; immutable.

    Attributes:
        tools: The general ones of it, with which no page and no control is needed: the clipboard, programs, commands.
    """

    def __init__(self, registry: Registry, surface: SurfaceKind) -> None:
        self._registry = registry
        self._surface = surface
        self._actions = {cls.spec.name: cls for cls in registry.on(surface)}
        plain = [_call(cls) for name, cls in self._actions.items() if name in _TOLD_BY_NAME]
        told = [_documented(cls) for name, cls in self._actions.items() if name not in _TOLD_BY_NAME]
        self.text = "\n".join([*told, ", ".join(plain)])
        self.schema = _call_schema(self._actions)
        self.tools = "; ".join(_as_tool(cls) for cls in self._actions.values() if cls.spec.category is Category.SYSTEM)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._actions)

    def read(
        self,
        call: Mapping[str, Any],
        state: ScreenState,
        elements: Mapping[int, Element],
        image: ImageMap | None = None,
    ) -> Action:
        """An action from a model's call. What is unmistakable is read, the rest refused.

        Args:
            elements: The state's elements by the numbers the model was told.
            image: The picture the model saw and counts places on; None when it names places of the state itself.

        Raises:
            ActionError: Unknown action, unknown element, wrong or missing parameter; one sentence for the model.
        """
        name, given = _split(call)
        name, given = _usual(name, given, self._actions)
        cls = self._actions.get(name)
        if cls is None:
            raise ActionError(f"there is no action “{shorten(name, 40)}” here; there are: {', '.join(self._actions)}")
        read = _Reading(name, state, elements)
        parameters: dict[str, Any] = {}
        for key, value in given.items():
            if value is None:
                continue
            field = _field_of(cls, key)
            if field is None:
                raise ActionError(f"{name} has no parameter “{shorten(key, 40)}”; it takes {_signature(cls)}")
            parameters[field] = read.value(cls, field, value)
        missing = [
            _shown_name(field)
            for field, info in cls.model_fields.items()
            if info.is_required() and field not in parameters
        ]
        if missing:
            raise ActionError(f"{name} needs {' and '.join(missing)}; it takes {_signature(cls)}")
        if image is not None:
            parameters |= _places_of_state(parameters, image)
        return self._registry.read(name, parameters)


def _as_tool(cls: type[Action]) -> str:
    return f"{cls.spec.name}: {(cls.__doc__ or '').strip().split('.')[0].split(';')[0].lower()}"


@dataclass(frozen=True, slots=True)
class _Reading:
    name: str
    state: ScreenState
    elements: Mapping[int, Element]

    def value(self, cls: type[Action], field: str, value: Any) -> Any:
        if _takes_element(cls, field):
            return self.element(value, _shown_name(field))
        if field == "fields" and isinstance(value, list | tuple):
            return [self.entry(item) for item in value]
        kind = _kind(cls, field)
        if kind in {"number", "integer"}:
            number = _number(value, f"{self.name}: {_shown_name(field)}")
            return int(number) if kind == "integer" and number == int(number) else number
        if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if kind == "strings" and isinstance(value, str):
            return [value]
        return value

    def entry(self, item: Any) -> dict[str, Any]:
        """One field of a form: its element and what it is to hold."""
        if not isinstance(item, Mapping):
            raise ActionError(f"{self.name}: each of the fields is to be an object with element and value")
        number = next((item[word] for word in _WORDS_FOR_ELEMENT if word in item), None)
        value = item.get("value", item.get("text"))
        if number is None or value is None:
            raise ActionError(f"{self.name}: each of the fields needs element and value")
        shown = ("on" if value else "off") if isinstance(value, bool) else str(value)
        return {"target": self.element(number, _ELEMENT), "value": shown}

    def element(self, value: Any, shown: str) -> ElementRef:
        number = _number(value, f"{self.name}: {shown}")
        element = self.elements.get(int(number)) if number == int(number) else None
        if element is None:
            raise ActionError(f"{self.name}: there is no element {number:g} on the screen now")
        return self.state.ref(element)


def _places_of_state(parameters: Mapping[str, Any], image: ImageMap) -> dict[str, float]:
    """The places among the parameters, from the picture's numbers to the state's.

    Raises:
        ActionError: One is not on the picture.
    """
    found: dict[str, float] = {}
    for x, y in _PLACES:
        if x in parameters and y in parameters:
            point = image.to_state(ImagePoint(x_image_px=parameters[x], y_image_px=parameters[y]))
            found |= dict(zip((x, y), (value for _, value in point), strict=True))
    return found


def _split(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and parameters, however a model puts them."""
    for word in _WORDS_FOR_NAME:
        name = call.get(word)
        if isinstance(name, str) and name.strip():
            rest = {key: value for key, value in call.items() if key != word}
            inner = next((rest[one] for one in _WORDS_FOR_PARAMETERS if isinstance(rest.get(one), Mapping)), None)
            return name.strip(), dict(inner) if inner is not None else rest
        if isinstance(name, Mapping):
            return _split(name)
    if len(call) == 1:
        name, inner = next(iter(call.items()))
        if isinstance(inner, Mapping):
            return name, dict(inner)
    raise ActionError("an action needs its name as “do”")


def _usual(name: str, given: dict[str, Any], known: Mapping[str, object]) -> tuple[str, dict[str, Any]]:
    """Names that models have from elsewhere, as ours."""
    has_element = any(given.get(word) is not None for word in _WORDS_FOR_ELEMENT)
    if name == "click" and has_element:
        name = "click_element"
    elif name == "type_text" and has_element and "fill" in known:
        name = "fill"
    elif name not in known:
        name = _OTHER_NAMES.get(name, name)
    if name == "press_key" and "key" not in given and isinstance(given.get("keys"), str):
        given = {**given, "key": given["keys"]}
        del given["keys"]
    return name, given


def _field_of(cls: type[Action], key: str) -> str | None:
    """The declared parameter a model means by a key."""
    fields = cls.model_fields
    if key in fields:
        return key
    if key in _WORDS_FOR_ELEMENT:
        return next((field for field in fields if _takes_element(cls, field)), None)
    other = _OTHER_PARAMETERS.get(key)
    return other if other in fields else None


def _takes_element(cls: type[Action], field: str) -> bool:
    annotation = cls.model_fields[field].annotation
    return annotation is ElementRef or ElementRef in get_args(annotation)


def _kind(cls: type[Action], field: str) -> str:
    """number, integer, boolean, string, strings, fields or element."""
    if _takes_element(cls, field):
        return "element"
    annotation = cls.model_fields[field].annotation
    kinds = {annotation, *get_args(annotation)}
    if bool in kinds:
        return "boolean"
    if float in kinds:
        return "number"
    if int in kinds:
        return "integer"
    if Ellipsis in kinds:
        return "strings" if str in kinds else "fields"
    return "string"


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool):
        raise ActionError(f"{what} is to be a number, not {str(value).lower()}")
    if isinstance(value, int | float | str):
        try:
            number = float(value.strip().strip("[]#") if isinstance(value, str) else value)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            return number
    raise ActionError(f"{what} is to be a number, not “{shorten(str(value), 40)}”")


def _shown_name(field: str) -> str:
    return _ELEMENT if field == "target" else field


def _signature(cls: type[Action]) -> str:
    """Parameters in their order; optional ones with a question mark or their default."""
    parts: list[str] = []
    for field, info in cls.model_fields.items():
        choices = "|".join(_choices(cls, field))
        if info.is_required():
            parts.append(_shown_name(field))
        elif choices:
            parts.append(f"{_shown_name(field)}={choices}")
        elif info.default in {None, "", (), False} or not isinstance(info.default, str | int | float):
            parts.append(f"{_shown_name(field)}?")
        else:
            parts.append(f"{_shown_name(field)}={info.default}")
    return f"({', '.join(parts)})"


def _choices(cls: type[Action], field: str) -> tuple[str, ...]:
    """The values of a closed set, the default first."""
    info = cls.model_fields[field]
    annotation = info.annotation
    if not (isinstance(annotation, type) and issubclass(annotation, StrEnum)):
        return ()
    return tuple(sorted((one.value for one in annotation), key=lambda value: value != info.default))


def _documented(cls: type[Action]) -> str:
    """One line for an action: its name, its parameters, what it does."""
    return f"{_call(cls)}: {cls.spec.summary}"


def _call(cls: type[Action]) -> str:
    return f"{cls.spec.name}{_signature(cls)}"


def _call_schema(actions: Mapping[str, type[Action]]) -> dict[str, Any]:
    """One flat schema for a call of any of the actions: parameters that share a name share their type."""
    properties: dict[str, Any] = {"do": {"enum": list(actions)}}
    for cls in actions.values():
        for field in cls.model_fields:
            properties.setdefault(_shown_name(field), _type_schema(_kind(cls, field)))
    # Open on purpose: endpoints would make a closed object name each of the parameters of all actions in every call.
    return {"type": "object", "properties": properties, "required": ["do"], "additionalProperties": True}


def _fields_schema() -> dict[str, Any]:
    entry = {_ELEMENT: {"type": "integer"}, "value": {"type": "string"}}
    return {"type": "array", "items": {"type": "object", "properties": entry, "required": list(entry)}}


def _type_schema(kind: str) -> dict[str, Any]:
    match kind:
        case "element":
            return {"type": "integer"}
        case "strings":
            return {"type": "array", "items": {"type": "string"}}
        case "fields":
            return _fields_schema()
        case _:
            return {"type": kind}
