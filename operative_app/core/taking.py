"""A person's own hands on a surface: what they do, and how they have control.

Three ways to have control: asked for and private, asked for to show the agent how, or taken by just using the mouse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from pydantic import Field

from operative_app.core.screen import ElementRef
from operative_app.core.values import Value


class Hand(StrEnum):
    """What a person did with mouse or keyboard while the agent was at work."""

    MOVED = "moved"
    CLICKED = "clicked"
    TYPED = "typed"


class TakeOverKind(StrEnum):
    """How a person has control.

    PRIVATE: nothing is recorded but that it happened. TEACHING: what they click and type becomes steps of the plan.
    YIELDED: they used mouse or keyboard while the agent was at work, and it gave way; afterwards the agent tells what
    is different.
    """

    PRIVATE = "private"
    TEACHING = "teaching"
    YIELDED = "yielded"


class TaughtStep(Value):
    """One thing a person did, as a call of an action of the registry.

    Attributes:
        action: The action's name.
        arguments: Its parameters as JSON values; never what went into a password field.
        label: The action in words.
    """

    action: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    label: str


HandListener = Callable[[Hand], None]
"""Called on the agent thread; must return at once."""


@runtime_checkable
class SharedSurface(Protocol):
    """A surface that notices when a person acts on it by their own hands. Agent thread."""

    def tell_of_person(self, listener: HandListener) -> None:
        """Call back the moment a person acts while they are watched for; all that was held has been let go of then."""
        ...

    async def watch_person(self, *, on: bool) -> float:
        """Watch for a person from now on, or no longer. While one acts nothing is sent until this is called again.

        Returns:
            For how many seconds their hands have rested.
        """
        ...


class DeedKind(StrEnum):
    """What a person did on a surface, as it is taught."""

    CLICK = "click"
    DOUBLE_CLICK = "double_click"
    RIGHT_CLICK = "right_click"
    SCROLL = "scroll"
    FILL = "fill"
    CHOOSE = "choose"
    PRESS = "press"
    SWITCH = "switch"
    GO = "go"


class Deed(Value):
    """One thing a person did while they taught.

    Attributes:
        ref: The control it was done on, None for none.
        text: What a field holds afterwards, what was chosen, the key or keys pressed, the address, the program that was
            switched to, how many pixels were scrolled downwards; "" when it is hidden.
        is_hidden: It went into a password field, so that it is not known here.
    """

    kind: DeedKind
    ref: ElementRef | None = None
    text: str = ""
    is_hidden: bool = False


@runtime_checkable
class TeachingSurface(Protocol):
    """A surface that can follow what a person does on it. Agent thread."""

    async def begin_teaching(self) -> None:
        """Follow what a person does from now on."""
        ...

    async def end_teaching(self) -> Sequence[Deed]:
        """Follow no longer; what was done, in order. Idempotent."""
        ...
