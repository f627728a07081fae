"""The actions as a table, read from their declarations: for the command line and the reference page."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from operative_app.actions.declare import Action, Postcondition, Precondition
from operative_app.core.screen import ElementRef
from operative_app.core.values import Value

_TYPE_WORDS: dict[object, str] = {str: "text", int: "whole number", float: "number", bool: "yes or no"}
_UNITS = {"_css_px": "px", "_px": "px", "_ms": "ms", "_s": "s"}


class ParameterRow(Value):
    """One parameter. `unit` is "" where it has none; `default` in words, "" when it has to be given."""

    name: str
    type: str
    unit: str = ""
    default: str = ""
    description: str = ""


class ActionRow(Value):
    """One action: what it needs, does and promises."""

    name: str
    category: str
    summary: str
    parameters: tuple[ParameterRow, ...]
    surfaces: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    reversibility: str
    effect: str


def reference(actions: Iterable[type[Action]]) -> list[ActionRow]:
    """A row for each action, in their order."""
    return [_row(cls) for cls in actions]


def reference_page(rows: Sequence[ActionRow]) -> str:
    """The rows as a Markdown page."""
    lines = [
        "# The actions",
        "",
        f"{len(rows)} primitives, each declared once in this folder. `packaging/write-reference` makes this page",
        "from the declarations; change them, not it. The checks before and after look at the ScreenState. What has the",
        "effect “composite” does nothing by itself: each of its parts is checked, judged and recorded.",
    ]
    category = ""
    for row in rows:
        if row.category != category:
            category = row.category
            count = sum(1 for one in rows if one.category == category)
            lines += ["", f"## {category.capitalize()} ({count})"]
        lines += ["", f"### `{row.name}`", "", row.summary, ""]
        lines += [f"- on: {', '.join(row.surfaces)} · {row.reversibility} · effect: {row.effect}"]
        lines += [f"- `{one.name}`{_shape(one)}: {one.description}" for one in row.parameters]
        lines += [f"- before: {one}" for one in row.before]
        lines += [f"- after: {one}" for one in row.after]
    return "\n".join(lines) + "\n"


def parameter_words(one: ParameterRow) -> str:
    """Type, unit and default of a parameter: “number, px; by default 0”."""
    words = f"{one.type}, {one.unit}" if one.unit else one.type
    return f"{words}; by default {one.default}" if one.default else words


def _shape(one: ParameterRow) -> str:
    return f" ({parameter_words(one)})"


def _row(cls: type[Action]) -> ActionRow:
    spec = cls.spec
    return ActionRow(
        name=spec.name,
        category=spec.category,
        summary=" ".join(spec.summary.split()),
        parameters=tuple(_parameter(name, field) for name, field in cls.model_fields.items()),
        surfaces=tuple(sorted(spec.surfaces)),
        before=tuple(_condition(one) for one in spec.pre),
        after=tuple(_condition(one) for one in spec.post),
        reversibility=spec.reversibility,
        effect=spec.effect,
    )


def _parameter(name: str, field: FieldInfo) -> ParameterRow:
    return ParameterRow(
        name=name,
        type=_type_words(field.annotation),
        unit=next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), ""),
        default="" if field.is_required() else _default_words(field.default),
        description=field.description or "",
    )


def _type_words(annotation: Any) -> str:
    if get_origin(annotation) in {UnionType, Union}:
        return " or ".join(_type_words(one) for one in get_args(annotation) if one is not NoneType)
    if get_origin(annotation) is tuple:
        return f"list of {_type_words(get_args(annotation)[0])}"
    if annotation is ElementRef:
        return "element"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " | ".join(str(one.value) for one in annotation)
    if isinstance(annotation, type) and issubclass(annotation, Value):
        return " with ".join(("entries", " and ".join(annotation.model_fields)))
    return _TYPE_WORDS[annotation]


def _default_words(value: object) -> str:
    match value:
        case None | "" | ():
            return "none"
        case bool():
            return "yes" if value else "no"
        case Enum():
            return str(value.value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _condition(condition: Precondition | Postcondition) -> str:
    """The first sentence of its docstring, after the parameter it is about."""
    told = " ".join(inspect.cleandoc(type(condition).__doc__ or "").split("\n\n")[0].split())
    sentence = f"{told.split('. ')[0].rstrip('.')}."
    names = [getattr(condition, name, "") for name in ("parameter", "x", "y")]
    about = names[0] or ", ".join(one for one in names[1:] if one)
    return f"`{about}`: {sentence}" if about else sentence
