from __future__ import annotations

import pytest

from operative_app.core.errors import SettingsError
from operative_app.guard.chords import Chord, parse_chord
from operative_app.store.settings import DEFAULT_HOTKEY


@pytest.mark.parametrize(
    ("text", "chord"),
    [
        (DEFAULT_HOTKEY, Chord(frozenset({"ctrl", "alt"}), "esc")),
        (" Control + ESC ", Chord(frozenset({"ctrl"}), "esc")),
        ("cmd+shift+x", Chord(frozenset({"cmd", "shift"}), "x")),
        ("f12+alt", Chord(frozenset({"alt"}), "f12")),
        ("super+9", Chord(frozenset({"cmd"}), "9")),
    ],
)
def test_a_chord_is_read(text: str, chord: Chord) -> None:
    assert parse_chord(text) == chord


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no key combination"),
        ("ctrl+", "is no key combination"),
        ("ctrl++x", "is no key combination"),
        ("ctrl+alt", "exactly one key"),
        ("ctrl+a+b", "exactly one key"),
        ("ctrl+control+a", "names a key twice"),
        ("ctrl+escap", "“escap” is no key"),
        ("ctrl+ä", "“ä” is no key"),
        ("ctrl+f21", "“f21” is no key"),
        ("escape", "ordinary typing"),
        ("shift+a", "ordinary typing"),
    ],
)
def test_a_bad_chord_is_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as refused:
        parse_chord(text)

    assert str(refused.value).endswith(".")
