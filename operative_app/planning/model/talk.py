"""One question to a model: asked, read, told; a reply that cannot be used is shown to the model once with its fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from operative_app.core.errors import ModelError, PlanningError
from operative_app.llm.errors import AnswerError, BadReply, ReplyCutOff
from operative_app.llm.messages import Message, ModelReply, ModelRequest, Usage
from operative_app.planning.model.ports import Model
from operative_app.planning.model.replies import ReplyFault
from operative_app.planning.port import Exchange, RunContext

T = TypeVar("T")

_RAW_SHOWN_CHARS = 2000
_MOST_OUTPUT_TOKENS = 16_384

Snapshot = Mapping[str, object]


class Unusable(PlanningError):
    """Two replies in a row could not be used. The message is a clause that says what was wrong with the second."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A reply that was read."""

    value: T
    reply: ModelReply


async def ask(
    model: Model,
    request: ModelRequest,
    read: Callable[[ModelReply, bool], T],
    context: RunContext,
    purpose: str,
    snapshot: Callable[[T], Snapshot] | None = None,
) -> Answer[T]:
    """Ask, and ask once more when the reply cannot be used.

    Args:
        read: Makes a value of a reply; raises ReplyFault. Its second argument tells that no further try comes.

    Raises:
        Unusable: Both replies could not be used.
        ModelError: The endpoint failed, refused, or the request does not fit into its context.
    """
    fault = ""
    for is_last in (False, True):
        try:
            reply = await model.ask(request, on_wait=context.tell_waiting)
        except BadReply as error:
            fault = error.fault
            context.tell(_failed(purpose, error.usage, error.sent, error.received or error.raw, fault))
            request = _again(request, error.raw, fault, is_cut_off=isinstance(error, ReplyCutOff))
        except AnswerError as error:
            context.tell(_failed(purpose, error.usage, error.sent, error.received, str(error)))
            raise
        except ModelError as error:
            context.tell(Exchange(purpose, fault=str(error)))
            raise
        else:
            try:
                value = read(reply, is_last)
            except ReplyFault as error:
                fault = str(error)
                context.tell(replace(_told(purpose, reply), fault=fault))
                request = _again(request, reply.text, fault)
            else:
                context.tell(replace(_told(purpose, reply), snapshot=snapshot(value) if snapshot is not None else {}))
                return Answer(value, reply)
    raise Unusable(fault)


def _told(purpose: str, reply: ModelReply) -> Exchange:
    return replace(
        _failed(purpose, reply.usage, reply.sent, reply.received, ""),
        model=reply.model,
        duration_ms=reply.duration_ms,
        notices=tuple(reply.notices),
    )


def _failed(purpose: str, usage: Usage, sent: str, received: str, fault: str) -> Exchange:
    return Exchange(
        purpose,
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        sent=sent,
        received=received,
        fault=fault,
    )


def _again(request: ModelRequest, raw: str, fault: str, *, is_cut_off: bool = False) -> ModelRequest:
    """The request with the reply and what is wrong with it; nothing of that reply was carried out."""
    advice = " Choose fewer or shorter actions." if is_cut_off else ""
    correction = (
        f"That reply cannot be used, and nothing of it was carried out: {fault.rstrip('.')}.{advice} "
        "Reply again with one JSON object as described."
    )
    said = raw.strip()[:_RAW_SHOWN_CHARS] or "(an empty reply)"
    more_tokens = min(2 * request.max_output_tokens, _MOST_OUTPUT_TOKENS)
    return replace(
        request,
        messages=(*request.messages, Message.assistant(said), Message.user(correction)),
        max_output_tokens=more_tokens if is_cut_off else request.max_output_tokens,
    )


def plain(read: Callable[[Mapping[str, Any]], T]) -> Callable[[ModelReply, bool], T]:
    """A reader of the content alone."""
    return lambda reply, _: read(reply.content)
