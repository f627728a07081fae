"""Practice goals with a model over real loopback HTTP, in a real browser, through the real engine, in all four formats.

The endpoint plays a model that reads what it is sent: it finds each control by its name in the newest text that shows
it, so that a screen that is shown wrongly fails the run. What is not there yet it waits for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import Event, ModelAsked, RequestRaised, RunFinished, StepFinished
from operative_app.core.requests import Approve, FilesChosen, HandOffKind, HandOffRequest
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.llm.client import ModelClient
from operative_app.planning.model.planner import ModelPlanner
from operative_app.planning.port import Planner, TaskDone
from operative_app.practice.server import PracticeSite
from tests.engine.world import Listener, ListRecorder, ScriptedPlanner
from tests.llm.asking import Wire, client_of
from tests.llm.endpoint_server import EndpointServer, Received, Says
from tests.planning.model.scripted import act, finish, plan, summary

Json = dict[str, Any]
Move = Callable[["View"], Json]


class NotShownError(LookupError):
    """What a move needs is not on the screen: it may come."""


@dataclass(frozen=True)
class View:
    """What the model was sent; `screen` is the newest whole screen with what changed since."""

    text: str

    def number(self, name: str, role: str = r"\w+") -> int:
        """The number of the element of that name, by the newest line that shows it."""
        screen = self.text[self.text.rfind("The screen now:") :]
        found = re.findall(rf"^(?:[=+] )?\[(\d+)\] {role} “{re.escape(name)}”", screen, re.MULTILINE)
        if not found:
            raise NotShownError(f"{role} “{name}”")
        return int(found[-1])

    def seen(self, words: str) -> str:
        """The words, once the screen shows them."""
        if words not in self.text:
            raise NotShownError(words)
        return words

    def click(self, name: str, role: str = r"\w+") -> Json:
        return {"do": "click_element", "element": self.number(name, role)}

    def fill(self, name: str, text: str) -> Json:
        return {"do": "fill", "element": self.number(name), "text": text}


@dataclass
class Model:
    """Replies to each role; `moves` are the decisions in turn."""

    planned: Json
    moves: list[Move]
    closing: Json
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Received) -> Says:
        said = request.body.get("messages") or [request.body.get("instructions"), request.body.get("input")]
        text = "\n".join(_texts(said))
        if "You plan how a goal is reached" in text:
            return Says(self.planned)
        if "You tell a person what came of the goal" in text:
            return Says(self.closing)
        assert "with fresh eyes" not in text, "a claim was doubted"
        self.asked.append(text)
        assert self.moves, f"asked once more than was scripted:\n{text[-3000:]}"
        try:
            reply = self.moves[0](View(text))
        except NotShownError as error:
            return Says({"route": "wait", "say": str(error)})
        del self.moves[0]
        return Says(reply)


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


@dataclass
class Rig:
    agent: Agent
    current: _Current
    listener: Listener
    addresses: dict[str, PracticeSite]
    clients: list[ModelClient]
    snapshot: dict[str, Any] = field(default_factory=dict)

    def run(self, goal: str, model: Model, wire: Wire, person: Callable[[Any], Any] | None = None) -> RunFinished:
        """Carry out a goal; `person` answers requests."""
        site = PracticeSite()
        site.start()
        self.addresses["site"] = site
        self.listener.events.clear()
        with EndpointServer(model) as server:
            client = client_of(server, wire=wire)
            self.clients.append(client)
            self.current.planner = ModelPlanner(client, Registry())
            try:
                self.agent.control.start(RunRequest(goal=goal, url=goal.split()[0].rstrip(":"), headless=True))
                answered = 0
                while True:
                    event = self.listener.wait(partial(self._is_news, answered=answered), timeout_s=90)
                    if isinstance(event, RunFinished):
                        return event
                    assert isinstance(event, RequestRaised)
                    answered += 1
                    assert person is not None, event.request
                    self.agent.control.answer(event.request.id, person(event.request))
            finally:
                self.snapshot = site.snapshot()
                site.stop()

    def _is_news(self, event: Event, answered: int) -> bool:
        raised = [one for one in self.listener.events if isinstance(one, RequestRaised)]
        return isinstance(event, RunFinished) or (len(raised) > answered and event is raised[answered])

    def questions_per_step(self) -> float:
        asked = [event for event in self.listener.events if isinstance(event, ModelAsked)]
        decisions = [event for event in asked if event.purpose in {"decision", "recovery"}]
        decisions = [event for event in decisions if event.snapshot.get("route") != "wait"]
        steps = [event for event in self.listener.events if isinstance(event, StepFinished)]
        return len(decisions) / (len(steps) - 1)  # opening the page is decided by nobody


@pytest.fixture(scope="module")
def rig(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("practice")
    provider = BrowserProvider(profile_dir=folder / "profile", downloads_dir=folder / "downloads", keep_open=True)
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
        limits=Limits(backoff_s=(0.1, 0.3)),
    )
    agent = Agent(parts, ListRecorder(), shut_down=shut_down)
    agent.add_sink(listener)
    agent.start()
    current.planner = ScriptedPlanner("Look", choose=lambda *_: TaskDone())
    agent.control.start(RunRequest(goal="begin", headless=True))  # the browser belongs to the module, not to a test
    listener.wait(lambda event: isinstance(event, RunFinished), timeout_s=60)
    yield Rig(agent, current, listener, addresses, clients)
    assert agent.close()


def test_shop_order_to_checkout(rig: Rig) -> None:
    model = Model(
        plan("Find the Mac mini", "Put the one with 512 GB into the cart", "Go to checkout"),
        [
            lambda view: act(view.fill("Search products", "Mac mini"), view.click("Search", "button")),
            lambda view: act(
                view.click("Mac mini 512 GB", "link"), done=[{"task": 1, "evidence": "Results for “Mac mini”"}]
            ),
            lambda view: act(view.click("Add to cart", "button")),
            lambda view: act(view.click("Go to checkout"), done=[{"task": 2, "evidence": "Your cart"}]),
            lambda _: finish("Place order", done=[{"task": 3, "evidence": "Place order"}]),
        ],
        summary(("The Mac mini with 512 GB is in the cart", 5)),
    )
    end = rig.run("practice:shop: put a Mac mini with 512 GB into the cart and go to checkout", model, Wire.CHAT)
    assert (end.state, end.url.rpartition("/shop")[2]) == (RunState.DONE, "/checkout")
    (cart,) = rig.snapshot["shop"]["carts"].values()
    assert [(line["storage"], line["quantity"]) for line in cart] == [("512 GB", 1)]
    assert rig.snapshot["shop"]["orders"] == []
    assert rig.questions_per_step() <= 1.0


def test_newsletter_through_the_contact_button(rig: Rig) -> None:
    model = Model(
        plan("Open the contact form", "Subscribe with ada@example.org"),
        [
            lambda view: act(view.click("Contact", "button")),
            lambda view: act(
                view.fill("E-mail address", "ada@example.org"),
                view.click("Subscribe", "button"),
                done=[{"task": 1, "evidence": "E-mail address"}],
            ),
            lambda _: finish("", done=[{"task": 2, "evidence": "Thank you, you are subscribed."}]),
        ],
        summary(("ada@example.org is subscribed", 4)),
    )
    end = rig.run("practice:newsletter: subscribe with ada@example.org", model, Wire.CHAT_STREAM, lambda _: Approve())
    assert [one["email"] for one in rig.snapshot["newsletter"]["subscribers"]] == ["ada@example.org"]
    assert end.state is RunState.DONE, end
    assert rig.questions_per_step() <= 1.0


def test_a_value_read_from_a_table_is_the_answer(rig: Rig) -> None:
    evidence = "March 2026 | 2,383 | $121,533"
    model = Model(
        plan("Tell the revenue of March 2026"),
        [
            lambda view: act({"do": "get_text"}),
            lambda view: finish("", done=[{"task": 1, "evidence": evidence}], answer="It was $121,533 in March 2026."),
        ],
        summary(("The revenue of March 2026 was $121,533", 2)),
    )
    end = rig.run("practice:report: what was the revenue of March 2026?", model, Wire.RESPONSES)
    assert (end.state, end.answer) == (RunState.DONE, "It was $121,533 in March 2026.")
    assert end.reason == "The revenue of March 2026 was $121,533. [step 2]"


def test_pdf_to_images_with_the_person_choosing_the_file(rig: Rig, tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    Image.new("RGB", (60, 80), "white").save(paper)

    def person(request: Any) -> Any:
        assert isinstance(request, HandOffRequest)
        assert request.why is HandOffKind.FILE
        assert request.target is not None
        return FilesChosen(paths=(str(paper),))

    model = Model(
        plan({"goal": "Choose the PDF", "by_human": True}, "Convert it to PNG images"),
        [
            lambda view: {
                "route": "hand_over",
                "person": "file",
                "say": "Please choose your PDF.",
                "element": view.number("Choose PDF", "button"),
            },
            lambda view: act(view.click("Convert", "button"), done=[{"task": 1, "evidence": "paper.pdf"}]),
            lambda _: {"route": "wait", "say": "the pictures"},
            lambda view: finish("", done=[{"task": 2, "evidence": view.seen("1 page ready")}]),
        ],
        summary(("One page became a picture", 3)),
    )
    end = rig.run("practice:pdf: convert my PDF to PNG images", model, Wire.RESPONSES_STREAM, person)
    assert end.state is RunState.DONE, end
    (conversion,) = rig.snapshot["pdf"]["conversions"]
    assert (conversion["filename"], conversion["status"]) == ("paper.pdf", "done")
