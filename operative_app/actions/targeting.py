"""Where a pointer action lands: an element of the screen state, or a place on it."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from operative_app.actions.declare import Action, ActionContext, words_of
from operative_app.core.ports import Spot
from operative_app.core.screen import Element, ElementRef, ScreenState

PLACE = "in pixels of the screen state (a browser's CSS pixels, the desktop's screen pixels)"


class PlacedAction(Action):
    """An action at one place."""

    x_px: float = Field(description=f"from the left, {PLACE}", allow_inf_nan=False)
    y_px: float = Field(description=f"from the top, {PLACE}", allow_inf_nan=False)

    def spot(self, ctx: ActionContext) -> Spot:
        return ctx.state.point(self.x_px, self.y_px)


class PointedAction(Action):
    """An action on an element, or at a place where no element is listed (a canvas, a picture)."""

    target: ElementRef | None = Field(default=None, description="the element; none where a place is given")
    x_px: float | None = Field(default=None, description=f"from the left, {PLACE}", allow_inf_nan=False)
    y_px: float | None = Field(default=None, description=f"from the top, {PLACE}", allow_inf_nan=False)

    @property
    def where(self) -> str:
        return where_words(self.target, self.x_px, self.y_px)

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if (self.x_px is None) is not (self.y_px is None):
            raise ValueError("a place needs x_px and y_px")
        if (self.target is None) is (self.x_px is None):
            raise ValueError("give either an element or a place")
        return self

    def spot(self, ctx: ActionContext) -> Spot:
        return self.target if self.target is not None else place_of(self, ctx.state)


def stand_together(one: Element, other: Element) -> bool:
    """Whether two elements are in the same surroundings, such as a form. No element has its own name in its context."""

    def around(element: Element, neighbour: Element) -> list[str]:
        return [part for part in element.context if part != neighbour.name]

    return one.frame == other.frame and around(one, other) == around(other, one)


def where_words(target: ElementRef | None, x_px: float | None, y_px: float | None) -> str:
    """An element or a place as a person reads it; "" for neither."""
    if target is not None:
        return words_of(target)
    return "" if x_px is None or y_px is None else f"the place {x_px:g}, {y_px:g}"


def inside_words(target: ElementRef | None, x_px: float | None = None, y_px: float | None = None) -> str:
    """“in” an element or “at” a place; "" for neither."""
    where = where_words(target, x_px, y_px)
    return f"{'at' if target is None else 'in'} {where}" if where else ""


def place_of(action: Action, state: ScreenState, x: str = "x_px", y: str = "y_px") -> Spot:
    """The place two parameters of an action name on a state."""
    return state.point(getattr(action, x), getattr(action, y))
