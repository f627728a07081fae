"""Which key gives which character, told from the map of the server."""

from __future__ import annotations

import pytest

from operative_app.surfaces.desktop.input.x11_keymap import KeyMap, Stroke, character_of, keysym_of

SHIFT, LEVEL3, CAPS, NUM = 0xFFE1, 0xFE03, 0xFFE5, 0xFF7F
FRENCH = [
    [SHIFT],  # 8
    [LEVEL3],  # 9
    [CAPS],  # 10
    [NUM],  # 11
    [0xE9, 0x32, 0xE9, 0x32, 0x7E, 0xAC3, 0x7E],  # 12: é 2 ~
    [0xFE52, 0xFE57, 0xFE52, 0xFE57, 0, 0, 0],  # 13: dead circumflex
    [0x61, 0x41, 0x6C6, 0x6E6, 0, 0, 0],  # 14: a A, and Cyrillic ф Ф in the second group
    [0, 0, 0, 0, 0, 0, 0],  # 15: spare
    [0xFFB2, 0xFFB2, 0, 0, 0, 0, 0],  # 16: a key of the number pad
    [0x20AC, 0, 0, 0, 0, 0, 0],  # 17: €
]
MODIFIERS = [[8, 0], [10, 0], [0, 0], [0, 0], [11, 0], [0, 0], [0, 0], [9, 0]]


@pytest.fixture
def french() -> KeyMap:
    return KeyMap(8, FRENCH, MODIFIERS)


@pytest.mark.parametrize(
    ("character", "group", "expected"),
    [
        ("é", 0, Stroke(12)),
        ("2", 0, Stroke(12, has_shift=True)),
        ("~", 0, Stroke(12, has_level3=True)),
        ("a", 0, Stroke(14)),
        ("A", 0, Stroke(14, has_shift=True)),
        ("€", 0, Stroke(17)),
        ("ф", 1, Stroke(14)),
        ("Ф", 1, Stroke(14, has_shift=True)),
        ("ф", 0, None),
        ("~", 1, None),
        ("a", 1, None),
        ("a", 2, None),
        ("^", 0, None),  # a dead key alone gives no character
        ("好", 0, None),
    ],
)
def test_a_character_is_found_by_key_and_level(
    french: KeyMap, character: str, group: int, expected: Stroke | None
) -> None:
    assert french.stroke(character, group) == expected


def test_keys_without_a_symbol_are_spare(french: KeyMap) -> None:
    assert french.spare == (15,)


def test_the_first_key_without_a_symbol_is_left_to_other_tools() -> None:
    """xdotool takes it, and would let go of another one if it were given a symbol between press and release."""
    rows = [[0], [97], [0], [0]]
    assert KeyMap(8, rows, [[]] * 8).spare == (11, 10)


def test_a_level_whose_modifier_is_attached_to_nothing_is_not_used() -> None:
    keymap = KeyMap(8, FRENCH, [[8], [10], [0], [0], [11], [0], [0], [0]])
    assert keymap.stroke("~", 0) is None
    assert keymap.stroke("2", 0) == Stroke(12, has_shift=True)


def test_locks_are_told_from_modifiers(french: KeyMap) -> None:
    assert french.lock_mask == 1 << 1 | 1 << 4
    assert french.caps_lock == 10


@pytest.mark.parametrize(
    ("keysym", "character"),
    [
        (0x41, "A"),
        (0xE9, "é"),
        (0x6C6, "ф"),
        (0x7F0, "π"),
        (0x100597D, "好"),
        (0x101F600, "😀"),
        (0xFE52, ""),  # dead circumflex
        (0xFF0D, ""),  # Return
        (0xFFB2, ""),  # 2 on the number pad
        (0x1000041, ""),  # not a symbol the protocol knows
        (0, ""),
    ],
)
def test_a_symbol_gives_its_character(keysym: int, character: str) -> None:
    assert character_of(keysym) == character


@pytest.mark.parametrize("character", ["A", "~", "é", "ÿ", "Ā", "ф", "好", "😀", "\u200d"])
def test_each_character_has_a_symbol_that_gives_it(character: str) -> None:
    assert character_of(keysym_of(character)) == character
