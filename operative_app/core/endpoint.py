"""An endpoint of a model and what it can do: values shared by the settings, the record and the client.

A key is never part of these values; only where it comes from is.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operative_app.core.values import Value


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
