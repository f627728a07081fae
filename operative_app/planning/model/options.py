"""What can be set about a model planner."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from operative_app.core.endpoint import ModelWays


class ModelOptions(ModelWays):
    """Settings of the model planner: how it works, and its limits.

    Attributes:
        max_output_tokens: The limit of one reply, thoughts included.
        window: How many of the newest screens are kept whole or as differences.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_output_tokens: int = Field(default=4096, ge=256)
    window: int = Field(default=5, ge=1, le=20)
