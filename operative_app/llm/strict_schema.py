"""The form of a JSON schema that strict endpoints take, which keep to it to the letter."""

from __future__ import annotations

from typing import Any, cast

from operative_app.llm.schema import Schema

_DROPPED = frozenset(
    ("default", "title", "discriminator", "examples", "minLength", "maxLength", "uniqueItems", "prefixItems", "$schema")
)
_IMPOSSIBLE = frozenset(("allOf", "not", "if", "then", "else", "patternProperties", "dependentRequired", "contains"))


def strict_form(schema: Schema) -> Schema | None:
    """The schema as strict endpoints want it, None when it cannot be written so.

    Every object is closed and all its members are required; those that may be left out may be null instead, which
    `fit` takes for left out.
    """
    if "anyOf" in schema or "oneOf" in schema or schema.get("type") != "object":
        return None
    return cast("Schema | None", _strict(schema))


def _strict(node: Any) -> Any:
    if isinstance(node, bool):
        return None
    if _IMPOSSIBLE & node.keys():
        return None
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    if node.get("type") == "object" and "properties" not in node:
        return None
    if isinstance(node.get("additionalProperties"), dict) or node.get("additionalProperties") is True:
        return None
    if node.get("type") == "array" and not isinstance(node.get("items"), dict):
        return None
    strict: Schema = {}
    for key, item in node.items():
        if key in _DROPPED:
            continue
        match key:
            case "properties":
                parts = {name: _strict(part) for name, part in item.items()}
                required = set(node.get("required", ()))
                if any(part is None for part in parts.values()):
                    return None
                strict[key] = {name: part if name in required else _or_null(part) for name, part in parts.items()}
            case "$defs":
                strict[key] = {name: _strict(part) for name, part in item.items()}
                if any(part is None for part in strict[key].values()):
                    return None
            case "items":
                strict[key] = _strict(item)
                if strict[key] is None:
                    return None
            case "anyOf" | "oneOf":
                strict["anyOf"] = [_strict(part) for part in item]
                if any(part is None for part in strict["anyOf"]):
                    return None
            case _:
                strict[key] = item
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


def _or_null(part: Schema) -> Schema:
    kind = part.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return part
    if "anyOf" in part:
        has_null = any(choice.get("type") == "null" for choice in part["anyOf"])
        return part if has_null else {**part, "anyOf": [*part["anyOf"], {"type": "null"}]}
    if isinstance(kind, str) and "enum" not in part and "const" not in part:
        return {**part, "type": [kind, "null"]}
    return {"anyOf": [part, {"type": "null"}]}
