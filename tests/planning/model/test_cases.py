"""Every handed reply of a faulty endpoint, over real loopback HTTP, as far as it is the planner's part."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from operative_app.actions.registry import Registry
from operative_app.core.endpoint import PictureUse
from operative_app.core.events import Event, ModelAsked, Notice, RequestRaised, RunFinished, StepFinished
from operative_app.core.requests import QuestionRequest
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import Observation, Picture
from operative_app.engine.agent import Agent
from operative_app.engine.run import Parts
from operative_app.llm.faults import FaultKind
from operative_app.llm.waiting import Patience
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.planner import ModelPlanner
from tests.engine.world import RUN_S, FakePage, World
from tests.llm.asking import KEY, QUICK, Memory, Wire, client_of
from tests.llm.endpoint_server import EndpointServer, Received, Says, case, case_names
from tests.planning.model.scripted import plan

TASK = "Press the third button"
HASTY = replace(QUICK, first_byte_s=6, total_s=6, tries={**QUICK.tries, FaultKind.TIME_OUT: 1})


class _Page(FakePage):
    """Three buttons, and what they look like."""

    async def observe(self, *, with_picture: bool = True) -> Observation:
        seen = await super().observe(with_picture=with_picture)
        buffer = BytesIO()
        Image.new("RGB", (320, 200), "white").save(buffer, "JPEG")
        return Observation(state=seen.state, picture=Picture(data=buffer.getvalue(), width_px=320, height_px=200))


class _World(World):
    """A world whose agent closes the client on its own thread at the end."""

    def __init__(self, page: FakePage, planner: ModelPlanner, close: Callable[[], Awaitable[None]]) -> None:
        super().__init__(page, planner)  # type: ignore[arg-type]
        parts = Parts(
            planner=planner,
            provider=self.provider,
            registry=Registry(),
            resolve=lambda url: url,
            limits=self.limits,
        )
        self.agent = Agent(parts, self.recorder, shut_down=close)
        self.agent.add_sink(self.listener)
        self.control = self.agent.control


class _AtTheEnd:
    """Notes what was pressed and asked as soon as it has come to that, on the agent's thread.

    A scripted model says the same again, and by the time another thread has heard of the end it may have been asked.
    """

    def __init__(self, page: FakePage, server: EndpointServer) -> None:
        self._page, self._server = page, server
        self._is_end = _is_end(page)
        self.clicks: list[str] | None = None
        self.asked: list[Received] = []

    def emit(self, event: Event) -> None:
        if self.clicks is None and self._is_end(event):
            self.clicks, self.asked = list(self._page.clicks), list(self._server.asked)


class Told:
    """One run against a script: it ends with the third button, a question to the person, or by itself."""

    def __init__(self, name: str, *, pictures: bool = False, patience: Patience = QUICK, **known: bool) -> None:
        replies = case(name)[1]
        page = _Page(buttons=["One", "Two", "Three"], texts=["Three buttons"])
        for name in page.buttons:
            page.on_click[name] = lambda page, name=name: page.texts.append(f"{name} was pressed")  # type: ignore[misc]
        conditional = [one for one in replies if getattr(one, "when", None)]
        script = [*conditional, Says(plan(TASK)), *(one for one in replies if one not in conditional)]
        with EndpointServer(script) as server:
            client = client_of(server, wire=Wire.CHAT, patience=patience, memory=Memory(has_streaming=False, **known))
            use = PictureUse.ALWAYS if pictures else PictureUse.NEVER
            planner = ModelPlanner(client, Registry(), options=ModelOptions(pictures=use, summary_by_model=False))
            with _World(page, planner, client.close) as world:
                end = _AtTheEnd(page, server)
                world.agent.add_sink(end)
                world.start()
                self.end = world.listener.wait(_is_end(page), timeout_s=RUN_S)
                world.control.stop()
                world.listener.wait_end()
        self.clicks, self.requests = end.clicks, end.asked
        self.events = list(world.listener.events)

    @property
    def question(self) -> str:
        assert isinstance(self.end, RequestRaised), self.end
        assert isinstance(self.end.request, QuestionRequest)
        return self.end.request.text

    @property
    def faults(self) -> list[str]:
        return [event.fault for event in self.events if isinstance(event, ModelAsked) and event.fault]


def _is_end(page: FakePage) -> Callable[[Event], bool]:
    def is_end(event: Event) -> bool:
        is_pressed = isinstance(event, StepFinished) and bool(page.clicks)
        return is_pressed or isinstance(event, RequestRaised | RunFinished)

    return is_end


def ends_with_button_three(told: Told) -> None:
    """Nothing but the third button was pressed."""
    assert told.clicks == ["Three"]


def bad_key(told: Told) -> None:
    assert isinstance(told.end, RunFinished)
    assert "Check it in the settings" in told.end.reason
    assert told.clicks == []
    assert not any(KEY in str(event) for event in told.events)


def asks_what_now(*words: str) -> Callable[[Told], None]:
    """The person is asked what now, with the reason; nothing was carried out."""

    def check(told: Told) -> None:
        assert told.clicks == []
        for one in words:
            assert one in told.question

    return check


def corrected(fault: str) -> Callable[[Told], None]:
    """The model was shown once what is wrong with its reply; the next one was carried out."""

    def check(told: Told) -> None:
        ends_with_button_three(told)
        assert [one for one in told.faults if fault in one]
        assert len(told.faults) == 1
        assert fault in told.requests[-1].text

    return check


def context_length(told: Told) -> None:
    ends_with_button_three(told)
    assert len(told.faults) == 1
    assert "8,192 tokens" in told.faults[0]
    assert len(told.requests) == 3


def done_without_doing(told: Told) -> None:
    assert isinstance(told.end, RunFinished)
    assert told.end.state is RunState.NOT_VERIFIED
    assert told.clicks == []
    assert "no evidence was given" in told.requests[-1].text


def no_vision(told: Told) -> None:
    ends_with_button_three(told)
    assert told.requests[1].has_picture
    assert not told.requests[-1].has_picture
    assert [event for event in told.events if isinstance(event, Notice) and "pictures" in event.text]


def repeats_itself(told: Told) -> None:
    asks_what_now("there is no element 404 on the screen now")(told)
    failed = [event for event in told.events if isinstance(event, StepFinished)]
    assert [event.status for event in failed] == [OutcomeStatus.FAILED] * 2
    assert len(told.requests) == 1 + 3 * 2


ENDS: dict[str, Callable[[Told], None]] = {
    "bad_key": bad_key,
    "choices_empty": asks_what_now("an empty list of answers"),
    "context_length": context_length,
    "done_without_doing": done_without_doing,
    "fenced_json": ends_with_button_three,
    "hang": asks_what_now("did not answer in time"),
    "html_body": asks_what_now("is not a model's API"),
    "length_truncated_call": corrected("cut off at the output limit"),
    "malformed_arguments": corrected("invalid JSON"),
    "missing_params": corrected("fill needs text"),
    "no_response_format": ends_with_button_three,
    "no_tools": ends_with_button_three,
    "no_vision": no_vision,
    "prose_around_json": ends_with_button_three,
    "rate_limit_then_ok": ends_with_button_three,
    "refusal_field": asks_what_now("I can't help with that."),
    "repeats_itself": repeats_itself,
    "stream_cut": asks_what_now("nothing of it was used"),
    "think_tags": ends_with_button_three,
    "unknown_action": corrected("there is no action “teleport” here; there are: click"),
    "wrong_types": ends_with_button_three,
}
SETTINGS: dict[str, dict[str, object]] = {
    "hang": {"patience": HASTY},
    "no_tools": {"has_schema": False},
    "no_vision": {"pictures": True},
    "rate_limit_then_ok": {"patience": replace(QUICK, longest_wait_s=5)},
}


@pytest.mark.parametrize("name", case_names())
def test_a_case_ends_as_it_should(name: str) -> None:
    ENDS[name](Told(name, **SETTINGS.get(name, {})))  # type: ignore[arg-type]
