"""What can be set about a model planner."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operative_app.core.coordinates import Grid
from operative_app.core.values import Value


class PictureUse(StrEnum):
    """When a model that sees gets the picture besides the text: each one costs time and tokens."""

    WHEN_NEEDED = "when_needed"
    ALWAYS = "always"
    NEVER = "never"


class ModelOptions(Value):
    """Settings of the model planner. The separate calls are off unless they earn their cost.

    Attributes:
        pictures: WHEN_NEEDED sends one where text says little: drawn pages, poor trees, after a failure, on request.
        grid: How the model counts places on a picture: in its pixels, or on a grid of its own.
        separate_perception: Ask what the goal wants before the plan, in a call of its own.
        plan_on_screen: Plan a second time when the page is seen.
        second_look: A fresh look by the model at a claim that the code doubts.
        summary_by_model: The closing words by the model; otherwise put together from the plan.
        history_by_model: Old steps summarised by a model; otherwise kept as short lines, the oldest dropped.
        context_tokens: Never use more than this of the model's context; 0 for what the endpoint says.
        max_output_tokens: The limit of one reply, thoughts included.
        window: How many of the newest screens are kept whole or as differences.
    """

    pictures: PictureUse = PictureUse.WHEN_NEEDED
    grid: Grid = Grid.PIXELS
    separate_perception: bool = False
    plan_on_screen: bool = False
    second_look: bool = True
    summary_by_model: bool = True
    history_by_model: bool = True
    context_tokens: int = Field(default=0, ge=0)
    max_output_tokens: int = Field(default=4096, ge=256)
    window: int = Field(default=5, ge=1, le=20)
