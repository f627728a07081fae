"""Runs with a model over real loopback HTTP, in a real browser, through the real engine.

The endpoint plays a model that reads what it is sent: it finds each control by its name in the newest text that shows
it, so that a screen that is shown wrongly fails the run. What is not there yet it waits for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Page

from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import Event, ModelAsked, RecoveryTried, RequestRaised, RunFinished, Rung, StepFinished
from operative_app.core.ports import Surface
from operative_app.core.run import RunRequest
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.llm.client import ModelClient
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.planner import ModelPlanner
from operative_app.planning.port import Planner, TaskDone
from operative_app.practice.server import PracticeSite
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.engine.world import RUN_S, Listener, ListRecorder, ScriptedPlanner
from tests.llm.asking import Wire, client_of
from tests.llm.endpoint_server import EndpointServer, Received, Says

T = TypeVar("T")
Json = dict[str, Any]
Move = Callable[["View"], Json]
_MOST_MISSED = 200
LIMITS = Limits(backoff_s=(0.1, 0.3), effect_waits_s=(0.1, 0.2, 0.4), appear_ceiling_s=60.0)
_TO_COME = "still to come: "
_WAITED_FOR = re.compile(f'{_TO_COME}[^"\n]*')


class NotShownError(LookupError):
    """What a move needs is not on the screen: it may come."""


@dataclass(frozen=True)
class View:
    """What the model was sent; `screen` is the newest whole screen with what changed since."""

    text: str

    def number(self, name: str, role: str = r"\w+", within: str = "") -> int:
        """The number of the element of that name (within what is named so), by the newest line that shows it.

        A name that ends in … is the beginning of one.
        """
        screen = self.text[self.text.rfind("The screen now:") :]
        place = f".* “{re.escape(within)}”" if within else ""
        named = f"{re.escape(name[:-1])}[^”]*" if name.endswith("…") else re.escape(name)
        found = re.findall(rf"^(?:[=+] )?\[(\d+)\] {role} “{named}”{place}", screen, re.MULTILINE)
        if not found:
            raise NotShownError(f"{role} “{name}”")
        return int(found[-1])

    def seen(self, words: str) -> str:
        """The words, once the screen shows them."""
        if words not in self.text:
            raise NotShownError(words)
        return words

    def click(self, name: str, role: str = r"\w+", within: str = "") -> Json:
        return {"do": "click_element", "element": self.number(name, role, within)}

    def fill(self, name: str, text: str) -> Json:
        return {"do": "fill", "element": self.number(name), "text": text}

    def choose(self, name: str, option: str) -> Json:
        return {"do": "select_option", "element": self.number(name), "option": option}


@dataclass
class Model:
    """Replies to each role; `moves` are the decisions in turn, `look` what a second look says where one is due."""

    planned: Json
    moves: list[Move]
    closing: Json
    look: Json | None = None
    asked: list[str] = field(default_factory=list)
    missed: int = 0
    fault: str = ""

    def __call__(self, request: Received) -> Says:
        said = request.body.get("messages") or [request.body.get("instructions"), request.body.get("input")]
        text = _WAITED_FOR.sub("", "\n".join(_texts(said)))  # what it said itself shows nothing
        if "You plan how a goal is reached" in text:
            return Says(self.planned)
        if "You tell a person what came of the goal" in text:
            return Says(self.closing)
        if "with fresh eyes" in text:
            assert self.look is not None, "a claim was doubted"
            return Says(self.look)
        self.asked.append(text)
        if not self.moves:
            return self._end("asked once more than was scripted", text)
        try:
            reply = self.moves[0](View(text))
        except NotShownError as error:
            self.missed += 1
            if self.missed > _MOST_MISSED:
                return self._end(f"{error} is never shown", text)
            return Says({"route": "wait", "say": f"{_TO_COME}{error}"})
        del self.moves[0]
        return Says(reply)

    def _end(self, fault: str, text: str) -> Says:
        """What is asked does not fit the script: the run ends, and the test fails with what was shown."""
        self.fault = self.fault or f"{fault}:\n{text[-3000:]}"
        return Says({"route": "impossible", "say": fault})


def _texts(value: object) -> Iterator[str]:
    """All texts of a body, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


class _Current:
    """The planner of the present test, so that one agent and browser serve all of them."""

    name = "model"
    planner: Planner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.planner, name)


class _Provider(BrowserProvider):
    """Lets a test look at and act in the browser, as a person does."""

    loop: asyncio.AbstractEventLoop
    tabs: tuple[str, ...] = ()

    async def acquire(self, request: RunRequest) -> Surface:
        self.loop = asyncio.get_running_loop()
        return await super().acquire(request)

    async def release(self, surface: Surface) -> None:
        assert isinstance(surface, ManagedBrowser)
        self.tabs = tuple(tab.page.url for tab in surface._tabs)
        await super().release(surface)

    @property
    def page(self) -> Page:
        assert self._kept is not None
        tab = self._kept._tabs.active
        assert tab is not None
        return tab.page


