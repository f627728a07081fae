"""What the planner needs of an endpoint. `llm.client.ModelClient` is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from operative_app.llm.messages import ModelReply, ModelRequest


class Abilities(Protocol):
    """What an endpoint can do, as far as it is known now.

    Attributes:
        has_computer_use: The endpoint's native computer-use tool may be offered beside the actions.
        context_tokens: How much fits into a request and its reply; 0 or None when that is not known.
    """

    @property
    def has_vision(self) -> bool | None: ...

    @property
    def has_computer_use(self) -> bool: ...

    @property
    def context_tokens(self) -> int | None: ...


class Model(Protocol):
    """One model at one endpoint."""

    @property
    def capabilities(self) -> Abilities: ...

    async def ask(self, request: ModelRequest, *, on_wait: Callable[[str], None] | None = None) -> ModelReply:
        """One answer (agent thread; cancellable). Raises ModelError."""
        ...
