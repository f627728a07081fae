"""How an action is declared.

From one declaration come the tool schema for a model, validation, the label in log and approvals, the surfaces it runs
on, the facts the policy reads, the checks before and after, the reference table, and the parametrized tests.
"""

from __future__ import annotations

import inspect
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar

from operative_app.core.ports import Surface
from operative_app.core.run import Outcome
from operative_app.core.screen import ElementRef, Picture, ScreenState, SurfaceKind
from operative_app.core.secrets import Revealed
from operative_app.core.values import Value


class Category(StrEnum):
    """The five categories of action_space.txt."""

    MOUSE = "mouse"
    KEYBOARD = "keyboard"
    BROWSER = "browser"
    SYSTEM = "system"
    COMPOSITE = "composite"


class Reversibility(StrEnum):
    """R of the action's signature; a floor that the policy may raise, never lower."""

    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"
    IDEMPOTENT = "idempotent"


class EffectKind(StrEnum):
    """A fact for the policy: what kind of thing the action does by itself.

    READ only looks; POINT is mouse and keys on what is there; ENTER puts text in; NAVIGATE goes to another page or tab;
    APP opens, closes or switches programs; CLIPBOARD reads what a person may have copied; UPLOAD gives files away;
    SCRIPT runs code in a page; RUN starts a command; COMPOSITE does nothing by itself: each of its parts is judged.
    """

    READ = "read"
    POINT = "point"
    ENTER = "enter"
    NAVIGATE = "navigate"
    APP = "app"
    CLIPBOARD = "clipboard"
    UPLOAD = "upload"
    SCRIPT = "script"
    RUN = "run"
    COMPOSITE = "composite"


BOTH = (SurfaceKind.BROWSER, SurfaceKind.DESKTOP)


class Precondition(Protocol):
    """`check` answers "" when it holds on the ScreenState, otherwise the reason in words."""

    def check(self, action: Action, state: ScreenState) -> str: ...


class Postcondition(Protocol):
    """`check` answers "" when the declared effect is seen, otherwise in words what is missing."""

    def check(self, action: Action, before: ScreenState, after: ScreenState, outcome: Outcome) -> str: ...


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """Everything about an action but its parameters."""

    name: str
    summary: str
    label: str
    category: Category
    surfaces: frozenset[SurfaceKind]
    reversibility: Reversibility
    effect: EffectKind
    pre: tuple[Precondition, ...]
    post: tuple[Postcondition, ...]


class ActionContext(Protocol):
    """What the engine lends an action while it runs (agent thread)."""

    @property
    def state(self) -> ScreenState:
        """The latest observation: the one the action was validated on, or what `look` or `perform` saw since."""
        ...

    async def look(self) -> ScreenState:
        """Let the surface settle and see it again."""
        ...

    async def perform(self, part: Action) -> Outcome:
        """Carry out a part of a composite action by the one path: checked, judged, recorded, verified.

        Raises:
            RefusedAction: A pre-condition, the policy or the person said no.
            ActionError: It failed, or its effect was not seen.
        """
        ...

    async def reveal(self, text: str, target: ElementRef | None = None) -> Revealed:
        """The text with `{{secret:name}}` replaced, for the target field (or what has the focus) and no other.

        Raises:
            RefusedAction: The field is not what it was.
            OperativeError: A secret may not go there, or cannot be had.
        """
        ...

    def keep_picture(self, picture: Picture) -> str:
        """Give a picture to the record; returns its content hash."""
        ...


class Action(Value):
    """Base of all actions: a frozen model of the parameters with a `run`.

    An instance is an action call. Every subclass is declared with `@action`.
    """

    spec: ClassVar[ActionSpec]

    async def run(self, surface: Any, ctx: ActionContext) -> Outcome:
        """Carry it out on a surface of one of the declared kinds (agent thread; cancellable).

        Raises:
            ActionError: It could not be carried out; the message says why.
            SurfaceError: The surface is gone.
        """
        raise NotImplementedError

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def target_ref(self) -> ElementRef | None:
        """The first element reference among the parameters."""
        return next((value for _, value in self if isinstance(value, ElementRef)), None)

    @property
    def words(self) -> str:
        """The action as a person reads it."""
        values = {name: words_of(getattr(self, name)) for name in _places_of(self.spec.label)}
        return " ".join(string.Formatter().vformat(self.spec.label, (), values).split())


ActionT = TypeVar("ActionT", bound=Action)


def action(
    *,
    label: str,
    category: Category,
    reversibility: Reversibility,
    effect: EffectKind,
    surfaces: Sequence[SurfaceKind] = (SurfaceKind.BROWSER,),
    pre: Sequence[Precondition] = (),
    post: Sequence[Postcondition] = (),
    name: str = "",
) -> Callable[[type[ActionT]], type[ActionT]]:
    """Declare an action class.

    Args:
        label: The action in words, with places for parameters and properties: “Fill {target}”.
        name: Its name in the contract; by default the class name in snake case.

    Raises:
        TypeError: The class has no docstring, no `run` of its own, or the label names no parameter (at import).
    """

    def declare(cls: type[ActionT]) -> type[ActionT]:
        if not cls.__doc__ or "run" not in cls.__dict__:
            raise TypeError(f"{cls.__name__} needs a docstring and its own run()")
        for place in _places_of(label):
            if place not in cls.model_fields and not isinstance(getattr(cls, place, None), property):
                raise TypeError(f"the label of {cls.__name__} names the unknown parameter {place!r}")
        cls.spec = ActionSpec(
            name=name or _snake_case(cls.__name__),
            summary=inspect.cleandoc(cls.__doc__).split("\n\n")[0],
            label=label,
            category=category,
            surfaces=frozenset(surfaces),
            reversibility=reversibility,
            effect=effect,
            pre=tuple(pre),
            post=tuple(post),
        )
        return cls

    return declare


def _snake_case(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def _places_of(label: str) -> list[str]:
    return [place for _, place, _, _ in string.Formatter().parse(label) if place is not None]


def words_of(value: object) -> str:
    """A parameter as a person reads it: elements by their label, whole numbers without a point, line ends as “⏎”."""
    match value:
        case ElementRef():
            return value.label or value.fingerprint.role
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case tuple():
            return ", ".join(words_of(item) for item in value)
        case Value():
            return ": ".join(words_of(part) for _, part in value)
        case _:
            return str(value).replace("\r\n", "⏎").replace("\n", "⏎")


async def run_on(call: Action, surface: Surface, ctx: ActionContext) -> Outcome:
    """Run an action on a surface it was declared for.

    Raises:
        TypeError: The surface is of another kind (a fault of the caller: the registry offers only fitting actions).
    """
    if surface.kind not in call.spec.surfaces:
        raise TypeError(f"{call.name} does not run on the {surface.kind} surface")
    return await call.run(surface, ctx)