@dataclass
class Rig:
    agent: Agent
    provider: _Provider
    current: _Current
    listener: Listener
    addresses: dict[str, PracticeSite]
    clients: list[ModelClient]
    snapshot: dict[str, Any] = field(default_factory=dict)

    def run(
        self,
        goal: str,
        model: Model,
        wire: Wire,
        person: Callable[[Any], Any] | None = None,
        *,
        url: str = "",
        options: ModelOptions | None = None,
    ) -> RunFinished:
        """Carry out a goal over the wire; `person` answers requests."""
        with EndpointServer(model) as server:
            client = client_of(server, wire=wire)
            self.clients.append(client)
            planner = ModelPlanner(client, Registry(), options=options)

            def answer(request: Any) -> Any:
                assert not model.fault, model.fault
                assert person is not None, request
                return person(request)

            end = self.run_with(planner, goal, answer, url=url)
            assert not model.fault, model.fault
            return end

    def run_with(
        self, planner: Planner, goal: str, person: Callable[[Any], Any] | None = None, *, url: str = ""
    ) -> RunFinished:
        """Carry out a goal with any planner."""
        site = PracticeSite()
        site.start()
        self.addresses["site"] = site
        self.listener.events.clear()
        self.current.planner = planner
        try:
            request = RunRequest(goal=goal, url=url or goal.split()[0].rstrip(":"), headless=True)
            self.agent.control.start(request)
            answered = 0
            while True:
                event = self.listener.wait(partial(self._is_news, answered=answered), timeout_s=RUN_S)
                if isinstance(event, RunFinished):
                    return event
                assert isinstance(event, RequestRaised)
                answered += 1
                assert person is not None, event.request
                self.agent.control.answer(event.request.id, person(event.request))
        except BaseException:
            self.agent.control.stop()
            raise
        finally:
            self.snapshot = site.snapshot()
            site.stop()

    def in_page(self, act: Callable[[Page], Coroutine[Any, Any, T]]) -> T:
        """What a person does in the page in front meanwhile."""
        return asyncio.run_coroutine_threadsafe(act(self.provider.page), self.provider.loop).result(timeout=60)

    @property
    def rungs(self) -> list[tuple[Rung, str]]:
        """The rungs that were climbed, each with its reason; without waits of the model's own."""
        climbed = [event for event in self.listener.events if isinstance(event, RecoveryTried)]
        return [(event.rung, event.reason) for event in climbed if not event.reason.startswith(_TO_COME)]

    def _is_news(self, event: Event, answered: int) -> bool:
        raised = [one for one in self.listener.events if isinstance(one, RequestRaised)]
        return isinstance(event, RunFinished) or (len(raised) > answered and event is raised[answered])

    def questions_per_step(self) -> float:
        asked = [event for event in self.listener.events if isinstance(event, ModelAsked)]
        decisions = [event for event in asked if event.purpose in {"decision", "recovery"}]
        decisions = [event for event in decisions if event.snapshot.get("route") != "wait"]
        steps = [event for event in self.listener.events if isinstance(event, StepFinished)]
        return len(decisions) / (len(steps) - 1)  # opening the page is decided by nobody


@contextmanager
def open_rig(folder: Path, limits: Limits = LIMITS) -> Iterator[Rig]:
    """An agent with its browser open, for the tests of a module."""
    provider = _Provider(profile_dir=folder / "profile", downloads_dir=folder / "downloads", keep_open=True)
    current, listener = _Current(), Listener()
    addresses: dict[str, PracticeSite] = {}
    clients: list[ModelClient] = []

    async def shut_down() -> None:
        for client in clients:
            await client.close()
        await provider.close()

    def resolve(url: str) -> str:
        return addresses["site"].page_url(url.partition(":")[2]) if url.startswith("practice:") else url

    parts = Parts(
        planner=current,
        provider=provider,
        registry=Registry(),
        resolve=resolve,
        limits=limits,
    )
    agent = Agent(parts, ListRecorder(), shut_down=shut_down)
    agent.add_sink(listener)
    agent.start()
    current.planner = ScriptedPlanner("Look", choose=lambda *_: TaskDone())
    agent.control.start(RunRequest(goal="begin", headless=True))  # the browser belongs to the module, not to a test
    listener.wait(lambda event: isinstance(event, RunFinished), timeout_s=RUN_S)
    yield Rig(agent, provider, current, listener, addresses, clients)
    assert agent.close(timeout_s=60)
