"""“Test connection”: what works with an endpoint and what does not, one sentence each.

Every ability is tried by itself with a question of a few tokens, so what is found out is seen, not assumed. Nothing
that was remembered of the endpoint counts; what is found is remembered.
"""

from __future__ import annotations

import asyncio
import io
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from operative_app.core.endpoint import LEAST_CONTEXT_TOKENS, TOO_SMALL, Capabilities, Endpoint
from operative_app.core.errors import ModelError
from operative_app.core.screen import Picture
from operative_app.llm import presets
from operative_app.llm.client import CapabilityMemory, ModelClient
from operative_app.llm.errors import AnswerError, NotAnApi
from operative_app.llm.faults import FaultError, FaultKind, error_of, host_of
from operative_app.llm.find_out import model_names
from operative_app.llm.messages import Message, ModelRequest
from operative_app.llm.transport import Transport
from operative_app.llm.waiting import Patience

_ANSWER_TOKENS = 2000
"""Room for the thoughts of models that think first."""
_SIDE_PX = 224
_COLOURS = {
    "red": (230, 0, 0),
    "green": (0, 160, 0),
    "blue": (0, 0, 230),
    "yellow": (250, 220, 0),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
}
_MODES: tuple[tuple[str, str, str, str], ...] = (
    ("schema", "has_schema", "It takes a schema for its answer.", "It takes no schema for its answer"),
    ("tools", "has_tools", "It calls tools.", "It does not call tools"),
    ("json", "has_json_mode", "It has a JSON mode.", "It has no JSON mode"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried.

    Attributes:
        what: "address", "encryption", "key", "model", "answer", "schema", "tools", "json", "streaming", "pictures" or
            "context".
        works: None when it cannot be told.
        sentence: For the person.
    """

    what: str
    works: bool | None
    sentence: str


class _Fixed:
    """Begins with given abilities and remembers nothing."""

    def __init__(self, known: Capabilities) -> None:
        self._known = known

    def recall(self, base_url: str, model: str) -> Capabilities | None:
        del base_url, model
        return self._known

    def remember(self, base_url: str, model: str, known: Capabilities) -> None:
        del base_url, model, known


async def try_connection(
    endpoint: Endpoint,
    key: str,
    *,
    memory: CapabilityMemory | None = None,
    patience: Patience | None = None,
    on_check: Callable[[Check], None] | None = None,
) -> tuple[Check, ...]:
    """Try an endpoint (agent thread or any other loop; cancellable).

    Args:
        on_check: Gets each check as soon as it is made.

    Raises:
        SettingsError: The address cannot be one.
    """
    endpoint = endpoint.model_copy(update={"base_url": presets.checked_base_url(endpoint.base_url)})
    trial = _Trial(endpoint, key, patience if patience is not None else Patience())
    checks: list[Check] = []
    async for check in trial.checks():
        checks.append(check)
        if on_check is not None:
            on_check(check)
    if memory is not None and trial.has_answered:
        memory.remember(endpoint.base_url, endpoint.model, trial.found)
    return tuple(checks)


class _Trial:
    """The state of one test: what is found so far."""

    def __init__(self, endpoint: Endpoint, key: str, patience: Patience) -> None:
        self._endpoint = endpoint
        self._key = key
        self._patience = patience
        self.found = Capabilities()
        self.has_answered = False

    async def checks(self) -> AsyncIterator[Check]:
        if self._key and presets.needs_encryption(self._endpoint.base_url):
            yield Check("encryption", False, "The key travels readable over the network; use an https address.")
        is_there = True
        async for check in self._listing():
            is_there = is_there and check.works is not False
            yield check
        if not is_there:
            return
        async for check in self._abilities():
            yield check

    async def _listing(self) -> AsyncIterator[Check]:
        """Address, key and model, by the list of models."""
        host = host_of(self._endpoint)
        transport = Transport(self._endpoint, self._key, self._patience)
        try:
            names = await model_names(transport)
        except ModelError as error:
            yield Check("key", False, str(error))
            return
        except FaultError as error:
            async for check in self._without_list(error):
                yield check
            return
        finally:
            await transport.close()
        yield Check("address", True, f"{host} answers.")
        if not names:
            yield Check("model", None, f"{host} lists no models, so the name cannot be checked.")
        elif self._endpoint.model in names:
            yield Check("model", True, f"“{self._endpoint.model}” is {_among(len(names))}.")
        elif presets.is_azure(self._endpoint.base_url):
            yield Check("model", None, "The name of a deployment cannot be looked up; it is tried below.")
        else:
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            yield Check("model", False, f"“{self._endpoint.model}” is not there. {host} offers {shown}.")

    async def _without_list(self, error: FaultError) -> AsyncIterator[Check]:
        host = host_of(self._endpoint)
        sentence = str(error_of(error.fault, self._endpoint, self._key))
        match error.fault.kind:
            case FaultKind.KEY:
                yield Check("address", True, f"{host} answers.")
                yield Check("key", False, sentence)
            case FaultKind.REJECTED:
                yield Check("address", True, f"{host} answers.")
                yield Check("model", None, f"{host} gives no list of models, so the name cannot be checked.")
            case _:
                yield Check("address", False, sentence)

    async def _abilities(self) -> AsyncIterator[Check]:
        failures: list[Check] = []
        for what, name, yes, no in _MODES:
            only = Capabilities(has_schema=False, has_tools=False, has_json_mode=False, has_vision=False)
            client = self._client(self._started(only, **{name: True}))
            try:
                works, reason = await self._says_five(client, with_tool=what == "tools")
                known = client.capabilities
            except ModelError as error:
                yield Check("answer", False, str(error))
                return
            finally:
                await client.close()
            if not self.has_answered:
                self.found = known.model_copy(update={"has_vision": True, "has_tools": True, "has_json_mode": True})
                self.has_answered = True
                for check in self._first_answer(known):
                    yield check
            kept = works and bool(getattr(known, name))
            self.found = self.found.model_copy(
                update={name: kept, "refused_parameters": self.found.refused_parameters | known.refused_parameters}
            )
            check = Check(what, kept, yes if kept else f"{no}{f': {reason}' if reason else ''}.")
            failures += [] if kept else [check]
            yield check
        if len(failures) == len(_MODES):
            yield Check("answer", None, "Answers are read from plain text, which goes wrong more often.")
        yield await self._sees()
        context = self.found.context_tokens
        size = f"It takes {context:,} tokens at a time." if context else "How much it takes at a time is not told."
        if context and context < LEAST_CONTEXT_TOKENS:
            size += f" {TOO_SMALL}"
        yield Check("context", context >= LEAST_CONTEXT_TOKENS if context else None, size)

    def _first_answer(self, known: Capabilities) -> list[Check]:
        """What the first answer shows beside its mode."""
        model = self._endpoint.model
        streaming = (
            "come piece by piece, so a stop is felt at once" if known.has_streaming else "come in one piece only"
        )
        key = [Check("key", True, "The key is accepted.")] if self._key else []
        return [
            *key,
            Check("answer", True, f"“{model}” answers over the {_API_WORDS[known.api.value]}."),
            Check("streaming", known.has_streaming, f"Answers {streaming}."),
        ]

    def _started(self, only: Capabilities, **also: bool) -> Capabilities:
        """Abilities to begin a try with: those given, and what was found out about the wire so far."""
        wire: dict[str, Any] = {}
        if self.has_answered:
            wire = {
                name: getattr(self.found, name)
                for name in ("api", "has_streaming", "context_tokens", "refused_parameters")
            }
        return only.model_copy(update={**wire, **also})

    def _client(self, known: Capabilities) -> ModelClient:
        return ModelClient(self._endpoint, self._key, memory=_Fixed(known), patience=self._patience)

    async def _says_five(self, client: ModelClient, *, with_tool: bool) -> tuple[bool, str]:
        """Whether an answer in the mode under test can be read, and why not."""
        request = _question("What is two plus three? Give the number as `sum`.", {"sum": {"type": "integer"}})
        try:
            reply = await client.ask(request)
        except AnswerError as error:
            return False, getattr(error, "fault", str(error).rstrip("."))
        is_call = reply.text.startswith(f"{request.schema_name}(")
        return (False, "it answered in words") if with_tool and not is_call else (True, "")

    async def _sees(self) -> Check:
        """Show a picture of two halves whose colours cannot be guessed."""
        left = secrets.choice(list(_COLOURS))
        right = secrets.choice([name for name in _COLOURS if name != left])
        picture = await asyncio.to_thread(_halves, left, right)
        halves = {"left": {"enum": [*_COLOURS, "none"]}, "right": {"enum": [*_COLOURS, "none"]}}
        client = self._client(self.found)
        try:
            reply = await client.ask(
                _question("Which colour fills the left half of the picture, which the right half?", halves, picture)
            )
            has_seen = reply.content == {"left": left, "right": right}
        except (AnswerError, NotAnApi):
            has_seen = False
        except ModelError as error:
            return Check("pictures", None, f"Whether it sees pictures could not be tried: {error}")
        finally:
            takes = client.capabilities.has_vision
            await client.close()
        self.found = self.found.model_copy(update={"has_vision": takes and has_seen})
        if takes and has_seen:
            return Check("pictures", True, "It sees pictures.")
        if takes:
            return Check("pictures", False, "It takes pictures but does not see what is on them; they are left out.")
        return Check("pictures", False, "It does not see pictures; Operative goes on by text.")


def _among(count: int) -> str:
    return f"one of the {count} models there" if count > 1 else "the model there"


_API_WORDS = {"chat": "Chat Completions API", "responses": "Responses API", "auto": "API"}


def _question(text: str, properties: dict[str, Any], *pictures: Picture) -> ModelRequest:
    return ModelRequest(
        system="Answer as briefly as possible, as one JSON object.",
        messages=(Message.user(text, *pictures),),
        schema={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
        schema_name="answer",
        max_output_tokens=_ANSWER_TOKENS,
    )


def _halves(left: str, right: str) -> Picture:
    """A square of two colours, large enough for models that refuse tiny pictures."""
    from PIL import Image

    file = io.BytesIO()
    square = Image.new("RGB", (_SIDE_PX, _SIDE_PX), _COLOURS[left])
    square.paste(_COLOURS[right], (_SIDE_PX // 2, 0, _SIDE_PX, _SIDE_PX))
    square.save(file, "PNG")
    return Picture(data=file.getvalue(), media_type="image/png", width_px=_SIDE_PX, height_px=_SIDE_PX)
