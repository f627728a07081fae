"""Calls from outside: whatever comes, it becomes an action or one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.actions.declare import Action
from operative_app.actions.registry import ALL_ACTIONS, Registry
from operative_app.core.errors import ActionError
from tests.actions.calls import CALLS

REGISTRY = Registry()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def parameters(cls: type[Action]) -> st.SearchStrategy[dict[str, object]]:
    """Known and unknown names, each with anything, over a call that fits."""
    good = json.loads(CALLS[cls].action.model_dump_json())
    names = st.sampled_from([*cls.model_fields, "nonsense"])
    return st.dictionaries(names, JSON, max_size=4).map(lambda changed: good | changed)


def read_or_told(name: str, given_parameters: Mapping[str, object]) -> Action | str:
    try:
        return REGISTRY.read(name, given_parameters)
    except ActionError as error:
        return str(error)


@given(st.data())
def test_any_json_becomes_an_action_or_one_sentence(data: st.DataObject) -> None:
    cls = data.draw(st.sampled_from(ALL_ACTIONS))
    given_parameters = data.draw(parameters(cls) | st.dictionaries(st.text(max_size=12), JSON, max_size=4))
    read = read_or_told(cls.spec.name, given_parameters)
    if isinstance(read, str):
        assert "\n" not in read
        assert read.startswith(f"{cls.spec.name} cannot be used like that: ")
    else:
        assert isinstance(read, cls)
        assert read.words


@given(st.text(max_size=20).filter(lambda name: name not in {cls.spec.name for cls in ALL_ACTIONS}))
def test_an_unknown_name_is_told(name: str) -> None:
    with pytest.raises(ActionError, match="there is no action"):
        REGISTRY.read(name, {})


@pytest.mark.parametrize("cls", ALL_ACTIONS, ids=lambda cls: cls.spec.name)
def test_a_call_is_read_back_from_its_json_and_every_parameter_says_what_it_is(cls: type[Action]) -> None:
    action = CALLS[cls].action
    assert REGISTRY.read(cls.spec.name, json.loads(action.model_dump_json())) == action
    for name, shape in REGISTRY.schema(cls.spec.name)["properties"].items():
        assert shape.get("description"), name
        if name.endswith("_s"):
            assert "seconds" in shape["description"]
        if name.endswith("_ms"):
            assert "milliseconds" in shape["description"]
        if name.endswith("_px"):
            assert "pixels" in shape["description"]
