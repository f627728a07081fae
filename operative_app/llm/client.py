"""Asking one model at one endpoint: the best way it has, patience where that helps, and no more of it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Protocol

from operative_app.core.endpoint import Api, Capabilities, Endpoint
from operative_app.llm import answers, chat, presets, responses
from operative_app.llm.characters import whole
from operative_app.llm.concessions import concession
from operative_app.llm.errors import BadReply, ContextTooLong, ModelRefused, ReplyCutOff
from operative_app.llm.faults import Fault, FaultError, FaultKind, error_of, host_of
from operative_app.llm.find_out import find_out
from operative_app.llm.masking import mask
from operative_app.llm.messages import ModelReply, ModelRequest, Usage
from operative_app.llm.prices import Prices
from operative_app.llm.reader import Unreadable
from operative_app.llm.transport import Received, Transport
from operative_app.llm.waiting import KeyQueue, Patience, Retries, Tell, wait_words
from operative_app.llm.wire import (
    Answer,
    Body,
    EmptyAnswer,
    Finish,
    Mode,
    PictureUrl,
    Way,
    best_way,
    data_url,
    estimated_usage,
    has_pictures,
    picture_words,
)

_MOST_CONCESSIONS = 16
_CONTEXT_MARGIN_TOKENS = 16


class CapabilityMemory(Protocol):
    """Keeps what endpoints can do from one start to the next. Neither method raises; any thread."""

    def recall(self, base_url: str, model: str) -> Capabilities | None: ...

    def remember(self, base_url: str, model: str, known: Capabilities) -> None: ...


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request that was answered."""

    way: Way
    answer: Answer
    received: Received


