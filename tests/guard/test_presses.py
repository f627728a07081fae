from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pytest

from operative_app.guard.chords import parse_chord
from operative_app.guard.presses import Presses


class FakeKeyboard:
    """Names of keys as pynput has them, for presses a display cannot repeat: the guard lets go of them."""

    class Key(StrEnum):
        ctrl_l = "ctrl_l"
        ctrl_r = "ctrl_r"
        alt_l = "alt_l"
        alt_gr = "alt_gr"
        shift = "shift"
        esc = "esc"


@dataclass(frozen=True)
class Code:
    """A key as pynput tells one that has no name."""

    char: str | None = None
    vk: int = 0


KEY = FakeKeyboard.Key
META = Code(vk=0xFFE7)


def of(chord: str, **told: object) -> Presses:
    return Presses(parse_chord(chord), FakeKeyboard(), **told)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "order", [(KEY.ctrl_l, KEY.alt_l, KEY.esc), (KEY.alt_gr, KEY.ctrl_r, KEY.esc), (KEY.esc, KEY.ctrl_l, KEY.alt_l)]
)
def test_the_chord_is_complete_with_its_last_key_whichever_that_is(order: tuple[StrEnum, ...]) -> None:
    presses = of("ctrl+alt+escape")
    assert [presses.press(key) for key in order] == [False, False, True]


def test_a_held_key_that_repeats_is_one_press() -> None:
    presses = of("ctrl+alt+escape")
    for key in (KEY.ctrl_l, KEY.alt_l):
        assert not presses.press(key)

    assert [presses.press(KEY.esc) for _ in range(3)] == [True, False, False]
    presses.release(KEY.esc)
    assert presses.press(KEY.esc)


def test_a_key_that_is_held_by_something_else_does_not_hide_the_chord() -> None:
    presses = of("ctrl+alt+escape")
    assert [presses.press(KEY.esc) for _ in range(2)] == [False, False]
    presses.press(KEY.ctrl_l)
    assert presses.press(KEY.alt_l)


def test_an_alt_that_changes_its_name_with_shift_is_let_go_of_all_the_same() -> None:
    presses = of("ctrl+alt+escape")
    for key in (KEY.alt_l, KEY.shift):
        presses.press(key)
    presses.release(META)
    presses.release(KEY.shift)
    presses.press(KEY.ctrl_l)
    assert not presses.press(KEY.esc)


def test_what_the_system_has_down_counts_too() -> None:
    held: set[str] = set()
    presses = of("ctrl+alt+escape", held=lambda: held)
    presses.press(KEY.alt_l)
    assert not presses.press(KEY.esc)
    presses.release(KEY.esc)
    held |= {"ctrl", "alt"}
    assert presses.press(KEY.esc)


@pytest.mark.parametrize(
    ("typed", "is_it"), [(Code("k"), True), (Code("K"), True), (Code("л", 0x6CC), True), (Code("a"), False)]
)
def test_a_letter_is_its_key_in_any_layout(typed: Code, is_it: bool) -> None:
    presses = of("ctrl+k", letters=lambda key: {"k"} if key.vk == 0x6CC else {"x"})
    presses.press(KEY.ctrl_l)
    assert presses.press(typed) is is_it
