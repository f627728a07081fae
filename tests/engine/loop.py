"""The engine with real Chromium and a planner, scripted or not."""

from __future__ import annotations

from pathlib import Path

from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import RunFinished, StepFinished, StepStarted
from operative_app.core.requests import Reject
from operative_app.core.run import OutcomeStatus, RunRequest
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.planning.port import Planner
from tests.engine.world import RUN_S, Listener, ListRecorder

LIMITS = Limits(backoff_s=(0.05, 0.1), effect_waits_s=(0.1, 0.2, 0.4), appear_ceiling_s=60.0)
CLOSE_S = 60.0


class Loop:
    """An agent with a real browser."""

    def __init__(self, folder: Path, url: str, planner: Planner) -> None:
        self.url = url
        self.goal = "the goal"
        self.planner = planner
        self.limits = LIMITS
        self.listener = Listener()
        self._folder = folder

    def _agent(self) -> Agent:
        profile, downloads = self._folder / "profile", self._folder / "downloads"
        provider = BrowserProvider(profile_dir=profile, downloads_dir=downloads, keep_open=False)
        parts = Parts(
            planner=self.planner,
            provider=provider,
            registry=Registry(),
            resolve=lambda url: url,
            limits=self.limits,
        )
        agent = Agent(parts, ListRecorder(), shut_down=provider.close)
        agent.add_sink(self.listener)
        return agent

    def run(self, *, max_steps: int = 20) -> RunFinished:
        self.agent = self._agent()
        self.agent.start()
        try:
            self.agent.control.start(RunRequest(goal=self.goal, url=self.url, headless=True, max_steps=max_steps))
            end = self.listener.wait(
                lambda event: isinstance(event, RunFinished) or event.kind == "request_raised", timeout_s=RUN_S
            )
            if end.kind == "request_raised":  # nobody is there to guide it
                self.agent.control.answer(self.listener.wait_request().id, Reject(), by="front end")
            return self.listener.wait_end()
        finally:
            assert self.agent.close(timeout_s=CLOSE_S)

    def outcomes(self) -> list[OutcomeStatus]:
        return [event.status for event in self.listener.events if isinstance(event, StepFinished)]

    def labels(self) -> list[str]:
        return [event.label for event in self.listener.events if isinstance(event, StepStarted)]
