"""A model that replies by a script, and notes what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from operative_app.llm.messages import Message, ModelReply, ModelRequest, NamedCall, TextPart, Usage

Reply = dict[str, Any] | Exception | Callable[[ModelRequest], Any]


@dataclass
class Abilities:
    has_vision: bool = False
    has_computer_use: bool = False
    context_tokens: int | None = 128_000


@dataclass
class ScriptedModel:
    """Gives its replies in turn, the last one again and again; a function makes one from the request."""

    replies: list[Reply]
    capabilities: Abilities = field(default_factory=Abilities)
    requests: list[ModelRequest] = field(default_factory=list)
    calls: tuple[NamedCall, ...] = ()
    checks: tuple[str, ...] = ()

    async def ask(self, request: ModelRequest, *, on_wait: Callable[[str], None] | None = None) -> ModelReply:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if callable(reply) and not isinstance(reply, Exception):
            reply = reply(request)
        if isinstance(reply, Exception):
            raise reply
        assert isinstance(reply, dict)
        text = json.dumps(reply)
        usage = Usage(input_tokens=100, cached_input_tokens=60, output_tokens=10, cost=0.001)
        sent = f"sent {len(self.requests)}"
        is_native = request.computer is not None
        calls, checks = (self.calls, self.checks) if is_native else ((), ())
        return ModelReply(reply, text, "", usage, "scripted", 1.0, sent, text, calls, checks)

    def asked(self, number: int = -1) -> str:
        """All text of a request, as the model got it."""
        return text_of(self.requests[number])


def text_of(request: ModelRequest) -> str:
    return "\n".join([request.system, *(words_of(message) for message in request.messages)])


def words_of(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def plan(*tasks: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    """A planning reply."""
    made = [{"goal": one} if isinstance(one, str) else one for one in tasks]
    return {"route": "browser", "tasks": made, "say": "I will do this.", **more}


def act(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A decision with one way."""
    return {"route": "act", "variants": [list(actions)], "thought": "next", **more}


def click(number: int) -> dict[str, Any]:
    return {"do": "click_element", "element": number}


def fill(number: int, text: str) -> dict[str, Any]:
    return {"do": "fill", "element": number, "text": text}


def finish(evidence: str, **more: Any) -> dict[str, Any]:
    """The present task and the goal are said to be done."""
    return {"route": "finish", "goal_achieved": True, "done": [{"task": 1, "evidence": evidence}], **more}


def summary(*claims: tuple[str, int]) -> dict[str, Any]:
    return {"claims": [{"text": text, "step": step} for text, step in claims], "changed": [], "open": ""}


def purposes(requests: Iterable[ModelRequest]) -> list[str]:
    return [request.schema_name for request in requests]
