"""The built-in planner, loaded by itself beside the window: reading its grammar takes a good part of a start."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from operative_app.core.plan import Plan, Task
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

BUILTIN_NAME: Final = "built-in"


class LatePlanner:
    """A Planner that loads the built-in one when it is first asked, or before, on a thread of its own.

    `load` may be called on any thread.
    """

    name = BUILTIN_NAME

    def load(self) -> None:
        """Load it now; returns when it is there."""
        _ = self._planner

    @cached_property
    def _planner(self) -> Planner:
        from operative_app.planning.builtin.planner import BuiltinPlanner

        return BuiltinPlanner()

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret | Answered:
        return await self._planner.decompose(goal, state, context)

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        return await self._planner.select_action(state, plan, task, context)

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        return await self._planner.replan(state, plan, task, trouble, context)

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        return await self._planner.handle_error(state, plan, task, trouble, context)

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        return await self._planner.summarize(plan, state, context)
