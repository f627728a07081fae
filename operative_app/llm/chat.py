"""Chat Completions: the request as this API wants it, its answer read, a streamed answer put together."""

from __future__ import annotations

import json
from typing import Any

from operative_app.llm.messages import ModelRequest, Part, TextPart, Usage
from operative_app.llm.wire import (
    Answer,
    Body,
    EmptyAnswer,
    Finish,
    Mode,
    PictureUrl,
    ToolCall,
    Way,
    as_dict,
    as_text,
    instructions,
    joined_text,
    sent_schema,
    turns,
    whole_number,
)

PATH = "/chat/completions"

_FINISH = {
    "stop": Finish.STOP,
    "tool_calls": Finish.STOP,
    "function_call": Finish.STOP,
    "eos": Finish.STOP,
    "length": Finish.CUT_OFF,
    "max_tokens": Finish.CUT_OFF,
    "content_filter": Finish.FILTERED,
}


def body(request: ModelRequest, way: Way, model: str, picture_url: PictureUrl) -> Body:
    system = instructions(request, way)
    messages = [
        {"role": role, "content": _content(parts, picture_url)}
        for role, parts in turns(request.messages, with_pictures=way.with_pictures)
    ]
    if system and way.takes("system"):
        messages.insert(0, {"role": "system", "content": system})
    elif system:
        messages = _with_instructions(messages, system)
    limit = "max_completion_tokens" if way.is_openai else "max_tokens"
    if not way.takes(limit):
        limit = "max_tokens" if way.is_openai else "max_completion_tokens"
    sent: Body = {"model": model, "messages": messages, limit: request.max_output_tokens, **_binding(request, way)}
    if way.is_streamed:
        sent["stream"] = True
        if way.takes("stream_options"):
            sent["stream_options"] = {"include_usage": True}
    return sent


def _content(parts: list[Part], picture_url: PictureUrl) -> str | list[Body]:
    if all(isinstance(part, TextPart) for part in parts):
        return joined_text(parts)
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": picture_url(part.picture)}}
        for part in parts
    ]


def _with_instructions(messages: list[Body], system: str) -> list[Body]:
    """The instructions at the head of the first turn, for models whose template knows no system role."""
    if not messages or messages[0]["role"] != "user":
        return [{"role": "user", "content": system}, *messages]
    content = messages[0]["content"]
    if isinstance(content, str):
        return [{"role": "user", "content": f"{system}\n\n{content}"}, *messages[1:]]
    return [{"role": "user", "content": [{"type": "text", "text": system}, *content]}, *messages[1:]]


def _binding(request: ModelRequest, way: Way) -> Body:
    schema, is_strict = sent_schema(request, way)
    name = request.schema_name
    strictness = {"strict": is_strict} if way.takes("strict") else {}
    match way.mode:
        case Mode.SCHEMA:
            bound = {"name": name, "schema": schema, **strictness}
            return {"response_format": {"type": "json_schema", "json_schema": bound}}
        case Mode.TOOL:
            description = "Give your answer by calling this function exactly once."
            function = {"name": name, "description": description, "parameters": schema, **strictness}
            bound = {"tools": [{"type": "function", "function": function}]}
            if way.takes("tool_choice"):
                bound["tool_choice"] = {"type": "function", "function": {"name": name}}
            return bound
        case Mode.JSON:
            return {"response_format": {"type": "json_object"}}
        case Mode.TEXT:
            return {}


