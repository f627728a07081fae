"""What the input process needs of a system: single slices of input, each done within milliseconds.

Everything runs on the input process's one thread. A slice checks first and acts then; it never leaves anything down
beyond what was asked for.
"""

from __future__ import annotations

from typing import Protocol

from operative_app.surfaces.desktop.input.person import PersonWatch

BUTTONS = ("left", "middle", "right")


class InputRefused(Exception):
    """A slice was not carried out; nothing was sent. The text is for a person."""


class FocusLost(InputRefused):
    """Another window than the one meant has the keyboard focus now."""


class ModifierDown(InputRefused):
    """A modifier key is held down, so that text would be taken for shortcuts. May pass: a person may hold it."""


class PersonActed(InputRefused):
    """A person has taken mouse or keyboard, so that nothing is sent until they give it back."""


class InputUnavailable(Exception):
    """This session cannot be given input, or not any longer. The text is for a person."""


class Injector(Protocol):
    """Mouse and keyboard of one system. Positions are screen pixels; keys are named as in `core.keys`.

    Raises (all methods that act): InputRefused, InputUnavailable.
    """

    @property
    def held(self) -> tuple[str, ...]:
        """Keys and buttons held down by this process, oldest first."""
        ...

    @property
    def owes(self) -> bool:
        """Whether `give_back` has something to do."""
        ...

    def set_own(self, pids: list[int], windows: list[int]) -> None:
        """The processes and windows that are never acted on."""
        ...

    def position(self) -> tuple[int, int]: ...

    def move(self, x: int, y: int, *, approach: bool = False) -> tuple[int, int]:
        """Move the pointer; where it is then.

        Args:
            x: Screen pixels.
            y: Screen pixels.
            approach: Go beside the place first, so that the program there sees the pointer move onto it.
        """
        ...

    def button_down(self, button: str) -> None: ...

    def button_up(self, button: str) -> None: ...

    def click(self, button: str, count: int) -> None: ...

    def wheel(self, axis: str, notches: int) -> None:
        """Turn the wheel; `axis` is "x" or "y", positive is right or down."""
        ...

    def chord(self, keys: list[str]) -> None:
        """Press keys in order and let go in reverse, as one slice."""
        ...

    def key_down(self, key: str) -> None: ...

    def key_up(self, key: str) -> None: ...

    def focused_window(self) -> int:
        """The window that gets the keys, 0 where the system does not tell."""
        ...

    def prepare(self, text: str, *, may_replace: bool) -> int:
        """Make the keyboard ready for the next characters of a text.

        Args:
            text: Those characters.
            may_replace: The program has read all keys (`is_taken`), so that what they give may be changed.

        Returns:
            How many of them `stroke` can type now; 0 when that needs `may_replace`.
        """
        ...

    def stroke(self, character: str, window: int) -> bool:
        """Type one character into that window. False: `prepare` has to be called again, nothing was sent."""
        ...

    def is_taken(self, window: int) -> bool:
        """Whether the window's program has read all keys sent so far. Waits a few hundredths of a second at most."""
        ...

    def give_back(self) -> None:
        """Undo what `prepare` changed on the keyboard."""
        ...

    def release(self, names: list[str] | None) -> None:
        """Let go of these keys and buttons, or of all that are held. Goes on after a failure."""
        ...

    def watch_person(self) -> PersonWatch | None:
        """Notice a person's hand from now on; None where this system does not tell. The caller closes it."""
        ...

    def close(self) -> None: ...
