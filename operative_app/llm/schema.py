"""JSON schemas: does a value fit.

`fit` reads the keywords that action declarations and the planner's replies use: type, properties, required,
additionalProperties, items, prefixItems, enum, const, anyOf, oneOf, allOf, $ref into $defs, and the limits of numbers,
texts and lists. Others are left to the declarations, which check every action again.

What is unambiguous is put right: "3" where a whole number is asked for, null for what may be left out, an object
written as a string. Nothing is ever filled in.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER_LIMITS: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
    ("minimum", operator.ge, "at least"),
    ("maximum", operator.le, "at most"),
    ("exclusiveMinimum", operator.gt, "more than"),
    ("exclusiveMaximum", operator.lt, "less than"),
)
_MOST_FAULTS = 3
_MOST_NAMES = 60
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "integer": (int,),
    "null": (type(None),),
}
_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "null": "null",
}


class Unfit(ValueError):
    """A value does not fit; the message is one sentence that names the places."""


def fit(value: Any, schema: Schema) -> Any:
    """The value as the schema wants it.

    Raises:
        Unfit: It does not fit; at most three places are named.
    """
    faults: list[str] = []
    fitted = _Fitting(schema).fit(value, schema, "", faults)
    if faults:
        more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        raise Unfit("; ".join(faults[:_MOST_FAULTS]) + more)
    return fitted


class _Fitting:
    """One walk over a value and its schema."""

    def __init__(self, root: Schema) -> None:
        self._root = root

    def fit(self, value: Any, schema: Schema | bool, path: str, faults: list[str]) -> Any:
        if isinstance(schema, bool):
            if not schema:
                faults.append(f"{path or 'the reply'} must not be there")
            return value
        schema = self.resolved(schema)
        for part in schema.get("allOf", ()):
            value = self.fit(value, part, path, faults)
        if choices := schema.get("anyOf") or schema.get("oneOf"):
            value = self._one_of(value, choices, path, faults)
        if "const" in schema and not _same(value, schema["const"]):
            faults.append(f"{path or 'the reply'} must be {_shown(schema['const'])}, not {_shown(value)}")
            return value
        if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
            names = ", ".join(_shown(allowed) for allowed in schema["enum"][:_MOST_NAMES])
            faults.append(f"{path or 'the reply'}: {_shown(value)} is none of {names}")
            return value
        before = len(faults)
        value = self._typed(value, schema, path, faults)
        if len(faults) == before:
            value = self._inside(value, schema, path, faults)
        return value

    def resolved(self, schema: Schema) -> Schema:
        seen: set[str] = set()
        while "$ref" in schema:
            reference = str(schema["$ref"])
            if reference in seen or not reference.startswith("#/"):
                raise ValueError(f"the schema's reference {reference} leads nowhere")
            seen.add(reference)
            target: Any = self._root
            for part in reference[2:].split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            schema = {**target, **{key: item for key, item in schema.items() if key != "$ref"}}
        return schema

    def _typed(self, value: Any, schema: Schema, path: str, faults: list[str]) -> Any:
        wanted = schema.get("type")
        if wanted is None:
            return value
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        if any(_is_of(value, name) for name in names):
            return int(value) if isinstance(value, float) and names == ["integer"] else value
        for name in names:
            put_right = _converted(value, name)
            if put_right is not None:
                return put_right
        words = " or ".join(_WORDS.get(name, name) for name in names)
        faults.append(f"{path or 'the reply'} must be {words}, not {_shown(value)}")
        return value

    def _inside(self, value: Any, schema: Schema, path: str, faults: list[str]) -> Any:
        if isinstance(value, bool):
            return value
        match value:
            case dict():
                return self._members(value, schema, path, faults)
            case list():
                return self._items(value, schema, path, faults)
            case str():
                _check_length(len(value), schema, "minLength", "maxLength", "characters", path, faults)
            case int() | float():
                _check_number(value, schema, path, faults)
        return value

    def _members(self, value: dict[str, Any], schema: Schema, path: str, faults: list[str]) -> dict[str, Any]:
        known: Schema = schema.get("properties", {})
        required = schema.get("required", ())
        others = schema.get("additionalProperties", True)
        fitted: dict[str, Any] = {}
        for name in required:
            if name not in value:
                faults.append(f"{_join(path, name)} is missing")
        for name, item in value.items():
            if name in known:
                if item is None and name not in required and not self._may_be_null(known[name]):
                    continue  # null stands for left out, as in the strict form
                fitted[name] = self.fit(item, known[name], _join(path, name), faults)
            elif others is False:
                faults.append(f"{_join(path, name)} is unknown; known are {', '.join(list(known)[:_MOST_NAMES])}")
            else:
                fitted[name] = item if others is True else self.fit(item, others, _join(path, name), faults)
        return fitted

    def _items(self, value: list[Any], schema: Schema, path: str, faults: list[str]) -> list[Any]:
        _check_length(len(value), schema, "minItems", "maxItems", "entries", path, faults)
        first = schema.get("prefixItems", ())
        rest = schema.get("items", True)
        return [
            self.fit(item, first[number] if number < len(first) else rest, f"{path}[{number}]", faults)
            for number, item in enumerate(value)
        ]

    def _may_be_null(self, schema: Schema | bool) -> bool:
        if isinstance(schema, bool):
            return schema
        faults: list[str] = []
        self.fit(None, schema, "", faults)
        return not faults

    def _one_of(self, value: Any, choices: list[Schema | bool], path: str, faults: list[str]) -> Any:
        branches = [self.resolved(choice) if isinstance(choice, dict) else {} for choice in choices]
        for name in _tags(branches, self.resolved) if isinstance(value, dict) else ():
            chosen = [
                branch
                for branch in branches
                if name in value and any(_same(value[name], tag) for tag in self._tag_values(branch, name))
            ]
            if len(chosen) == 1:
                return self.fit(value, chosen[0], path, faults)
            if not chosen:
                allowed = [tag for branch in branches for tag in self._tag_values(branch, name)]
                names = ", ".join(_shown(tag) for tag in allowed[:_MOST_NAMES])
                got = _shown(value[name]) if name in value else "nothing"
                faults.append(f"{_join(path, name)}: {got} is none of {names}")
                return value
        attempts: list[tuple[Any, list[str]]] = []
        for branch in branches:
            found: list[str] = []
            fitted = self.fit(value, branch, path, found)
            if not found and fitted == value and type(fitted) is type(value):
                return fitted
            attempts.append((fitted, found))
        best_value, best_faults = min(attempts, key=lambda attempt: len(attempt[1]))
        faults.extend(best_faults)
        return best_value

    def _tag_values(self, branch: Schema, name: str) -> list[Any]:
        tag = branch.get("properties", {}).get(name, {})
        tag = self.resolved(tag) if isinstance(tag, dict) else {}
        return [tag["const"]] if "const" in tag else list(tag.get("enum", ()))


def _tags(branches: list[Schema], resolved: Any) -> list[str]:
    """Names of members that tell the branches apart: constant in each of them."""
    objects = [branch for branch in branches if branch.get("type") != "null"]
    if len(objects) < 2:
        return []
    names: list[str] = []
    for name in objects[0].get("properties", {}):
        parts = [branch.get("properties", {}).get(name) for branch in objects]
        if all(isinstance(part, dict) and ("const" in (whole := resolved(part)) or "enum" in whole) for part in parts):
            names.append(name)
    return names


def _is_of(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _converted(value: Any, name: str) -> Any:
    """The value in the type asked for when there is no doubt, otherwise None."""
    if name == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if name == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if name in ("integer", "number") and _NUMBER.fullmatch(text):
        number = float(text)
        if name == "number":
            return int(text) if text.lstrip("-").isdigit() else number
        return int(number) if number.is_integer() else None
    if name in ("object", "array") and text[:1] in ("{", "["):
        try:
            inner = json.loads(text, strict=False)
        except ValueError:
            return None
        return inner if _is_of(inner, name) else None
    return None


def _same(value: Any, other: Any) -> bool:
    return isinstance(value, bool) is isinstance(other, bool) and bool(value == other)


def _check_length(length: int, schema: Schema, least: str, most: str, what: str, path: str, faults: list[str]) -> None:
    if length < schema.get(least, 0):
        faults.append(f"{path or 'the reply'} needs at least {schema[least]} {what}")
    if most in schema and length > schema[most]:
        faults.append(f"{path or 'the reply'} may have {schema[most]} {what} at most, not {length}")


def _check_number(value: float, schema: Schema, path: str, faults: list[str]) -> None:
    for keyword, is_within, words in _NUMBER_LIMITS:
        if keyword in schema and not is_within(value, schema[keyword]):
            faults.append(f"{path or 'the reply'} must be {words} {schema[keyword]}, not {value}")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"
