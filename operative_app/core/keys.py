"""The names of keys, one vocabulary for all surfaces.

The names are those of the UI Events specification as Playwright uses them: "Enter", "ArrowDown", "F5", "a", "Control".
A chord joins names by "+": "Control+Shift+s"; the key plus itself is written "Control++".
"""

from __future__ import annotations

from operative_app.core.errors import ActionError

MODIFIERS = ("Control", "Shift", "Alt", "AltGraph", "Meta")
NAMED_KEYS = frozenset(
    (
        *MODIFIERS,
        "ControlOrMeta",
        "Enter",
        "Tab",
        "Escape",
        "Backspace",
        "Delete",
        "Insert",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "Space",
        "CapsLock",
        "NumLock",
        "ScrollLock",
        "Pause",
        "PrintScreen",
        "ContextMenu",
        *(f"F{number}" for number in range(1, 25)),
    )
)
_ALIASES = {
    "ctrl": "Control",
    "strg": "Control",
    "option": "Alt",
    "opt": "Alt",
    "altgr": "AltGraph",
    "cmd": "Meta",
    "command": "Meta",
    "win": "Meta",
    "windows": "Meta",
    "super": "Meta",
    "return": "Enter",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "pgup": "PageUp",
    "pgdn": "PageDown",
    "page_up": "PageUp",
    "page_down": "PageDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "spacebar": "Space",
    "print": "PrintScreen",
    "menu": "ContextMenu",
    "plus": "+",
    **{name.lower(): name for name in NAMED_KEYS},
}


def key_name(name: str) -> str:
    """The one name of a key; a single character is a key by itself, the blank is "Space".

    Raises:
        ActionError: There is no such key.
    """
    if name == " ":
        return "Space"
    if len(name) == 1 and name.isprintable():
        return name
    known = _ALIASES.get(name.strip().lower())
    if known is None:
        raise ActionError(f"There is no key “{name}”; names are like Enter, Tab, ArrowDown, F5, a, Control+A.")
    return known


def split_chord(chord: str) -> tuple[str, ...]:
    """The keys of a chord by their one name, in the order they are pressed: "ctrl+A" is ("Control", "A").

    Raises:
        ActionError: A key is unknown, or one stands twice.
    """
    if len(chord) == 1:
        return (key_name(chord),)
    parts = chord.split("+")
    if len(parts) > 1 and parts[-1] == "" and parts[-2] == "":  # "Control++" is Control and plus
        parts = [*parts[:-2], "+"]
    names = tuple(key_name(part) for part in parts)
    if len(set(names)) != len(names):
        raise ActionError(f"A key stands twice in “{chord}”.")
    return names
