"""What both wire formats share: how a request is put, and what an answer holds before it is read."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from operative_app.core.endpoint import Api, Capabilities
from operative_app.core.screen import Picture
from operative_app.llm.characters import whole
from operative_app.llm.messages import Message, ModelRequest, Part, PicturePart, TextPart, Usage
from operative_app.llm.schema import Schema
from operative_app.llm.strict_schema import strict_form

Body = dict[str, Any]
PictureUrl = Callable[[Picture], str]
"""How a picture stands in a body: as data on the wire, as hash and size in what is shown."""

NO_PICTURE = "(A picture stood here; it is left out, because this model does not see pictures.)"
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_PICTURE = 1000


class Mode(StrEnum):
    """How the answer is bound to the schema, best first."""

    SCHEMA = "schema"
    TOOL = "tool"
    JSON = "json"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Way:
    """How one request is put on the wire.

    Attributes:
        is_strict: The schema is sent in its strict form, and is to be kept to the letter.
        is_openai: The endpoint is OpenAI's own or Azure's, which takes newer names of parameters.
    """

    api: Api
    mode: Mode
    with_pictures: bool
    is_streamed: bool
    is_strict: bool
    is_openai: bool
    refused: frozenset[str]

    def takes(self, parameter: str) -> bool:
        return parameter not in self.refused


def best_way(known: Capabilities, api: Api, *, is_openai: bool, wants_strict: bool) -> Way:
    """The best an endpoint can do: schema output → tool call → JSON mode → plain text."""
    if known.has_schema:
        mode = Mode.SCHEMA
    elif known.has_tools:
        mode = Mode.TOOL
    else:
        mode = Mode.JSON if known.has_json_mode else Mode.TEXT
    return Way(
        api=api,
        mode=mode,
        with_pictures=known.has_vision,
        is_streamed=known.has_streaming,
        is_strict=wants_strict and "strict" not in known.refused_parameters,
        is_openai=is_openai,
        refused=known.refused_parameters,
    )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it came: arguments are JSON text."""

    name: str
    arguments: str


class Finish(StrEnum):
    """Why an answer ended. UNKNOWN: the endpoint did not say."""

    STOP = "stop"
    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer holds, free of the wire format. `computer_items` are native computer-use calls as they came."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    computer_items: tuple[Body, ...] = ()
    finish: Finish = Finish.UNKNOWN
    usage: Usage | None = None
    model: str = ""


class EmptyAnswer(ValueError):
    """A body of this API without an answer in it; the message is a clause."""


def data_url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode('ascii')}"


def picture_words(picture: Picture) -> str:
    """How a picture is shown in the record: hash and size."""
    digest = hashlib.sha256(picture.data).hexdigest()
    size = f"{picture.width_px}x{picture.height_px} px, " if picture.width_px else ""
    return f"(picture {picture.media_type}, {size}{len(picture.data)} bytes, sha256 {digest})"


def turns(messages: Sequence[Message], *, with_pictures: bool) -> list[tuple[str, list[Part]]]:
    """The messages with neighbours of one role joined, pictures told in words when they are not to be sent."""
    joined: list[tuple[str, list[Part]]] = []
    for message in messages:
        if not joined or joined[-1][0] != message.role:
            joined.append((message.role, []))
        for part in message.parts:
            if isinstance(part, TextPart):
                part = TextPart(whole(part.text))
            elif not with_pictures:
                part = TextPart(NO_PICTURE)
            joined[-1][1].append(part)
    return joined


def joined_text(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart))


def has_pictures(request: ModelRequest) -> bool:
    return any(isinstance(part, PicturePart) for message in request.messages for part in message.parts)


def sent_schema(request: ModelRequest, way: Way) -> tuple[Schema, bool]:
    """The schema as it goes out, and whether it is to be kept to the letter."""
    if way.is_strict and (strict := strict_form(request.schema)) is not None:
        return strict, True
    return request.schema, False


def instructions(request: ModelRequest, way: Way) -> str:
    """The system text; where nothing else binds the answer to the schema, the schema stands in it."""
    system = whole(request.system)
    if way.mode not in (Mode.JSON, Mode.TEXT):
        return system
    schema = json.dumps(request.schema, ensure_ascii=False, separators=(",", ":"))
    return (
        f"{system}\n\nAnswer with exactly one JSON object and nothing else: no words before or after it, no "
        f"code fence. The object must fit this JSON schema:\n{schema}"
    )


def estimated_usage(request: ModelRequest, output: str) -> Usage:
    """Figures for an endpoint that gives none: one token for four characters, a thousand for a picture."""
    characters, pictures = len(request.system), 0
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, TextPart):
                characters += len(part.text)
            else:
                pictures += 1
    return Usage(
        input_tokens=characters // CHARACTERS_PER_TOKEN + pictures * TOKENS_PER_PICTURE,
        output_tokens=len(output) // CHARACTERS_PER_TOKEN,
        is_estimated=True,
    )


def whole_number(value: object) -> int:
    """A count from outside; 0 when it is none."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0


def as_dict(value: object) -> Body:
    """A mapping from outside, {} when it is none."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """Text from outside, "" when it is none; lists of text parts are joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(as_text(part if isinstance(part, str) else as_dict(part).get("text")) for part in value)
    return ""
