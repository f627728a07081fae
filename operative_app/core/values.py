"""The base of all values that are stored or come from outside."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen pydantic model: equal content means equal values; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
