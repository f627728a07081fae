"""The schemas of replies. They are short, since they are sent with each request; the prompts say what a field means."""

from __future__ import annotations

from typing import Any

from operative_app.core.requests import HandOffKind
from operative_app.planning.model.catalog import Catalog
from operative_app.planning.model.replies import GoalRoute, Route

Schema = dict[str, Any]

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_FLAG = {"type": "boolean"}
_INTEGER = {"type": "integer"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _many(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _task_schema(depth: int, *, has_grants: bool = False) -> Schema:
    schema = _object(goal=_TEXT, done_when=_TEXT, by_human=_FLAG)
    if has_grants:  # in the first plan only: a later one cannot widen what may be touched
        schema["properties"] |= {"sites": _TEXTS, "folders": _TEXTS, "apps": _TEXTS}
    if depth:
        schema["properties"]["tasks"] = _many(_task_schema(depth - 1))
    return schema


def decision_schema(catalog: Catalog) -> Schema:
    """The schema of a decision on a surface."""
    return _object(
        last=_TEXT,
        thought=_TEXT,
        done=_many(_object(task=_INTEGER, evidence=_TEXT)),
        goal_achieved=_FLAG,
        confidence={"type": "number"},
        route={"enum": list(Route)},
        variants=_many(_many(catalog.schema)),
        expect=_object(text=_TEXT, url=_TEXT, gone=_TEXT),
        completes=_FLAG,
        risky=_FLAG,
        keep=_TEXT,
        answer=_TEXT,
        say=_TEXT,
        choices=_TEXTS,
        person={"enum": list(HandOffKind)},
        element=_INTEGER,
        show=_TEXT,
        tasks=_many(_task_schema(0)),
    )


def plan_schema() -> Schema:
    """The schema of a plan."""
    return _object(
        route={"enum": list(GoalRoute)},
        entities=_TEXTS,
        result=_TEXT,
        understanding=_TEXT,
        limits=_TEXTS,
        tasks=_many(_task_schema(1, has_grants=True)),
        output=_many(_task_schema(0)),
        check=_TEXT,
        say=_TEXT,
        answer=_TEXT,
        unclear=_TEXT,
        hint=_TEXT,
    )


LOOK_SCHEMA = _object(
    route=_TEXT,
    entities=_TEXTS,
    result=_TEXT,
    reasoning=_TEXT,
    achieved=_FLAG,
    evidence=_TEXT,
    confidence={"type": "number"},
)
SUMMARY_SCHEMA = _object(
    claims=_many(_object(text=_TEXT, step=_INTEGER, evidence=_TEXT)),
    changed=_many(_object(text=_TEXT, step=_INTEGER, evidence=_TEXT)),
    open=_TEXT,
)
HISTORY_SCHEMA = _object(summary=_TEXT)
