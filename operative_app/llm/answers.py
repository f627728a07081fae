"""From an answer to the object asked for: what ended it, which call or text holds it, what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from operative_app.llm.characters import whole
from operative_app.llm.computer_use import UnknownCall, action_calls, safety_checks
from operative_app.llm.messages import ModelRequest, NamedCall
from operative_app.llm.reader import Incomplete, Unreadable, read_object, split_thoughts
from operative_app.llm.wire import Answer, Finish


@dataclass(frozen=True, slots=True)
class Content:
    """What was read out of an answer."""

    content: dict[str, Any]
    text: str
    reasoning: str
    calls: tuple[NamedCall, ...] = ()
    safety_checks: tuple[str, ...] = ()


class CutOff(Exception):
    """The answer ended at the output limit; nothing of it may be used."""


class Refusal(Exception):
    """The model or a filter refused; the message is its own words, "" when it gave none."""


def written(answer: Answer) -> str:
    """The answer's words as they came, thoughts left out: its text, or its calls."""
    text = split_thoughts(answer.text)[1]
    return whole(text or "\n".join(f"{call.name}({call.arguments})" for call in answer.tool_calls))


def read(answer: Answer, request: ModelRequest) -> Content:
    """The object an answer holds.

    Raises:
        Refusal: There is none, because it was refused.
        CutOff: It ended at the output limit.
        Unreadable: It does not hold exactly one object that fits.
    """
    try:
        return _read(answer, request)
    except Unreadable as error:
        if _was_cut_off(answer, request, error):
            raise CutOff from error
        raise


def _was_cut_off(answer: Answer, request: ModelRequest, error: Unreadable) -> bool:
    """Whether what cannot be read ended at the output limit: llama.cpp's server calls a cut tool call complete."""
    if answer.usage is None:
        return isinstance(error, Incomplete)
    return answer.usage.output_tokens >= request.max_output_tokens


def _read(answer: Answer, request: ModelRequest) -> Content:
    if answer.refusal:
        raise Refusal(whole(answer.refusal))
    if answer.finish is Finish.FILTERED:
        raise Refusal("")
    if answer.finish is Finish.CUT_OFF:
        raise CutOff
    thoughts, text = split_thoughts(whole(answer.text))
    reasoning = whole("\n".join(part for part in (answer.reasoning, thoughts) if part))
    if answer.computer_items:
        if request.computer is None:
            raise Unreadable("the computer tool was not offered")
        try:
            calls = action_calls(answer.computer_items, request.computer)
        except UnknownCall as error:
            raise Unreadable(str(error), is_json=True) from error
        return Content({}, text, reasoning, calls, safety_checks(answer.computer_items))
    if answer.tool_calls:
        return Content(_of_calls(answer, request), written(answer), reasoning)
    return Content(read_object(text, request.schema, request.schema_name), text, reasoning)


def _of_calls(answer: Answer, request: ModelRequest) -> dict[str, Any]:
    """The arguments of the one call; several are taken for one only when they say the same."""
    if request.takes_other_calls and all(call.name != request.schema_name for call in answer.tool_calls):
        given = [(call.name, read_object(call.arguments or "{}", {"type": "object"})) for call in answer.tool_calls]
        return {"calls": [{"name": name, "parameters": parameters} for name, parameters in given]}
    found: list[dict[str, Any]] = []
    faults: list[Unreadable] = []
    for number, call in enumerate(answer.tool_calls, start=1):
        place = f"call {number}: " if len(answer.tool_calls) > 1 else ""
        if call.name != request.schema_name:
            faults.append(Unreadable(f"{place}there is no function “{call.name}”; call “{request.schema_name}”"))
            continue
        try:
            content = read_object(call.arguments, request.schema)
        except Unreadable as error:
            faults.append(type(error)(f"{place}{error}"))
        else:
            if content not in found:
                found.append(content)
    if faults:
        kind = Incomplete if isinstance(faults[-1], Incomplete) else Unreadable
        raise kind("; ".join(map(str, faults)), is_json=True)
    if len(found) > 1:
        raise Unreadable(f"“{request.schema_name}” must be called once, not {len(found)} times", is_json=True)
    return found[0]
