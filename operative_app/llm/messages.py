"""What is asked of a model and what it answers, free of any wire format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from operative_app.core.screen import Box, Picture


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text within a message."""

    text: str


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture within a message; left out when the model does not see pictures."""

    picture: Picture


Part = TextPart | PicturePart


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. Neighbours of one role are joined on the wire, so any order is allowed."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]

    @staticmethod
    def user(text: str, *pictures: Picture) -> Message:
        return Message("user", (TextPart(text), *(PicturePart(picture) for picture in pictures)))

    @staticmethod
    def assistant(text: str) -> Message:
        return Message("assistant", (TextPart(text),))


@dataclass(frozen=True, slots=True)
class ComputerScreen:
    """Offers the native computer-use tool of the Responses API, for models that have it.

    Attributes:
        width_px, height_px: Size of the picture that is sent, in whose pixels the model names places.
        viewport: What that picture shows, in the unit of the ScreenState.
        environment: "browser", "windows", "mac" or "linux".
    """

    width_px: int
    height_px: int
    viewport: Box
    environment: Literal["browser", "windows", "mac", "linux"] = "browser"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question.

    Attributes:
        system: The instructions.
        schema: JSON schema of an object; the answer is one that fits it.
        schema_name: Names the answer on the wire: letters, digits, "_" and "-".
        max_output_tokens: The limit of the answer, thoughts included.
        computer: Offers the native computer-use tool besides; the answer may then consist of `ModelReply.calls`.
        takes_other_calls: Calls of functions that were not offered are no fault: the content is then
            {"calls": [{"name": …, "parameters": {…}}]}, which the asker checks. Models call what the text names.
    """

    system: str
    messages: tuple[Message, ...]
    schema: dict[str, Any]
    schema_name: str
    max_output_tokens: int
    computer: ComputerScreen | None = None
    takes_other_calls: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question took.

    Attributes:
        input_tokens: All tokens sent, those found in the endpoint's cache included.
        cost: In US dollars; None when the price is not known.
        is_estimated: The endpoint gave no figures; counted as one token for four characters.
    """

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    is_estimated: bool = False


@dataclass(frozen=True, slots=True)
class NamedCall:
    """An action call as plain values, not checked against the declarations."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer.

    Attributes:
        content: The answer; fits the request's schema ({} when `calls` stands for it).
        text: The words the content was read from.
        reasoning: Thoughts the endpoint told apart from the answer; never part of `content`, not for the history.
        duration_ms: From the first byte sent to the last received, of the try that succeeded.
        sent, received: What went over the wire, keys masked, pictures as their hash and size; a streamed answer is put
            together to the one it amounts to.
        calls: Native computer-use calls as calls of our own actions; empty unless `ModelRequest.computer` was given.
        safety_checks: Sentences of the endpoint that a person must see before the calls are carried out.
        notices: Sentences for the person, each told once: "This model does not see pictures …".
    """

    content: dict[str, Any]
    text: str
    reasoning: str
    usage: Usage
    model: str
    duration_ms: float
    sent: str
    received: str
    calls: tuple[NamedCall, ...] = ()
    safety_checks: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
