from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operative_app.llm.reader import Unreadable, read_object, split_thoughts

STEP: dict[str, Any] = {
    "type": "object",
    "properties": {"action": {"type": "string"}, "index": {"type": "integer"}, "text": {"type": "string"}},
    "required": ["action", "index"],
    "additionalProperties": False,
}
CLICK_3 = {"action": "click", "index": 3}
ANY: dict[str, Any] = {"type": "object"}


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "click", "index": 3}',
        '  \n{"action": "click", "index": 3}\n',
        '```json\n{"action": "click", "index": 3}\n```',
        '```\n{"action": "click", "index": 3}```',
        'Sure! Here is the next step:\n{"action":"click","index":3}\nLet me know.',
        'First:\n```json\n{"action":"click","index":3}\n```\nThat is all.',
        '[{"action": "click", "index": 3}]',
        '{"action": "click", "index": "3"}',
        '{"action": "click", "index": 3.0, "text": null}',
        "{'action': 'click', 'index': 3,}",
        '{action: "click", index: 3}',
        '{"action": "click" "index": 3}',
        '{"name": "step", "arguments": {"action": "click", "index": 3}}',
        '<tool_call>\n{"name": "step", "arguments": "{\\"action\\": \\"click\\", \\"index\\": 3}"}\n</tool_call>',
        '{"action":"click","index":3} {"index":3,"action":"click"}',
        '{"thought": "no action here"} {"action":"click","index":3}',
    ],
)
def test_wrapping_is_seen_through(text: str) -> None:
    assert read_object(text, STEP, "step") == CLICK_3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"action": "type", "index": 2, "text": "Dear\nall"}', "Dear\nall"),
        ('{"action": "type", "index": 2, "text": "say "hi" now"}', 'say "hi" now'),
        ('{"action": "type", "index": 2, "text": "a ``` b {c} d"}', "a ``` b {c} d"),
        ('{"action": "type", "index": 2, "text": "<think>not a thought</think>"}', "<think>not a thought</think>"),
    ],
)
def test_words_are_kept_as_they_are(text: str, words: str) -> None:
    assert read_object(split_thoughts(text)[1], STEP)["text"] == words


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the reply is empty"),
        ("I cannot do that.", "the reply holds no JSON object"),
        ("3", "the reply must be one JSON object"),
        ('{"action": "type", "index": 2, "text": "Dear all, the meeti', "invalid JSON: it stops in the middle"),
        ('{"steps": [{"action": "click", "index": 3}', "invalid JSON"),
        ('{"action": "click", "index": 3 click}', "invalid JSON"),
        ('{"action": "click", "index": 3 // the third\n}', "invalid JSON"),
        ('{"action": "click", "action": "type", "index": 3}', "“action” stands twice"),
        ('{"action":"click","index":3} or {"action":"click","index":4}', "2 different objects"),
        ('{"action": "click"}', "index is missing"),
        ('{"action": "click", "index": 3, "wait": true}', "wait is unknown; known are action, index, text"),
        ('{"action": "click", "index": "third"}', 'index must be a whole number, not "third"'),
        ('{"action": "click", "index": null}', "index must be a whole number, not null"),
    ],
)
def test_what_cannot_be_used_is_named(text: str, fault: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_object(text, STEP)

    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("text", "thoughts", "answer"),
    [
        ('<think>maybe {"a":1}</think>{"b":2}', 'maybe {"a":1}', '{"b":2}'),
        ("<thinking>one</thinking>\n<think>two</think>\nthree", "one\ntwo", "three"),
        ('the opening was in the prompt</think>{"b":2}', "the opening was in the prompt", '{"b":2}'),
        ("<think>and never ends {", "and never ends {", ""),
        ('{"b": "</think>"}', "", '{"b": "</think>"}'),
        ("no thoughts", "", "no thoughts"),
    ],
)
def test_thoughts_are_split_off(text: str, thoughts: str, answer: str) -> None:
    assert split_thoughts(text) == (thoughts, answer)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@example(value={"": None, "}": None}, cut=0.75)
@example(value={"": None, "}𐀀": None}, cut=0.5)
@example(value={"}": None}, cut=0.75)
@example(value={"}": 1.5}, cut=0.85)
@example(value={"}": -1}, cut=0.8)
@example(value={"}": [1e300]}, cut=0.77)
@given(value=st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4), cut=st.floats(0.0, 0.999))
def test_a_cut_object_is_never_taken_for_a_whole_one(value: dict[str, Any], cut: float) -> None:
    text = json.dumps(value)
    part = text[: int(len(text) * cut)]

    with pytest.raises(Unreadable):
        read_object(part, ANY)


@given(value=st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4), is_plain=st.booleans())
def test_a_whole_object_comes_back_as_it_was(value: dict[str, Any], is_plain: bool) -> None:
    assert read_object(json.dumps(value, ensure_ascii=is_plain), ANY) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"tasks": ' + "[" * 900 + "]" * 900 + "}",
        '{"tasks": ' + '[{"tasks": ' * 480 + "[]" + "}]" * 480 + "}",
        "{a: " * 3000 + "1" + "}" * 3000,
        '{"tasks": ' + "[" * 450 + "1" + "]" * 450 + ",}",
    ],
)
def test_what_is_nested_without_end_is_a_fault_in_words(text: str) -> None:
    schema = {"type": "object", "properties": {"tasks": {"type": "array", "items": {"type": "array"}}}}
    with pytest.raises(Unreadable):
        read_object(text, schema)
