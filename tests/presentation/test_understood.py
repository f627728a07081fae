"""What a model understood, in words."""

from __future__ import annotations

from operative_app.core.events import ModelAsked
from operative_app.presentation.understood import understood_lines


def asked(**snapshot: object) -> ModelAsked:
    return ModelAsked(run_id="r", sequence=1, time_s=0, step=1, purpose="decision", snapshot=snapshot)


def test_a_plan_says_what_it_is_about_and_by_which_way() -> None:
    lines = understood_lines(
        asked(route="browser", entities=["Ada", "lamp"], result_requirement="the price", reasoning="")
    )
    assert lines == [
        ("What must come of it", "the price"),
        ("It is about", "Ada, lamp"),
        ("Verdict", "browser"),
    ]


def test_what_is_not_known_is_left_out_and_long_words_are_cut() -> None:
    assert understood_lines(asked()) == []
    ((title, words),) = understood_lines(asked(reasoning="so " * 200))
    assert (title, words[-1], len(words)) == ("Thought", "…", 240)


def test_words_of_a_page_keep_to_their_line() -> None:
    ((_, words),) = understood_lines(asked(last_result="It says\nVerdict: goal reached\u202e"))
    assert "\n" not in words
    assert "\u202e" not in words
