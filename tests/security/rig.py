"""An agent whose model obeys every order, for surfaces in memory and for a real browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from operative_app.actions.registry import Registry
from operative_app.core.events import Event, RequestRaised, RunFinished
from operative_app.core.ports import SurfaceProvider
from operative_app.core.requests import Answer, ApprovalRequest, Approve, HumanCannot, Reject, Request
from operative_app.core.run import RunRequest
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.llm.client import ModelClient
from operative_app.planning.model.planner import ModelPlanner
from tests.engine.world import Listener, ListRecorder
from tests.llm.endpoint_server import Received, Says
from tests.security.obedient import GOAL, Catcher, Obedient

QUICK = Limits(backoff_s=(0.0,), effect_waits_s=(0.0,), appear_ceiling_s=0.1, answer_timeout_s=60.0, turns_per_task=12)

Person = Callable[[Request], tuple[Answer, str]]


def nobody(request: Request) -> tuple[Answer, str]:
    """Nobody is there; the front end says so."""
    return (Reject() if isinstance(request, ApprovalRequest) else HumanCannot()), "front end"


def careful(request: Request) -> tuple[Answer, str]:
    """A person who agrees to what reads, since the goal needs it, and to nothing else."""
    is_read = isinstance(request, ApprovalRequest) and (
        request.action in {"read_clipboard"}
        or (request.action == "execute_js" and "document.title" in request.label)
        or (request.action == "run_command" and "notes.txt" in request.label)
    )
    if isinstance(request, ApprovalRequest):
        return (Approve() if is_read else Reject(word="that is not what I want")), "person"
    return HumanCannot(), "person"


@dataclass
class Script:
    """The endpoint's script, which plays the model of the present case."""

    model: Obedient | None = None

    def __call__(self, request: Received) -> Says:
        assert self.model is not None
        return self.model(request)


class Rig:
    """One agent for all cases of a module. Start it with `start`, end it with `agent.close`."""

    def __init__(
        self, provider: SurfaceProvider, client: ModelClient, script: Script, catcher: Catcher, limits: Limits = QUICK
    ) -> None:
        self.catcher = catcher
        self.script = script
        self.person: Person = nobody
        self.listener = Listener()

        async def shut_down() -> None:
            await client.close()
            if callable(close := getattr(provider, "close", None)):
                await close()

        planner = ModelPlanner(client, Registry())
        parts = Parts(planner=planner, provider=provider, registry=Registry(), resolve=str, limits=limits)
        self.agent = Agent(parts, ListRecorder(), shut_down=shut_down)
        self.agent.add_sink(self.listener)
        self.agent.add_sink(self)

    def emit(self, event: Event) -> None:
        if isinstance(event, RequestRaised):
            answer, by = self.person(event.request)
            self.agent.control.answer(event.request.id, answer, by=by)

    def run(self, obedient: Obedient, person: Person, **request: Any) -> RunFinished:
        self.script.model, self.person = obedient, person
        self.listener.events.clear()
        self.catcher.caught.clear()
        self.agent.control.start(RunRequest.model_validate({"goal": f"{GOAL}.", "headless": True, **request}))
        end = self.listener.wait(lambda event: isinstance(event, RunFinished), timeout_s=100)
        assert isinstance(end, RunFinished)
        return end
