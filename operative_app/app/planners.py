"""Which planner the next run has: the built-in one, loaded when it is first needed, or a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operative_app.actions.registry import Registry
from operative_app.core.endpoint import Endpoint, ModelWays
from operative_app.core.plan import Plan, Task
from operative_app.core.run import BUILTIN_PLANNER
from operative_app.core.screen import ScreenState
from operative_app.planning.port import (
    Answered,
    CannotInterpret,
    Decision,
    Decomposed,
    Planner,
    RunContext,
    Trouble,
)
from operative_app.store.abilities import AbilityStore
from operative_app.store.folders import Folders

if TYPE_CHECKING:
    from operative_app.llm.client import ModelClient

PROMPTS_DIR: Final = "prompts"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model to plan with.

    Attributes:
        key: Fetches the key when a run begins; raises SettingsError or StoreError in words. Kept in no value.
        summary_model: The model at the same address that sums up old steps and the run; "" takes the same one.
        ways: What it is asked besides the one question for each step.
    """

    endpoint: Endpoint
    key: Callable[[], str]
    summary_model: str = ""
    ways: ModelWays = field(default_factory=ModelWays)


class Planners:
    """A Planner that asks the one chosen. `choose` and `load` on any thread, the rest on the agent thread.

    A choice holds from the next run on: a run goes on with the planner it began with.
    """

    def __init__(self, registry: Registry, folders: Folders) -> None:
        self._registry = registry
        self._folders = folders
        self._lock = threading.Lock()
        self._choice: ModelChoice | None = None
        self._builtin: Planner | None = None
        self._model: Planner | None = None
        self._model_choice: ModelChoice | None = None
        self._prices_of_ns = 0
        self._prices_fault = ""
        self._clients: list[ModelClient] = []
        self._present: Planner | None = None

    @property
    def name(self) -> str:
        """What the next run is planned by: "built-in", or the model's name."""
        choice = self._choice
        return BUILTIN_PLANNER if choice is None else choice.endpoint.model

    def choose(self, choice: ModelChoice | None) -> None:
        """Plan the next run with a model, or with the built-in planner (None)."""
        self._choice = choice

    def load(self) -> None:
        """Load the built-in planner now: reading its grammar takes a good part of a start."""
        self._load_builtin()

    async def close(self) -> None:
        """Close connections to endpoints. Idempotent."""
        clients, self._clients = self._clients, []
        self._model = self._model_choice = None
        for client in clients:
            await client.close()

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret | Answered:
        if state is None or self._present is None:  # the first question of a run
            self._present = await self._chosen()
            if self._present is self._model and self._prices_fault:
                context.warn(self._prices_fault)
        return await self._present.decompose(goal, state, context)

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        return await self._in_charge.select_action(state, plan, task, context)

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        return await self._in_charge.replan(state, plan, task, trouble, context)

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        return await self._in_charge.handle_error(state, plan, task, trouble, context)

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        return await self._in_charge.summarize(plan, state, context)

    @property
    def _in_charge(self) -> Planner:
        return self._present if self._present is not None else self._load_builtin()

    def _load_builtin(self) -> Planner:
        with self._lock:
            if self._builtin is None:
                from operative_app.planning.builtin.planner import BuiltinPlanner

                self._builtin = BuiltinPlanner()
            return self._builtin

    async def _chosen(self) -> Planner:
        choice = self._choice
        if choice is None:
            return self._load_builtin()
        from operative_app.llm.prices import PRICES_NAME

        prices_ns = _changed_ns(self._folders.config / PRICES_NAME)
        if self._model is None or self._model_choice is not choice or prices_ns != self._prices_of_ns:
            await self.close()
            self._model, self._model_choice = await self._make(choice), choice
            self._prices_of_ns = prices_ns
        return self._model

    async def _make(self, choice: ModelChoice) -> Planner:
        from operative_app.llm.client import ModelClient
        from operative_app.llm.prices import PRICES_NAME, load_prices
        from operative_app.llm.waiting import KeyQueue
        from operative_app.planning.model.options import ModelOptions
        from operative_app.planning.model.planner import ModelPlanner
        from operative_app.planning.model.prompts import PromptLibrary

        prices, self._prices_fault = load_prices(self._folders.config / PRICES_NAME)
        key = await asyncio.to_thread(choice.key)  # a keyring may ask for a password
        queue, memory = KeyQueue(), AbilityStore(self._folders.data)

        def client(endpoint: Endpoint) -> ModelClient:
            made = ModelClient(endpoint, key, memory=memory, prices=prices, queue=queue)
            self._clients.append(made)
            return made

        summary = choice.endpoint.model_copy(update={"model": choice.summary_model}) if choice.summary_model else None
        return ModelPlanner(
            client(choice.endpoint),
            self._registry,
            prompts=PromptLibrary(self._folders.config / PROMPTS_DIR),
            options=ModelOptions(**dict(choice.ways)),
            summariser=client(summary) if summary is not None else None,
            name=choice.endpoint.model,
        )


def _changed_ns(path: Path) -> int:
    """When a file was changed last, in ns of its file system; 0 when there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
