"""Events of a made-up run, numbered as an engine would."""

from __future__ import annotations

from itertools import count

from operative_app.core.events import (
    Event,
    Observed,
    PlanChanged,
    RequestRaised,
    RunFinished,
    RunStarted,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Checkpoint, Plan, Task
from operative_app.core.requests import ApprovalRequest
from operative_app.core.run import EndCause, OutcomeStatus, RunRequest, RunState

STARTED_AT_S = 1_800_000_000.0


class Story:
    """Makes the events of one run; each comes a second after the one before."""

    def __init__(self, run_id: str, started_at_s: float = STARTED_AT_S) -> None:
        self.run_id = run_id
        self._started_at_s = started_at_s
        self._numbers = count()

    def _base(self) -> tuple[str, int, float]:
        number = next(self._numbers)
        return self.run_id, number, self._started_at_s + number

    def started(self, goal: str = "Order a Mac mini") -> RunStarted:
        run_id, number, time_s = self._base()
        return RunStarted(
            run_id=run_id, sequence=number, time_s=time_s, request=RunRequest(goal=goal), planner="built-in"
        )

    def state(self, state: RunState) -> StateChanged:
        run_id, number, time_s = self._base()
        return StateChanged(run_id=run_id, sequence=number, time_s=time_s, state=state)

    def observed(self, screenshot: str, step: int = 1) -> Observed:
        run_id, number, time_s = self._base()
        return Observed(
            run_id=run_id, sequence=number, time_s=time_s, step=step, observation=step, url="http://shop.example/",
            title="Shop", screenshot=screenshot,
        )  # fmt: skip

    def asked(self, screenshot: str) -> RequestRaised:
        run_id, number, time_s = self._base()
        request = ApprovalRequest(action="click", label="Click", reason="risky", rule="buy", screenshot=screenshot)
        return RequestRaised(run_id=run_id, sequence=number, time_s=time_s, request=request)

    def planned(self, screenshot: str) -> PlanChanged:
        run_id, number, time_s = self._base()
        task = Task(goal="Search", checkpoint=Checkpoint(step=1, screenshot=screenshot))
        return PlanChanged(run_id=run_id, sequence=number, time_s=time_s, plan=Plan(goal="Order", tasks=(task,)))

    def step_started(self, step: int = 1, label: str = "Click link “Mac mini”") -> StepStarted:
        run_id, number, time_s = self._base()
        return StepStarted(
            run_id=run_id, sequence=number, time_s=time_s, step=step, action="click", label=label,
            parameters={"target": {"key": "e1"}},
        )  # fmt: skip

    def step_finished(self, step: int = 1) -> StepFinished:
        run_id, number, time_s = self._base()
        return StepFinished(
            run_id=run_id, sequence=number, time_s=time_s, step=step, status=OutcomeStatus.DONE, duration_ms=12
        )

    def finished(self, state: RunState = RunState.DONE, steps: int = 1) -> RunFinished:
        run_id, number, time_s = self._base()
        return RunFinished(
            run_id=run_id, sequence=number, time_s=time_s, state=state, cause=EndCause.GOAL_MET, reason="All seen.",
            steps=steps, duration_s=7.5,
        )  # fmt: skip

    def whole(self) -> list[Event]:
        return [
            self.started(),
            self.state(RunState.WORKING),
            self.step_started(),
            self.step_finished(),
            self.finished(),
        ]