class ModelClient:
    """Asks one model. Used on the agent thread, in one event loop; `close` before that ends.

    What the endpoint turns out not to be able to do is left out of the next requests and remembered.

    Args:
        key: "" for an endpoint that wants none. It appears in no message, record or log.
        queue: Shared by all clients with this key, so that they do not storm the endpoint together.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        key: str = "",
        *,
        memory: CapabilityMemory | None = None,
        prices: Prices | None = None,
        queue: KeyQueue | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._endpoint = endpoint.model_copy(update={"base_url": presets.checked_base_url(endpoint.base_url)})
        self._patience = patience if patience is not None else Patience()
        self._transport = Transport(self._endpoint, key, self._patience)
        self._memory = memory
        self._prices = prices if prices is not None else Prices()
        self._queue = queue if queue is not None else KeyQueue()
        recalled = memory.recall(self._endpoint.base_url, endpoint.model) if memory is not None else None
        self._capabilities = recalled if recalled is not None else Capabilities()
        # A local server may have been started anew with another context or model file, so it is asked each time.
        self._is_found_out = recalled is not None and not presets.is_local(self._endpoint.base_url)
        self._told: set[str] = set()

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def capabilities(self) -> Capabilities:
        """What is known now; changes as the endpoint is found out."""
        known = self._capabilities
        return known.model_copy(update={"api": self._api(known)})

    async def ask(self, request: ModelRequest, *, on_wait: Callable[[str], None] | None = None) -> ModelReply:
        """Ask, and read the answer.

        Args:
            on_wait: Gets a sentence for the person whenever something is waited for.

        Raises:
            ModelError: One of `llm.errors`; a sentence for a person.
        """
        tell = on_wait if on_wait is not None else _say_nothing
        async with self._queue.turn(tell):
            await self.find_out()
            exchange, notices = await self._exchanged(request, tell)
        return self._reply(request, exchange, notices)

    async def find_out(self) -> None:
        """Ask the endpoint once for what it tells about the model by itself; costs no tokens, never raises for it.

        Raises:
            KeyRejected: The key cannot be sent.
        """
        if self._is_found_out:
            return
        known = await find_out(self._transport, self._endpoint, self._capabilities)
        self._is_found_out = True
        self._learn(known)

    async def close(self) -> None:
        """Close the connections; asking again opens new ones. Idempotent."""
        await self._transport.close()

    # --- the exchange ---

    async def _exchanged(self, request: ModelRequest, tell: Tell) -> tuple[_Exchange, tuple[str, ...]]:
        known = self._capabilities
        retries = Retries(self._patience)
        first: Fault | None = None
        notices: list[str] = []
        with_pictures = has_pictures(request)
        for _ in range(_MOST_CONCESSIONS + sum(self._patience.tries.values())):
            way = self._way(known)
            if retries.count(FaultKind.CUT):  # what cuts streams may let an answer in one piece pass
                way = dataclasses.replace(way, is_streamed=False)
            try:
                exchange = await self._tried(request, way)
            except FaultError as error:
                fault = error.fault
            else:
                self._learn(self._confirmed(known, way, request, exchange))
                return exchange, self._new(notices)
            conceded = concession(
                fault, way, known, with_pictures=with_pictures, with_computer=request.computer is not None
            )
            if conceded is not None and (self._endpoint.api is Api.AUTO or conceded.known.api is known.api):
                first = first or fault
                known = conceded.known
                if conceded.notice:
                    notices.append(conceded.notice)
                continue
            wait_s = retries.wait_s(fault)
            if wait_s is None:
                self._fail(fault, first)
            tell(wait_words(fault, host_of(self._endpoint), wait_s))
            await asyncio.sleep(wait_s)
        raise AssertionError("the tries are bounded by their kinds")

    async def _tried(self, request: ModelRequest, way: Way) -> _Exchange:
        received = await self._transport.post(_path(way), self._body(request, way, data_url))
        try:
            read = responses.answer if way.api is Api.RESPONSES else chat.answer
            answer = read(received.body)
        except EmptyAnswer as error:
            raise FaultError(Fault(FaultKind.EMPTY, str(error), received=json.dumps(received.body))) from error
        return _Exchange(way, answer, received)

    def _fail(self, fault: Fault, first: Fault | None) -> NoReturn:
        """Raise the error for the person: the first refusal, when a way around it was refused as well."""
        if first is not None and fault.kind is FaultKind.REJECTED:
            fault = first
        if fault.kind is FaultKind.CONTEXT and fault.limit_tokens:
            self._learn(self._capabilities.model_copy(update={"context_tokens": fault.limit_tokens}))
        raise error_of(fault, self._endpoint, self._transport.key)

    # --- what is known ---

    def _api(self, known: Capabilities) -> Api:
        if self._endpoint.api is not Api.AUTO:
            return self._endpoint.api
        if known.api is not Api.AUTO:
            return known.api
        return Api.RESPONSES if presets.is_openai(self._endpoint) else Api.CHAT

    def _way(self, known: Capabilities) -> Way:
        return best_way(
            known,
            self._api(known),
            is_openai=presets.is_openai(self._endpoint),
            wants_strict=presets.wants_strict_schema(self._endpoint),
        )

    def _confirmed(self, known: Capabilities, way: Way, request: ModelRequest, exchange: _Exchange) -> Capabilities:
        """What is known after a success: a concession that led to it is proven now."""
        offered = request.computer is not None and way.api is Api.RESPONSES and way.takes("computer")
        return known.model_copy(
            update={
                "api": way.api,
                "has_computer_use": known.has_computer_use or (offered and bool(exchange.answer.computer_items)),
            }
        )

    def _learn(self, known: Capabilities) -> None:
        if known == self._capabilities:
            return
        self._capabilities = known
        if self._memory is not None:
            self._memory.remember(self._endpoint.base_url, self._endpoint.model, known)

    def _doubt(self, way: Way) -> None:
        """The answer was no JSON although it was bound to be: this binding is not kept here, so the next one is used.

        It is remembered with the next answer that comes.
        """
        if way.is_strict:
            return
        unbound = {Mode.SCHEMA: "has_schema", Mode.TOOL: "has_tools", Mode.JSON: "has_json_mode"}
        if name := unbound.get(way.mode):
            self._capabilities = self._capabilities.model_copy(update={name: False})

    # --- the answer ---

    def _reply(self, request: ModelRequest, exchange: _Exchange, notices: tuple[str, ...]) -> ModelReply:
        answer = exchange.answer
        raw = answers.written(answer)
        usage = self._usage(request, answer)
        sent, received = self._sent(request, exchange.way), self._received(exchange.received.body)
        try:
            content = answers.read(answer, request)
        except answers.Refusal as error:
            text = mask(str(error), self._transport.key)
            raise ModelRefused(text, usage=usage, sent=sent, received=received) from error
        except answers.CutOff as error:
            self._check_context(request, usage)
            after = "" if usage.is_estimated else f" after {usage.output_tokens:,} tokens"
            limit = f"it was cut off at the output limit{after}; answer more briefly"
            raise ReplyCutOff(raw, limit, usage=usage, sent=sent, received=received) from error
        except Unreadable as error:
            if not error.is_json and answer.finish is Finish.STOP:
                self._doubt(exchange.way)
            raise BadReply(raw, str(error), usage=usage, sent=sent, received=received) from error
        return ModelReply(
            content=content.content,
            text=content.text,
            reasoning=content.reasoning,
            usage=usage,
            model=answer.model or self._endpoint.model,
            duration_ms=exchange.received.duration_ms,
            sent=sent,
            received=received,
            calls=content.calls,
            safety_checks=content.safety_checks,
            notices=notices,
        )

    def _check_context(self, request: ModelRequest, usage: Usage) -> None:
        """Tell an answer that ended because the context was full from one that ended at the output limit."""
        limit = self._capabilities.context_tokens
        used = usage.input_tokens + usage.output_tokens
        if limit is None or usage.is_estimated or usage.output_tokens >= request.max_output_tokens:
            return
        if used >= limit - _CONTEXT_MARGIN_TOKENS:
            raise ContextTooLong(
                f"The request left “{self._endpoint.model}” no room to answer; it takes {limit:,} tokens.",
                limit_tokens=limit,
            )

    def _usage(self, request: ModelRequest, answer: Answer) -> Usage:
        usage = answer.usage
        if usage is None:
            usage = estimated_usage(request, answer.text + "".join(call.arguments for call in answer.tool_calls))
        if usage.cost is None:
            cost = self._prices.cost(self._endpoint.model, usage)
            if cost is None and answer.model:
                cost = self._prices.cost(answer.model, usage)
            usage = dataclasses.replace(usage, cost=cost)
        return usage

    def _body(self, request: ModelRequest, way: Way, picture_url: PictureUrl) -> Body:
        made = responses.body if way.api is Api.RESPONSES else chat.body
        return made(request, way, self._endpoint.model, picture_url)

    def _sent(self, request: ModelRequest, way: Way) -> str:
        body = json.dumps(self._body(request, way, picture_words), ensure_ascii=False)
        return mask(f"POST {self._transport.address(_path(way))}\n{body}", self._transport.key)

    def _received(self, body: Body) -> str:
        return mask(whole(json.dumps(body, ensure_ascii=False)), self._transport.key)

    def _new(self, notices: list[str]) -> tuple[str, ...]:
        """The sentences that were not told before."""
        new = [notice for notice in dict.fromkeys(notices) if notice not in self._told]
        self._told.update(new)
        return tuple(new)


def _path(way: Way) -> str:
    return responses.PATH if way.api is Api.RESPONSES else chat.PATH


def _say_nothing(sentence: str) -> None:
    del sentence
