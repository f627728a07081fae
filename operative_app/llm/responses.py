"""The Responses API: the request as it wants it, its answer read. Nothing is kept at the endpoint (`store` is off)."""

from __future__ import annotations

from operative_app.llm.computer_use import tool as computer_tool
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
    sent_schema,
    turns,
    whole_number,
)

PATH = "/responses"
ENDS = frozenset(("response.completed", "response.incomplete", "response.failed"))
"""Kinds of stream events that carry the whole answer."""


def body(request: ModelRequest, way: Way, model: str, picture_url: PictureUrl) -> Body:
    sent: Body = {
        "model": model,
        "instructions": instructions(request, way),
        "input": [
            {"role": role, "content": [_part(part, role, picture_url) for part in parts]}
            for role, parts in turns(request.messages, with_pictures=way.with_pictures)
        ],
        "max_output_tokens": request.max_output_tokens,
        **_binding(request, way),
    }
    if way.takes("store"):
        sent["store"] = False
    if request.computer is not None and way.takes("computer") and way.with_pictures:
        sent["tools"] = [*sent.get("tools", ()), computer_tool(request.computer, model)]
        sent.pop("tool_choice", None)
        sent["truncation"] = "auto"
    if way.is_streamed:
        sent["stream"] = True
    return sent


def _part(part: Part, role: str, picture_url: PictureUrl) -> Body:
    if isinstance(part, TextPart):
        return {"type": "output_text" if role == "assistant" else "input_text", "text": part.text}
    return {"type": "input_image", "image_url": picture_url(part.picture), "detail": "auto"}


def _binding(request: ModelRequest, way: Way) -> Body:
    schema, is_strict = sent_schema(request, way)
    name = request.schema_name
    strictness = {"strict": is_strict} if way.takes("strict") else {}
    match way.mode:
        case Mode.SCHEMA:
            return {"text": {"format": {"type": "json_schema", "name": name, "schema": schema, **strictness}}}
        case Mode.TOOL:
            description = "Give your answer by calling this function exactly once."
            function = {"type": "function", "name": name, "description": description, "parameters": schema}
            bound: Body = {"tools": [{**function, **strictness}]}
            if way.takes("tool_choice"):
                bound["tool_choice"] = {"type": "function", "name": name}
            return bound
        case Mode.JSON:
            return {"text": {"format": {"type": "json_object"}}}
        case Mode.TEXT:
            return {}


def answer(received: Body) -> Answer:
    """What a body of this API holds.

    Raises:
        EmptyAnswer: It has no output, or is none of this API.
    """
    output = received.get("output")
    if not isinstance(output, list):
        raise EmptyAnswer("its answer is none of the Responses API")
    texts: list[str] = []
    refusals: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    computer: list[Body] = []
    for item in map(as_dict, output):
        match item.get("type"):
            case "message":
                for part in map(as_dict, item.get("content") or ()):
                    (refusals if part.get("type") == "refusal" else texts).append(
                        as_text(part.get("refusal") if part.get("type") == "refusal" else part.get("text"))
                    )
            case "reasoning":
                thoughts.append(as_text(item.get("summary")) or as_text(item.get("content")))
            case "function_call":
                calls.append(ToolCall(as_text(item.get("name")), as_text(item.get("arguments"))))
            case "computer_call":
                computer.append(item)
    finish = _finish(received)
    if finish in (Finish.STOP, Finish.UNKNOWN) and not (texts or refusals or calls or computer):
        raise EmptyAnswer("it sent an answer without content")
    return Answer(
        text="".join(texts),
        reasoning="\n".join(thought for thought in thoughts if thought),
        refusal="".join(refusals),
        tool_calls=tuple(calls),
        computer_items=tuple(computer),
        finish=finish,
        usage=_usage(received.get("usage")),
        model=as_text(received.get("model")),
    )


def _finish(received: Body) -> Finish:
    match received.get("status"):
        case "completed":
            return Finish.STOP
        case "incomplete":
            reason = as_dict(received.get("incomplete_details")).get("reason")
            return Finish.FILTERED if reason == "content_filter" else Finish.CUT_OFF
        case _:
            return Finish.UNKNOWN


def _usage(value: object) -> Usage | None:
    figures = as_dict(value)
    if not figures:
        return None
    return Usage(
        input_tokens=whole_number(figures.get("input_tokens")),
        cached_input_tokens=whole_number(as_dict(figures.get("input_tokens_details")).get("cached_tokens")),
        output_tokens=whole_number(figures.get("output_tokens")),
    )
