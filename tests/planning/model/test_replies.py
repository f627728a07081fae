"""Whatever a model sends is read as a reply or told to it as a fault; nothing else comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.planning.model.replies import (
    DecisionReply,
    HistoryReply,
    LookReply,
    PlanReply,
    ReplyFault,
    SummaryReply,
    read_decision,
    read_history,
    read_look,
    read_plan,
    read_summary,
)

Reader = Callable[[Mapping[str, Any]], Any]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "act", "A"]) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["do", "task", "actions"]), inner),
    max_leaves=4,
)


def replies_of(shape: type[Any], *others: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from([*shape.model_fields, *others]), ANYTHING, max_size=5)


def is_read(read: Reader, values: dict[str, Any]) -> bool:
    try:
        read(values)
    except ReplyFault:
        return False
    return True


@given(replies_of(DecisionReply, "actions", "calls", "action", "parameters"))
def test_any_decision_is_read_or_at_fault(values: dict[str, Any]) -> None:
    is_read(read_decision, values)


@given(replies_of(PlanReply), replies_of(LookReply), replies_of(SummaryReply), replies_of(HistoryReply))
def test_any_other_reply_is_read_or_at_fault(
    plan: dict[str, Any], look: dict[str, Any], summary: dict[str, Any], history: dict[str, Any]
) -> None:
    is_read(read_plan, plan)
    is_read(read_look, look)
    is_read(read_summary, summary)
    is_read(read_history, history)


@pytest.mark.parametrize(
    "values",
    [
        {"route": "wait", "say": "x", "completes": []},
        {"route": "wait", "say": "x", "element": {}},
        {"route": "act", "variants": [[0]]},
        {"route": "act", "variants": [[None, {"do": "go_back"}]]},
        {"calls": ["click"]},
        {"calls": [None]},
    ],
)
def test_parts_of_a_wrong_kind_are_faults(values: dict[str, Any]) -> None:
    assert not is_read(read_decision, values)


def test_a_person_of_a_wrong_kind_is_the_person_in_general() -> None:
    assert read_decision({"route": "hand_over", "say": "Please look.", "person": ["captcha"]}).person == "other"
