from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from operative_app.actions.registry import Registry
from operative_app.llm.schema import Unfit, fit
from operative_app.llm.strict_schema import strict_form


class Click(BaseModel):
    name: Literal["click"]
    index: int
    note: str | None = None


class Type(BaseModel):
    name: Literal["type"]
    index: int
    text: str = Field(min_length=1)
    delay_ms: float = Field(default=0, ge=0, le=1000)


class Step(BaseModel):
    why: str = ""
    actions: tuple[Click | Type, ...] = Field(min_length=1, max_length=2)
    confidence: float | None = None


SCHEMA = Step.model_json_schema()


def test_what_fits_comes_back() -> None:
    step = {"why": "so", "actions": [{"name": "click", "index": 3}], "confidence": 0.5}

    assert fit(step, SCHEMA) == step


def test_what_is_unambiguous_is_put_right() -> None:
    step = {"why": 7, "actions": '[{"name": "type", "index": "3", "text": "x", "delay_ms": "2.5"}]', "confidence": None}

    assert fit(step, SCHEMA) == {
        "why": "7",
        "actions": [{"name": "type", "index": 3, "text": "x", "delay_ms": 2.5}],
        "confidence": None,
    }


def test_null_for_what_may_be_left_out_is_left_out() -> None:
    assert fit({"why": None, "actions": [{"name": "click", "index": 1}]}, SCHEMA) == {
        "actions": [{"name": "click", "index": 1}]
    }


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        ([{"name": "teleport", "to": "moon"}], 'actions[0].name: "teleport" is none of "click", "type"'),
        ([{"index": 3}], 'actions[0].name: nothing is none of "click", "type"'),
        ([{"name": "type", "index": 3}], "actions[0].text is missing"),
        ([{"name": "type", "index": 3, "text": ""}], "actions[0].text needs at least 1 characters"),
        (
            [{"name": "type", "index": 3, "text": "x", "delay_ms": 5000}],
            "actions[0].delay_ms must be at most 1000, not 5000",
        ),
        ([{"name": "click", "index": True}], "actions[0].index must be a whole number, not true"),
        ([{"name": "click", "index": 2.5}], "actions[0].index must be a whole number, not 2.5"),
        ([], "actions needs at least 1 entries"),
        ([{"name": "click", "index": 1}] * 3, "actions may have 2 entries at most, not 3"),
        ("click", 'actions must be a list, not "click"'),
        (None, "actions must be a list, not null"),
    ],
)
def test_one_wrong_place_is_one_short_sentence(actions: Any, fault: str) -> None:
    with pytest.raises(Unfit) as caught:
        fit({"actions": actions}, SCHEMA)

    assert str(caught.value) == fault


def test_many_faults_are_counted() -> None:
    actions = [{"name": "type"}, {"name": "type"}]

    with pytest.raises(Unfit, match="and 1 more"):
        fit({"actions": actions}, SCHEMA)


def test_the_strict_form_closes_and_requires_everything() -> None:
    strict = strict_form(SCHEMA)

    assert strict is not None
    assert strict["required"] == ["why", "actions", "confidence"]
    assert strict["additionalProperties"] is False
    assert strict["properties"]["why"]["type"] == ["string", "null"]
    click = strict["$defs"]["Click"]
    assert click["required"] == ["name", "index", "note"]
    assert "default" not in str(strict)
    assert fit({"why": None, "actions": [{"name": "click", "index": 1, "note": None}], "confidence": None}, SCHEMA)


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "object", "properties": {}}]},
        {"type": "object", "properties": {"any": {"type": "object"}}},
        {"type": "object", "properties": {"map": {"type": "object", "additionalProperties": {"type": "string"}}}},
        {"type": "object", "properties": {"list": {"type": "array"}}},
    ],
)
def test_what_strict_endpoints_cannot_hold_has_no_strict_form(schema: dict[str, Any]) -> None:
    assert strict_form(schema) is None


@pytest.mark.parametrize("action", Registry(), ids=lambda action: action.spec.name)
def test_every_declared_action_has_a_strict_form(action: Any) -> None:
    strict = strict_form(Registry().schema(action.spec.name))

    assert strict is not None
    assert strict["required"] == list(strict["properties"])