def answer(received: Body) -> Answer:
    """What a body of this API holds.

    Raises:
        EmptyAnswer: It has no choices, or is none of this API.
    """
    choices = received.get("choices")
    if not isinstance(choices, list):
        missing = "choices" not in received
        raise EmptyAnswer("its answer is none of Chat Completions" if missing else "it sent no choice of answers")
    if not choices:
        raise EmptyAnswer("it sent an empty list of answers (a content filter may have stopped it)")
    choice = as_dict(choices[0])
    message = as_dict(choice.get("message"))
    calls = [as_dict(as_dict(call).get("function")) for call in message.get("tool_calls") or ()]
    if old := as_dict(message.get("function_call")):
        calls.append(old)
    return Answer(
        text=as_text(message.get("content")),
        reasoning=as_text(message.get("reasoning_content")) or as_text(message.get("reasoning")),
        refusal=as_text(message.get("refusal")),
        tool_calls=tuple(ToolCall(as_text(call.get("name")), _arguments(call.get("arguments"))) for call in calls),
        finish=_FINISH.get(str(choice.get("finish_reason")), Finish.UNKNOWN),
        usage=_usage(received.get("usage")),
        model=as_text(received.get("model")),
    )


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value if value is not None else {}, ensure_ascii=False)


def _usage(value: object) -> Usage | None:
    figures = as_dict(value)
    if not figures.get("prompt_tokens") and not figures.get("completion_tokens"):
        return None
    details = as_dict(figures.get("prompt_tokens_details"))
    cost = figures.get("cost")
    return Usage(
        input_tokens=whole_number(figures.get("prompt_tokens")),
        cached_input_tokens=whole_number(details.get("cached_tokens") or figures.get("prompt_cache_hit_tokens")),
        output_tokens=whole_number(figures.get("completion_tokens")),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


class StreamedAnswer:
    """Puts the pieces of a stream together to the body a request without streaming would have got."""

    def __init__(self) -> None:
        self._head: Body = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[Body] = []
        self._places: dict[object, int] = {}
        self._finish: object = None
        self._usage: object = None
        self._has_choice = False

    def add(self, chunk: Body) -> None:
        self._head = {"id": chunk.get("id"), "model": chunk.get("model") or self._head.get("model")}
        self._usage = chunk.get("usage") or self._usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = as_dict(choices[0])
        self._has_choice = True
        self._finish = choice.get("finish_reason") or self._finish
        delta = as_dict(choice.get("delta")) or as_dict(choice.get("message"))
        for name in ("content", "reasoning_content", "reasoning", "refusal"):
            if piece := as_text(delta.get(name)):
                self._texts.setdefault(name, []).append(piece)
        for piece in delta.get("tool_calls") or ():
            self._add_call(as_dict(piece))

    def _add_call(self, piece: Body) -> None:
        index, own_id = piece.get("index"), piece.get("id")
        place = self._places.get(("id", own_id)) if own_id else None
        if place is None and not own_id:
            place = self._places.get(index, len(self._calls) - 1 if self._calls else None)
        elif place is None and index in self._places and self._calls[self._places[index]]["id"] is None:
            place = self._places[index]
        if place is None:  # a new call; some servers number every one 0 and tell them apart by id only
            place = len(self._calls)
            self._calls.append({"id": own_id, "type": "function", "function": {"name": "", "arguments": ""}})
        self._places[index] = place
        if own_id:
            self._calls[place]["id"] = own_id
            self._places["id", own_id] = place
        function = as_dict(piece.get("function"))
        called = self._calls[place]["function"]
        if name := as_text(function.get("name")):
            called["name"] = name if name.startswith(called["name"]) else called["name"] + name
        arguments = function.get("arguments")
        called["arguments"] += arguments if isinstance(arguments, str) else _arguments(arguments) if arguments else ""

    @property
    def is_complete(self) -> bool:
        """Whether the end was told; a stream without it, or without anything, was cut."""
        return self._finish is not None or (bool(self._head) and not self._has_choice)

    @property
    def size(self) -> int:
        """Characters so far."""
        written = sum(len(piece) for pieces in self._texts.values() for piece in pieces)
        return written + sum(len(call["function"]["arguments"]) for call in self._calls)

    def body(self) -> Body:
        message: Body = {"role": "assistant", "content": None}
        message |= {name: "".join(pieces) for name, pieces in self._texts.items()}
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice] if self._has_choice else [],
            "usage": self._usage,
        }
