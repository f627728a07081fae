"""What an endpoint turns out not to be able to do.

Principle: narrow, and proven. A refusal counts as "cannot do X" only when the request used X and the refusal speaks of
X; the request is then sent again without X, and only when that succeeds is it remembered. When it fails as well, the
first error is the one that is told.

| refused | goes on with |
|---|---|
| pictures | words that say a picture was left out |
| the Responses API | Chat Completions |
| a schema for the answer | a tool call |
| tools | JSON mode |
| JSON mode | plain text with the schema in the instructions |
| streaming | the answer in one piece |
| a single parameter | the same without it |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from operative_app.core.endpoint import Api, Capabilities
from operative_app.llm.faults import Fault, FaultKind
from operative_app.llm.wire import Mode, Way

_STATUSES = frozenset((400, 404, 405, 415, 422, 500, 501))
_NOT = r"(?:\bnot\b|n't\b|\bno endpoints found\b|\bcannot\b|\bunable\b)"
_UN = r"\b(?:not|isn't|aren't|un)\s*-?(?:support|availab|accept|allow|enabl|permit)"
_DENIAL = re.compile(
    r"\bnot\b|n't\b|\bun(?:supported|available|known|recognized|expected|processable)|\binvalid\b|\bforbidden\b"
    r"|\bextra\b|\bno endpoints found\b|\bonly\b|\bmust be\b|\bshould be\b|\brequires?\b",
    re.IGNORECASE,
)
_VISION = re.compile(
    rf"(?:image|vision|multi-?modal|picture)[^.]{{0,60}}{_UN}"
    rf"|{_NOT}[^.]{{0,40}}support[^.]{{0,40}}(?:image|vision|multi-?modal|picture)"
    r"|mmproj|text[- ]only|only (?:supports? )?text|unknown variant\W{0,3}image_url|only supported by certain models"
    r"|is not a (?:vision|multimodal) model|content[^.]{0,40}(?:must be|should be)(?: a)?(?: valid)? string"
    r"|concatenate str \(not \W?list",  # llama.cpp's Python server with a model without pictures
    re.IGNORECASE,
)
_PICTURE_ITSELF = re.compile(
    r"\b(?:format|size|large|dimension|corrupt|decod|pars|mime|media type|base64|bytes|pixels|too many)", re.IGNORECASE
)
_TOOLS = re.compile(
    rf"\btools?\b[^.]{{0,40}}{_UN}|{_NOT}[^.]{{0,40}}support[^.]{{0,30}}\b(?:tools?|function)"
    rf"|enable-auto-tool-choice|tool-call-parser|--jinja|function.?calling[^.]{{0,30}}{_UN}",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response[_ ]?format|json_?schema|json_?object|json mode|structured[ _-]?outputs?|text\.format|guided|grammar",
    re.IGNORECASE,
)
_STREAMING = re.compile(r"\bstream(?:ing)?\b(?!_)", re.IGNORECASE)
_UNKNOWN_MODEL = re.compile(r"model[^.]{0,40}(?:not found|does not exist|not exist)", re.IGNORECASE)
_COMPUTER = re.compile(r"computer", re.IGNORECASE)
_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)|developer instruction|role\W{0,4}system", re.IGNORECASE
)
_STRICT_SCHEMA = re.compile(r"invalid schema|additionalproperties|\bstrict\b", re.IGNORECASE)
_TOO_MUCH = re.compile(r"too (?:large|high|big|many|long)|at most|exceed|greater than", re.IGNORECASE)
_PARAMETERS = ("stream_options", "max_completion_tokens", "max_tokens", "tool_choice", "store", "strict")

NO_VISION = "This model does not see pictures; Operative goes on by text."


@dataclass(frozen=True, slots=True)
class Concession:
    """What is known after a refusal, and a sentence for the person when it changes what the model can be used for."""

    known: Capabilities
    notice: str = ""


def concession(
    fault: Fault, way: Way, known: Capabilities, *, with_pictures: bool, with_computer: bool
) -> Concession | None:
    """How to go on after a refusal; None when it says nothing about what the endpoint can do.

    Args:
        with_pictures, with_computer: What the refused request held.
    """
    if fault.kind not in (FaultKind.REJECTED, FaultKind.SERVER) or fault.status not in _STATUSES:
        return None
    words = f"{fault.words} {fault.code} {fault.parameter}"
    if _DENIAL.search(words):
        refused = _refused_ability(fault, words, way, known, with_pictures=with_pictures, with_computer=with_computer)
        if refused is not None:
            return refused
    if way.api is Api.RESPONSES and fault.status in (404, 405, 501) and not _UNKNOWN_MODEL.search(words):
        return Concession(known.model_copy(update={"api": Api.CHAT}))
    return None


def _refused_ability(
    fault: Fault, words: str, way: Way, known: Capabilities, *, with_pictures: bool, with_computer: bool
) -> Concession | None:
    if with_pictures and way.with_pictures and _VISION.search(words) and not _PICTURE_ITSELF.search(words):
        return Concession(known.model_copy(update={"has_vision": False}), NO_VISION)
    if with_computer and way.takes("computer") and _COMPUTER.search(words):
        return _without("computer", known.model_copy(update={"has_computer_use": False}))
    if named := _named_parameter(fault, words, way):
        return _without(named, known)
    if way.is_strict and way.mode in (Mode.SCHEMA, Mode.TOOL) and _STRICT_SCHEMA.search(words):
        return _without("strict", known)
    if way.mode is Mode.TOOL and _TOOLS.search(words):
        return Concession(known.model_copy(update={"has_tools": False}))
    if way.mode is Mode.SCHEMA and _FORMAT.search(words):
        return Concession(known.model_copy(update={"has_schema": False}))
    if way.mode is Mode.JSON and _FORMAT.search(words):
        return Concession(known.model_copy(update={"has_json_mode": False}))
    if way.takes("system") and way.api is Api.CHAT and _SYSTEM.search(words):
        return _without("system", known)
    if way.is_streamed and _STREAMING.search(words):
        return Concession(known.model_copy(update={"has_streaming": False}))
    return None


def _without(parameter: str, known: Capabilities) -> Concession:
    return Concession(known.model_copy(update={"refused_parameters": known.refused_parameters | {parameter}}))


def _named_parameter(fault: Fault, words: str, way: Way) -> str:
    """The parameter the refusal names, when this request holds it and can do without."""
    held = {
        "stream_options": way.is_streamed and way.api is Api.CHAT,
        "max_completion_tokens": way.api is Api.CHAT and way.is_openai,
        "max_tokens": way.api is Api.CHAT and not way.is_openai,
        "tool_choice": way.mode is Mode.TOOL,
        "store": way.api is Api.RESPONSES,
        "strict": way.mode in (Mode.SCHEMA, Mode.TOOL),
    }
    if _TOO_MUCH.search(words):  # the parameter is known, its value is not liked
        return ""
    last = fault.parameter.rpartition(".")[2]
    if held.get(last) and way.takes(last):
        return last
    for name in _PARAMETERS:
        if held[name] and way.takes(name) and re.search(rf"(?<![\w-]){name}(?![\w-])", words):
            return name
    return ""
