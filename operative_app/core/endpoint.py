"""An endpoint of a model and what it can do: values shared by the settings, the record and the client.

A key is never part of these values; only where it comes from is.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field

from operative_app.core.coordinates import Grid
from operative_app.core.values import Value

LEAST_CONTEXT_TOKENS = 6_500
"""Instructions, a short screen, a few turns and the reply of the model planner; with less, parts are cut off."""
TOO_SMALL = (
    f"Operative needs about {LEAST_CONTEXT_TOKENS:,}, or parts of what it asks may be cut off without a word. Give the "
    "model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --n_ctx), or choose another one."
)


class Api(StrEnum):
    """The wire format. AUTO takes the Responses API where it is known to exist, Chat Completions elsewhere."""

    AUTO = "auto"
    CHAT = "chat"
    RESPONSES = "responses"


class KeySource(StrEnum):
    """Where the key of an endpoint comes from.

    NONE: the endpoint wants none (a local server). SESSION: typed in, kept until the application closes.
    """

    NONE = "none"
    KEYRING = "keyring"
    ENVIRONMENT = "environment"
    SESSION = "session"


class Endpoint(Value):
    """Which model at which address.

    Attributes:
        base_url: The part before `/chat/completions`, such as "http://localhost:11434/v1"; a query in it is kept.
        model: The model's name as the endpoint knows it (for Azure the deployment's).
    """

    base_url: str
    model: str
    api: Api = Api.AUTO


class PictureUse(StrEnum):
    """When a model that sees gets the picture besides the text: each one costs time and tokens."""

    WHEN_NEEDED = "when_needed"
    ALWAYS = "always"
    NEVER = "never"


class ModelWays(Value):
    """How a model works: what it is asked besides the one question for each step, and when it gets pictures.

    Attributes:
        grid: How the model counts places on a picture: in its pixels, or on a grid of its own.
        context_tokens: Never use more than this of the model's context; 0 for what the endpoint says.
        pictures: WHEN_NEEDED sends one where text says little: drawn pages, poor trees, after a failure, on request.
        separate_perception: Ask what the goal wants before the plan, in a call of its own.
        plan_on_screen: Plan a second time when the page is seen.
        second_look: A fresh look by the model at a claim that the code doubts.
        summary_by_model: The closing words by a model; otherwise put together from the plan.
        history_by_model: Old steps summarised by a model; otherwise kept as short lines, the oldest dropped.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    grid: Grid = Grid.PIXELS
    context_tokens: int = Field(default=0, ge=0)
    pictures: PictureUse = PictureUse.WHEN_NEEDED
    separate_perception: bool = False
    plan_on_screen: bool = False
    second_look: bool = True
    summary_by_model: bool = True
    history_by_model: bool = True


class Capabilities(Value):
    """What an endpoint can do with one model, as far as it is known; what is not known to fail counts as there.

    Attributes:
        has_vision: It takes pictures.
        has_tools: It calls tools it is told to call.
        has_schema: Its answer can be bound to a JSON schema.
        has_json_mode: Its answer can be bound to be JSON.
        has_streaming: It sends the answer piece by piece.
        context_tokens: How many tokens a request and its answer may have together; None while not known.
        api: The wire format in use; never AUTO once an answer came.
        has_computer_use: The Responses API offers its native computer-use tool with this model.
        refused_parameters: Names of request parameters this endpoint does not take.
    """

    has_vision: bool = True
    has_tools: bool = True
    has_schema: bool = True
    has_json_mode: bool = True
    has_streaming: bool = True
    context_tokens: int | None = Field(default=None, ge=1)
    api: Api = Api.AUTO
    has_computer_use: bool = False
    refused_parameters: frozenset[str] = frozenset()
